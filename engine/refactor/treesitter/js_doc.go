package treesitter

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

func (ecma) docForm(*unit) kit.DocForm { return kit.JSDoc }

func (ecma) documentable(u *unit, n *node) (kit.Documented, bool) {
	d := kit.Documented{Self: "this"}
	stmt, fn := n, n
	switch n.kind {
	case "function_declaration", "generator_function_declaration", "function_signature":
		d.Kind = "func"
	case "class_declaration", "abstract_class_declaration":
		d.Kind = "class"
	case "interface_declaration":
		d.Kind = "interface"
	case "type_alias_declaration":
		d.Kind = "type"
	case "enum_declaration":
		d.Kind = "enum"
	case "method_definition":
		if !n.parent.is("class_body") || n.child("get", "set") != nil {
			return d, false
		}
		d.Kind = "method"
		if n.get("name").text() == "constructor" {
			d.Kind = "constructor"
		}
		d.Owner = n.parent.parent.get("name").text()
		d.Fixed = n.child("static") != nil
		d.Inherits = n.child("override_modifier") != nil
	case "variable_declarator":
		fn = n.get("value")
		if !n.get("name").is("identifier") || n.parent == nil || n.parent.firstKid() != n ||
			n.parent.parent.is("for_statement") {
			return d, false
		}
		d.Kind, stmt = "func", n.parent
		if !fn.is("arrow_function", "function_expression", "generator_function") {
			if d.Kind = "const"; !atTop(n.parent) || n.parent.child("const") == nil || !onlyKid(n) {
				return d, false
			}
		}
	default:
		return d, false
	}
	name := n.get("name")
	if name == nil {
		return d, false
	}
	d.Name, d.At = name.text(), name.from
	for stmt.parent.is("export_statement", "ambient_declaration") {
		stmt = stmt.parent
	}
	d.Exported = jsExported(u, n, d)
	d.Has = jsHasDoc(u, stmt, d.Name, strings.Contains(n.kind, "function"))
	aboveStatement(&d, stmt)
	switch d.Kind {
	case "func", "method", "constructor":
		jsFunction(u, &d, fn)
	case "const":
		d.Value, d.Type = kitOf(fn), bareType(n.get("type"))
	default:
		jsType(&d, n)
	}
	return d, true
}

// atTop reports whether a statement is one of the file itself.
func atTop(n *node) bool {
	return n.parent.is("program") || n.parent.is("export_statement") && n.parent.parent.is("program")
}

func jsExported(u *unit, n *node, d kit.Documented) bool {
	if d.Owner != "" {
		mod := n.child("accessibility_modifier")
		if strings.HasPrefix(d.Name, "#") || mod != nil && mod.text() != "public" {
			return false
		}
		class := n.parent.parent
		return class.is("class_declaration", "abstract_class_declaration") &&
			jsExported(u, class, kit.Documented{Name: class.get("name").text()})
	}
	if b := u.module.names[d.Name]; b != nil && b.exported {
		for _, dc := range b.decls {
			if dc.def == n {
				return true
			}
		}
	}
	return false
}

func jsHasDoc(u *unit, stmt *node, name string, function bool) bool {
	for c := stmt.prev; c.is("comment", "decorator"); c = c.prev {
		if strings.HasPrefix(c.text(), "/**") {
			return true
		}
	}
	// An overload is documented where its first signature is.
	p := stmt.prev
	for p.is("export_statement", "ambient_declaration") {
		q := p.get("declaration")
		if q == nil {
			q = p.firstKid()
		}
		p = q
	}
	if function && p != nil && strings.Contains(p.kind, "function") && p.get("name").text() == name {
		return true
	}
	return stmt.is("method_definition") && stmt.prev.is("method_signature") && stmt.prev.get("name").text() == name
}

func jsFunction(u *unit, d *kit.Documented, fn *node) {
	d.Body = kitOf(fn.get("body"))
	d.Async, d.Generator = fn.child("async") != nil, fn.child("*") != nil || fn.is("generator_function")
	if t := bareType(fn.get("return_type")); t != "" && t != "void" && t != "Promise<void>" && t != "never" {
		d.Results = []string{t}
	}
	list := fn.get("parameters")
	d.Untyped = (ecma{}).grammar(u.path) == jsGrammar
	if p := fn.get("parameter"); p != nil {
		d.Params = []kit.Parameter{{Name: p.text()}}
	}
	for p := range list.kids {
		q := kit.Parameter{Name: paramName(p), Type: bareType(p.get("type")), Value: kitOf(p.get("value"))}
		if p.is("assignment_pattern") {
			q.Value = kitOf(p.get("right"))
		}
		q.Rest = p.is("rest_pattern") || p.get("pattern").is("rest_pattern")
		if q.Type == "" && q.Value != nil {
			v := p.get("value")
			if p.is("assignment_pattern") {
				v = p.get("right")
			}
			q.Type = evidentType(v)
		}
		if q.Name != "this" {
			d.Params = append(d.Params, q)
		}
	}
}

// paramName is a parameter's own name; a destructured one has none.
func paramName(p *node) string {
	for p.is("required_parameter", "optional_parameter", "assignment_pattern", "rest_pattern") {
		q := p.get("pattern")
		if q == nil {
			q = p.get("left")
		}
		if q == nil {
			q = p.firstKid()
		}
		p = q
	}
	if p.is("identifier") {
		return p.text()
	}
	return ""
}

func jsType(d *kit.Documented, n *node) {
	n.child("class_heritage").walk(func(k *node) bool {
		if k.is("identifier", "member_expression", "type_identifier") {
			d.Bases = append(d.Bases, k.text())
			return false
		}
		return !k.is("type_arguments", "arguments", "implements_clause")
	})
	body := n.get("body")
	if v := n.get("value"); n.is("type_alias_declaration") {
		d.Type = bareType(v)
		if v.is("object_type") {
			body = v
		}
		d.Values = jsUnion(v)
	}
	for k := range body.kids {
		name := k.get("name")
		if name == nil && d.Kind == "enum" {
			name = k
		}
		if name == nil || name.is("computed_property_name", "private_property_identifier") ||
			k.child("accessibility_modifier") != nil && k.child("accessibility_modifier").text() != "public" {
			continue
		}
		switch text := name.text(); {
		case d.Kind == "enum":
			d.Values = append(d.Values, text)
		case k.is("method_definition", "method_signature", "abstract_method_signature"):
			if text != "constructor" && !has(d.Methods, text) {
				d.Methods = append(d.Methods, text)
			}
		default:
			d.Fields = append(d.Fields, text)
		}
	}
}

// jsUnion are the alternatives of a union of literals.
func jsUnion(v *node) []string {
	var out []string
	for v.is("union_type") {
		list := v.list()
		if len(list) == 2 {
			if !list[1].is("literal_type") {
				return nil
			}
			out = append([]string{list[1].text()}, out...)
		}
		v = list[0]
	}
	if !v.is("literal_type") || len(out) == 0 {
		return nil
	}
	return append([]string{v.text()}, out...)
}

// evidentType is the type of an expression whose text alone tells it, or "".
func evidentType(n *node) string {
	if n == nil {
		return ""
	}
	switch n.kind {
	case "number":
		if strings.HasSuffix(n.text(), "n") {
			return "bigint"
		}
		return "number"
	case "string", "template_string":
		return "string"
	case "true", "false":
		return "boolean"
	case "parenthesized_expression":
		return evidentType(n.firstKid())
	case "unary_expression":
		if n.get("operator").text() == "-" {
			return evidentType(n.get("argument"))
		}
	}
	return ""
}
