package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/kisielk/errcheck/errcheck"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// unchecked is errcheck for the product's code. It ignores
//
//   - tests: they check what they test, and leave only temporary folders;
//   - deferred calls: they close what was read. Code that writes closes its file,
//     and checks the error, before the function reports success;
//   - functions that errcheck knows never to fail, and those of sticky.
var unchecked = narrowed(errcheck.Analyzer, func(pass *analysis.Pass) func(analysis.Diagnostic) {
	deferred := deferredCalls(pass.Files)
	return func(d analysis.Diagnostic) {
		name, at := called(pass, d.Pos)
		if deferred[at] || ofTest(pass, d.Pos) || slices.Contains(sticky, name) {
			return
		}
		d.Message = "the error of " + name + " is dropped; handle it, or write _ = and say why that is right"
		pass.Report(d)
	}
})

// sticky lists functions whose writer keeps its first error: Flush returns that of a
// bufio.Writer and a tabwriter, a strings.Builder has none, and the command line prints
// through a writer that makes the command fail with it.
var sticky = []string{
	"fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln",
	"(*bufio.Writer).Write", "(*bufio.Writer).WriteByte", "(*bufio.Writer).WriteString",
}

// decided reports an error that is assigned to _ without a reason in a comment on the line
// or right above it. Three kinds need no comment:
//
//   - the calls of letGo;
//   - a call with a function literal that returns nil everywhere: the reader sees
//     that it cannot fail;
//   - code that only measures the program or attacks it.
var decided = &analysis.Analyzer{
	Name: "decided",
	Doc:  "an error that is dropped by name, without a comment that says why that is right",
	Run:  runDecided,
}

// letGo lists functions that end or remove something no longer needed. Code that depends on
// the removal, or on what was written, checks their error.
var letGo = []string{"Close", "close", "Kill", "Signal", "Wait", "Remove", "RemoveAll", "Unlinkat", "rmdir"}

func runDecided(pass *analysis.Pass) (any, error) {
	if isOfBench(pass.Pkg.Path()) {
		return nil, nil
	}
	for _, f := range pass.Files {
		if ofTest(pass, f.Pos()) {
			continue
		}
		said := commentedLines(pass.Fset, f)
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.AssignStmt)
			if !ok || !dropsError(pass.TypesInfo, s) || isObvious(s.Rhs[0].(*ast.CallExpr)) {
				return true
			}
			first, last := pass.Fset.Position(s.Pos()).Line, pass.Fset.Position(s.End()).Line
			if !said[first-1] && !said[first] && !said[last] {
				pass.Reportf(s.Pos(), "an error is dropped; say in a comment why that is right")
			}
			return true
		})
	}
	return nil, nil
}

func isOfBench(path string) bool {
	return strings.Contains(path, "/bench") || strings.HasSuffix(path, "/stress")
}

func isObvious(call *ast.CallExpr) bool {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		if slices.Contains(letGo, fun.Name) {
			return true
		}
	case *ast.SelectorExpr:
		if slices.Contains(letGo, fun.Sel.Name) {
			return true
		}
	}
	return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		lit, ok := arg.(*ast.FuncLit)
		return ok && returnsNil(lit)
	})
}

// returnsNil reports whether a function literal has one result that is nil in every return
// of its own.
func returnsNil(lit *ast.FuncLit) bool {
	results := lit.Type.Results
	if results == nil || results.NumFields() != 1 {
		return false
	}
	always := true
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			id, ok := n.Results[0].(*ast.Ident)
			always = always && ok && id.Name == "nil"
		}
		return true
	})
	return always
}

// dropsError reports whether an assignment drops all results of a call, the last of which
// is an error.
func dropsError(info *types.Info, s *ast.AssignStmt) bool {
	if len(s.Rhs) != 1 || s.Tok != token.ASSIGN {
		return false
	}
	for _, e := range s.Lhs {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	call, ok := s.Rhs[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	result := info.TypeOf(call)
	if tuple, ok := result.(*types.Tuple); ok {
		if tuple.Len() == 0 {
			return false
		}
		result = tuple.At(tuple.Len() - 1).Type()
	}
	return result != nil && types.Identical(result, types.Universe.Lookup("error").Type())
}

// commentedLines returns the lines with a comment.
func commentedLines(fset *token.FileSet, f *ast.File) map[int]bool {
	lines := map[int]bool{}
	for _, group := range f.Comments {
		for l := fset.Position(group.Pos()).Line; l <= fset.Position(group.End()).Line; l++ {
			lines[l] = true
		}
	}
	return lines
}

// deferredCalls returns the positions of the calls that are deferred directly.
func deferredCalls(files []*ast.File) map[token.Pos]bool {
	found := map[token.Pos]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if d, ok := n.(*ast.DeferStmt); ok {
				found[d.Call.Pos()] = true
			}
			return true
		})
	}
	return found
}

// called returns the function that a diagnostic is about, and where its call begins.
// errcheck points at the parenthesis, or at the beginning.
func called(pass *analysis.Pass, pos token.Pos) (string, token.Pos) {
	for _, f := range pass.Files {
		if pos < f.FileStart || pos >= f.FileEnd {
			continue
		}
		var call *ast.CallExpr
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && (c.Lparen == pos || c.Pos() == pos) {
				call = c
			}
			return call == nil
		})
		if call == nil {
			break
		}
		if fn, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func); ok {
			return fn.FullName(), call.Pos()
		}
		return types.ExprString(call.Fun), call.Pos()
	}
	return "a call", pos
}

func ofTest(pass *analysis.Pass, pos token.Pos) bool {
	return strings.HasSuffix(pass.Fset.Position(pos).Filename, "_test.go")
}
