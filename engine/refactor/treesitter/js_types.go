package treesitter

// types binds what only TypeScript has.
func (b *jsBinder) types(n *node, s *scope) {
	switch n.kind {
	case "interface_declaration":
		b.interfaceDeclaration(n, s)
	case "type_alias_declaration":
		b.typeAlias(n, s)
	case "enum_declaration":
		b.enum(n, s)
	case "internal_module", "module":
		b.namespace(n, s)
	case "import_alias":
		parts := n.list()
		b.declare(s, parts[0], n, "import", both)
		b.qualified(parts[len(parts)-1], s)
	case "conditional_type":
		b.conditional(n, s)
	case "infer_type":
		b.infer(n, s)
	case "index_signature":
		b.indexSignature(n, s)
	case "nested_type_identifier", "nested_identifier":
		b.qualified(n, s)
	case "object_type", "interface_body":
		b.members(&class{unit: b.u}, n, s)
	default:
		b.children(n, s)
	}
}

// qualified is A.B.C in a type: A is a namespace, a module or an enum.
func (b *jsBinder) qualified(n *node, s *scope) {
	for n.is("nested_type_identifier", "nested_identifier", "member_expression") {
		n = n.firstKid()
	}
	if n.is("identifier", "type_identifier") {
		b.u.refer(s, n, both)
	}
}

func (b *jsBinder) interfaceDeclaration(n *node, s *scope) {
	c := &class{unit: b.u, node: n, iface: true}
	c.b = b.declare(s, n.get("name"), n, "interface", typ)
	c.scope = newScope(classScope, s, n)
	b.typeParams(n.get("type_parameters"), c.scope)
	for k := range n.kids {
		if k.is("extends_type_clause", "extends_clause") {
			b.children(k, c.scope)
			c.bases = append(c.bases, k.all("type")...)
		}
	}
	b.u.classes = append(b.u.classes, c)
	b.members(c, n.get("body"), c.scope)
}

func (b *jsBinder) typeAlias(n *node, s *scope) {
	bd := b.declare(s, n.get("name"), n, "type", typ)
	inner := newScope(typeScope, s, n)
	b.typeParams(n.get("type_parameters"), inner)
	if v := n.get("value"); v.is("object_type") {
		c := &class{unit: b.u, node: n, b: bd, scope: inner, iface: true}
		b.u.classes = append(b.u.classes, c)
		b.members(c, v, inner)
	} else {
		b.except(n, inner, "name", "type_parameters")
	}
}

func (b *jsBinder) enum(n *node, s *scope) {
	b.declare(s, n.get("name"), n, "enum", both)
	inner := newScope(namespaceScope, s, n)
	for m := range n.get("body").kids {
		name := m
		if m.is("enum_assignment") {
			name = m.get("name")
			b.except(m, inner, "name")
		}
		if name.is("property_identifier") {
			if bd := b.declare(inner, name, m, "field", both); bd != nil {
				bd.exported = true
			}
		}
	}
}

func (b *jsBinder) namespace(n *node, s *scope) {
	name := n.get("name")
	for name.is("nested_identifier") {
		name = name.firstKid()
	}
	if name.is("identifier") {
		b.declare(s, name, n, "namespace", both)
	}
	b.children(n.get("body"), newScope(namespaceScope, s, n))
}

// conditional: what `infer U` binds in the extends clause is known in the true branch.
func (b *jsBinder) conditional(n *node, s *scope) {
	inner := newScope(typeScope, s, n)
	for c := range n.kids {
		if c.field == "right" || c.field == "consequence" {
			b.visit(c, inner)
		} else {
			b.visit(c, s)
		}
	}
}

func (b *jsBinder) infer(n *node, s *scope) {
	at := s
	for at.parent != nil && !at.node.is("conditional_type") {
		at = at.parent
	}
	parts := n.list()
	if len(parts) > 0 && parts[0].is("type_identifier") {
		b.declare(at, parts[0], n, "type", typ)
		for _, p := range parts[1:] {
			b.visit(p, s)
		}
	}
}

func (b *jsBinder) indexSignature(n *node, s *scope) {
	inner := newScope(typeScope, s, n)
	if m := n.child("mapped_type_clause"); m != nil {
		b.declare(inner, m.get("name"), m, "type", typ)
		b.except(m, inner, "name")
	}
	if name := n.get("name"); name.is("identifier") {
		b.declare(inner, name, n, "param", value)
	}
	for c := range n.kids {
		if c.field != "name" && !c.is("mapped_type_clause") {
			b.visit(c, inner)
		}
	}
}
