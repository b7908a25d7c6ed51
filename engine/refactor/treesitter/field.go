package treesitter

import (
	"fmt"
	"strconv"
	"strings"
)

func init() { operations["add-field"] = addField }

// newField is the field that a request describes.
type newField struct {
	*job
	c                *class
	name, typ, value string
	optional         bool
}

func addField(j *job) (string, error) {
	s, err := j.one(j.op.Args["type"], "")
	if err != nil {
		return "", err
	}
	var c *class
	if s.b != nil {
		c = s.unit.classOf(s.b)
	}
	if c == nil {
		return "", j.decline("%s (%s) is a %s, which has no fields", s.name, s.spot(), s.kind)
	}
	f := &newField{job: j, c: c, name: j.op.Args["name"], typ: j.op.Args["fieldtype"], value: j.op.Args["value"]}
	f.name, f.optional = strings.CutSuffix(f.name, "?")
	if err := f.valid(); err != nil {
		return "", err
	}
	if c.node.is("class_definition") {
		err = f.python()
	} else {
		err = f.ecma()
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Added the field %s to %s.", f.name, s.name), nil
}

func (f *newField) valid() error {
	if why := f.d.invalid(f.name); why != "" {
		return f.decline("%s", why)
	}
	if f.typ != "" {
		if err := f.inScope(f.c.unit, f.c.scope, f.typ); err != nil {
			return err
		}
	}
	for _, a := range f.p.ancestry(f.c) {
		if ms := a.members[f.name]; len(ms) > 0 {
			return f.decline("%s already has a %s (%s)", a.title(), f.name, spot(a.unit, ms[0].name))
		}
	}
	if f.value != "" {
		return f.isExpression(f.c.unit, f.value)
	}
	if f.typ == "" && f.isType(f.c.unit, f.c.scope, f.name) {
		return f.unnamed("add field", f.name, f.c.title())
	}
	return nil
}

// python: in the body of a class whose fields are its annotations, else in __init__.
func (f *newField) python() error {
	if f.annotated() {
		return f.pyAnnotation()
	}
	for _, m := range f.c.members["__init__"] {
		if m.def.is("function_definition") {
			return f.inInit(m.def)
		}
	}
	if isMutable(f.value) {
		return f.decline("%s has no __init__, and %s in the class body would be shared by all objects", f.c.title(), f.value)
	}
	f.inBody(f.pyText(""))
	return nil
}

func isMutable(v string) bool {
	return strings.HasPrefix(v, "[") || strings.HasPrefix(v, "{") || v == "list()" || v == "dict()" || v == "set()"
}

func (f *newField) annotated() bool {
	for _, d := range decorators(f.c.node) {
		if strings.HasSuffix(d, "dataclass") || strings.HasSuffix(d, "define") || d == "attr.s" || d == "attrs" {
			return true
		}
	}
	for _, b := range f.c.bases {
		switch t := b.text(); t[strings.LastIndexByte(t, '.')+1:] {
		case "NamedTuple", "TypedDict", "BaseModel", "BaseSettings", "Struct":
			return true
		}
	}
	return false
}

func (f *newField) pyAnnotation() error {
	switch {
	case f.typ == "":
		return f.decline("the fields of %s have types: which one has %s?", f.c.title(), f.name)
	case isMutable(f.value):
		return f.decline("a default like %s has to be made for each object, with a default_factory", f.value)
	}
	if f.value == "" {
		for _, m := range f.classFields() {
			if m.get("right") != nil {
				return f.decline("%s needs a value: a field without one cannot follow %s", f.name, m.get("left").text())
			}
		}
		if at, err := f.firstCall(); at != "" || err != nil {
			return f.decline("%s needs a value: the call at %s would lack it", f.name, at)
		}
		f.inBody(f.name + ": " + f.typ)
		return nil
	}
	f.inBody(f.name + ": " + f.typ + " = " + f.value)
	return nil
}

// firstCall is a place where the class is called.
func (f *newField) firstCall() (string, error) {
	units, err := f.p.mentioning(f.ctx, f.c.title())
	for _, u := range units {
		for _, n := range f.d.mentions(u, f.c.title()) {
			if e := f.d.entity(f.p, u, n); e.kind == aClass && e.class == f.c && callOf(n) != nil {
				return spot(u, n), nil
			}
		}
	}
	return "", err
}

// classFields are the assignments in a Python class body.
func (f *newField) classFields() []*node {
	var out []*node
	for s := range f.c.node.get("body").kids {
		if a := s.firstKid(); s.is("expression_statement") && a.is("assignment") {
			out = append(out, a)
		}
	}
	return out
}

// pyText is an assignment with an evident default: 0, "", None.
func (f *newField) pyText(prefix string) string {
	val, typ := f.value, f.typ
	switch {
	case val == "" && zeros[typ] != "":
		val = strings.ReplaceAll(zeros[typ], `"`, f.c.unit.style().quote)
	case val == "":
		val = "None"
		if typ != "" && !strings.Contains(typ, "None") && !strings.HasPrefix(typ, "Optional") && typ != "Any" {
			typ = strconv.Quote(strings.Trim(typ, `"'`) + " | None")
		}
	}
	if typ != "" {
		return prefix + f.name + ": " + typ + " = " + val
	}
	return prefix + f.name + " = " + val
}

// inBody puts a line behind the last field of the class, or first.
func (f *newField) inBody(line string) {
	u := f.c.unit
	fields := f.classFields()
	body := f.c.node.get("body")
	first := body.firstKid()
	lead := indentAt(u.src, first.from)
	if len(fields) > 0 {
		f.afterStatement(fields[len(fields)-1].parent, lead+line)
		return
	}
	if first.is("expression_statement") && first.firstKid().is("string") {
		f.afterStatement(first, u.style().eol+lead+line)
		return
	}
	if first.is("pass_statement") || first.is("expression_statement") && first.firstKid().is("ellipsis") {
		f.replace(u.path, first.from, first.to, line)
		return
	}
	at := lineStart(u.src, above(first).from)
	f.replace(u.path, at, at, lead+line+u.style().eol+u.style().eol)
}

// afterStatement inserts a line behind the one that a statement ends on.
func (f *newField) afterStatement(stmt *node, line string) {
	u := f.c.unit
	at := nextLine(u.src, stmt.to)
	if at == len(u.src) && u.src[at-1] != '\n' {
		f.replace(u.path, at, at, u.style().eol+line)
		return
	}
	f.replace(u.path, at, at, line+u.style().eol)
}

// inInit puts `self.name = value` behind the last such assignment of __init__.
func (f *newField) inInit(fn *node) error {
	u := f.c.unit
	self := fn.get("parameters").firstKid()
	body := fn.get("body")
	if !self.is("identifier") || body.firstKid().line() == fn.line() {
		return f.decline("the __init__ of %s is not laid out line by line", f.c.title())
	}
	line := indentAt(u.src, body.firstKid().from) + f.pyText(self.text()+".")
	last := body.lastKid()
	for s := range body.kids {
		if a := s.firstKid(); s.is("expression_statement") && a.is("assignment") &&
			strings.HasPrefix(a.get("left").text(), self.text()+".") {
			last = s
		}
	}
	if last.is("return_statement", "raise_statement") {
		return f.decline("the __init__ of %s ends in a %s", f.c.title(), last.kind)
	}
	if last.is("pass_statement") {
		f.replace(u.path, last.from, last.to, strings.TrimLeft(line, " \t"))
		return nil
	}
	f.afterStatement(last, line)
	return nil
}

// ecma: behind the last field of a class, behind the last member of an interface.
func (f *newField) ecma() error {
	u := f.c.unit
	typed := u.d.typed(u)
	if f.typ != "" && !typed {
		return f.decline("%s is JavaScript, whose fields have no types", u.path)
	}
	body := f.c.node.get("body")
	if v := f.c.node.get("value"); v != nil {
		body = v
	}
	kids := body.list()
	if f.c.iface {
		return f.property(body, kids)
	}
	text := f.name
	switch {
	case f.typ != "" && f.value == "":
		text += "?: " + f.typ
	case f.typ != "":
		text += ": " + f.typ
	case f.value == "" && typed:
		return f.decline("which type, or which value, has %s?", f.name)
	}
	if f.value != "" {
		text += " = " + f.value
	}
	f.inBraces(body, lastField(kids), kids, text+u.style().semi)
	return nil
}

func lastField(kids []*node) *node {
	var last *node
	for _, k := range kids {
		if k.is("public_field_definition", "field_definition") {
			last = k
		}
	}
	return last
}

// property adds a member to an interface, optional so that objects that lack it stay valid.
func (f *newField) property(body *node, kids []*node) error {
	if f.typ == "" || f.value != "" {
		return f.decline("a member of the interface %s has a type and no value", f.c.title())
	}
	sep := ";"
	if len(kids) > 0 {
		if n := kids[len(kids)-1].next; n.is(",") {
			sep = ","
		} else if !n.is(";") {
			sep = ""
		}
	}
	if !f.optional {
		f.note("%s is optional, so that the objects there are stay valid", f.name)
	}
	var last *node
	if len(kids) > 0 {
		last = kids[len(kids)-1]
	}
	f.inBraces(body, last, kids, f.name+"?: "+f.typ+sep)
	return nil
}

// inBraces inserts a member behind another one, or first, on a line of its own.
func (f *newField) inBraces(body, after *node, kids []*node, line string) {
	u := f.c.unit
	st := u.style()
	oneLine := body.line() == lineOf(u.src, body.to)
	switch {
	case oneLine && len(kids) == 0:
		outer := indentAt(u.src, body.from)
		f.replace(u.path, body.from, body.to, "{"+st.eol+outer+st.tab+line+st.eol+outer+"}")
	case oneLine && after != nil:
		end := after
		sep := "; "
		if after.next.is(";", ",") {
			end, sep = after.next, " "
		}
		f.replace(u.path, end.to, end.to, sep+strings.TrimRight(line, ";,"))
	case oneLine:
		f.replace(u.path, kids[0].from, kids[0].from, line+" ")
	case after != nil:
		f.afterStatement(after, indentAt(u.src, after.from)+line)
	default:
		lead := indentAt(u.src, body.from) + st.tab
		if len(kids) > 0 {
			lead = indentAt(u.src, kids[0].from)
		}
		at := nextLine(u.src, body.from)
		f.replace(u.path, at, at, lead+line+st.eol)
	}
}
