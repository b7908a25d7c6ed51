package treesitter

import (
	"regexp"
	"strconv"
	"strings"

	"waferpair/engine/refactor/ops"
)

// Enum is one of TypeScript's enums or unions of literals, or a class of Python's enum module.
func (s syntax) Enum(arg, name, value string) (*ops.Enum, error) {
	sub, err := s.one(s.op.Args[arg], "type")
	if err != nil {
		return nil, err
	}
	e := &enum{syntax: s, subject: sub}
	out := &ops.Enum{Title: sub.name, Name: name, File: s.kitFile(sub.unit)}
	switch {
	case ext(sub.unit.path) == ".java":
		err = s.decline("cases are not added to the enums of Java yet")
	case sub.def.is("class_definition"):
		err = e.python(out, value)
	case sub.def.is("enum_declaration"):
		err = e.typescript(out, value)
	case sub.def.is("type_alias_declaration"):
		err = e.union(out, value)
	default:
		err = s.decline("%s (%s) is no enum", sub.name, sub.spot())
	}
	if err != nil {
		return nil, err
	}
	return out, e.switches(out)
}

// enum is an enum with what its cases are called where they are used.
type enum struct {
	syntax
	*subject
	names, values []string
	cases         []string // as a switch writes them: Color.Red, or 'red'
	quote         string
}

// python adds a member to a class.
func (e *enum) python(out *ops.Enum, value string) error {
	bases := e.def.get("superclasses").text()
	if !strings.Contains(bases, "Enum") && !strings.Contains(bases, "Flag") {
		return e.decline("%s (%s) is no enum", e.name, e.spot())
	}
	var last *node
	upper := true
	for st := range e.def.get("body").kids {
		as := st.firstKid()
		if !st.is("expression_statement") || !as.is("assignment") || !as.get("left").is("identifier") ||
			as.get("right") == nil || strings.HasPrefix(as.get("left").text(), "_") {
			continue
		}
		last = st
		n := as.get("left").text()
		upper = upper && n == strings.ToUpper(n)
		e.names, e.values = append(e.names, n), append(e.values, as.get("right").text())
		e.cases = append(e.cases, e.name+"."+n)
	}
	if last == nil || !last.ownLines() {
		return e.decline("%s has no members on lines of their own", e.name)
	}
	if upper {
		out.Name = strings.ToUpper(snake(out.Name))
	}
	value, err := e.value(out.Name, value)
	if err != nil {
		return err
	}
	out.At = nextLine(e.unit.src, last.to)
	out.Text = indentAt(e.unit.src, last.from) + out.Name + " = " + value + e.unit.style().eol
	if out.At == len(e.unit.src) && e.unit.src[out.At-1] != '\n' {
		out.Text = e.unit.style().eol + strings.TrimSuffix(out.Text, e.unit.style().eol)
	}
	return e.fresh(out.Name)
}

func snake(name string) string {
	if strings.ContainsRune(name, '_') || strings.ToUpper(name) == name {
		return name
	}
	return strings.Join(wordsOf(name), "_")
}

func (e *enum) fresh(name string) error {
	if why := e.d.invalid(name); why != "" {
		return e.decline("%s", why)
	}
	for _, n := range e.names {
		if n == name {
			return e.already("%s has the case %s", e.name, name)
		}
	}
	return nil
}

// value is that of the new case: given, counted on, or made of its name.
func (e *enum) value(name, given string) (string, error) {
	last := e.values[len(e.values)-1]
	_, err := strconv.Atoi(last)
	n, known := e.highest()
	switch {
	case given != "":
		return given, e.isExpression(e.unit, given)
	case strings.HasSuffix(last, "auto()"):
		return last, nil
	case err == nil && known && strings.Contains(e.def.get("superclasses").text(), "Flag"):
		bit := 1
		for bit <= n {
			bit *= 2
		}
		return strconv.Itoa(bit), nil
	case err == nil && known:
		return strconv.Itoa(n + 1), nil
	}
	var plain []string
	for _, v := range e.values {
		plain = append(plain, strings.Trim(v, `"'`))
	}
	if made, ok := ops.MadeOf(e.names, plain, "", name); ok && strings.ContainsAny(last[:1], `"'`) {
		return last[:1] + made + last[:1], nil
	}
	return "", e.decline("which value has %s? the last one is %s", name, last)
}

