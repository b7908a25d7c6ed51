package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// found is an expression that an extraction may mean, with what is around it.
type found struct {
	fset *token.FileSet
	g    *goFile
	x    *unit
	expr ast.Expr
	path []ast.Node // the expression first, the file last
}

func (f found) place() string { return fmt.Sprintf("%s:%d", f.g.path, f.g.lineOf(f.expr.Pos())) }

// theExprs finds the expressions that are written as the request says: all that the
// named function holds, or the one of the selection or the file.
func (j *job) theExprs(accept func(*unit, ast.Expr) bool) ([]found, error) {
	want := j.arg("expr")
	if want == "" {
		return nil, j.declined("say which expression")
	}
	if _, err := parser.ParseExpr(want); err != nil {
		return nil, j.declined("%q is not a Go expression", want)
	}
	places, err := j.exprPlaces()
	if err != nil {
		return nil, err
	}
	var all []found
	for _, pl := range places {
		_, x := j.unitOf(j.p, pl.g)
		if x == nil {
			return nil, j.declined("no build includes %s", pl.g.path)
		}
		all = append(all, j.exprsIn(pl, x, want, accept)...)
	}
	elsewhere := func(f found) bool { return f.g != all[0].g }
	switch {
	case len(all) == 0:
		return nil, j.declined("%s does not occur there as an expression", want)
	case len(all) > 1 && j.arg("func")+j.arg("all") == "", slices.ContainsFunc(all, elsewhere):
		return nil, j.whichExpr(all)
	}
	return all, nil
}

func (j *job) exprPlaces() ([]sourcePlace, error) {
	if j.arg("func") != "" {
		s, err := j.symbol("func", "func method")
		if err != nil {
			return nil, err
		}
		var out []sourcePlace
		for _, d := range s.decls {
			if fn, ok := d.node.(*ast.FuncDecl); ok && fn.Body != nil && !d.local {
				out = append(out, sourcePlace{d.file, fn})
			}
		}
		return out, nil
	}
	g, err := j.targetFile()
	if err != nil {
		return nil, err
	}
	return []sourcePlace{{g, g.ast}}, nil
}

// exprsIn compares tokens, so that spaces do not matter.
func (j *job) exprsIn(pl sourcePlace, x *unit, want string, accept func(*unit, ast.Expr) bool) []found {
	var out []found
	wanted := tokenText([]byte(want))
	ast.Inspect(pl.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case ast.Expr:
			if !j.inSelection(pl.g, n) || tokenText(pl.g.src[pl.g.off(n.Pos()):pl.g.off(n.End())]) != wanted {
				return true
			}
			path := pathTo(pl.g, n)
			if path != nil && accept(x, n) && isOperand(path) {
				out = append(out, found{j.p.fset, pl.g, x, n, path})
				return false
			}
		}
		return true
	})
	return out
}

func tokenText(src []byte) string {
	var b strings.Builder
	ts := codeTokens(src)
	for i, t := range ts {
		if i == len(ts)-1 && t.text == ";" {
			break
		}
		b.WriteString(t.text)
		b.WriteByte(' ')
	}
	return b.String()
}

// pathTo is the chain of nodes from n up to the file.
func pathTo(g *goFile, n ast.Node) []ast.Node {
	path, _ := astutil.PathEnclosingInterval(g.ast, n.Pos(), n.End())
	for i := range path {
		if path[i] == n {
			return path[i:]
		}
	}
	return nil
}

// isOperand reports whether the expression is a value that is read where it
// stands: not a name being declared, selected, assigned or taken the address of.
func isOperand(path []ast.Node) bool {
	if len(path) < 2 {
		return false
	}
	e := path[0]
	switch p := path[1].(type) {
	case *ast.SelectorExpr:
		return p.X == e
	case *ast.KeyValueExpr:
		if p.Key == e {
			_, literal := e.(*ast.BasicLit)
			return literal
		}
	case *ast.AssignStmt:
		return !slices.ContainsFunc(p.Lhs, func(l ast.Expr) bool { return l == e })
	case *ast.UnaryExpr:
		return p.Op != token.AND
	case *ast.IncDecStmt, *ast.LabeledStmt, *ast.BranchStmt, *ast.ExprStmt:
		return false
	case *ast.RangeStmt:
		return p.X == e
	case *ast.Field, *ast.TypeSpec, *ast.FuncDecl, *ast.File, *ast.ImportSpec:
		return false
	case *ast.ValueSpec:
		return slices.ContainsFunc(p.Values, func(v ast.Expr) bool { return v == e })
	case *ast.TypeAssertExpr:
		return p.X == e
	case *ast.CompositeLit:
		return p.Type != e
	}
	return true
}

