package treesitter

func (d ecma) exported(p *project, at place, name string, seen map[string]bool) meaning {
	if at.outside {
		return meaning{kind: other}
	}
	u := p.unit(at.file)
	if key := at.file + "\x00" + name; u == nil || seen[key] {
		return meaning{}
	} else {
		seen[key] = true
	}
	for i := range u.exports {
		if e := &u.exports[i]; e.name == name {
			return d.export(p, u, e, seen)
		}
	}
	if m := d.starred(p, u, name, seen); m.kind != unknown {
		return m
	}
	if u.cjs && !u.esm && name == "default" || name == "=" {
		return meaning{kind: module, at: at}
	}
	return meaning{}
}

func (d ecma) starred(p *project, u *unit, name string, seen map[string]bool) meaning {
	if name == "default" || name == "=" {
		return meaning{}
	}
	for _, e := range u.exports {
		if e.name == "*" {
			if m := d.exported(p, d.locate(p, u.path, e.from), name, seen); m.kind != unknown && m.kind != other {
				return m
			}
		}
	}
	return meaning{}
}

// export is what one export statement gives: the declaration itself when it
// keeps its name, else a name of its own.
func (d ecma) export(p *project, u *unit, e *export, seen map[string]bool) meaning {
	alias := meaning{kind: exportOf, at: place{file: u.path}, name: e.name}
	if e.from != "" {
		at := d.locate(p, u.path, e.from)
		switch {
		case e.inner == "":
			return meaning{kind: module, at: at}
		case e.inner == e.name || e.inner == "default":
			m := d.exported(p, at, e.inner, seen)
			if e.inner == e.name || m.kind == bound && m.b.name == e.name {
				return m
			}
		case at.outside:
			return meaning{kind: other}
		}
		return alias
	}
	if e.b == nil {
		return alias
	}
	if at, ok := p.moduleOf(e.b); ok && !at.outside {
		m := meaning{kind: module, at: at}
		if e.b.name == e.name {
			m.b = p.canonical(e.b, seen).b
		}
		return m
	}
	if e.b.name == e.name || e.name == "default" || e.name == "=" {
		return p.canonical(e.b, seen)
	}
	return alias
}

func (d ecma) means(p *project, u *unit, n *node) meaning {
	if r := u.byNode[n]; r != nil {
		if r.b == nil {
			return meaning{kind: other}
		}
		return p.canonical(r.b, map[string]bool{})
	}
	if n.kind == "private_property_identifier" {
		return u.private(n)
	}
	parent := n.parent
	switch {
	case parent.is("import_specifier"):
		stmt := parent.up("import_statement")
		return d.exported(p, d.locate(p, u.path, unquote(stmt.get("source"))), n.text(), map[string]bool{})
	case parent.is("export_specifier"):
		stmt := parent.parent.parent
		if src := stmt.get("source"); src != nil && n.field == "name" {
			return d.exported(p, d.locate(p, u.path, unquote(src)), n.text(), map[string]bool{})
		}
		return d.exported(p, place{file: u.path}, n.text(), map[string]bool{})
	case parent.is("namespace_export", "jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element"):
		return meaning{kind: other}
	case parent.is("member_expression", "nested_type_identifier", "nested_identifier"):
		if parent.kind == "member_expression" && isExportsObject(parent.get("object")) {
			return d.exported(p, place{file: u.path}, n.text(), map[string]bool{})
		}
		return d.property(p, u, d.entity(p, u, parent.firstKid()), n.text())
	case parent.is("pair_pattern"):
		return d.property(p, u, d.patternSource(p, u, parent.parent), n.text())
	case parent.is("pair"):
		return d.literalKey(p, u, parent.parent, n.text())
	case memberName(parent) == n:
		return d.declaredMember(p, u, parent, n)
	}
	return meaning{}
}

// keyMeans is what the property of a shorthand {name} means; means is about the variable.
func (d ecma) keyMeans(p *project, u *unit, n *node) meaning {
	switch n.kind {
	case "shorthand_property_identifier":
		return d.literalKey(p, u, n.parent, n.text())
	case "shorthand_property_identifier_pattern":
		pat := n.parent
		if pat.is("object_assignment_pattern") {
			pat = pat.parent
		}
		return d.property(p, u, d.patternSource(p, u, pat), n.text())
	}
	return meaning{kind: other}
}

// property is what .name means on a value.
func (d ecma) property(p *project, u *unit, e entity, name string) meaning {
	switch e.kind {
	case outsider:
		return meaning{kind: other}
	case aModule:
		if m := d.exported(p, e.at, name, map[string]bool{}); m.kind != unknown {
			return m
		}
	case aClass, anInstance:
		return meaning{kind: memberOf, class: e.class, name: name, static: e.kind == aClass}
	case aBinding:
		return d.inside(p, e.b, name)
	case anything:
	}
	return meaning{}
}

// inside is a name in a namespace or an enum; a property of a function is its own.
func (d ecma) inside(p *project, b *binding, name string) meaning {
	for _, dc := range b.decls {
		for _, x := range b.unit.bindings {
			if x.name == name && x.scope.node == dc.def && x.scope.kind == namespaceScope && x.exported {
				return p.canonical(x, map[string]bool{})
			}
		}
	}
	if b.kind == "func" || b.kind == "enum" {
		return meaning{kind: other}
	}
	return meaning{}
}

// patternSource is what a destructuring pattern takes apart, when it is evident.
func (d ecma) patternSource(p *project, u *unit, pat *node) entity {
	switch parent := pat.parent; {
	case parent.is("variable_declarator"):
		if t := parent.get("type"); t != nil {
			return d.annotated(p, u, t)
		}
		return d.entity(p, u, parent.get("value"))
	case parent.is("assignment_expression"):
		return d.entity(p, u, parent.get("right"))
	case parent.is("required_parameter", "optional_parameter") && parent.get("type") != nil:
		return d.annotated(p, u, parent.get("type"))
	}
	return entity{}
}

// literalKey is what a key of an object literal means: an export, a member of
// the type that the literal is annotated with, or something unknown.
func (d ecma) literalKey(p *project, u *unit, obj *node, name string) meaning {
	parent := obj.parent
	switch {
	case parent.is("assignment_expression") && parent.get("left").text() == "module.exports":
		return d.exported(p, place{file: u.path}, name, map[string]bool{})
	case parent.is("variable_declarator") && parent.get("type") != nil:
		return d.property(p, u, d.annotated(p, u, parent.get("type")), name)
	case parent.is("as_expression", "satisfies_expression"):
		return d.property(p, u, d.typeEntity(p, u, parent.lastKid()), name)
	}
	return meaning{}
}

// declaredMember is the name of a method or field where it is declared.
func (d ecma) declaredMember(p *project, u *unit, m, name *node) meaning {
	if m.parent.is("object") {
		return d.literalKey(p, u, m.parent, name.text())
	}
	for _, c := range u.classes {
		for _, mb := range c.members[name.text()] {
			if mb.name == name {
				return meaning{kind: memberOf, class: c, name: name.text()}
			}
		}
	}
	return meaning{}
}

// private is the member that #name means: the one of the nearest class around
// the place that declares it.
func (u *unit) private(n *node) meaning {
	for k := n.up("class_declaration", "class", "abstract_class_declaration"); k != nil; k = k.up("class_declaration",
		"class", "abstract_class_declaration") {
		if c := u.classAt(k); c != nil && len(c.members[n.text()]) > 0 {
			return meaning{kind: memberOf, class: c, name: n.text()}
		}
	}
	return meaning{}
}
