package treesitter

import "strings"

// jsBinder walks a JavaScript or TypeScript file once. Names are bound as they
// are met and references resolved at the end, which makes hoisting come for free.
type jsBinder struct {
	u      *unit
	strict bool // block-level functions stay in their blocks
	attrs  []*node
}

func bindJS(u *unit) {
	b := &jsBinder{u: u}
	u.module = newScope(moduleScope, nil, u.root)
	for c := range u.root.kids {
		u.esm = u.esm || c.is("import_statement", "export_statement")
	}
	first := u.root.firstKid()
	b.strict = u.esm || strings.Contains(ext(u.path), "ts") ||
		first.is("expression_statement") && strings.Contains(first.text(), "use strict")
	b.children(u.root, u.module)
	u.resolve()
	b.finishExports()
	b.finishClasses()
}

func (b *jsBinder) children(n *node, s *scope) {
	for c := range n.kids {
		b.visit(c, s)
	}
}

// except visits the children that do not have one of the fields.
func (b *jsBinder) except(n *node, s *scope, fields ...string) {
	for c := range n.kids {
		if c.field == "" || !has(fields, c.field) {
			b.visit(c, s)
		}
	}
}

func (b *jsBinder) visit(n *node, s *scope) {
	switch n.kind {
	case "identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern":
		b.u.refer(s, n, value)
		if n.kind == "identifier" && n.text() == "eval" {
			b.u.strange = append(b.u.strange, n)
		}
	case "with_statement":
		b.u.strange = append(b.u.strange, n.first)
		b.children(n, s)
	case "type_identifier":
		b.u.refer(s, n, typ)
	case "property_identifier", "private_property_identifier", "statement_identifier", "string", "comment":
	case "statement_block", "switch_body", "for_statement":
		b.children(n, newScope(blockScope, s, n))
	case "for_in_statement":
		b.forIn(n, s)
	case "catch_clause":
		b.catch(n, s)
	case "lexical_declaration":
		b.declarators(n, s, s)
	case "variable_declaration":
		b.declarators(n, s.function(), s)
	case "function_declaration", "generator_function_declaration", "function_signature":
		b.functionDeclaration(n, s)
	case "function_expression", "generator_function", "function":
		b.functionExpression(n, s)
	case "arrow_function", "method_definition", "function_type", "constructor_type", "call_signature", "method_signature",
		"construct_signature", "abstract_method_signature", "class_static_block":
		b.functionLike(n, s)
	case "class_declaration", "abstract_class_declaration", "class":
		b.class(n, s)
	case "import_statement":
		b.importStatement(n, s)
	case "export_statement":
		b.exportStatement(n, s)
	case "member_expression":
		b.visit(n.get("object"), s)
		b.children(n.get("type_arguments"), s)
	case "jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element":
		b.jsxTag(n, s)
	case "jsx_namespace_name":
	case "assignment_expression", "augmented_assignment_expression":
		b.assignment(n, s)
	default:
		b.types(n, s)
	}
}

func (b *jsBinder) declare(s *scope, name, def *node, kind string, sp space) *binding {
	if name == nil || name.missing || name.is("this", "undefined") {
		return nil
	}
	// var and function declarations of a body share the parameters' names.
	if s.kind == functionScope && s.parent != nil && s.parent.kind == functionScope && s.node.parent == s.parent.node {
		if p := s.parent.names[name.text()]; p != nil && p.kind == "param" {
			s = s.parent
		}
	}
	bd := b.u.bind(s, decl{name, def, kind}, sp)
	b.u.declared(bd, name)
	return bd
}

// targets binds the names of a pattern.
func (b *jsBinder) targets(n, def *node, s, at *scope, kind string) {
	switch n.kind {
	case "identifier", "shorthand_property_identifier_pattern":
		b.declare(s, n, def, kind, value)
	case "object_pattern", "array_pattern", "rest_pattern":
		for c := range n.kids {
			b.targets(c, def, s, at, kind)
		}
	case "pair_pattern":
		b.visit(n.get("key"), at)
		b.targets(n.get("value"), def, s, at, kind)
	case "object_assignment_pattern", "assignment_pattern":
		b.targets(n.get("left"), def, s, at, kind)
		b.visit(n.get("right"), at)
	case "required_parameter", "optional_parameter":
		for c := range n.kids {
			if c.field == "pattern" {
				b.targets(c, def, s, at, kind)
			} else {
				b.visit(c, at)
			}
		}
	default:
		b.visit(n, at)
	}
}

// declarators binds the names of const, let and var. s is where they are bound;
// initial values are evaluated in at, where the statement stands.
func (b *jsBinder) declarators(n *node, s, at *scope) {
	kind := "var"
	if n.first.is("const") {
		kind = "const"
	}
	for c := range n.kids {
		if !c.is("variable_declarator") {
			b.visit(c, at)
			continue
		}
		b.targets(c.get("name"), c, s, at, kind)
		b.except(c, at, "name")
		b.required(c)
	}
}

func (b *jsBinder) forIn(n *node, s *scope) {
	inner := newScope(blockScope, s, n)
	left := n.get("left")
	switch kind := n.get("kind"); {
	case kind == nil:
		b.visit(left, inner)
	case kind.is("var"):
		b.targets(left, n, s.function(), inner, "var")
	default:
		b.targets(left, n, inner, inner, "var")
	}
	b.except(n, inner, "left")
}

func (b *jsBinder) catch(n *node, s *scope) {
	inner := newScope(blockScope, s, n)
	if p := n.get("parameter"); p != nil {
		b.targets(p, n, inner, inner, "var")
	}
	b.except(n, inner, "parameter")
}

