package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
)

// returned is a statement that returns an error as it came.
type returned struct {
	g    *goFile
	x    *unit
	stmt *ast.ReturnStmt
	err  *ast.Ident
	call *ast.CallExpr // what gave the error, or nil
}

func (r returned) place() string { return fmt.Sprintf("%s:%d", r.g.path, r.g.lineOf(r.stmt.Pos())) }

// wrapReturned says what failed before the errors that are returned as they came.
// An error that is ignored is another one: it is not touched, and offered where the
// request can mean nothing else.
func (j *job) wrapReturned(places []sourcePlace, drops []ignored) error {
	var all []returned
	for _, pl := range places {
		_, x := j.unitOf(j.p, pl.g)
		all = append(all, j.returnedIn(pl, x)...)
	}
	wrap := j.arg("mode") != "return"
	switch {
	case len(all) == 0 && len(drops) > 0, !wrap && len(drops) > 0:
		return j.meantIgnored(drops)
	case len(all) == 0:
		return j.declined("no error%s is returned there as it is", of(j.arg("call")))
	case !wrap:
		return j.already("the error is returned at %s", all[0].place())
	case len(all) > 1 && j.arg("mode") != "wrap-all" && j.target.From <= 0:
		return j.whichReturned(all)
	}
	for _, r := range all {
		if o := r.x.info.ObjectOf(r.err); o == nil || r.err.Name != "err" {
			return j.declined("%s returns %s; only an error called err is wrapped", r.place(), r.err.Name)
		}
		wrapped := j.wrapped(r.g, j.failedAt(r))
		if !r.guarded() { // the error may be nil, and what is wrapped never is
			j.edits.replace(r.g.path, r.g.off(r.stmt.Pos()), r.g.off(r.stmt.End()), r.guard(wrapped))
			continue
		}
		j.edits.replace(r.g.path, r.g.off(r.err.Pos()), r.g.off(r.err.End()), wrapped)
	}
	j.summary = fmt.Sprintf("Wrapped %s.", plural(len(all), "returned error"))
	return j.settle()
}

// returnedIn finds the returns of a plain error variable. Whoever asks for the error
// of one call means the returns behind it.
func (j *job) returnedIn(pl sourcePlace, x *unit) []returned {
	var out []returned
	ast.Inspect(pl.node, func(n ast.Node) bool {
		s, ok := n.(*ast.ReturnStmt)
		if !ok || len(s.Results) == 0 || !j.inSelection(pl.g, s) {
			return true
		}
		id, ok := s.Results[len(s.Results)-1].(*ast.Ident)
		if !ok || id.Name == "nil" {
			return true
		}
		o, ok := x.info.Uses[id].(*types.Var)
		if !ok || !isError(o.Type()) || o.Parent() == x.pkg.Scope() {
			return true
		}
		r := returned{g: pl.g, x: x, stmt: s, err: id, call: j.source(pl.g, x, o, s)}
		if want := j.arg("call"); want == "" || r.call != nil && calls(pl.g, r.call, want) {
			out = append(out, r)
		}
		return true
	})
	return out
}

// guarded reports whether the error cannot be nil at its return: the return is in the body of
// an if that says so, and nothing assigns the error in between.
func (r returned) guarded() bool {
	obj := r.x.info.Uses[r.err]
	path, _ := astutil.PathEnclosingInterval(r.g.ast, r.stmt.Pos(), r.stmt.End())
	for _, n := range path {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		s, ok := n.(*ast.IfStmt)
		if ok && s.Body.Pos() <= r.stmt.Pos() && r.stmt.End() <= s.Body.End() && r.notNil(s.Cond) {
			return !r.assigned(obj, s.Body)
		}
	}
	return false
}

// notNil reports whether a condition says that the error is not nil.
func (r returned) notNil(cond ast.Expr) bool {
	switch c := ast.Unparen(cond).(type) {
	case *ast.BinaryExpr:
		switch c.Op {
		case token.LAND:
			return r.notNil(c.X) || r.notNil(c.Y)
		case token.NEQ:
			x, isIdent := ast.Unparen(c.X).(*ast.Ident)
			nothing, isNil := ast.Unparen(c.Y).(*ast.Ident)
			return isIdent && isNil && nothing.Name == "nil" && r.x.info.Uses[x] == r.x.info.Uses[r.err]
		}
	}
	return false
}

// assigned reports whether a block assigns the error before it is returned.
func (r returned) assigned(obj types.Object, block *ast.BlockStmt) bool {
	found := false
	ast.Inspect(block, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if ok && a.Pos() < r.stmt.Pos() {
			for _, l := range a.Lhs {
				id, ok := l.(*ast.Ident)
				found = found || ok && r.x.info.ObjectOf(id) == obj
			}
		}
		return !found
	})
	return found
}

// guard returns the wrapped error if there is one, and nil otherwise.
func (r returned) guard(wrapped string) string {
	var before strings.Builder
	for _, v := range r.stmt.Results[:len(r.stmt.Results)-1] {
		before.WriteString(r.g.text(v) + ", ")
	}
	ind := r.g.indent(r.g.off(r.stmt.Pos()))
	return fmt.Sprintf("if err != nil {\n%s\treturn %s%s\n%s}\n%sreturn %snil", ind, before.String(), wrapped, ind,
		ind, before.String())
}

// source is the call that assigned the error last before the return.
func (j *job) source(g *goFile, x *unit, err *types.Var, before ast.Stmt) *ast.CallExpr {
	var last *ast.CallExpr
	ast.Inspect(g.ast, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || a.Pos() >= before.Pos() || len(a.Rhs) != 1 {
			return n == nil || n.Pos() < before.Pos()
		}
		for _, l := range a.Lhs {
			if id, ok := l.(*ast.Ident); ok && x.info.ObjectOf(id) == err {
				last, _ = a.Rhs[0].(*ast.CallExpr)
			}
		}
		return true
	})
	return last
}

// failedAt is what failed in words, from the call that gave the error or, when that
// is not known, from the function's own name.
func (j *job) failedAt(r returned) string {
	if r.call != nil {
		return j.whatFailed(ignored{g: r.g, x: r.x, call: r.call})
	}
	if fn := enclosingFunc(r.g, r.stmt); fn != nil {
		return phrase(words.Of(fn.Name.Name))
	}
	return "call"
}

// whichReturned asks which of several errors is meant.
func (j *job) whichReturned(all []returned) error {
	var places, near []string
	for _, r := range all {
		places = append(places, r.place())
		near = append(near, fmt.Sprintf("wrap the error on line %d of %s", r.g.lineOf(r.stmt.Pos()), r.g.path))
	}
	near = near[:min(len(near), 3)]
	if f := j.arg("func"); f != "" {
		near = append([]string{"wrap every error in " + f}, near...)
	}
	return &refactor.Declined{Code: refactor.Ambiguous, Understood: j.op.String(), Nearest: near,
		Reason: plural(len(all), "error") + " are returned as they are: " + refactor.Few(places)}
}

// meantIgnored asks whether an error that is ignored was meant.
func (j *job) meantIgnored(drops []ignored) error {
	var places, near []string
	for _, i := range drops {
		places = append(places, i.place()+" "+oneLine(i.g.text(i.call)))
	}
	if f := j.arg("func"); f != "" {
		near = []string{"handle the ignored error in " + f}
	}
	return &refactor.Declined{Code: refactor.Ambiguous, Understood: j.op.String(), Nearest: near,
		Reason: "no error is returned there as it is, or it is another one; ignored are those of " + refactor.Few(places)}
}