// extractVariable names an expression just before the statement that holds it,
// where evaluating it there is the same thing.
func (j *job) extractVariable() error {
	name := j.arg("name")
	if !token.IsIdentifier(name) || name == "_" {
		return j.declined("%q is not a name in Go", name)
	}
	all, err := j.theExprs(func(x *unit, e ast.Expr) bool { return x.info.Types[e].IsValue() || x.info.Types[e].IsNil() })
	if err != nil {
		return err
	}
	f := all[0]
	stmt, err := j.hoist(f)
	if err != nil {
		return err
	}
	for _, f := range all {
		if err := j.extractable(f); err != nil {
			return err
		}
	}
	if len(all) > 1 && !alike(all, stmt) {
		return j.whichExpr(all)
	}
	g := f.g
	at := g.off(stmt.Pos())
	for _, f := range all {
		j.edits.replace(g.path, g.off(f.expr.Pos()), g.off(f.expr.End()), name)
	}
	j.edits.insert(g.path, g.lineStart(at), g.indent(at)+name+" := "+g.text(f.expr)+g.eol())
	j.guard = []string{name}
	j.summary = fmt.Sprintf("Extracted %s from %s.", name, from(all))
	return j.settle()
}

// from is where an extraction took its expression from.
func from(all []found) string {
	if len(all) == 1 {
		return all[0].place()
	}
	return fmt.Sprintf("%d places from %s on", len(all), all[0].place())
}

// extractable declines values that a variable would change.
func (j *job) extractable(f found) error {
	tv := f.x.info.Types[f.expr]
	b, basic := tv.Type.(*types.Basic)
	_, tuple := tv.Type.(*types.Tuple)
	switch {
	case tuple:
		return j.declined("%s has several values", j.arg("expr"))
	case tv.IsNil() || basic && b.Kind() == types.UntypedNil:
		return j.declined("nil has no type of its own")
	case basic && b.Kind() == types.Invalid:
		return j.declined("the type of %s is not known", j.arg("expr"))
	case tv.Value != nil && !constantOfOwnType(f, tv):
		return j.declined("%s is a constant that takes its type from its place; extract a constant instead", j.arg("expr"))
	}
	return j.notChanged(f, tv.Type)
}

// constantOfOwnType reports whether name := expr gives the type the constant has here.
func constantOfOwnType(f found, tv types.TypeAndValue) bool {
	own, err := types.Eval(f.fset, f.x.pkg, f.expr.Pos(), f.g.text(f.expr))
	return err == nil && types.Identical(types.Default(own.Type), tv.Type)
}

// notChanged declines where the place needs the variable itself, not its value.
func (j *job) notChanged(f found, t types.Type) error {
	switch p := f.path[1].(type) {
	case *ast.SelectorExpr:
		s := f.x.info.Selections[p]
		if s == nil || s.Kind() != types.MethodVal {
			if isAssigned(f.path[1:]) {
				return j.declined("%s is part of what is assigned to", j.arg("expr"))
			}
			return nil
		}
		fn := s.Obj().(*types.Func)
		_, ptrRecv := under(fn.Signature().Recv().Type()).(*types.Pointer)
		if _, ptr := under(t).(*types.Pointer); ptrRecv && !ptr {
			return j.declined("%s.%s may change %s, and a variable would be a copy", j.arg("expr"), fn.Name(), j.arg("expr"))
		}
	case *ast.SliceExpr:
		if _, array := under(t).(*types.Array); array && p.X == f.expr {
			return j.declined("slicing %s needs the array itself, not a copy", j.arg("expr"))
		}
	case *ast.IndexExpr:
		if isAssigned(f.path[1:]) && p.X == f.expr {
			if _, array := under(t).(*types.Array); array {
				return j.declined("%s is part of what is assigned to", j.arg("expr"))
			}
		}
	}
	return nil
}

// isAssigned reports whether the first node of the path is assigned to or has its address taken.
func isAssigned(path []ast.Node) bool {
	for i := 0; i+1 < len(path); i++ {
		switch p := path[i+1].(type) {
		case *ast.AssignStmt:
			return slices.ContainsFunc(p.Lhs, func(l ast.Expr) bool { return l == path[i] })
		case *ast.IncDecStmt:
			return true
		case *ast.UnaryExpr:
			return p.Op == token.AND
		case *ast.SelectorExpr, *ast.IndexExpr, *ast.ParenExpr:
		default:
			return false
		}
	}
	return false
}

