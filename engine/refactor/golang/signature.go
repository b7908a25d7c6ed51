package golang

import (
	"cmp"
	"go/ast"
	"slices"

	"waferpair/engine/refactor/ops"
)

// Signature is the function with its declarations and calls, for operations that change both;
// settling then checks whatever depends on its type.
func (s syntax) Signature(string) (*ops.Signature, error) {
	sig, err := s.signature()
	if err != nil {
		return nil, err
	}
	s.signed = sig
	out := &ops.Signature{Title: sig.s.first().name.Name}
	for i, d := range sig.s.decls {
		out.Lists = append(out.Lists, ops.ParamList{File: s.kitFile(d.file), Params: paramsOf(d.file, sig.decls[i].Type)})
	}
	slices.SortFunc(sig.calls, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.file.path, b.file.path), cmp.Compare(a.at.off, b.at.off))
	})
	for _, u := range sig.calls {
		c := ops.Passed{File: s.kitFile(u.file), At: u.at.off}
		for _, a := range u.call().Args {
			c.Args = append(c.Args, ops.Argument{From: u.file.off(a.Pos()), To: u.file.off(a.End()),
				Runs: !pure(u.unit.info, a)})
		}
		out.Calls = append(out.Calls, c)
	}
	return out, nil
}

func paramsOf(g *goFile, t *ast.FuncType) []ops.Parameter {
	var out []ops.Parameter
	for _, f := range t.Params.List {
		end := g.off(f.End())
		if len(f.Names) == 0 {
			out = append(out, ops.Parameter{Name: "_", From: g.off(f.Pos()), To: end, End: end})
		}
		for _, n := range f.Names {
			p := ops.Parameter{Name: n.Name, From: g.off(n.Pos()), To: end, End: end, Type: g.text(f.Type)}
			if len(f.Names) > 1 {
				p.To = g.off(n.End())
			}
			out = append(out, p)
		}
	}
	if n := len(out); n > 0 && variadic(t) {
		out[n-1].Fixed = "it takes what is left"
	}
	return out
}
