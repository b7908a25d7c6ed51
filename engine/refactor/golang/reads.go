package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

// OnlyReads reports whether a call does nothing but give a value: of a conversion, a builtin, a
// function of the standard library that is known, or one of the package whose body shows it.
func (s syntax) OnlyReads(f *kit.File, call *kit.Node) bool {
	c, ok := call.Raw.(*ast.CallExpr)
	_, x := s.unitOf(s.p, f.Raw.(*goFile))
	return ok && x != nil && x.info != nil && x.reads(c, nil)
}

var (
	// purePackages are those whose functions only compute, pureFuncs some of others.
	purePackages = words.Set("strings strconv math math/bits unicode unicode/utf8 path cmp html net/url")
	pureFuncs    = words.Set(`path/filepath.Base path/filepath.Dir path/filepath.Ext path/filepath.Join path/filepath.Clean
		path/filepath.ToSlash path/filepath.FromSlash path/filepath.IsAbs time.Duration time.Unix time.UnixMilli
		slices.Contains slices.Index slices.Max slices.Min slices.Clone slices.Equal errors.New bytes.Equal
		bytes.Contains bytes.HasPrefix bytes.HasSuffix`)
	locks = words.Set("Lock Unlock RLock RUnlock")
)

// reads is OnlyReads; within are the functions whose bodies are being looked at.
func (x *unit) reads(c *ast.CallExpr, within []*types.Func) bool {
	if pureCall(x.info, c) {
		return true
	}
	fn := x.called(c)
	if fn == nil || fn.Pkg() == nil || slices.ContainsFunc(c.Args, x.isFunc) {
		return false
	}
	path := fn.Pkg().Path()
	recv := fn.Signature().Recv()
	switch {
	case recv == nil && (purePackages[path] || pureFuncs[path+"."+fn.Name()]):
		return true
	case recv != nil && path == "time":
		_, pointer := types.Unalias(recv.Type()).(*types.Pointer)
		return !pointer
	case len(within) > 3 || slices.Contains(within, fn):
		return false
	}
	d := x.declOf(fn)
	return d != nil && d.Body != nil && x.bodyReads(d, append(slices.Clone(within), fn))
}

// called is the function or method that a call surely calls, or nil.
func (x *unit) called(c *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		if sel := x.info.Selections[f]; sel != nil && types.IsInterface(sel.Recv()) {
			return nil
		}
		id = f.Sel
	default:
		return nil
	}
	fn, _ := x.info.Uses[id].(*types.Func)
	return fn
}

func (x *unit) isFunc(e ast.Expr) bool {
	t := x.info.TypeOf(e)
	if t == nil {
		return true
	}
	_, is := t.Underlying().(*types.Signature)
	return is
}

func (x *unit) declOf(fn *types.Func) *ast.FuncDecl {
	for _, g := range x.files {
		for _, d := range g.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && x.info.Defs[d.Name] == fn {
				return d
			}
		}
	}
	return nil
}

// bodyReads reports whether a body changes nothing but its own variables, and locks only what
// it unlocks.
func (x *unit) bodyReads(d *ast.FuncDecl, within []*types.Func) bool {
	ok, held := true, 0
	own := func(e ast.Expr) bool {
		id, is := e.(*ast.Ident)
		if !is {
			return false
		}
		o := x.info.ObjectOf(id)
		return id.Name == "_" || o != nil && d.Pos() <= o.Pos() && o.Pos() < d.End()
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			ok = ok && !slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return !own(e) })
		case *ast.IncDecStmt:
			ok = ok && own(n.X)
		case *ast.RangeStmt:
			t := x.info.TypeOf(n.X)
			ok = ok && t != nil && !ranged(t) && (n.Key == nil || own(n.Key)) && (n.Value == nil || own(n.Value))
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.SendStmt, *ast.GoStmt, *ast.SelectStmt, *ast.FuncLit:
			ok = false
		case *ast.DeferStmt:
			ok = ok && x.lock(n.Call) != 0
		case *ast.CallExpr:
			l := x.lock(n)
			held += l
			ok = ok && (l != 0 || x.reads(n, within))
		}
		return ok
	})
	return ok && held == 0
}

// ranged reports whether going through a value of the type takes from it, or calls it.
func ranged(t types.Type) bool {
	switch under(t).(type) {
	case *types.Chan, *types.Signature:
		return true
	}
	return false
}

// lock is 1 for a call that locks a mutex, -1 for one that unlocks it, 0 otherwise.
func (x *unit) lock(c *ast.CallExpr) int {
	fn := x.called(c)
	switch {
	case fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync" || !locks[fn.Name()]:
		return 0
	case strings.HasSuffix(fn.Name(), "Unlock"):
		return -1
	}
	return 1
}

// describes reports a method that says in words what a value is, as printing it does.
func (x *unit) describes(c *ast.CallExpr) bool {
	f, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	t := x.info.TypeOf(c)
	return ok && len(c.Args) == 0 && (f.Sel.Name == "String" || f.Sel.Name == "Error") && t != nil &&
		t.String() == "string"
}