// hoist finds the statement before which the expression can be evaluated with
// the same result: in the same block, always and once evaluated, after nothing
// of the statement that could matter.
func (j *job) hoist(f found) (ast.Stmt, error) {
	info := f.x.info
	calm := pure(info, f.expr)
	for i := 0; i+1 < len(f.path); i++ {
		child := f.path[i]
		var why string
		switch p := f.path[i+1].(type) {
		case *ast.BinaryExpr:
			if (p.Op == token.LAND || p.Op == token.LOR) && p.Y == child && !calm {
				why = "it is evaluated only if what stands left of " + p.Op.String() + " says so"
			}
		case *ast.ForStmt:
			if p.Body != child {
				why = "it is evaluated each time around the loop"
			}
		case *ast.IfStmt:
			if p.Cond == child && p.Init != nil {
				why = "it comes after the first part of the if"
			} else if p.Else == child {
				why = "it is in an else branch"
			}
		case *ast.SwitchStmt:
			if p.Tag == child && p.Init != nil {
				why = "it comes after the first part of the switch"
			}
		case *ast.TypeSwitchStmt:
			if p.Assign == child && p.Init != nil {
				why = "it comes after the first part of the switch"
			}
		case *ast.CaseClause:
			if stmt, ok := child.(ast.Stmt); ok {
				return stmt, j.firstIn(f, stmt)
			}
			why = "a case is looked at only when the ones before it do not match"
		case *ast.CommClause:
			if stmt, ok := child.(ast.Stmt); ok && p.Comm != child {
				return stmt, j.firstIn(f, stmt)
			}
			why = "it belongs to a select"
		case *ast.LabeledStmt:
			why = "its statement has a label"
		case *ast.BlockStmt:
			return child.(ast.Stmt), j.firstIn(f, child.(ast.Stmt))
		case *ast.FuncDecl, *ast.File:
			why = "it is not in a statement of a function"
		}
		if why != "" {
			return nil, j.declined("%s cannot be evaluated earlier: %s (%s)", j.arg("expr"), why, f.place())
		}
	}
	return nil, j.declined("%s is not in a statement of a function", j.arg("expr"))
}

// firstIn declines where the statement calls or receives something before the
// expression, uses names of its own in it, or shares its line.
func (j *job) firstIn(f found, stmt ast.Stmt) error {
	g := f.g
	at := g.off(stmt.Pos())
	if g.lineStart(at)+len(g.indent(at)) != at {
		return j.declined("%s: the statement does not begin its line", f.place())
	}
	var err error
	ast.Inspect(stmt, func(n ast.Node) bool {
		if n == nil || err != nil || n.Pos() >= f.expr.Pos() {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return n.End() > f.expr.Pos() // one that holds the expression is entered later
		case *ast.CallExpr:
			if n.End() <= f.expr.Pos() && !pureCall(f.x.info, n) {
				err = j.declined("%s: %s happens before %s", f.place(), oneLine(g.text(n)), j.arg("expr"))
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && n.End() <= f.expr.Pos() {
				err = j.declined("%s: %s happens before %s", f.place(), oneLine(g.text(n)), j.arg("expr"))
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	ast.Inspect(f.expr, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			o := f.x.info.Uses[id]
			if o != nil && o.Pos() >= stmt.Pos() && o.Pos() < f.expr.Pos() {
				err = j.declined("%s: %s is declared in the same statement", f.place(), id.Name)
			}
		}
		return true
	})
	return err
}

// extractConstant names a literal, or an expression of literals, at the top of its file.
func (j *job) extractConstant() error {
	name := j.arg("name")
	if !token.IsIdentifier(name) || name == "_" {
		return j.declined("%q is not a name in Go", name)
	}
	all, err := j.theExprs(func(x *unit, e ast.Expr) bool { return x.info.Types[e].Value != nil })
	if err != nil {
		return err
	}
	f := all[0]
	literal := true
	ast.Inspect(f.expr, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.BasicLit, *ast.UnaryExpr, *ast.BinaryExpr, *ast.ParenExpr:
		default:
			literal = false
		}
		return literal
	})
	if !literal {
		return j.declined("%s is not made of literals", j.arg("expr"))
	}
	g := f.g
	text := g.text(f.expr)
	for _, f := range all {
		j.edits.replace(g.path, g.off(f.expr.Pos()), g.off(f.expr.End()), name)
	}
	j.insertTop(g, "const "+name+" = "+text+"\n")
	j.guard = []string{name}
	j.summary = fmt.Sprintf("Extracted the constant %s from %s.", name, from(all))
	return j.settle()
}

// insertTop puts a declaration behind the imports.
func (j *job) insertTop(g *goFile, s string) {
	after := g.ast.Name.End()
	for _, d := range g.ast.Decls {
		if gd, ok := d.(*ast.GenDecl); ok && gd.Tok == token.IMPORT {
			after = gd.End()
		}
	}
	at := g.lineEnd(g.off(after))
	lead := "\n"
	if at > 0 && g.src[at-1] != '\n' {
		lead = "\n\n"
	}
	if at < len(g.src) && !blankLineAt(g, at) {
		s += "\n"
	}
	j.insertLines(g, at, lead+s)
}