// highest is the highest of the values that are numbers; it is not known when one is computed.
func (e *enum) highest() (n int, known bool) {
	at, first := -1, true
	for _, v := range e.values {
		switch i, err := strconv.ParseInt(v, 0, 32); {
		case err == nil:
			at = int(i)
		case v == "": // TypeScript counts on
			at++
		case strings.ContainsAny(v[:1], `"'`):
			continue
		default:
			return 0, false
		}
		if first || at > n {
			n, first = at, false
		}
	}
	return n, true
}

// typescript adds a member to an enum.
func (e *enum) typescript(out *ops.Enum, value string) error {
	var members []*node
	for m := range e.def.get("body").kids {
		n := m
		v := ""
		if m.is("enum_assignment") {
			n, v = m.get("name"), m.get("value").text()
		}
		members = append(members, m)
		e.names, e.values = append(e.names, n.text()), append(e.values, v)
		e.cases = append(e.cases, e.name+"."+n.text())
	}
	if len(members) == 0 {
		return e.decline("%s has no cases to go by", e.name)
	}
	text := out.Name
	if counts := e.values[len(members)-1] == ""; counts && value == "" {
		was := e.values
		all, known := e.highest()
		e.values = append(e.values[:len(was):len(was)], "")
		next, _ := e.highest()
		if e.values = was; known && next == all { // the number that it would get may be taken
			text += " = " + strconv.Itoa(all+1)
		}
	} else {
		value, err := e.value(out.Name, value)
		if err != nil {
			return err
		}
		text += " = " + value
	}
	if err := e.fresh(out.Name); err != nil {
		return err
	}
	out.Comma, out.At, out.Text = e.behind(members, text)
	return e.complete()
}

// behind is where a further member goes, and its text; comma is where one goes before that.
func (e *enum) behind(members []*node, text string) (comma, at int, out string) {
	last, body := members[len(members)-1], e.def.get("body")
	next := last.next
	for next.is("comment") {
		next = next.next
	}
	sep, end := " ", last.to
	if next.is(",") {
		text, end = text+",", next.to
	} else {
		comma = last.to
	}
	if last.line() != body.line() && lineOf(body.src, last.to) != lineOf(body.src, body.to) {
		sep, end = e.unit.style().eol+indentAt(e.unit.src, last.from), lineEnd(e.unit.src, end)
	}
	if comma == end {
		return 0, end, "," + sep + text
	}
	return comma, end, sep + text
}

// union adds a literal to a union of literals.
func (e *enum) union(out *ops.Enum, value string) error {
	var members []*node
	var add func(n *node)
	add = func(n *node) {
		if n.is("union_type") {
			for k := range n.kids {
				add(k)
			}
			return
		}
		members = append(members, n)
	}
	add(e.def.get("value"))
	for _, m := range members {
		if !m.is("literal_type") || !m.firstKid().is("string") {
			return e.decline("%s (%s) is no enum and no union of strings", e.name, e.spot())
		}
		e.quote = m.text()[:1]
		e.names, e.cases = append(e.names, strings.Trim(m.text(), `"'`)), append(e.cases, m.text())
	}
	if value != "" {
		out.Name = strings.Trim(value, `"'`)
	}
	for _, n := range e.names {
		if n == out.Name {
			return e.already("%s has the case %s", e.name, out.Name)
		}
	}
	last := members[len(members)-1]
	out.At, out.Text = last.to, " | "+e.quote+out.Name+e.quote
	if n := len(members); n > 1 && members[n-2].line() != last.line() {
		out.Text = e.unit.style().eol + indentAt(e.unit.src, last.from) + strings.TrimPrefix(out.Text, " ")
		end := lineEnd(e.unit.src, last.to)
		if strings.HasPrefix(strings.TrimSpace(string(e.unit.src[last.to:end])), "//") {
			out.At = end
		}
	}
	return e.complete()
}

