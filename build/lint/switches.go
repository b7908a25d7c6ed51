package main

import (
	"go/ast"
	"go/token"

	"github.com/nishanths/exhaustive/passes/exhaustive"
	"golang.org/x/tools/go/analysis"
)

// undecided is exhaustive: a switch over a type of listed values that leaves some
// out. Two kinds of switch say what becomes of those, also of values that are added
// later: one with a default, and one of which every case leaves the function or the
// loop, so that what follows it is its default. Tests are left aside: they name the
// values that they are about.
var undecided = narrowed(exhaustive.Analyzer, func(pass *analysis.Pass) func(analysis.Diagnostic) {
	return func(d analysis.Diagnostic) {
		if s := switchAt(pass.Files, d.Pos); !ofTest(pass, d.Pos) && (s == nil || !decides(s)) {
			pass.Report(d)
		}
	}
})

func switchAt(files []*ast.File, pos token.Pos) (found *ast.SwitchStmt) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SwitchStmt); ok && s.Pos() == pos {
				found = s
			}
			return found == nil
		})
	}
	return found
}

func decides(s *ast.SwitchStmt) bool {
	leave := true
	for _, clause := range s.Body.List {
		c := clause.(*ast.CaseClause)
		if c.List == nil {
			return true
		}
		leave = leave && leaves(c.Body)
	}
	return leave
}

// leaves reports whether statements end with a return, a continue or a panic.
func leaves(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch last := body[len(body)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.CONTINUE || last.Tok == token.GOTO
	case *ast.ExprStmt:
		call, ok := last.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		name, ok := call.Fun.(*ast.Ident)
		return ok && name.Name == "panic"
	}
	return false
}
