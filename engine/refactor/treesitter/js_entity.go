package treesitter

import "waferpair/engine/refactor/words"

// entity follows an expression as far as it is evident.
func (d ecma) entity(p *project, u *unit, n *node) entity {
	switch {
	case n == nil:
		return entity{}
	case n.is("parenthesized_expression", "non_null_expression"):
		return d.entity(p, u, n.firstKid())
	case n.is("string", "number", "template_string", "array", "regex", "true", "false", "null", "undefined"):
		return entity{kind: outsider}
	case n.is("identifier", "type_identifier", "shorthand_property_identifier"):
		return d.nameEntity(p, u, n)
	case n.is("this"):
		if c, static := u.thisClass(n); c != nil {
			return instanceOr(c, static)
		}
	case n.is("super"):
		if c := n.up("class_declaration", "class", "abstract_class_declaration"); c != nil {
			return entity{kind: anInstance, class: u.classAt(c)}
		}
	case n.is("new_expression"):
		return d.instance(p, u, n.get("constructor"))
	case n.is("as_expression", "satisfies_expression"):
		return d.typeEntity(p, u, n.lastKid())
	case n.is("await_expression"):
		if at, ok := d.requiredPlace(p, u, n.firstKid()); ok {
			return moduleEntity(at)
		}
	case n.is("call_expression"):
		return d.callEntity(p, u, n)
	case n.is("member_expression", "nested_identifier", "nested_type_identifier"):
		e := d.entity(p, u, n.firstKid())
		return d.fromMeaning(p, d.property(p, u, e, n.lastKid().text()))
	}
	return entity{}
}

func instanceOr(c *class, static bool) entity {
	if static {
		return entity{kind: aClass, class: c}
	}
	return entity{kind: anInstance, class: c}
}

func moduleEntity(at place) entity {
	if at.outside {
		return entity{kind: outsider}
	}
	return entity{kind: aModule, at: at}
}

func (d ecma) requiredPlace(p *project, u *unit, v *node) (place, bool) {
	m, ok := (&jsBinder{u: &unit{}}).requires(v)
	if !ok {
		return place{}, false
	}
	return d.locate(p, u.path, m), true
}

func (d ecma) nameEntity(p *project, u *unit, n *node) entity {
	r := u.byNode[n]
	if r == nil {
		return entity{}
	}
	if r.b == nil {
		if jsGlobals[n.text()] {
			return entity{kind: outsider}
		}
		return entity{}
	}
	return d.bindingEntity(p, r.b)
}

func (d ecma) bindingEntity(p *project, b *binding) entity {
	if at, ok := p.moduleOf(b); ok {
		if at.outside && b.imps[0].name != "" && b.imps[0].name != "default" && b.imps[0].name != "=" {
			return entity{}
		}
		return moduleEntity(at)
	}
	return d.fromMeaning(p, meaning{kind: bound, b: p.follow(b)})
}

func (d ecma) fromMeaning(p *project, m meaning) entity {
	switch m.kind {
	case module:
		return moduleEntity(m.at)
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

func (d ecma) memberEntity(p *project, m meaning) entity {
	for _, c := range p.ancestry(m.class) {
		if ms := c.members[m.name]; len(ms) == 1 && ms[0].def.get("type") != nil && !ms[0].method {
			return d.annotated(p, c.unit, ms[0].def.get("type"))
		} else if len(ms) > 0 {
			return entity{}
		}
	}
	return entity{}
}

// variable: one declaration, with a type or an evident value that stays.
func (d ecma) variable(p *project, b *binding) entity {
	if b.kind == "func" || b.kind == "namespace" || b.kind == "enum" {
		return entity{kind: aBinding, b: b}
	}
	if len(b.decls) != 1 {
		return entity{}
	}
	dc := b.decls[0]
	switch {
	case dc.def.is("variable_declarator") && dc.def.get("name") == dc.name:
		if t := dc.def.get("type"); t != nil {
			return d.annotated(p, b.unit, t)
		}
		if b.kind == "const" {
			return d.entity(p, b.unit, dc.def.get("value"))
		}
	case dc.def.is("required_parameter", "optional_parameter") && dc.def.get("pattern") == dc.name:
		return d.annotated(p, b.unit, dc.def.get("type"))
	}
	return entity{}
}

func (d ecma) annotated(p *project, u *unit, t *node) entity {
	if t.is("type_annotation") {
		t = t.firstKid()
	}
	return d.typeEntity(p, u, t)
}

// typeEntity is a value of a type. `C | null` is a C wherever it has properties.
func (d ecma) typeEntity(p *project, u *unit, t *node) entity {
	switch {
	case t.is("predefined_type") && t.text() != "any" && t.text() != "object" && t.text() != "unknown":
		return entity{kind: outsider}
	case t.is("array_type", "tuple_type", "literal_type", "function_type", "readonly_type"):
		return entity{kind: outsider}
	case t.is("parenthesized_type"):
		return d.typeEntity(p, u, t.firstKid())
	case t.is("union_type"):
		if l, r := t.firstKid(), t.lastKid(); r.text() == "null" || r.text() == "undefined" {
			return d.typeEntity(p, u, l)
		}
	case t.is("type_query"):
		return d.entity(p, u, t.firstKid())
	case t.is("generic_type"):
		return d.instance(p, u, t.get("name"))
	case t.is("type_identifier", "nested_type_identifier"):
		return d.instance(p, u, t)
	}
	return entity{}
}

func (d ecma) instance(p *project, u *unit, class *node) entity {
	e := d.entity(p, u, class)
	if e.kind == aClass {
		return entity{kind: anInstance, class: e.class}
	}
	if e.kind == outsider && class.is("identifier", "type_identifier") {
		if r := u.byNode[class]; r != nil && r.b == nil && plainGlobals[class.text()] {
			return e
		}
	}
	return entity{}
}

func (d ecma) callEntity(p *project, u *unit, call *node) entity {
	if at, ok := d.requiredPlace(p, u, call); ok && !call.get("function").is("import") {
		if m := d.exported(p, at, "=", map[string]bool{}); !at.outside && m.kind != module {
			return d.fromMeaning(p, m)
		}
		return moduleEntity(at)
	}
	e := d.entity(p, u, call.get("function"))
	if e.kind == aBinding && e.b.kind == "func" && len(e.b.decls) == 1 && e.b.def().child("async", "*") == nil {
		if t := e.b.def().get("return_type"); t != nil && t.is("type_annotation") {
			return d.annotated(p, e.b.unit, t)
		}
	}
	return entity{}
}

// jsGlobals are global objects whose own properties are not the project's.
var jsGlobals = words.Set(`console Math JSON Object Array Number String Boolean Symbol Promise Reflect Date RegExp Map Set
WeakMap WeakSet Error TypeError RangeError BigInt Intl Atomics ArrayBuffer DataView Uint8Array Int8Array Uint16Array
Int16Array Uint32Array Int32Array Float32Array Float64Array URL URLSearchParams document navigator location history
localStorage sessionStorage performance crypto process Buffer CSS Function Proxy fetch Intl WebSocket Blob File
FormData Headers Request Response AbortController Event CustomEvent HTMLElement Node Element`)

// plainGlobals are those whose objects hold nothing of the project's under names of their own.
var plainGlobals = words.Set(`Date RegExp Map Set WeakMap WeakSet Error TypeError RangeError ArrayBuffer DataView Uint8Array
Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array URL URLSearchParams WebSocket Blob
File FormData Headers AbortController Promise Array Record ReadonlyArray HTMLElement Element Node Event Document Window`)
