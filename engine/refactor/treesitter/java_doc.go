package treesitter

import (
	"fmt"
	"slices"
	"strings"
)

func init() { javaOps["doc"] = javaDoc }

// javaDoc writes Javadoc: what the name says, the parameters, what comes back, and what is
// thrown when.
func javaDoc(j *job) (string, error) {
	if j.op.Args["symbol"] != "" {
		d, err := j.javaDocumented()
		if err != nil {
			return "", err
		}
		if javadocOf(d) != nil {
			return "", j.already("%s has a doc comment already", j.op.Args["symbol"])
		}
		u := j.unitOf(d)
		if err := j.javadoc(u, d); err != nil {
			return "", err
		}
		return "Added 1 doc comment.", nil
	}
	u, err := j.file()
	if err != nil {
		return "", err
	}
	added := 0
	var refused error
	u.root.walk(func(n *node) bool {
		if !j.javaWanted(u, n) {
			return !n.is("block", "constructor_body")
		}
		if err := j.javadoc(u, n); err != nil {
			refused = err
		} else {
			added++
		}
		return true
	})
	switch {
	case added > 0:
		return fmt.Sprintf("Added %s.", count(added, "doc comment", "doc comments")), nil
	case refused != nil:
		return "", refused
	}
	return "", j.already("every declaration that was asked for has a doc comment already")
}

func (j *job) unitOf(n *node) *unit {
	for _, u := range j.p.all() {
		if n.within(u.root) {
			return u
		}
	}
	return nil
}

// javaDocumented is the declaration that the request names.
func (j *job) javaDocumented() (*node, error) {
	symbol := j.op.Args["symbol"]
	s, err := j.one(symbol, j.op.Args["kind"])
	if err != nil {
		return nil, err
	}
	d := s.def
	if s.kind == "method" && memberCount(s) > 1 {
		f, err := j.overload(s, symbol)
		if err != nil {
			return nil, err
		}
		d = f.def
	}
	if d.is("variable_declarator") {
		d = d.parent
	}
	if s.nested() || d.is("formal_parameter", "type_parameter") {
		return nil, j.decline("%s (%s) is a %s, which takes no doc comment", symbol, s.spot(), s.kind)
	}
	return d, nil
}

func memberCount(s *subject) int {
	n := 0
	for _, m := range s.class.members[s.name] {
		if m.method {
			n++
		}
	}
	return n
}

// javaWanted: what other code can see and has no comment; what overrides has its parent's.
func (j *job) javaWanted(u *unit, n *node) bool {
	_, kind := j.d.declared(n)
	if kind == "" || n.is("variable_declarator", "formal_parameter", "enum_constant") || javadocOf(n) != nil {
		return false
	}
	if want := j.op.Args["kind"]; want != "" && want != kind && !(want == "class" && kind == "type") &&
		!(want == "func" && kind == "method") {
		return false
	}
	line := n.get("name").line()
	if j.target.From > 0 && (line < j.target.From || line > max(j.target.From, j.target.To)) {
		return false
	}
	if strings.Contains(n.child("modifiers").text(), "@Override") {
		return false
	}
	if j.op.Args["which"] == "all" {
		return true
	}
	for p := n; p != nil; p = p.parent {
		if p.is(javaTypes...) || p == n {
			inInterface := p.parent.is("interface_body", "annotation_type_body")
			if !javaHas(p, "public") && !javaHas(p, "protected") && !inInterface {
				return false
			}
		}
	}
	return true
}

// javadocOf is the Javadoc directly above a declaration, or nil.
func javadocOf(n *node) *node {
	if n.is("variable_declarator") {
		n = n.parent
	}
	if c := n.prev; c.is("comment") && strings.HasPrefix(c.text(), "/**") {
		return c
	}
	return nil
}

