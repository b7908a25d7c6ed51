package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// missing deals with dependencies that do not load. One of their interfaces may
// ask for the method that is renamed. That matters where a file hands a value of
// the type to such a dependency: the operation declines there. Elsewhere it is
// unlikely, and noted.
func (r *renaming) missing() error {
	if !r.methods() || !exported(r.from) {
		return nil
	}
	absent := r.j.p.ext.missing()
	if len(absent) == 0 {
		return nil
	}
	see := r.j.p.dependents(r.dirs)
	imports, unseen := r.j.p.allImports(), map[string]bool{}
	u := r.j.p.universe(hostConfig(), levelAll)
	for _, f := range sortedKeys(imports) {
		if !see[dirOf(f)] && !r.dirs[dirOf(f)] || strings.Contains("/"+f, "/testdata/") {
			continue
		}
		i := slices.IndexFunc(imports[f], func(imp string) bool { return absent[imp] })
		if i < 0 {
			continue
		}
		if line := r.handsOver(u, f); line > 0 {
			return r.j.declined("%s:%d uses a value with the method %s together with %s, which could not be loaded and may ask for it; fetch it first (go mod download)",
				f, line, r.from, imports[f][i])
		}
		unseen[imports[f][i]] = true
	}
	if len(unseen) > 0 {
		r.j.note("Could not check whether packages that failed to load require method %s: %s.", r.from,
			list(keys(unseen), "and"))
	}
	return nil
}

// handsOver is the line where the file hands a value that has the renamed method
// to something whose type is not known, or 0.
func (r *renaming) handsOver(u *universe, file string) int {
	g := r.j.p.file(file)
	if g == nil || !u.cfg.includes(g) {
		return 0
	}
	for _, x := range u.unitsOf(g.dir, []*goFile{g}) {
		if pos := r.handedTo(x, g); pos.IsValid() {
			return g.lineOf(pos)
		}
	}
	return 0
}

func (r *renaming) handedTo(x *unit, g *goFile) (found token.Pos) {
	unknown := func(e ast.Expr) bool {
		t := x.info.TypeOf(e)
		return e != nil && (t == nil || t == types.Typ[types.Invalid])
	}
	values := func(es []ast.Expr) {
		for _, e := range es {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			if t := x.info.TypeOf(e); t != nil && r.hasTarget(t, x.pkg) {
				found = e.Pos()
			}
		}
	}
	ast.Inspect(g.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if unknown(n.Fun) {
				values(n.Args)
			}
		case *ast.CompositeLit:
			if n.Type != nil && unknown(n) {
				values(n.Elts)
			}
		case *ast.ValueSpec:
			if n.Type != nil && unknown(n.Type) {
				values(n.Values)
			}
		case *ast.AssignStmt:
			if n.Tok == token.ASSIGN && slices.ContainsFunc(n.Lhs, unknown) {
				values(n.Rhs)
			}
		}
		return !found.IsValid()
	})
	return found
}

// hasTarget reports whether values of the type have the method that is renamed.
func (r *renaming) hasTarget(t types.Type, from *types.Package) bool {
	o, _, _ := types.LookupFieldOrMethod(t, true, from, r.from)
	fn, ok := o.(*types.Func)
	return ok && r.isTargetPlace(placeOf(r.j.p, fn))
}

// missing are the dependencies of which the go command knew neither types nor source.
func (e *externals) missing() map[string]bool {
	e.mu.Lock()
	roots := map[string][]string{}
	for root, m := range e.by {
		if len(m.failed) > 0 {
			roots[root] = keys(m.failed)
		}
	}
	e.mu.Unlock()
	out := map[string]bool{}
	for root, failed := range roots {
		for _, imp := range failed {
			if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
				continue // the standard library's packages of other systems
			}
			if _, err := e.loadSource(hostConfig(), root, imp); err != nil {
				out[imp] = true
			}
		}
	}
	return out
}
