package treesitter

import "strings"

// javaBinder walks a Java file once: types, their members, and the variables of methods.
type javaBinder struct{ u *unit }

func bindJava(u *unit) {
	b := &javaBinder{u}
	u.module = newScope(moduleScope, nil, u.root)
	u.pkg, u.apart = javaPackage(u.root), true
	b.children(u.root, u.module)
	for _, r := range u.refs {
		if r.b != nil {
			continue
		}
		if r.b = localOf(r.scope, r.node.text(), r.space); r.b != nil {
			r.b.refs = append(r.b.refs, r)
		}
	}
}

// localOf finds a name up to the first type around it whose members may come before: those of
// its bases are in other files.
func localOf(s *scope, name string, sp space) *binding {
	for at := s; at != nil; at = at.parent {
		if b := at.names[name]; b != nil && b.spaces&sp != 0 {
			return b
		}
		if c := at.class; c != nil && sp == value && (len(c.members[name]) > 0 || len(c.bases) > 0) {
			return nil
		}
	}
	return nil
}

func (b *javaBinder) declare(s *scope, name, def *node, kind string, sp space) *binding {
	if name == nil || name.missing || name.text() == "_" {
		return nil
	}
	bd := b.u.bind(s, decl{name, def, kind}, sp)
	b.u.declared(bd, name)
	return bd
}

func (b *javaBinder) children(n *node, s *scope) {
	for c := range n.kids {
		b.visit(c, s)
	}
}

// but visits the children of n except those with the fields.
func (b *javaBinder) but(n *node, s *scope, fields ...string) {
	for c := range n.kids {
		if c.field == "" || !has(fields, c.field) {
			b.visit(c, s)
		}
	}
}

func (b *javaBinder) visit(n *node, s *scope) {
	switch n.kind {
	case "package_declaration":
	case "import_declaration":
		b.imports(n, s)
	case "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
		"annotation_type_declaration":
		b.typeDeclaration(n, s)
	case "method_declaration", "constructor_declaration", "compact_constructor_declaration",
		"annotation_type_element_declaration":
		b.method(n, s)
	case "lambda_expression":
		b.lambda(n, s)
	case "block", "constructor_body", "switch_rule", "switch_block_statement_group", "switch_block":
		b.children(n, newScope(blockScope, s, n))
	case "for_statement", "enhanced_for_statement", "try_with_resources_statement", "catch_clause":
		b.head(n, newScope(blockScope, s, n))
	case "local_variable_declaration":
		b.children(n, s)
	case "variable_declarator":
		if !n.parent.is("field_declaration", "constant_declaration") {
			b.declare(s, n.get("name"), n, "var", value)
		}
		b.but(n, s, "name")
	case "instanceof_expression", "record_pattern_component", "type_pattern":
		b.pattern(n, s)
	case "object_creation_expression":
		b.creation(n, s)
	case "enum_constant":
		if body := n.get("body"); body != nil {
			b.body(&class{unit: b.u, node: body, def: n}, body, s)
		}
		b.but(n, s, "name", "body")
	case "type_parameters":
		b.typeParams(n, s)
	case "method_invocation":
		b.but(n, s, "name")
	case "field_access":
		b.visit(n.get("object"), s)
	case "method_reference":
		b.visit(n.firstKid(), s)
	case "scoped_type_identifier":
		b.visit(n.firstKid(), s)
	case "record_pattern":
		for c := range n.kids {
			if c.is("identifier") {
				b.u.refer(s, c, typ)
			} else {
				b.visit(c, s)
			}
		}
	case "element_value_pair":
		b.visit(n.get("value"), s)
	case "labeled_statement":
		b.visit(n.lastKid(), s)
	case "break_statement", "continue_statement":
	case "marker_annotation", "annotation":
		if name := n.get("name"); name.is("identifier") {
			b.u.refer(s, name, typ)
		}
		b.but(n, s, "name")
	case "scoped_identifier":
	case "identifier":
		b.u.refer(s, n, value)
	case "type_identifier":
		if n.text() != "var" {
			b.u.refer(s, n, typ)
		}
	default:
		b.children(n, s)
	}
}

func (b *javaBinder) imports(n *node, s *scope) {
	name := n.child("scoped_identifier", "identifier")
	full := strings.Join(strings.Fields(name.text()), "")
	o := &origin{module: full, full: full, stmt: n, star: n.child("asterisk") != nil, typed: n.child("static") != nil}
	b.u.imports = append(b.u.imports, o)
	if o.star {
		return
	}
	last := name
	if name.is("scoped_identifier") {
		last = name.get("name")
	}
	o.node, o.name = last, last.text()
	sp := typ
	if o.typed {
		sp = both
	}
	if bd := b.declare(s, last, n, "import", sp); bd != nil {
		bd.imps = append(bd.imps, o)
	}
}

func (b *javaBinder) typeDeclaration(n *node, s *scope) {
	kind := strings.TrimSuffix(n.kind, "_declaration")
	if kind == "record" || kind == "annotation_type" {
		kind = "class"
	}
	c := &class{unit: b.u, node: n, def: n, iface: kind == "interface"}
	c.b = b.declare(s, n.get("name"), n, kind, typ)
	for k := range n.kids {
		switch {
		case k.is("superclass"):
			c.bases = append(c.bases, k.list()...)
		case k.is("super_interfaces", "extends_interfaces"):
			c.bases = append(c.bases, k.child("type_list").list()...)
		}
	}
	inner := newScope(typeScope, s, n)
	b.but(n, inner, "name", "body", "parameters")
	if n.is("record_declaration") {
		for p := range n.get("parameters").kids {
			if name := javaParamName(p); name != nil {
				c.add(name.text(), member{name: name, def: p})
			}
			b.but(p, inner, "name")
		}
	}
	b.body(c, n.get("body"), inner)
}

