package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"waferpair/engine/refactor"
)

// whichExpr asks which of several occurrences is meant: those of a function, or one.
func (j *job) whichExpr(found []found) error {
	var all []refactor.Occurrence
	for _, f := range found {
		o := refactor.Occurrence{Path: f.g.path, Line: f.g.lineOf(f.expr.Pos())}
		if fn := enclosingFunc(f.g, f.expr); fn != nil {
			o.Func = funcName(fn)
		}
		all = append(all, o)
	}
	return refactor.WhichOccurrence(j.op, all)
}

// funcName is how a request names a function: Type.Method.
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	for {
		switch u := t.(type) {
		case *ast.StarExpr:
			t = u.X
			continue
		case *ast.IndexExpr:
			t = u.X
			continue
		case *ast.Ident:
			return u.Name + "." + fn.Name.Name
		}
		return fn.Name.Name
	}
}

// alike reports whether one variable, declared before the statement of the first
// occurrence, has the value of every occurrence: they are all in its block, and
// nothing from there to the last can change what the expression is made of.
func alike(all []found, stmt ast.Stmt) bool {
	first, last := all[0], all[len(all)-1]
	at := slices.Index(first.path, ast.Node(stmt))
	if at < 0 || at+1 >= len(first.path) {
		return false
	}
	block := first.path[at+1]
	for _, f := range all {
		if f.g != first.g || !slices.Contains(f.path, block) || !sameNames(first, f) || runsLater(f, block) {
			return false
		}
	}
	end := last.path[slices.Index(last.path, block)-1].End() // of the block's statement that holds the last one
	vars, through, ok := madeOf(first)
	return ok && !changes(first, vars, through, stmt.Pos(), end)
}

// sameNames reports whether the identifiers of two occurrences mean the same: none is shadowed
// in one of them.
func sameNames(a, b found) bool {
	named := func(f found) (out []types.Object) {
		ast.Inspect(f.expr, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				out = append(out, f.x.info.Uses[id])
			}
			return true
		})
		return out
	}
	return slices.Equal(named(a), named(b))
}

// runsLater reports whether an occurrence is in a function literal within the block, which may
// run when the variables have changed.
func runsLater(f found, block ast.Node) bool {
	for _, n := range f.path {
		if n == block {
			return false
		}
		if _, ok := n.(*ast.FuncLit); ok {
			return true
		}
	}
	return false
}

// madeOf is the variables that an expression reads, and whether it reads something
// through them that others may change: fields, elements, what pointers point at.
func madeOf(f found) (vars map[types.Object]bool, through, ok bool) {
	vars, ok = map[types.Object]bool{}, true
	ast.Inspect(f.expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit, *ast.FuncLit:
			ok = false // each occurrence makes a new one
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.AND && n.Op != token.ARROW
		case *ast.Ident:
			if v, is := f.x.info.Uses[n].(*types.Var); is && !v.IsField() {
				vars[v] = true
				_, basic := v.Type().Underlying().(*types.Basic)
				through = through || v.Kind() == types.PackageVar || !basic // a method may change it
			}
		case *ast.CallExpr:
			ok, through = ok && pureCall(f.x.info, n) && f.g.text(n.Fun) != "new" && !sliceOf(f.x.info, n), true
		case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.SliceExpr:
			through = true
		}
		return true
	})
	return vars, through, ok
}

// sliceOf reports whether a conversion makes a slice: each has its own elements.
func sliceOf(info *types.Info, call *ast.CallExpr) bool {
	t := info.TypeOf(call)
	if t == nil || !info.Types[call.Fun].IsType() {
		return false
	}
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// changes reports whether code of the function may change one of the variables, or
// what is reached through them, between two places. What a function literal assigns
// may happen at any time.
func changes(f found, vars map[types.Object]bool, through bool, from, to token.Pos) bool {
	fn := enclosingFunc(f.g, f.expr)
	if fn == nil {
		return true
	}
	var lits []*ast.FuncLit
	found := false
	written := func(e ast.Expr, pos token.Pos) {
		in := pos >= from && pos < to || slices.ContainsFunc(lits, func(l *ast.FuncLit) bool {
			return pos >= l.Pos() && pos < l.End()
		})
		id, plain := ast.Unparen(e).(*ast.Ident)
		found = found || in && (plain && vars[f.x.info.Uses[id]] || !plain && through)
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			lits = append(lits, n)
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				written(l, n.Pos())
			}
		case *ast.IncDecStmt:
			written(n.X, n.Pos())
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil {
					written(e, n.Pos())
				}
			}
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); n.Op == token.AND && ok && vars[f.x.info.Uses[id]] {
				found = true
			}
		case *ast.CallExpr:
			found = found || through && n.Pos() >= from && n.Pos() < to && !pureCall(f.x.info, n)
		}
		return !found
	})
	return found
}