// complete declines where a type wants an entry for every case.
func (e *enum) complete() error {
	units, err := e.p.mentioning(e.ctx, e.name)
	if err != nil {
		return err
	}
	name := regexp.QuoteMeta(e.name)
	want := regexp.MustCompile(`(Partial<\s*)?\bRecord<\s*` + name + `\b|\bin\s+` + name + `\s*\](\s*\??)`)
	for _, u := range units {
		for _, at := range want.FindAllSubmatchIndex(u.src, -1) {
			if at[2] < 0 && (at[4] < 0 || u.src[at[5]-1] != '?') { // neither Partial nor optional
				return e.decline("%s:%d wants an entry for every case of %s", u.path, lineOf(u.src, at[0]), e.name)
			}
		}
	}
	return nil
}

// switches finds those that have a case for each.
func (e *enum) switches(out *ops.Enum) error {
	word := e.name
	if e.quote != "" {
		word = e.names[0]
	}
	files, err := e.p.holding(e.ctx, e.d.handles, word)
	if err != nil {
		return err
	}
	for _, u := range e.p.load(files) {
		u.root.walk(func(n *node) bool {
			if n.is("switch_statement", "match_statement") {
				if s, ok := e.selection(u, n, out.Name); ok {
					out.Select = append(out.Select, s)
				}
			}
			return true
		})
	}
	return nil
}

func (e *enum) selection(u *unit, sw *node, name string) (ops.Selection, bool) {
	seen := map[string]bool{}
	var other, last *node
	var labels []*node
	prefix := ""
	for c := range sw.get("body").kids {
		last = c
		is := c.get("value")
		if c.is("case_clause") {
			is = c.child("case_pattern")
		}
		label := is.text()
		labels = append(labels, is)
		if c.is("switch_default") || label == "_" {
			other = c
		}
		for _, l := range strings.Split(label, "|") {
			l = strings.TrimSpace(l)
			if e.quote != "" {
				l = strings.Trim(l, `"'`)
			} else if i := strings.LastIndex("."+l, "."+e.name+"."); i > 0 {
				prefix, l = l[:i], l[i:]
			}
			seen[l] = true
		}
	}
	for i, c := range e.cases {
		if e.quote != "" {
			c = e.names[i]
		}
		if !seen[c] {
			return ops.Selection{}, false
		}
	}
	if seen[name] && e.quote != "" || seen[e.name+"."+name] {
		return ops.Selection{}, false
	}
	label, over := prefix+e.name+"."+name, no
	if e.quote != "" {
		delete(seen, "") // default
		over = e.overUnion(u, sw, len(seen) == len(e.names))
		label = e.quote + name + e.quote
	} else {
		over = e.overEnum(u, labels)
	}
	s := ops.Selection{File: e.kitFile(u), On: sw.from, Unsure: over == maybe}
	if over != yes || !ends(sw) {
		return s, over != no
	}
	lead, eol := indentAt(u.src, last.from), u.style().eol
	deeper := lead + u.style().tab
	never := other != nil && (strings.Contains(other.text(), "never") || strings.Contains(other.text(), "Never"))
	ts := sw.is("switch_statement")
	switch gives := givesUp(other); {
	case !last.ownLines():
	case other != nil && !never && gives != "" && other == last:
		s.At, s.Text = lineStart(u.src, other.from), lead+"case "+label+":"+eol+deeper+gives+eol
	case ts && (never && other == last && endsIn(before(other), jumps...) ||
		other == nil && endsIn(last, "return_statement", "throw_statement") && returns(sw)):
		s.At = nextLine(u.src, last.to)
		if other != nil {
			s.At = lineStart(u.src, other.from)
		}
		s.Text = lead + "case " + label + ":" + eol + deeper + `throw new Error("` + strings.ReplaceAll(label, `"`, "'") +
			` is not handled yet")` + u.style().semi + eol
	}
	return s, true
}