// body binds the members of a type, and then what they hold.
func (b *javaBinder) body(c *class, body *node, s *scope) {
	c.scope = newScope(namespaceScope, s, body)
	c.scope.class = c
	b.u.classes = append(b.u.classes, c)
	for m := range javaMembers(body) {
		static := javaHas(m, "static") || c.iface
		switch m.kind {
		case "field_declaration", "constant_declaration":
			for _, d := range m.all("declarator") {
				c.add(d.get("name").text(), member{name: d.get("name"), def: d, static: static})
			}
		case "enum_constant":
			c.add(m.get("name").text(), member{name: m.get("name"), def: m, static: true})
		case "method_declaration", "annotation_type_element_declaration":
			c.add(m.get("name").text(), member{name: m.get("name"), def: m, method: true,
				static: javaHas(m, "static")})
		}
	}
	for m := range javaMembers(body) {
		b.visit(m, c.scope)
	}
}

// javaMembers yields what a body declares, that of an enum behind its constants included.
func javaMembers(body *node) func(yield func(*node) bool) {
	return func(yield func(*node) bool) {
		for m := range body.kids {
			if m.is("enum_body_declarations") {
				for k := range m.kids {
					if !yield(k) {
						return
					}
				}
			} else if !yield(m) {
				return
			}
		}
	}
}

// javaParamName is the identifier of a parameter.
func javaParamName(p *node) *node {
	if p.is("spread_parameter") {
		return p.child("variable_declarator").get("name")
	}
	if p.is("identifier") {
		return p
	}
	return p.get("name")
}

func (b *javaBinder) typeParams(n *node, s *scope) {
	for t := range n.kids {
		if name := t.child("type_identifier", "identifier"); t.is("type_parameter") && name != nil {
			b.declare(s, name, t, "type", typ)
			for c := range t.kids {
				if c != name {
					b.visit(c, s)
				}
			}
		}
	}
}

func (b *javaBinder) method(n *node, s *scope) {
	fs := newScope(functionScope, s, n)
	b.u.scopes[n] = fs
	if tp := n.get("type_parameters"); tp != nil {
		b.typeParams(tp, fs)
	}
	b.params(n.get("parameters"), fs)
	for c := range n.kids {
		switch {
		case c.field == "name" || c.field == "parameters" || c.field == "type_parameters":
		case c.field == "body" && c.is("block", "constructor_body"):
			b.children(c, newScope(functionScope, fs, c))
		default:
			b.visit(c, fs)
		}
	}
}

func (b *javaBinder) params(ps *node, fs *scope) {
	for p := range ps.kids {
		if !p.is("formal_parameter", "spread_parameter") {
			continue
		}
		b.declare(fs, javaParamName(p), p, "param", value)
		for c := range p.kids {
			if c.field != "name" && !c.is("variable_declarator") {
				b.visit(c, fs)
			}
		}
	}
}

func (b *javaBinder) lambda(n *node, s *scope) {
	fs := newScope(functionScope, s, n)
	b.u.scopes[n] = fs
	switch ps := n.get("parameters"); {
	case ps.is("identifier"):
		b.declare(fs, ps, ps, "param", value)
	case ps.is("inferred_parameters"):
		for p := range ps.kids {
			b.declare(fs, p, p, "param", value)
		}
	default:
		b.params(ps, fs)
	}
	b.visit(n.get("body"), fs)
}

// head is a statement that binds names of its own.
func (b *javaBinder) head(n *node, s *scope) {
	switch n.kind {
	case "enhanced_for_statement":
		b.visit(n.get("value"), s)
		b.declare(s, n.get("name"), n, "var", value)
		b.but(n, s, "name", "value")
	case "try_with_resources_statement":
		inner := s
		for r := range n.get("resources").kids {
			if r.get("name") != nil {
				b.declare(inner, r.get("name"), r, "var", value)
			}
			b.but(r, inner, "name")
		}
		b.visit(n.get("body"), inner)
		for c := range n.kids {
			if c.is("catch_clause", "finally_clause") {
				b.visit(c, s.parent)
			}
		}
	case "catch_clause":
		p := n.child("catch_formal_parameter")
		b.declare(s, p.get("name"), p, "var", value)
		b.but(p, s, "name")
		b.visit(n.get("body"), s)
	default:
		b.children(n, s)
	}
}

// pattern binds what a test of a type names. It is known where the test has held; the block
// around is more than that, and no other variable of the name can be declared there.
func (b *javaBinder) pattern(n *node, s *scope) {
	name := n.get("name")
	if n.is("record_pattern_component", "type_pattern") {
		if last := n.lastKid(); last.is("identifier") {
			name = last
		}
	}
	b.declare(s, name, n, "var", value)
	for c := range n.kids {
		if c != name {
			b.visit(c, s)
		}
	}
}

// creation is new T(...), with or without a body: an anonymous class.
func (b *javaBinder) creation(n *node, s *scope) {
	body := n.child("class_body")
	for c := range n.kids {
		if c != body {
			b.visit(c, s)
		}
	}
	if body != nil {
		b.body(&class{unit: b.u, node: body, def: n, bases: []*node{n.get("type")}}, body, s)
	}
}
