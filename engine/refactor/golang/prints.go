package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// Prints implements the hook of remove-debug-prints: statements that do nothing but print to
// standard output or (println) to standard error.
func (s syntax) Prints(f *kit.File) ([]kit.Print, error) {
	g := f.Raw.(*goFile)
	_, x := s.unitOf(s.p, g)
	if x == nil {
		return nil, s.declined("no build includes %s", g.path)
	}
	var out []kit.Print
	inBlocks(g.ast, func(list []ast.Stmt) {
		for i, stmt := range list {
			if es, ok := stmt.(*ast.ExprStmt); ok && isPrint(x.info, es) {
				p := printOf(g, x, es)
				p.Node = f.Of(es)
				p.Tells = p.Tells || i+1 < len(list) && leaves(list[i+1])
				out = append(out, p)
			}
		}
	})
	slices.SortFunc(out, func(a, b kit.Print) int { return a.Node.From - b.Node.From })
	return out, nil
}

func printOf(g *goFile, x *unit, s *ast.ExprStmt) kit.Print {
	call := s.X.(*ast.CallExpr)
	_, builtin := ast.Unparen(call.Fun).(*ast.Ident)
	p := kit.Print{Shows: builtin || dumps(g, call)}
	switch {
	case isExample(g, s):
		p.Keep = "it is the output of an example"
	case !argsPure(x, call):
		p.Keep = "its arguments do something"
	case !aloneOnLines(g, s):
		p.Keep = "it shares its line"
	}
	for _, a := range call.Args {
		p.Texts = append(p.Texts, literalText(a))
		t := x.info.TypeOf(a)
		p.Tells = p.Tells || t != nil && isError(t)
	}
	return p
}

// leaves reports whether a statement ends the function or the program.
func leaves(s ast.Stmt) bool {
	if es, ok := s.(*ast.ExprStmt); ok {
		call, ok := es.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		switch f := ast.Unparen(call.Fun).(type) {
		case *ast.Ident:
			return f.Name == "panic"
		case *ast.SelectorExpr:
			return f.Sel.Name == "Exit" || f.Sel.Name == "Goexit" || f.Sel.Name == "FailNow"
		}
		return false
	}
	_, ok := s.(*ast.ReturnStmt)
	return ok
}

var revealing = regexp.MustCompile(`%[-+# 0-9.]*[+#][-+# 0-9.]*v|%T|%p`)

// dumps reports whether a call prints values under their own names, or as only a
// programmer reads them.
func dumps(g *goFile, call *ast.CallExpr) bool {
	if len(call.Args) == 0 {
		return false
	}
	if f := literalText(call.Args[0]); strings.Contains(f, "%") {
		return revealing.MatchString(f) || labelled(f, argTexts(g, call.Args[1:]))
	}
	for i, a := range call.Args[:max(0, len(call.Args)-1)] {
		if l := literalText(a); l != "" && refactor.Labels(l, g.text(call.Args[i+1])) {
			return true
		}
	}
	return false
}

// labelled: what stands before each verb of a format names the value.
func labelled(format string, args []string) bool {
	parts := formatVerb.Split(strings.ReplaceAll(format, "%%", ""), -1)
	if len(parts)-1 != len(args) || len(args) == 0 {
		return false
	}
	for i, a := range args {
		if !refactor.Labels(parts[i], a) {
			return false
		}
	}
	return true
}

var formatVerb = regexp.MustCompile(`%[-+# 0-9.*]*[a-zA-Z]`)

func argTexts(g *goFile, args []ast.Expr) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = g.text(a)
	}
	return out
}

// literalText is what a string literal says, or "".
func literalText(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return ""
	}
	s, _ := strconv.Unquote(l.Value)
	return s
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
func argsPure(x *unit, call *ast.CallExpr) bool {
	ok := true
	for _, a := range call.Args {
		ast.Inspect(a, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				ok = ok && (x.reads(n, nil) || x.describes(n))
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

// LastUses implements the hook of remove-debug-prints: Go rejects a variable that nothing uses.
func (s syntax) LastUses(f *kit.File, gone []*kit.Node) (map[*kit.Node]string, error) {
	g := f.Raw.(*goFile)
	_, x := s.unitOf(s.p, g)
	inside := func(id *ast.Ident) *kit.Node {
		i := slices.IndexFunc(gone, func(n *kit.Node) bool {
			return g.contains(id.Pos()) && n.Covers(g.off(id.Pos()), g.off(id.End()))
		})
		if i < 0 {
			return nil
		}
		return gone[i]
	}
	uses := map[types.Object][]*ast.Ident{}
	for id, o := range x.info.Uses {
		if v, ok := o.(*types.Var); ok && !v.IsField() && v.Kind() == types.LocalVar {
			uses[o] = append(uses[o], id)
		}
	}
	last := map[*kit.Node]string{}
	for o, ids := range uses {
		if !slices.ContainsFunc(ids, func(id *ast.Ident) bool { return inside(id) == nil }) {
			for _, id := range ids {
				last[inside(id)] = o.Name()
			}
		}
	}
	return last, nil
}
