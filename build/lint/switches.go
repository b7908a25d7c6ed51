package main

import (
	"go/ast"
	"go/token"

	"github.com/nishanths/exhaustive/passes/exhaustive"
	"golang.org/x/tools/go/analysis"
)

// undecided is exhaustive: it reports a switch over an enumerated type that omits some
// values. Two kinds of switch decide about omitted values, also about those added later: a
// switch with a default, and one in which every case leaves the function or the loop, so
// that the code after it is its default. It ignores tests, which name the values that they
// are about.
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
