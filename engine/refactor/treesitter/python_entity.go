package treesitter

// entity follows an expression as far as it is evident: imports, classes, self,
// annotated names, and names that are only ever assigned an object of one class.
func (d pythonDialect) entity(p *project, u *unit, n *node) entity {
	switch {
	case n == nil:
		return entity{}
	case n.is("parenthesized_expression", "type"):
		return d.entity(p, u, n.firstKid())
	case n.is("string", "concatenated_string", "integer", "float", "list", "dictionary", "set", "tuple",
		"list_comprehension", "dictionary_comprehension", "set_comprehension", "generator_expression",
		"true", "false", "none"):
		return entity{kind: outsider}
	case n.is("identifier"):
		return d.nameEntity(p, u, n)
	case n.is("attribute"):
		e := d.entity(p, u, n.get("object"))
		return d.fromMeaning(p, d.attribute(p, u, e, n.get("attribute").text()))
	case n.is("call"):
		return d.callEntity(p, u, n)
	}
	return entity{}
}

func (d pythonDialect) nameEntity(p *project, u *unit, n *node) entity {
	r := u.byNode[n]
	if r == nil {
		return entity{}
	}
	if r.b == nil {
		if m := d.starred(p, u, n.text(), map[string]bool{}); m.kind != unknown {
			return d.fromMeaning(p, m)
		}
		if pyBuiltins[n.text()] {
			return entity{kind: outsider}
		}
		return entity{}
	}
	if c, static := u.selfClass(n); c != nil {
		if static {
			return entity{kind: aClass, class: c}
		}
		return entity{kind: anInstance, class: c}
	}
	return d.bindingEntity(p, r.b)
}

func (d pythonDialect) bindingEntity(p *project, b *binding) entity {
	if at, ok := p.moduleOf(b); ok {
		if at.outside {
			// A module from outside, or a name of one: what it is, is not known,
			// but a module's own attributes are not the project's.
			if b.imps[0].name == "" {
				return entity{kind: outsider}
			}
			return entity{}
		}
		return entity{kind: aModule, at: at}
	}
	b = p.follow(b)
	return d.fromMeaning(p, meaning{kind: bound, b: b})
}

func (d pythonDialect) fromMeaning(p *project, m meaning) entity {
	switch m.kind {
	case module:
		return entity{kind: aModule, at: m.at}
	case other:
		return entity{}
	case memberOf:
		return d.memberEntity(p, m)
	case bound:
		if len(m.b.imps) > 0 {
			if b := p.follow(m.b); b != m.b {
				return d.fromMeaning(p, meaning{kind: bound, b: b})
			}
			return entity{}
		}
		if c := m.b.unit.classOf(m.b); c != nil && len(m.b.decls) == 1 {
			return entity{kind: aClass, class: c}
		}
		return d.variable(p, m.b)
	}
	return entity{}
}

// memberEntity: an attribute that is annotated in the class body has an evident class.
func (d pythonDialect) memberEntity(p *project, m meaning) entity {
	var e entity
	for _, mb := range m.class.members[m.name] {
		got := entity{}
		if mb.def.is("assignment") {
			got = d.assigned(p, m.class.unit, mb.def)
		}
		if got.kind == anything || e.kind != anything && e != got {
			return entity{}
		}
		e = got
	}
	return e
}

// variable: every declaration must give the same class.
func (d pythonDialect) variable(p *project, b *binding) entity {
	if b.kind == "func" {
		return entity{kind: aBinding, b: b}
	}
	var e entity
	for _, dc := range b.decls {
		got := entity{}
		switch {
		case dc.def.is("assignment") && dc.def.get("left") == dc.name:
			got = d.assigned(p, b.unit, dc.def)
		case dc.def.is("typed_parameter", "typed_default_parameter"):
			got = d.annotated(p, b.unit, dc.def.get("type"))
		case dc.def.is("as_pattern") && dc.name.parent.is("as_pattern_target") && dc.def.parent.is("except_clause"):
			got = d.instance(p, b.unit, dc.def.firstKid())
		}
		if got.kind == anything || e.kind != anything && e != got {
			return entity{}
		}
		e = got
	}
	return e
}

func (d pythonDialect) assigned(p *project, u *unit, as *node) entity {
	if t := as.get("type"); t != nil {
		return d.annotated(p, u, t)
	}
	v := as.get("right")
	if v.is("identifier") && v.text() != as.get("left").text() {
		if r := u.byNode[v]; r != nil && r.b != nil && r.b.topLevel() && len(r.b.decls) == 1 && len(r.b.imps) == 1 {
			return d.bindingEntity(p, r.b)
		}
	}
	if v.is("call") {
		return d.callEntity(p, u, v)
	}
	if v.is("string", "concatenated_string", "integer", "float", "list", "dictionary", "set", "tuple") {
		return entity{kind: outsider}
	}
	return entity{}
}

// annotated is the object that an annotation promises. Optional[X] and X | None
// are an X wherever one of its attributes is used.
func (d pythonDialect) annotated(p *project, u *unit, t *node) entity {
	t = t.firstKid()
	if t.is("binary_operator") && t.get("right").is("none") {
		t = t.get("left")
	}
	if t.is("generic_type") {
		if name := t.firstKid().text(); name == "Optional" && t.child("type_parameter") != nil {
			return d.annotated(p, u, t.child("type_parameter").firstKid())
		} else if pyBuiltins[name] && u.module.names[name] == nil {
			return entity{kind: outsider}
		}
		return entity{}
	}
	return d.instance(p, u, t)
}

func (d pythonDialect) instance(p *project, u *unit, class *node) entity {
	switch e := d.entity(p, u, class); e.kind {
	case aClass:
		return entity{kind: anInstance, class: e.class}
	case outsider:
		return e
	}
	return entity{}
}

func (d pythonDialect) callEntity(p *project, u *unit, call *node) entity {
	fn := call.get("function")
	if fn.text() == "super" && u.byNode[fn] != nil && u.byNode[fn].b == nil {
		if c := call.up("class_definition"); c != nil {
			return entity{kind: anInstance, class: u.classAt(c)}
		}
	}
	switch e := d.entity(p, u, fn); e.kind {
	case aClass:
		return entity{kind: anInstance, class: e.class}
	case aBinding:
		if def := e.b.def(); len(e.b.decls) == 1 && def.get("return_type") != nil && len(decorators(def)) == 0 &&
			def.child("async") == nil {
			return d.annotated(p, e.b.unit, def.get("return_type"))
		}
	case outsider:
		if fn.is("identifier") && plainBuiltin[fn.text()] {
			return e
		}
	default: // what such a call gives is not known
	}
	return entity{}
}

// plainBuiltin are the builtin calls whose results hold nothing of the project's.
var plainBuiltin = map[string]bool{
	"str": true, "int": true, "float": true, "bool": true, "bytes": true, "list": true, "dict": true, "set": true,
	"tuple": true, "open": true, "range": true, "len": true, "sorted": true, "frozenset": true, "bytearray": true,
	"input": true, "repr": true, "format": true, "hash": true, "id": true, "ord": true, "chr": true,
}
