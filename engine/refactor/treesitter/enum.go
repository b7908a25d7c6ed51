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
	n, err := strconv.Atoi(last)
	switch {
	case given != "":
		return given, e.isExpression(e.unit, given)
	case strings.HasSuffix(last, "auto()"):
		return last, nil
	case err == nil && strings.Contains(e.def.get("superclasses").text(), "Flag"):
		return strconv.Itoa(2 * n), nil
	case err == nil:
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
	if e.values[len(members)-1] != "" || value != "" {
		value, err := e.value(out.Name, value)
		if err != nil {
			return err
		}
		text += " = " + value
	}
	if err := e.fresh(out.Name); err != nil {
		return err
	}
	out.At, out.Text = e.behind(members, text)
	return e.complete()
}

// behind is where a further member goes, and its text with the comma.
func (e *enum) behind(members []*node, text string) (int, string) {
	last := members[len(members)-1]
	sep := " "
	if last.line() != e.def.get("body").line() {
		sep = e.unit.style().eol + indentAt(e.unit.src, last.from)
	}
	if last.next.is(",") {
		if at := lineEnd(e.unit.src, last.next.to); sep != " " {
			return at, sep + text + ","
		}
		return last.next.to, sep + text + ","
	}
	return last.to, "," + sep + text
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
	want := regexp.MustCompile(`\bRecord<\s*` + name + `\b|\bin\s+` + name + `\s*\]`)
	for _, u := range units {
		if at := want.FindIndex(u.src); at != nil {
			return e.decline("%s:%d wants an entry for every case of %s", u.path, lineOf(u.src, at[0]), e.name)
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
	prefix := ""
	for c := range sw.get("body").kids {
		last = c
		label := c.get("value").text()
		if c.is("case_clause") {
			label = c.child("case_pattern").text()
		}
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
	label := prefix + e.name + "." + name
	if e.quote != "" {
		label = e.quote + name + e.quote
	}
	s := ops.Selection{File: e.kitFile(u), On: sw.from}
	lead, eol := indentAt(u.src, last.from), u.style().eol
	deeper := lead + u.style().tab
	never := other != nil && (strings.Contains(other.text(), "never") || strings.Contains(other.text(), "Never"))
	ts := sw.is("switch_statement")
	switch gives := givesUp(other); {
	case !last.ownLines():
	case other != nil && !never && gives != "" && other == last:
		s.At, s.Text = lineStart(u.src, other.from), lead+"case "+label+":"+eol+deeper+gives+eol
	case ts && (never && other == last || other == nil && returns(sw)):
		s.At = nextLine(u.src, last.to)
		if other != nil {
			s.At = lineStart(u.src, other.from)
		}
		s.Text = lead + "case " + label + ":" + eol + deeper + `throw new Error("` + strings.ReplaceAll(label, `"`, "'") +
			` is not handled yet")` + u.style().semi + eol
	}
	return s, true
}

// givesUp is the only statement of a case, if it raises or throws.
func givesUp(c *node) string {
	var found *node
	c.walk(func(n *node) bool {
		if n.is("raise_statement", "throw_statement") {
			found = n
		}
		return found == nil
	})
	if found == nil || strings.Contains(found.text(), "\n") {
		return ""
	}
	list := found.parent.list()
	if len(list) > 2 || list[len(list)-1] != found || len(list) == 2 && !found.parent.is("case_clause", "switch_default") {
		return ""
	}
	return found.text()
}

// returns reports whether every case of a switch ends its function, so that a further one has to.
func returns(sw *node) bool {
	for c := range sw.get("body").kids {
		if !strings.Contains(c.text(), "return") && !strings.Contains(c.text(), "throw") && c.last.kind != ":" {
			return false
		}
	}
	return true
}
