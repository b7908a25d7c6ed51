package treesitter

import (
	"path"
	"strings"
)

// escape finds a place where the module that declares the subject is used as a
// value: then an attribute of anything may be one of the module's names.
//
//	import * as iso from "./iso";
//	export const z = { iso };      // z.iso.date is iso.date
func (r *renaming) escape(s *subject) string {
	stem := strings.TrimSuffix(path.Base(s.unit.path), ext(s.unit.path))
	if stem == "index" || stem == "__init__" {
		stem = path.Base(path.Dir(s.unit.path))
	}
	units, err := r.p.mentioning(r.ctx, stem)
	if err != nil {
		return s.unit.path
	}
	for _, u := range units {
		for _, b := range u.bindings {
			at, ok := r.p.moduleOf(b)
			if !ok || at.outside || !r.gives(at, s) {
				continue
			}
			for _, ref := range b.refs {
				if !ref.decl && asValue(ref.node) {
					return spot(u, ref.node)
				}
			}
		}
	}
	return ""
}

// gives reports whether the subject can be had from a module.
func (r *renaming) gives(at place, s *subject) bool {
	return at.file == s.unit.path || r.d.exported(r.p, at, s.name, map[string]bool{}).same(r.symbol(s))
}

// asValue: neither the module of an attribute, nor an export, nor the subject
// of a call that only looks at the module.
func asValue(n *node) bool {
	p := n.parent
	switch {
	case p.is("member_expression", "attribute", "nested_identifier", "nested_type_identifier") && p.firstKid() == n:
		return false
	case p.is("export_specifier", "export_statement", "jsx_opening_element", "jsx_closing_element", "type_query",
		"global_statement"):
		return false
	case p.is("variable_declarator") && p.get("name").is("identifier", "object_pattern") && n.field == "value":
		return false // followed
	case p.is("argument_list"):
		f := p.parent.get("function").text()
		switch f[strings.LastIndexByte(f, '.')+1:] {
		case "object", "reload", "getattr", "setattr", "hasattr", "delattr", "isinstance", "getsource":
			return false
		}
	}
	return true
}