func (j *job) javadoc(u *unit, d *node) error {
	name := d.get("name")
	if d.is("field_declaration", "constant_declaration") {
		name = d.get("declarator").get("name")
	}
	text := strings.TrimSpace(j.op.Args["text"])
	if strings.Contains(text, "*/") {
		return j.decline("a comment cannot contain */")
	}
	if text == "" {
		text = javaSays(d, name.text())
	}
	if text == "" {
		return j.decline("%s has a name without words, so there is nothing honest to say about it", name.text())
	}
	first := above(d)
	if !first.beginsLine() || !d.beginsLine() {
		return j.decline("%s does not begin its line", name.text())
	}
	lines, tags := strings.Split(text, "\n"), javaTags(d)
	st, lead := u.style(), indentAt(u.src, d.from)
	at := lineStart(u.src, first.from)
	if len(lines) == 1 && len(tags) == 0 {
		j.replace(u.path, at, at, lead+"/** "+text+" */"+st.eol)
		return nil
	}
	if len(tags) > 0 {
		lines = append(append(lines, ""), tags...)
	}
	doc := lead + "/**" + st.eol
	for _, l := range lines {
		doc += strings.TrimRight(lead+" * "+l, " ") + st.eol
	}
	j.replace(u.path, at, at, doc+lead+" */"+st.eol)
	return nil
}

// javaSays is a sentence about a declaration: of its name's words, in the third person, as
// Javadoc has it.
func javaSays(d *node, name string) string {
	w := wordsOf(name)
	if len(w) == 0 {
		return ""
	}
	rest := strings.Join(w[1:], " ")
	all := strings.Join(w, " ")
	switch {
	case d.is("constructor_declaration"):
		return "Creates a " + all + "."
	case d.is("record_declaration"):
		return "Holds a " + all + "."
	case d.is("enum_declaration"):
		return "The kinds of " + all + "."
	case d.is("interface_declaration"):
		return "What a " + all + " can do."
	case d.is("class_declaration", "annotation_type_declaration"):
		return strings.ToUpper(all[:1]) + all[1:] + "."
	case d.is("field_declaration", "constant_declaration"):
		return "The " + all + "."
	case name == "main":
		return "Runs the program."
	case name == "toString":
		return "Returns the text form."
	case rest == "" && d.get("type").is("void_type"):
		return thirdPerson(w[0]) + "."
	case rest == "" && javaVerbs[w[0]]:
		return thirdPerson(w[0]) + " this " + javaOwner(d) + "."
	case rest == "":
		return "Returns the " + w[0] + " of this " + javaOwner(d) + "."
	}
	switch w[0] {
	case "get":
		return "Returns the " + rest + "."
	case "set":
		return "Sets the " + rest + "."
	case "is", "has", "can", "should", "must", "are", "was":
		return "Reports whether it " + all + "."
	case "to":
		return "Converts it to " + rest + "."
	case "of", "from":
		return "Makes one from " + rest + "."
	case "on":
		return "Handles " + rest + "."
	}
	if !javaVerbs[w[0]] && d.get("type") != nil && !d.get("type").is("void_type") {
		return "Returns the " + all + completed(d, w[len(w)-1]) + "."
	}
	return thirdPerson(w[0]) + " " + rest + completed(d, w[len(w)-1]) + "."
}

// completed names the first parameter behind a name that ends in a preposition: contactsWith(call).
func completed(d *node, last string) string {
	ps := javaParams(d)
	if len(ps) == 0 || !has([]string{"with", "for", "of", "by", "in", "at", "from", "to", "on", "as", "into"}, last) {
		return ""
	}
	return " the " + strings.Join(wordsOf(javaParamName(ps[0]).text()), " ")
}

// javaVerbs are words that say what a method does, where others say what it gives.
var javaVerbs = set(`accept add advance append apply build call check clear clone close collect compare compile compute
connect consume convert copy count create decode delete describe dispatch display draw encode evaluate execute export
fetch fill filter find finish flush format generate handle import increment init initialize insert invoke iterate join
listen load log lookup make map match merge move normalize notify open parse peek poll pop print process publish push
put read receive record reduce refresh register remove render repeat replace report reset resolve resume retry reverse
run save scan schedule search select send serialize set shuffle shutdown skip sort split start stop store submit
subtract summarize annotate apply assert ask assign attach begin break bump cancel change choose cut detach disable
do drop dump emit enable end ensure enter escape exit expect extract fail force give go guess handle hide hold
infer inspect keep launch leave limit link lock look mark measure mix mount need note obtain offer
pack pad pick pin place prepare prompt prove push quote raise rank rebuild rename retain return rotate round
run scale set show sign sum tell test throw tick touch trace track translate try turn undo unlock upload use wrap swap sync take toggle transform trim update validate verify visit wait walk write`)