type proof uint8

const (
	no proof = iota
	maybe
	yes
)

// overEnum reports whether the labels of a switch are cases of this enum.
func (e *enum) overEnum(u *unit, labels []*node) proof {
	over := yes
	for _, l := range labels {
		l.walk(func(n *node) bool {
			if n.is("identifier", "property_identifier") && n.text() == e.name {
				over = min(over, e.isThis(u, n))
			}
			return true
		})
	}
	return over
}

// isThis reports whether an identifier names this enum.
func (e *enum) isThis(u *unit, n *node) proof {
	m := e.d.means(e.p, u, n)
	if e.b == nil || m.kind != bound {
		return maybe
	}
	switch b := e.p.follow(m.b); {
	case b == e.b:
		return yes
	case len(b.imps) == 0:
		return no
	}
	return maybe
}

// overUnion reports whether what a switch is over is declared to be of this type; exact says that
// its labels are the cases of it and no others.
func (e *enum) overUnion(u *unit, sw *node, exact bool) proof {
	over := maybe
	v := sw.get("value")
	if v.is("parenthesized_expression") {
		v = v.firstKid()
	}
	if r := u.byNode[v]; r != nil && r.b != nil && len(r.b.decls) == 1 {
		d := r.b.decls[0]
		t := d.def.get("type")
		if t.is("type_annotation") {
			t = t.firstKid()
		}
		if t.is("type_identifier") && (d.def.get("name") == d.name || d.def.get("pattern") == d.name) {
			over = e.isThis(r.b.unit, t)
		}
	}
	switch {
	case exact:
		return over
	case over == yes:
		return maybe
	}
	return no
}

var jumps = []string{"return_statement", "throw_statement", "break_statement", "continue_statement"}

// ends reports whether no case of a switch but its last default runs on into the next one.
func ends(sw *node) bool {
	if !sw.is("switch_statement") {
		return true
	}
	for c := range sw.get("body").kids {
		if last := c.lastKid(); last != nil && last != c.get("value") && !endsIn(c, jumps...) &&
			(!c.is("switch_default") || c != sw.get("body").lastKid()) {
			return false
		}
	}
	return true
}

// endsIn reports whether a statement, or the last one in it, is of one of the kinds.
func endsIn(n *node, kinds ...string) bool {
	switch {
	case n == nil:
		return false
	case n.is("if_statement"):
		return endsIn(n.get("consequence"), kinds...) && endsIn(n.get("alternative"), kinds...)
	case n.is("switch_case") && n.lastKid() == n.get("value"):
		return false
	case n.is("switch_case", "switch_default", "statement_block", "else_clause"):
		return endsIn(n.lastKid(), kinds...)
	}
	return n.is(kinds...)
}

// before is the case before another one.
func before(c *node) *node {
	for c = c.prev; c.is("comment"); {
		c = c.prev
	}
	return c
}

// givesUp is the only statement of a case, if it raises or throws.
func givesUp(c *node) string {
	if c == nil {
		return ""
	}
	list := c.list()
	if c.is("case_clause") {
		list = list[1:] // the pattern
	}
	for len(list) == 1 && list[0].is("block", "statement_block") {
		list = list[0].list()
	}
	if len(list) != 1 || !list[0].is("raise_statement", "throw_statement") || strings.Contains(list[0].text(), "\n") {
		return ""
	}
	return list[0].text()
}

// returns reports whether every case of a switch ends its function, so that a further one has to.
func returns(sw *node) bool {
	for c := range sw.get("body").kids {
		if c.lastKid() != c.get("value") && !endsIn(c, "return_statement", "throw_statement") {
			return false
		}
	}
	return true
}
