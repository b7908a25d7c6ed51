package treesitter

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

func (javaDialect) docForm(*unit) kit.DocForm { return kit.Javadoc }

func (javaDialect) documentable(u *unit, n *node) (kit.Documented, bool) {
	d := kit.Documented{Self: "this"}
	name := n.get("name")
	switch {
	case n.parent == nil, n.up("block", "constructor_body", "lambda_expression") != nil,
		n.parent.parent.is("object_creation_expression"):
		return d, false
	case n.is("class_declaration", "record_declaration"):
		d.Kind = "class"
	case n.is("interface_declaration"):
		d.Kind = "interface"
	case n.is("annotation_type_declaration"):
		d.Kind = "type"
	case n.is("enum_declaration"):
		d.Kind = "enum"
	case n.is("method_declaration"):
		d.Kind = "method"
	case n.is("constructor_declaration"):
		d.Kind = "constructor"
	case n.is("field_declaration", "constant_declaration"):
		d.Kind = "field"
		if n.is("constant_declaration") || javaHas(n, "static") && javaHas(n, "final") {
			d.Kind = "const"
		}
		name = n.get("declarator").get("name")
		d.Type, d.Value = n.get("type").text(), kitOf(n.get("declarator").get("value"))
	default:
		return d, false
	}
	if name == nil {
		return d, false
	}
	d.Name, d.At = name.text(), name.from
	if t := n.up(javaTypes...); t != nil {
		d.Owner = t.get("name").text()
	}
	d.Exported = javaExported(n)
	d.Inherits = strings.Contains(n.child("modifiers").text(), "@Override")
	d.Has = n.prev.is("comment") && strings.HasPrefix(n.prev.text(), "/**")
	first := above(n)
	d.Line, d.Indent = lineStart(u.src, first.from), indentAt(u.src, n.from)
	if !first.beginsLine() || !n.beginsLine() {
		d.Cannot = "does not begin its line"
	}
	if d.Kind == "method" || d.Kind == "constructor" {
		javaFunction(&d, n)
	} else if n.is(javaTypes...) {
		javaType(&d, n)
	}
	return d, true
}

// javaExported: what other code can see, or inherit.
func javaExported(n *node) bool {
	for p := n; p != nil; p = p.parent {
		if p.is(javaTypes...) || p == n {
			inInterface := p.parent.is("interface_body", "annotation_type_body")
			if !javaHas(p, "public") && !javaHas(p, "protected") && !inInterface {
				return false
			}
		}
	}
	return !n.is("field_declaration") || javaHas(n, "static")
}

func javaFunction(d *kit.Documented, n *node) {
	d.Body, d.Fixed = kitOf(n.get("body")), javaHas(n, "static")
	if t := n.get("type"); t != nil && !t.is("void_type") {
		d.Results = []string{bareType(t)}
	}
	for _, p := range javaParams(n) {
		t := p.get("type")
		if t == nil { // of a spread parameter
			for k := range p.kids {
				if !k.is("modifiers", "variable_declarator") {
					t = k
					break
				}
			}
		}
		d.Params = append(d.Params, kit.Parameter{Name: javaParamName(p).text(), Type: bareType(t),
			Rest: p.is("spread_parameter")})
	}
	for t := range n.child("throws").kids {
		d.Throws = append(d.Throws, t.text())
	}
}

func javaType(d *kit.Documented, n *node) {
	if s := n.get("superclass"); s != nil {
		d.Bases = append(d.Bases, s.firstKid().text())
	}
	for _, p := range javaParams(n) { // of a record
		d.Fields = append(d.Fields, javaParamName(p).text())
	}
	for k := range n.get("body").kids {
		switch {
		case k.is("enum_constant"):
			d.Values = append(d.Values, k.get("name").text())
		case k.is("method_declaration") && (javaHas(k, "public") || n.is("interface_declaration")) &&
			!strings.Contains(k.child("modifiers").text(), "@Override"):
			if name := k.get("name").text(); !has(d.Methods, name) {
				d.Methods = append(d.Methods, name)
			}
		case k.is("field_declaration") && !javaHas(k, "static"):
			for _, v := range k.all("declarator") {
				d.Fields = append(d.Fields, v.get("name").text())
			}
		}
	}
}