// javaOwner is the type that a method is of, in words.
func javaOwner(d *node) string {
	if t := d.up(javaTypes...); t != nil {
		return strings.Join(wordsOf(t.get("name").text()), " ")
	}
	return "object"
}

// thirdPerson: parse -> Parses, fetch -> Fetches, apply -> Applies.
func thirdPerson(verb string) string {
	v := strings.ToUpper(verb[:1]) + verb[1:]
	switch {
	case strings.HasSuffix(v, "s") || strings.HasSuffix(v, "x") || strings.HasSuffix(v, "ch") ||
		strings.HasSuffix(v, "sh"):
		return v + "es"
	case strings.HasSuffix(v, "y") && len(v) > 1 && !strings.ContainsRune("aeiou", rune(v[len(v)-2])):
		return v[:len(v)-1] + "ies"
	}
	return v + "s"
}

// javaTags are @param, @return and @throws of a method: a parameter with the words of its
// name, an exception with the condition of the if that throws it.
func javaTags(d *node) []string {
	if !d.is("method_declaration", "constructor_declaration", "record_declaration") {
		return nil
	}
	var out []string
	for _, p := range javaParams(d) {
		name := javaParamName(p).text()
		words := strings.Join(wordsOf(name), " ")
		if words == "" {
			words = "value"
		}
		out = append(out, "@param "+name+" the "+words)
	}
	if t := d.get("type"); t != nil && !t.is("void_type") {
		out = append(out, "@return "+javaGives(d, t))
	}
	return append(out, javaThrows(d)...)
}

// javaGives says what a method returns: the words of its name behind the verb, and its type.
func javaGives(d, t *node) string {
	w := wordsOf(d.get("name").text())
	what := strings.Join(w, " ")
	if len(w) > 1 {
		what = strings.Join(w[1:], " ")
	}
	if len(w) == 1 && javaVerbs[w[0]] {
		what = strings.Join(wordsOf(t.text()), " ")
		if name := t.text(); name == "String" {
			what = "text"
		} else if t.is("integral_type", "floating_point_type") {
			what = "number"
		}
	}
	switch {
	case t.is("boolean_type"):
		return "whether that is so"
	case strings.HasPrefix(t.text(), "Optional"):
		return "the " + what + ", or nothing"
	case t.is("array_type"):
		return "the " + what + ", as an array"
	}
	return "the " + what
}

// javaThrows are the exceptions that are declared, and those that the body throws by a test.
func javaThrows(d *node) []string {
	var out, seen []string
	d.get("body").walk(func(n *node) bool {
		if n.is("lambda_expression", "class_body", "try_statement") {
			return false
		}
		made := n.firstKid()
		if !n.is("throw_statement") || !made.is("object_creation_expression") {
			return true
		}
		name := made.get("type").text()
		if has(seen, name) {
			return true
		}
		seen = append(seen, name)
		stmt := n
		if n.parent.is("block") && n.parent.firstKid() == n {
			stmt = n.parent
		}
		cond := stmt.parent.get("condition")
		if stmt.parent.is("if_statement") && stmt.field == "consequence" && cond != nil &&
			!strings.ContainsAny(cond.text(), "{}@\n*") {
			text := strings.TrimSuffix(strings.TrimPrefix(cond.text(), "("), ")")
			out = append(out, "@throws "+name+" if {@code "+text+"}")
		} else {
			seen = seen[:len(seen)-1] // what its condition is, is not evident
		}
		return true
	})
	for t := range d.child("throws").kids {
		if !slices.Contains(seen, t.text()) {
			why := "if that fails"
			switch t.text() {
			case "IOException":
				why = "if reading or writing fails"
			case "InterruptedException":
				why = "if the thread is interrupted meanwhile"
			}
			out = append(out, "@throws "+t.text()+" "+why)
		}
	}
	return out
}
