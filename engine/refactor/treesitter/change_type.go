package treesitter

import (
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// TypeSpots implements the hook of change-type. Python's types are notes; TypeScript's compiler
// looks at the whole project after an edit; of Java every use is looked at here.
func (s syntax) TypeSpots(ds []*kit.Decl, typ string) ([]ops.TypeSpot, error) {
	c := &typeChange{syntax: s, subject: ds[0].Raw.(whole).subject, typ: typ}
	c.fn = functionNode(c.subject)
	if !c.d.typed(c.unit) {
		return nil, c.decline("%s is JavaScript, whose declarations have no types", c.unit.path)
	}
	if err := c.inScope(c.unit, c.around(), typ); err != nil {
		return nil, err
	}
	at := c.ecma
	if c.unit.python() {
		at = c.python
	}
	spot, err := at()
	return []ops.TypeSpot{spot}, err
}

// typeChange is a symbol that gets another type.
type typeChange struct {
	syntax
	*subject
	fn  *node // the function whose result it is
	typ string
}

// around is the scope in which the type is written.
func (c *typeChange) around() *scope {
	switch {
	case c.fn != nil && c.unit.scopes[c.fn] != nil:
		return c.unit.scopes[c.fn]
	case c.b != nil:
		return c.b.scope
	case c.class != nil && c.class.scope != nil:
		return c.class.scope
	}
	return c.unit.module
}

// spot puts the type in the place of a node, or at an offset where none is said.
func (c *typeChange) spot(old *node, at int, before string) ops.TypeSpot {
	s := ops.TypeSpot{File: c.kitFile(c.unit), From: at, To: at, Text: before + c.typ, Result: c.fn != nil}
	if old != nil {
		s.From, s.To, s.Text, s.Was = old.from, old.to, c.typ, old.text()
	}
	return s
}

// annotation is the type behind the colon, nil for none.
func annotation(n *node) *node {
	if n.is("type_annotation") {
		return n.lastKid()
	}
	return n
}

func (c *typeChange) ecma() (ops.TypeSpot, error) {
	def := c.def
	switch {
	case c.fn != nil && def.get("type") != nil && def != c.fn: // const f: Handler = ...
		c.fn = nil
		return c.spot(annotation(def.get("type")), 0, ""), nil
	case c.fn != nil:
		return c.ecmaResult(c.fn)
	case def.is("method_signature", "abstract_method_signature", "function_signature"):
		c.fn = def
		if c.implementation() != nil {
			return ops.TypeSpot{}, c.decline("%s has overloads (%s)", c.name, c.spotOf())
		}
		return c.ecmaResult(def)
	case def.is("property_signature", "public_field_definition", "variable_declarator", "required_parameter",
		"optional_parameter") && c.node.parent == def && !def.parent.parent.is("for_in_statement"):
		return c.ecmaDeclared(def)
	case c.node.parent.is("arrow_function") && c.node.field == "parameter":
		s := c.spot(nil, c.node.from, "")
		s.To, s.Text = c.node.to, "("+c.name+": "+c.typ+")"
		return s, nil
	}
	return ops.TypeSpot{}, c.decline("nothing says the type of %s where it is declared (%s)", c.name, c.spotOf())
}

func (c *typeChange) spotOf() string { return c.subject.spot() }

// ecmaDeclared: name: T, name?: T, name!: T.
func (c *typeChange) ecmaDeclared(def *node) (ops.TypeSpot, error) {
	last := c.node
	for last.next.is("?", "!") {
		last = last.next
	}
	return c.spot(annotation(def.get("type")), last.to, ": "), nil
}

// ecmaResult: what an async function gives back is a Promise of the type.
func (c *typeChange) ecmaResult(fn *node) (ops.TypeSpot, error) {
	if c.class != nil && len(c.class.members[c.name]) > 1 || c.b != nil && len(c.b.decls) > 1 {
		return ops.TypeSpot{}, c.decline("%s is declared more than once in %s", c.name, c.unit.path)
	}
	if c.name == "constructor" {
		return ops.TypeSpot{}, c.decline("a constructor returns nothing")
	}
	old := fn.get("return_type")
	if old != nil && !old.is("type_annotation") {
		return ops.TypeSpot{}, c.decline("%s returns %q, which says more than a type", c.name,
			strings.TrimLeft(old.text(), ": "))
	}
	old = annotation(old)
	if fn.child("async") != nil && !strings.HasPrefix(c.typ, "Promise<") && (old == nil ||
		strings.HasPrefix(old.text(), "Promise<")) {
		c.note("%s is async: it returns a Promise of %s", c.name, c.typ)
		c.typ = "Promise<" + c.typ + ">"
	}
	if only := fn.get("parameter"); only != nil {
		s := c.spot(nil, only.from, "")
		s.To, s.Text = only.to, "("+only.text()+"): "+c.typ
		return s, nil
	}
	if fn.get("parameters") == nil {
		return ops.TypeSpot{}, c.decline("%s has no parameter list", c.name)
	}
	return c.spot(old, fn.get("parameters").to, ": "), nil
}

func (c *typeChange) python() (ops.TypeSpot, error) {
	if c.fn != nil {
		if c.name == "__init__" && c.typ != "None" {
			return ops.TypeSpot{}, c.decline("__init__ returns None")
		}
		return c.spot(c.fn.get("return_type"), c.fn.get("parameters").to, " -> "), nil
	}
	if c.kind == "param" {
		return c.pyParam(c.def)
	}
	a, err := c.pyAssignment()
	if err != nil {
		return ops.TypeSpot{}, err
	}
	c.maybeNone(a.get("right"))
	if a.get("type") == nil && c.class != nil && a.get("left").is("identifier") {
		if f := (&newField{job: c.job, c: c.class}); f.annotated() {
			return ops.TypeSpot{}, c.decline("with a type, %s would become a field of %s and of its constructor", c.name,
				c.class.title())
		}
	}
	return c.spot(a.get("type"), a.get("left").to, ": "), nil
}

func (c *typeChange) pyParam(def *node) (ops.TypeSpot, error) {
	list := def.parent
	switch fn := list.parent; {
	case !fn.is("function_definition") || !list.is("parameters"):
		return ops.TypeSpot{}, c.decline("%s is a parameter of a lambda, which has no types", c.name)
	case c.node.parent != def && def.is("tuple_pattern"):
		return ops.TypeSpot{}, c.decline("%s is a part of a parameter", c.name)
	case list.firstKid() == def && len(decorators(fn)) == 0 && c.unit.classOfBody(fn) != nil:
		return ops.TypeSpot{}, c.decline("%s is the object that the method belongs to", c.name)
	}
	value := def.get("value")
	c.maybeNone(value)
	if def.is("default_parameter") {
		s := c.spot(nil, c.node.to, ": ")
		s.To, s.Text = value.from, s.Text+" = "
		return s, nil
	}
	return c.spot(def.get("type"), def.to, ": "), nil
}

// classOfBody is the class that a function is a method of.
func (u *unit) classOfBody(fn *node) *class {
	if fn.parent.is("decorated_definition") {
		fn = fn.parent
	}
	return u.classAt(fn.parent.parent)
}

// pyAssignment is the assignment that says the type: one that does already, else the first that can.
func (c *typeChange) pyAssignment() (*node, error) {
	var names []*node
	if c.b != nil {
		for _, d := range c.b.decls {
			names = append(names, d.name)
		}
	} else {
		for _, m := range c.class.members[c.name] {
			names = append(names, m.name)
		}
	}
	var can []*node
	for _, n := range names {
		target := n
		if n.parent.is("attribute") {
			target = n.parent
		}
		a := target.parent
		if a.is("assignment") && a.get("left") == target && !a.get("right").is("assignment") && !a.parent.is("assignment") &&
			c.atHome(n) {
			can = append(can, a)
		}
	}
	if i := slices.IndexFunc(can, func(a *node) bool { return a.get("type") != nil }); i >= 0 {
		return can[i], nil
	}
	if len(can) == 0 {
		return nil, c.decline("no assignment by itself gives %s its value, which could say its type (%s)", c.name, c.spotOf())
	}
	return can[0], nil
}

// atHome: a name that a function declares global or nonlocal has its type where it lives.
func (c *typeChange) atHome(n *node) bool {
	if c.b == nil || c.b.scope.kind == classScope {
		return true
	}
	fn := n.up("function_definition", "lambda")
	return fn == nil && c.b.topLevel() || fn != nil && fn == c.b.scope.node
}

// maybeNone: what is None at first is a type or None.
func (c *typeChange) maybeNone(value *node) {
	bare := strings.Trim(c.typ, `"'`)
	if value.text() != "None" || strings.Contains(bare, "None") || strings.HasPrefix(bare, "Optional") ||
		bare == "Any" || bare == "object" || strings.HasSuffix(bare, ".Any") {
		return
	}
	c.note("%s is None at first: its type says so", c.name)
	switch src := string(c.unit.src); {
	case c.unit.module.names["Optional"] != nil:
		c.typ = "Optional[" + c.typ + "]"
	case strings.Contains(src, "| None") || strings.Contains(src, "from __future__ import annotations"):
		c.typ = bare + " | None"
	default:
		c.typ = strconv.Quote(bare + " | None")
	}
}
