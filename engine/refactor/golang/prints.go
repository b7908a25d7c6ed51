package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// removePrints deletes debugging prints: the statements that do nothing but
// print to standard output or (println) to standard error, in the named
// function, the selection, or the file. In package main printing may be what
// the program is for, so there a function or a selection has to be named.
func (j *job) removePrints() error {
	places, err := j.printPlaces()
	if err != nil {
		return err
	}
	n := 0
	for _, pl := range places {
		_, x := j.unitOf(j.p, pl.g)
		if x == nil {
			return j.declined("no build includes %s", pl.g.path)
		}
		stmts := j.prints(pl, x)
		for _, s := range stmts {
			j.deleteStatement(pl.g, s)
		}
		n += len(stmts)
	}
	if n == 0 {
		return j.already("there are no debug prints%s", in(j.target.File))
	}
	j.dropsCode = true
	j.summary = fmt.Sprintf("Removed %s.", plural(n, "debug print"))
	return j.settle()
}

type printPlace struct {
	g    *goFile
	node ast.Node
}

func (j *job) printPlaces() ([]printPlace, error) {
	if j.arg("func") != "" {
		s, err := j.symbol("func", "func method")
		if err != nil {
			return nil, err
		}
		var out []printPlace
		for _, d := range s.decls {
			if fn, ok := d.node.(*ast.FuncDecl); ok && fn.Body != nil && !d.local {
				out = append(out, printPlace{d.file, fn.Body})
			}
		}
		if len(out) == 0 {
			return nil, j.declined("%s has no body", s)
		}
		return out, nil
	}
	g, err := j.targetFile()
	if err != nil {
		return nil, err
	}
	if g.ast.Name.Name == "main" && j.target.From <= 0 {
		return nil, j.declined("%s is part of a program, whose prints may be its output; name a function or select lines",
			g.path)
	}
	return []printPlace{{g, g.ast}}, nil
}

// prints finds the statements to delete. Those whose arguments do something,
// and those that alone use a variable, stay and are noted.
func (j *job) prints(pl printPlace, x *unit) []*ast.ExprStmt {
	var out []*ast.ExprStmt
	inBlocks(pl.node, func(list []ast.Stmt) {
		for _, s := range list {
			es, ok := s.(*ast.ExprStmt)
			if !ok || !j.inSelection(pl.g, s) || !isPrint(x.info, es) {
				continue
			}
			switch {
			case isExample(pl.g, es):
				j.note("%s:%d: kept, because it is the output of an example.", pl.g.path, pl.g.lineOf(es.Pos()))
			case !argsPure(x.info, es.X.(*ast.CallExpr)):
				j.note("%s:%d: kept, because its arguments do something.", pl.g.path, pl.g.lineOf(es.Pos()))
			case !aloneOnLines(pl.g, es):
				j.note("%s:%d: kept, because it shares its line.", pl.g.path, pl.g.lineOf(es.Pos()))
			default:
				out = append(out, es)
			}
		}
	})
	return j.keepLastUses(pl.g, x, out)
}

// inBlocks calls f with every list of statements in the node.
func inBlocks(n ast.Node, f func([]ast.Stmt)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			f(n.List)
		case *ast.CaseClause:
			f(n.Body)
		case *ast.CommClause:
			f(n.Body)
		}
		return true
	})
}

func isPrint(info *types.Info, s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		b, ok := info.Uses[fun].(*types.Builtin)
		return ok && (b.Name() == "print" || b.Name() == "println")
	case *ast.SelectorExpr:
		id, ok := fun.X.(*ast.Ident)
		if !ok {
			return false
		}
		pn, ok := info.Uses[id].(*types.PkgName)
		if !ok || pn.Imported().Path() != "fmt" {
			return false
		}
		return fun.Sel.Name == "Print" || fun.Sel.Name == "Printf" || fun.Sel.Name == "Println"
	}
	return false
}

// argsPure reports whether evaluating the arguments does nothing else; that an
// index is out of range or a pointer nil does not count as doing something.
func argsPure(info *types.Info, call *ast.CallExpr) bool {
	ok := true
	for _, a := range call.Args {
		ast.Inspect(a, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				ok = ok && pureCall(info, n)
			case *ast.UnaryExpr:
				ok = ok && n.Op != token.ARROW
			}
			return ok
		})
	}
	return ok
}

// isExample reports whether the statement is in an example, whose prints are compared with its Output comment.
func isExample(g *goFile, s ast.Stmt) bool {
	fn := enclosingFunc(g, s)
	return g.test && fn != nil && fn.Recv == nil && testPrefix(fn.Name.Name) == "Example"
}

func aloneOnLines(g *goFile, n ast.Node) bool {
	from, to := g.off(n.Pos()), g.off(n.End())
	if len(g.indent(from))+g.lineStart(from) != from {
		return false
	}
	for _, t := range codeTokens(g.src[to:g.lineEnd(to)]) {
		if t.text != ";" {
			return false
		}
	}
	return true
}

// keepLastUses leaves out the statements without which a variable would have no
// use at all, which Go rejects.
func (j *job) keepLastUses(g *goFile, x *unit, stmts []*ast.ExprStmt) []*ast.ExprStmt {
	inside := func(id *ast.Ident) *ast.ExprStmt {
		for _, s := range stmts {
			if s.Pos() <= id.Pos() && id.Pos() < s.End() {
				return s
			}
		}
		return nil
	}
	uses := map[types.Object][]*ast.Ident{}
	for id, o := range x.info.Uses {
		if v, ok := o.(*types.Var); ok && !v.IsField() && v.Kind() == types.LocalVar {
			uses[o] = append(uses[o], id)
		}
	}
	keep := map[*ast.ExprStmt]string{}
	for o, ids := range uses {
		if !slices.ContainsFunc(ids, func(id *ast.Ident) bool { return inside(id) == nil }) {
			for _, id := range ids {
				keep[inside(id)] = o.Name()
			}
		}
	}
	return slices.DeleteFunc(stmts, func(s *ast.ExprStmt) bool {
		v, ok := keep[s]
		if ok {
			j.note("%s:%d: kept, because nothing else uses %s.", g.path, g.lineOf(s.Pos()), v)
		}
		return ok
	})
}

func (j *job) deleteStatement(g *goFile, s ast.Node) {
	from, to := g.lineStart(g.off(s.Pos())), g.lineEnd(g.off(s.End()))
	j.edits.replace(g.path, from, to, "")
}
