package treesitter

import (
	"fmt"
	"strings"

	"waferpair/engine/refactor"
)

func init() { operations["doc"] = document }

// documented is a declaration that can carry a doc comment.
type documented struct {
	u        *unit
	def      *node // what the comment describes
	stmt     *node // what it stands above: the export statement, the decorators
	name     string
	kind     string // func, method, class, type
	exported bool
}

func document(j *job) (string, error) {
	symbol := j.op.Args["symbol"]
	if symbol == "" {
		u, err := j.file()
		if err != nil {
			return "", err
		}
		all, err := j.undocumented(u)
		if err != nil {
			return "", err
		}
		return j.comments(all)
	}
	s, err := j.one(symbol, "")
	if err != nil {
		return "", err
	}
	d, ok := describable(s)
	if !ok {
		return "", j.decline("%s (%s) is a %s, which takes no doc comment", symbol, s.spot(), s.kind)
	}
	return j.comments([]documented{d})
}

// comments adds those doc comments that can be added; the first that cannot is
// the reason when none can.
func (j *job) comments(all []documented) (string, error) {
	added, refused := 0, ""
	for _, d := range all {
		if why := j.comment(d); why == "" {
			added++
		} else if refused == "" {
			refused = d.name + " " + why
		}
	}
	switch {
	case added > 0:
		return fmt.Sprintf("Added %s.", count(added, "doc comment", "doc comments")), nil
	case refused != "":
		return "", j.decline("%s", refused)
	}
	return "", j.already("every declaration that was asked for has a doc comment already")
}

// file is the target's file, which some operations cannot do without.
func (j *job) file() (*unit, error) {
	if j.target.File == "" {
		return nil, j.decline("%s", refactor.WhichFile)
	}
	if u := j.p.unit(j.target.File); u != nil {
		return u, nil
	}
	return nil, j.decline("%s cannot be read as a file of this language", j.target.File)
}

// undocumented lists the declarations of a file that the request is about. It
// declines when the selected lines begin none, documented or not.
func (j *job) undocumented(u *unit) ([]documented, error) {
	var out []documented
	headed := false
	for _, d := range documentable(u) {
		if !j.heads(d) {
			continue
		}
		headed = true
		if kind := j.op.Args["kind"]; kind != "" && kind != d.kind && !(kind == "type" && d.kind == "class") {
			continue
		}
		if (j.op.Args["which"] == "all" || d.exported) && !hasDoc(d) {
			out = append(out, d)
		}
	}
	if !headed && j.target.From > 0 {
		return nil,
			j.decline(
				"no declaration that takes a doc comment begins in the selected lines of %s; select the line with its name", u.path)
	}
	return out, nil
}

// heads reports whether the line with the declaration's name is selected: lines
// in the body of a class are about what begins there, not about the class.
func (j *job) heads(d documented) bool {
	line := d.def.get("name").line()
	return j.target.From <= 0 || j.target.From <= line && line <= max(j.target.From, j.target.To)
}

// touches reports whether the selected lines overlap n.
func (j *job) touches(n *node) bool {
	return n.line() <= j.target.To && lineOf(n.src, n.to) >= j.target.From
}

// describable finds the declaration of a subject among those that take a comment.
func describable(s *subject) (documented, bool) {
	for _, d := range documentable(s.unit) {
		if d.def == s.def || s.node.parent == d.def {
			return d, true
		}
	}
	return documented{}, false
}

func documentable(u *unit) []documented {
	var out []documented
	u.root.walk(func(n *node) bool {
		if n.is("function_definition", "class_definition") {
			out = append(out, pyDocumented(u, n))
			return true
		}
		if d, ok := jsDocumented(u, n); ok {
			out = append(out, d)
		}
		return true
	})
	return out
}

func pyDocumented(u *unit, n *node) documented {
	d := documented{u: u, def: n, stmt: n, name: n.get("name").text(), kind: "func"}
	if n.kind == "class_definition" {
		d.kind = "class"
	} else if n.up("function_definition", "class_definition").is("class_definition") {
		d.kind = "method"
	}
	d.exported = !strings.HasPrefix(d.name, "_") && n.up("function_definition") == nil
	if c := n.up("class_definition"); c != nil && strings.HasPrefix(c.get("name").text(), "_") {
		d.exported = false
	}
	return d
}

