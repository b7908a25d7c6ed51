package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// removeParam removes a parameter that no body uses, and its argument from every call.
func (j *job) removeParam() error {
	name := j.arg("name")
	sig, err := j.signature()
	if err != nil {
		return err
	}
	at, last := -1, false
	for i, d := range sig.s.decls {
		k, err := j.unusedParam(d, sig.decls[i], name)
		if err != nil {
			return err
		}
		if at >= 0 && k != at {
			return j.declined("%s is not the same parameter in every build", name)
		}
		at = k
		last = variadic(sig.decls[i].Type) && k == sig.decls[i].Type.Params.NumFields()-1
		if err := j.removeFromDecl(d.file, sig.decls[i].Type.Params, at); err != nil {
			return err
		}
	}
	for _, u := range sig.calls {
		if err := j.removeArgs(u, at, last); err != nil {
			return err
		}
	}
	j.dropsCode = true
	j.summary = fmt.Sprintf("Removed the parameter %s from %s and its argument from %s.", name, sig.s.first().name.Name,
		plural(len(sig.calls), "call"))
	return j.settleSignature(sig)
}

// unusedParam is the parameter's index; it declines when the body uses it.
func (j *job) unusedParam(d *decl, fn *ast.FuncDecl, name string) (int, error) {
	at, k := -1, 0
	var id *ast.Ident
	var all []string
	for _, f := range fn.Type.Params.List {
		for _, n := range f.Names {
			if n.Name == name && at >= 0 {
				return 0, j.declined("%s has several parameters %s", d.name.Name, name)
			}
			if n.Name == name {
				at, id = k, n
			}
			all = append(all, n.Name)
			k++
		}
		k += max(0, 1-len(f.Names))
	}
	if at < 0 {
		return 0, nearer(j.declined("%s has no parameter %s", d.name.Name, name), all...)
	}
	_, x := j.unitOf(j.p, d.file)
	if x == nil {
		return 0, j.declined("no build includes %s", d.file.path)
	}
	for use, o := range x.info.Uses {
		if o == x.info.Defs[id] && o != nil {
			return 0, j.declined("the body uses %s at line %d of %s", name, d.file.lineOf(use.Pos()), d.file.path)
		}
	}
	return at, nil
}

func (j *job) removeFromDecl(g *goFile, l *ast.FieldList, at int) error {
	k := 0
	for i, f := range l.List {
		n := max(1, len(f.Names))
		if at >= k+n {
			k += n
			continue
		}
		if n == 1 {
			var elems []ast.Node
			for _, f := range l.List {
				elems = append(elems, f)
			}
			return j.removeFromList(g, l.Opening, l.Closing, elems, i, 1)
		}
		var names []ast.Node
		for _, n := range f.Names {
			names = append(names, n)
		}
		return j.removeFromList(g, token.NoPos, token.NoPos, names, at-k, 1)
	}
	return nil
}

// removeFromList deletes n elements from the i-th on, with their commas.
func (j *job) removeFromList(g *goFile, open, closing token.Pos, elems []ast.Node, i, n int) error {
	from, to := 0, 0
	switch {
	case n == len(elems):
		from, to = g.off(open)+1, g.off(closing)
	case i+n < len(elems):
		from, to = g.off(elems[i].Pos()), g.off(elems[i+n].Pos())
	default:
		from, to = g.off(elems[i-1].End()), g.off(elems[i+n-1].End())
	}
	for _, c := range g.ast.Comments {
		if at := g.off(c.Pos()); at >= from && at < to {
			return j.declined("there is a comment in what would be removed at %s:%d", g.path, g.line(at))
		}
	}
	j.edits.replace(g.path, from, to, "")
	return nil
}

func (j *job) removeArgs(u use, at int, rest bool) error {
	call := u.call()
	n := 1
	if rest {
		n = len(call.Args) - at
	}
	if n <= 0 {
		return nil // nothing was passed to the variadic parameter
	}
	if at+n > len(call.Args) {
		return j.declined("%s calls %s with too few arguments", u.place(), u.id.Name)
	}
	var elems []ast.Node
	for _, a := range call.Args {
		elems = append(elems, a)
	}
	for _, a := range call.Args[at : at+n] {
		if !pure(u.unit.info, a) {
			return j.declined("%s: the argument %s does something, which would not happen any more", u.place(),
				oneLine(u.file.text(a)))
		}
	}
	if call.Ellipsis.IsValid() { // x... is one element
		elems[len(elems)-1] = span{elems[len(elems)-1].Pos(), call.Ellipsis + 3}
	}
	return j.removeFromList(u.file, call.Lparen, call.Rparen, elems, at, n)
}

// pure reports whether evaluating the expression neither does anything nor can fail.
func pure(info *types.Info, e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			ok = ok && pureCall(info, n)
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.IndexExpr:
			tv := info.Types[n.X]
			_, isMap := under(tv.Type).(*types.Map)
			ok = ok && (isMap || info.Types[n.Index].IsType() || constantIndex(info, n))
		case *ast.StarExpr:
			ok = ok && info.Types[n].IsType()
		case *ast.SelectorExpr:
			if s := info.Selections[n]; s != nil && s.Indirect() {
				ok = ok && s.Kind() != types.FieldVal
			}
		case *ast.SliceExpr, *ast.TypeAssertExpr:
			ok = false
		case *ast.BinaryExpr:
			if n.Op == token.QUO || n.Op == token.REM || n.Op == token.SHL || n.Op == token.SHR {
				ok = ok && info.Types[n.Y].Value != nil
			}
		}
		return ok
	})
	return ok
}

func constantIndex(info *types.Info, n *ast.IndexExpr) bool {
	_, array := under(info.TypeOf(n.X)).(*types.Array)
	return array && info.Types[n.Index].Value != nil
}

func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// pureCall reports conversions and the builtins that only look.
func pureCall(info *types.Info, c *ast.CallExpr) bool {
	if info.Types[c].Value != nil {
		return true
	}
	tv := info.Types[c.Fun]
	if tv.IsType() {
		_, toSlice := under(tv.Type).(*types.Array) // a slice may be too short
		_, toPtr := under(tv.Type).(*types.Pointer)
		return !toSlice && !toPtr
	}
	if tv.IsBuiltin() {
		if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok {
			switch id.Name {
			case "len", "cap", "new", "min", "max", "real", "imag", "complex":
				return true
			}
		}
	}
	return false
}

// span is a stretch of source that is no node of its own.
type span struct{ from, to token.Pos }

func (s span) Pos() token.Pos { return s.from }
func (s span) End() token.Pos { return s.to }
