package treesitter

import "strings"

// means says what an identifier stands for: a variable, a type, a member, or nothing known.
func (d javaDialect) means(p *project, u *unit, n *node) meaning {
	parent, name := n.parent, n.text()
	switch {
	case parent.is("package_declaration", "labeled_statement", "break_statement", "continue_statement"),
		n.up("package_declaration") != nil:
		return meaning{kind: other}
	case parent.is("import_declaration", "scoped_identifier") && n.up("import_declaration") != nil:
		return p.javaImport(n)
	case parent.is("method_invocation") && n.field == "name":
		return p.javaCall(u, parent, name)
	case parent.is("method_reference") && parent.lastKid() == n && parent.firstKid() != n:
		return p.javaMember(p.receiver(u, parent.firstKid()), name, true)
	case parent.is("field_access") && n.field == "field":
		return p.javaField(u, parent, name)
	case parent.is("scoped_type_identifier") && parent.firstKid() != n:
		if t := p.typeOf(u, parent); t.class != nil {
			return meaning{kind: bound, b: t.class.b}
		}
		return meaning{kind: other}
	case parent.is("element_value_pair") && n.field == "key":
		if t := p.typeOf(u, parent.parent.parent.get("name")); t.class != nil {
			return p.javaMember(t, name, true)
		}
		return meaning{kind: other}
	}
	if m, ok := d.declares(u, n); ok {
		return m
	}
	r := u.byNode[n]
	if r == nil {
		return meaning{kind: other}
	}
	if r.decl {
		return meaning{kind: bound, b: r.b}
	}
	if r.space == typ {
		if _, b := p.typeNamed(u, r.scope, name); b != nil {
			return meaning{kind: bound, b: b}
		}
		return meaning{kind: other}
	}
	m, t := p.javaValue(u, n)
	if m.kind == other && t.class != nil && t.class.b != nil {
		return meaning{kind: bound, b: t.class.b}
	}
	return m
}

// declares is what the name of a declaration declares.
func (d javaDialect) declares(u *unit, n *node) (meaning, bool) {
	def := n.parent
	if n.field != "name" {
		return meaning{}, false
	}
	switch {
	case def.is("constructor_declaration", "compact_constructor_declaration"):
		if c := u.typeAround(def); c != nil && c.b != nil {
			return meaning{kind: bound, b: c.b}, true
		}
		return meaning{kind: other}, true
	case def.is(javaTypes...):
		return meaning{}, false // bound
	}
	for _, c := range u.classes {
		for _, m := range c.members[n.text()] {
			if m.name == n {
				return meaning{kind: memberOf, class: c, name: n.text(), static: m.static}, true
			}
		}
	}
	return meaning{}, false
}

// javaImport is what a part of an import names: a type, or a static member.
func (p *project) javaImport(n *node) meaning {
	full := n
	if n.parent.is("scoped_identifier") && n.field == "name" {
		full = n.parent
	}
	text := strings.Join(strings.Fields(full.text()), "")
	if c, _ := p.fullType(text); c != nil {
		return meaning{kind: bound, b: c.b}
	}
	if i := strings.LastIndexByte(text, '.'); i > 0 && n.up("import_declaration").child("static") != nil {
		if c, _ := p.fullType(text[:i]); c != nil {
			for _, method := range []bool{true, false} {
				if ks := p.declarersOf(c, text[i+1:], method); len(ks) > 0 {
					return meaning{kind: memberOf, class: ks[0], name: n.text()}
				}
			}
		}
	}
	return meaning{kind: other}
}

func (p *project) javaCall(u *unit, call *node, name string) meaning {
	if call.get("object") != nil {
		return p.javaMember(p.receiver(u, call.get("object")), name, true)
	}
	c := p.methodAround(u, call, name)
	for at := call; at != nil; {
		k := u.typeAround(at)
		if k == nil || c != nil && k == c {
			break
		}
		if p.unsureOf(k, name) != nil { // it may be inherited from outside
			if c != nil {
				return meaning{}
			}
			return meaning{kind: other}
		}
		at = k.scope.node
	}
	if c == nil {
		return meaning{kind: other}
	}
	return p.javaMember(jType{class: c}, name, true)
}

func (p *project) javaField(u *unit, access *node, name string) meaning {
	t := p.valueOf(u, access.get("object"))
	if t.class != nil && t.static {
		if c := p.innerType(t.class, name, 0); c != nil {
			return meaning{kind: bound, b: c.b}
		}
	}
	if !t.known() {
		if whole := p.fieldType(u, access); whole.static && whole.class != nil {
			return meaning{kind: bound, b: whole.class.b}
		}
	}
	return p.javaMember(t, name, false)
}

// javaMember is the member of a type: in the project, outside, or not known.
func (p *project) javaMember(t jType, name string, method bool) meaning {
	switch {
	case t.class != nil:
		if ks := p.declarersOf(t.class, name, method); len(ks) > 0 {
			return meaning{kind: memberOf, class: ks[0], name: name}
		}
		if method && t.class.def.is("record_declaration") {
			if ms := t.class.members[name]; len(ms) > 0 {
				return meaning{kind: memberOf, class: t.class, name: name}
			}
		}
		return meaning{kind: other}
	case t.out != "":
		return meaning{kind: other}
	}
	return meaning{}
}

// entity is what the shared code asks of a base class.
func (d javaDialect) entity(p *project, u *unit, n *node) entity {
	if n.is("type_identifier", "generic_type", "scoped_type_identifier") {
		if t := p.typeOf(u, n); t.class != nil {
			return entity{kind: aClass, class: t.class}
		} else if t.out != "" {
			return entity{kind: outsider}
		}
		return entity{}
	}
	switch t := p.valueOf(u, n); {
	case t.class != nil && t.static:
		return entity{kind: aClass, class: t.class}
	case t.class != nil:
		return entity{kind: anInstance, class: t.class}
	case t.out != "":
		return entity{kind: outsider}
	}
	return entity{}
}
