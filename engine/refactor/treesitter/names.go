package treesitter

import (
	"slices"

	"waferpair/engine/refactor/kit"
)

// Names implements kit.Binder by the file's scopes.
func (s syntax) Names(f *kit.File) (kit.Names, error) {
	u, names := f.Raw.(*unit), kit.Names{}
	bound, free := map[*binding]*kit.Var{}, map[string]*kit.Var{}
	f.Root().Walk(func(n *kit.Node) bool {
		r := u.byNode[n.Raw.(*node)]
		if r == nil {
			return true
		}
		name := r.node.text()
		v := free[name]
		if r.b != nil {
			v = bound[r.b]
		}
		switch {
		case v != nil:
		case r.b == nil:
			v = &kit.Var{Name: name, Kind: "outside"}
			free[name] = v
		default:
			v = &kit.Var{Name: name, Kind: r.b.kind, Scope: f.Of(r.b.scope.node)}
			bound[r.b] = v
		}
		v.Refs, names[n] = append(v.Refs, n), v
		if r.b != nil && slices.ContainsFunc(r.b.decls, func(d decl) bool { return d.name == r.node }) {
			v.Decls = append(v.Decls, n)
		}
		if writes(r.node) {
			v.Writes = append(v.Writes, n)
		}
		return true
	})
	return names, nil
}

// writes reports whether an identifier is where a value goes.
func writes(n *node) bool {
	for p := n.parent; p != nil; n, p = p, p.parent {
		switch p.kind {
		case "assignment", "assignment_expression", "augmented_assignment", "augmented_assignment_expression",
			"for_statement", "for_in_statement", "for_in_clause":
			return n.field == "left"
		case "variable_declarator", "named_expression":
			return n.field == "name"
		case "update_expression", "as_pattern_target", "delete_statement", "catch_clause":
			return true
		case "pattern_list", "tuple_pattern", "list_pattern", "array_pattern", "object_pattern", "tuple", "expression_list",
			"list_splat_pattern", "rest_pattern", "pair_pattern", "assignment_pattern", "object_assignment_pattern",
			"parenthesized_expression": // the parts of a pattern
		default:
			return false
		}
	}
	return false
}

// Uses implements kit.Finder.
func (s syntax) Uses(ds []*kit.Decl) ([]kit.Use, error) {
	subject := ds[0].Raw.(whole).subject
	f := &function{subject: subject, fn: subject.def}
	if subject.class != nil {
		var err error
		if f.family, err = s.familyOf(subject.class, subject.name); err != nil {
			return nil, err
		}
	}
	found, err := s.uses(f)
	if err != nil {
		return nil, err
	}
	var doubts []string
	for _, d := range found.doubts {
		doubts = append(doubts, spot(d.u, d.n))
	}
	if len(doubts) > 0 {
		return nil, s.decline("it is not certain whether %s is what is used at %s", ds[0].Title, few(doubts))
	}
	var out []kit.Use
	for _, c := range found.calls {
		file := s.kitFile(c.u)
		out = append(out, kit.Use{File: file, Node: file.Of(c.n), Call: file.Of(c.call)})
	}
	for _, n := range found.values {
		file := s.kitFile(found.units[n])
		out = append(out, kit.Use{File: file, Node: file.Of(n)})
	}
	kit.SortUses(out)
	return out, nil
}