func (b *jsBinder) functionDeclaration(n *node, s *scope) {
	at := s
	if !b.strict {
		at = s.function()
	}
	b.declare(at, n.get("name"), n, "func", value)
	b.functionLike(n, s)
}

// functionExpression: its own name is known inside it only.
func (b *jsBinder) functionExpression(n *node, s *scope) {
	if name := n.get("name"); name != nil {
		s = newScope(blockScope, s, n)
		b.declare(s, name, n, "func", value)
	}
	b.functionLike(n, s)
}

func (b *jsBinder) functionLike(n *node, s *scope) {
	if name := n.get("name"); name.is("computed_property_name") {
		b.visit(name, s)
	}
	for _, d := range n.all("decorator") {
		b.visit(d, s)
	}
	fs := newScope(functionScope, s, n)
	b.u.scopes[n] = fs
	b.typeParams(n.get("type_parameters"), fs)
	if p := n.get("parameter"); p != nil {
		b.targets(p, p, fs, fs, "param")
	}
	for p := range n.get("parameters").kids {
		b.targets(p, p, fs, fs, "param")
	}
	body := n.get("body")
	b.except(n, fs, "name", "decorator", "type_parameters", "parameter", "parameters", "body")
	if body.is("statement_block") {
		b.children(body, newScope(functionScope, fs, body))
	} else if body != nil {
		b.visit(body, fs)
	}
}

func (b *jsBinder) typeParams(n *node, s *scope) {
	for t := range n.kids {
		if t.is("type_parameter") {
			b.declare(s, t.get("name"), t, "type", typ)
			b.except(t, s, "name")
		}
	}
}

func (b *jsBinder) class(n *node, s *scope) {
	name := n.get("name")
	inner := newScope(classScope, s, n)
	c := &class{unit: b.u, node: n, scope: inner}
	if name != nil {
		at := s
		if n.kind == "class" {
			at = inner
		}
		c.b = b.declare(at, name, n, "class", both)
	}
	for _, d := range n.all("decorator") {
		b.visit(d, s)
	}
	b.typeParams(n.get("type_parameters"), inner)
	b.heritage(c, n.child("class_heritage"), inner)
	b.u.classes = append(b.u.classes, c)
	b.members(c, n.get("body"), inner)
}

// heritage notes what a class extends and implements.
func (b *jsBinder) heritage(c *class, n *node, s *scope) {
	for k := range n.kids {
		b.visit(k, s)
		switch k.kind {
		case "extends_clause":
			c.bases = append(c.bases, k.get("value"))
		case "implements_clause":
			c.bases = append(c.bases, k.list()...)
		default:
			c.bases = append(c.bases, k) // JavaScript
		}
	}
}

func (b *jsBinder) members(c *class, body *node, s *scope) {
	for m := range body.kids {
		static := m.child("static") != nil
		if name := memberName(m); name != nil {
			method := m.is("method_definition", "abstract_method_signature", "method_signature") && m.child("get", "set") == nil
			c.add(name.text(), member{name: name, def: m, method: method, static: static})
			b.parameterProperties(c, m)
		}
		if m.is("public_field_definition", "field_definition", "property_signature") {
			if name := m.get("name"); name.is("computed_property_name") {
				b.visit(name, s)
			}
			b.except(m, newScope(functionScope, s, m), "name", "property")
			continue
		}
		b.visit(m, s)
	}
}

func memberName(m *node) *node {
	name := m.get("name")
	if name == nil {
		name = m.get("property")
	}
	if name.is("property_identifier", "private_property_identifier") {
		return name
	}
	return nil
}

// parameterProperties: TypeScript's constructor(private store: Store) declares a field too.
func (b *jsBinder) parameterProperties(c *class, m *node) {
	if m.get("name").text() != "constructor" {
		return
	}
	for p := range m.get("parameters").kids {
		if p.child("accessibility_modifier", "readonly", "override_modifier") != nil && p.get("pattern").is("identifier") {
			name := p.get("pattern")
			c.add(name.text(), member{name: name, def: p})
		}
	}
}

// jsxTag: a lower-case tag is an HTML element, not a name of the program.
func (b *jsBinder) jsxTag(n *node, s *scope) {
	name := n.get("name")
	if name.is("identifier") && name.text()[0] >= 'a' && name.text()[0] <= 'z' {
		b.except(n, s, "name")
		return
	}
	b.children(n, s)
}

// assignment records what methods assign on this.
func (b *jsBinder) assignment(n *node, s *scope) {
	if l := n.get("left"); l.is("member_expression") {
		b.attrs = append(b.attrs, l)
	}
	b.children(n, s)
	b.commonExports(n, s)
}

func (b *jsBinder) finishClasses() {
	for _, a := range b.attrs {
		if c, static := b.u.thisClass(a.get("object")); c != nil {
			name := a.get("property")
			if name.is("property_identifier", "private_property_identifier") && len(c.members[name.text()]) == 0 {
				c.add(name.text(), member{name: name, def: a.parent, static: static})
			}
		}
	}
}

// thisClass is the class whose instance (or, static, which itself) `this` is.
func (u *unit) thisClass(n *node) (*class, bool) {
	if !n.is("this") {
		return nil, false
	}
	for p := n.parent; p != nil; p = p.parent {
		switch p.kind {
		case "function_declaration", "function_expression", "generator_function",
			"generator_function_declaration", "function":
			return nil, false
		case "method_definition", "public_field_definition", "field_definition", "class_static_block":
			if !p.parent.is("class_body") {
				return nil, false // a method of an object literal
			}
			return u.classAt(p.parent.parent), p.child("static") != nil || p.kind == "class_static_block"
		}
	}
	return nil, false
}