func jsDocumented(u *unit, n *node) (documented, bool) {
	d := documented{u: u, def: n, stmt: n}
	switch n.kind {
	case "function_declaration", "generator_function_declaration", "function_signature":
		d.kind = "func"
	case "class_declaration", "abstract_class_declaration":
		d.kind = "class"
	case "interface_declaration", "type_alias_declaration", "enum_declaration":
		d.kind = "type"
	case "method_definition":
		if !n.parent.is("class_body") || n.get("name").text() == "constructor" || n.child("get", "set") != nil {
			return d, false
		}
		d.kind = "method"
	case "variable_declarator":
		if !n.get("value").is("arrow_function", "function_expression", "generator_function") || n.parent.firstKid() != n ||
			!n.get("name").is("identifier") {
			return d, false
		}
		d.kind, d.stmt = "func", n.parent
	default:
		return d, false
	}
	if n.get("name") == nil {
		return d, false
	}
	d.name = n.get("name").text()
	for d.stmt.parent.is("export_statement", "ambient_declaration") {
		d.stmt = d.stmt.parent
	}
	d.exported = d.isExported()
	return d, true
}

func (d documented) isExported() bool {
	if d.kind == "method" {
		mod := d.def.child("accessibility_modifier")
		if strings.HasPrefix(d.name, "#") || mod != nil && mod.text() != "public" {
			return false
		}
		c, ok := jsDocumented(d.u, d.def.parent.parent)
		return ok && c.exported
	}
	if b := d.u.module.names[d.name]; b != nil && b.exported {
		for _, dc := range b.decls {
			if dc.def == d.def {
				return true
			}
		}
	}
	return false
}

func hasDoc(d documented) bool {
	if d.def.is("function_definition", "class_definition") {
		first := d.def.get("body").firstKid()
		return first.is("expression_statement") && first.firstKid().is("string", "concatenated_string")
	}
	for c := d.stmt.prev; c != nil && c.kind == "comment"; c = c.prev {
		if strings.HasPrefix(c.text(), "/**") {
			return true
		}
	}
	// An overload is documented where its first signature is.
	if p := d.stmt.prev; p != nil && strings.Contains(d.def.kind, "function") {
		if q, ok := jsDocumented(d.u, inner(p)); ok && q.name == d.name {
			return true
		}
	}
	return false
}

// inner is the declaration that an export statement holds.
func inner(n *node) *node {
	for n.is("export_statement", "ambient_declaration") {
		d := n.get("declaration")
		if d == nil {
			d = n.firstKid()
		}
		if d == nil {
			return n
		}
		n = d
	}
	return n
}

// comment adds the doc comment, or says why it cannot.
func (j *job) comment(d documented) string {
	if hasDoc(d) {
		return "has a doc comment already"
	}
	text := strings.TrimSpace(j.op.Args["text"])
	if text == "" {
		text = sentence(d.name, d.kind == "func" || d.kind == "method")
	}
	if text == "" {
		return "has a name without words, so there is nothing honest to say about it"
	}
	if d.def.is("function_definition", "class_definition") {
		return j.docstring(d, text)
	}
	return j.jsdoc(d, text)
}

func (j *job) docstring(d documented, text string) string {
	src, st := d.u.src, d.u.style()
	body := d.def.get("body")
	first := body.firstKid()
	if first == nil || !first.ownLines() || first.line() == d.def.line() {
		return "has its body on the line of its header"
	}
	if strings.Contains(text, `"""`) || strings.HasSuffix(text, `"`) || strings.Contains(text, `\`) {
		return "cannot have a docstring with these quotes or backslashes"
	}
	at := nextLine(src, headerEnd(d.def))
	lead := indentAt(src, first.from)
	doc := lead + `"""` + strings.ReplaceAll(text, "\n", st.eol+lead)
	if strings.Contains(text, "\n") {
		doc += st.eol + lead
	}
	doc += `"""` + st.eol
	if d.kind == "class" {
		doc += st.eol
	}
	j.replace(d.u.path, at, at, doc)
	return ""
}

// headerEnd is the offset of the colon that ends a Python header.
func headerEnd(def *node) int {
	for c := def.last; c != nil; c = c.prev {
		if c.kind == ":" {
			return c.from
		}
	}
	return def.get("body").from
}

// paramName is a parameter's own name; a destructured one has none.
func paramName(p *node) string {
	for p.is("required_parameter", "optional_parameter", "assignment_pattern", "rest_pattern") {
		q := p.get("pattern")
		if q == nil {
			q = p.firstKid()
		}
		p = q
	}
	if p.is("identifier") {
		return p.text()
	}
	return ""
}
