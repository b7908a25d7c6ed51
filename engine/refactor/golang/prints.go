package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor"
)

// removePrints deletes debugging prints: the statements that do nothing but print
// to standard output or (println) to standard error, in the named function, the
// selection, or the file, and that are evidently there for debugging. Where none
// is, the request has to say which it means.
func (j *job) removePrints() error {
	places, err := j.printPlaces()
	if err != nil {
		return err
	}
	n := 0
	var doubts []doubtful
	for _, pl := range places {
		_, x := j.unitOf(j.p, pl.g)
		if x == nil {
			return j.declined("no build includes %s", pl.g.path)
		}
		stmts, unsure := j.prints(pl, x)
		for _, s := range stmts {
			j.deleteStatement(pl.g, s)
		}
		n += len(stmts)
		doubts = append(doubts, unsure...)
	}
	switch {
	case n == 0 && len(doubts) > 0:
		return j.whichPrints(doubts)
	case n == 0:
		return j.already("there are no debug prints%s", in(j.target.File))
	}
	for _, d := range doubts {
		j.note("%s: kept, because nothing shows that it is for debugging.", d.place())
	}
	j.dropsCode = true
	j.summary = fmt.Sprintf("Removed %s.", plural(n, "debug print"))
	return j.settle()
}

// doubtful is a print that may be what the program is for.
type doubtful struct {
	g *goFile
	s *ast.ExprStmt
}

func (d doubtful) place() string { return fmt.Sprintf("%s:%d", d.g.path, d.g.lineOf(d.s.Pos())) }

// whichPrints asks, with the lines as choices.
func (j *job) whichPrints(doubts []doubtful) error {
	var places, near []string
	for _, d := range doubts {
		places = append(places, fmt.Sprintf("%s %s", d.place(), oneLine(d.g.text(d.s))))
		near = append(near, fmt.Sprintf("remove the debug prints on line %d of %s", d.g.lineOf(d.s.Pos()), d.g.path))
	}
	near = near[:min(len(near), 3)]
	if f := j.arg("func"); f != "" {
		near = append(near, "remove all print statements from "+f)
	}
	return &refactor.Declined{Code: refactor.Ambiguous, Understood: j.op.String(), Nearest: near,
		Reason: "nothing shows that " + refactor.Few(places) + " is there for debugging; say which lines are"}
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
	return []printPlace{{g, g.ast}}, nil
}

// prints finds the statements to delete, and those that nothing shows to be for
// debugging. Those whose arguments do something, and those that alone use a
// variable, stay and are noted.
func (j *job) prints(pl printPlace, x *unit) (gone []*ast.ExprStmt, unsure []doubtful) {
	ends := map[*ast.ExprStmt]bool{}
	inBlocks(pl.node, func(list []ast.Stmt) {
		for i, s := range list {
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
				gone = append(gone, es)
				ends[es] = i+1 < len(list) && leaves(list[i+1])
			}
		}
	})
	if !j.namesPrints(len(gone)) {
		gone = slices.DeleteFunc(gone, func(s *ast.ExprStmt) bool {
			ok := forDebugging(pl.g, x, s, ends[s])
			if !ok {
				unsure = append(unsure, doubtful{pl.g, s})
			}
			return !ok
		})
	}
	return j.keepLastUses(pl.g, x, gone), unsure
}

// namesPrints: the request says itself that the prints it is about are to go: all
// of them, or the one on the lines that it names.
func (j *job) namesPrints(n int) bool { return j.arg("which") != "" || j.target.From > 0 && n == 1 }

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

// forDebugging reports whether a print is there for debugging: it says so, it is one of
// the builtins, or it shows a value under its own name, which is no error and
// nothing that is said before the end.
func forDebugging(g *goFile, x *unit, s *ast.ExprStmt, ends bool) bool {
	call := s.X.(*ast.CallExpr)
	for _, a := range call.Args {
		if refactor.DebugMark(literalText(a)) {
			return true
		}
	}
	end := g.off(s.End())
	if _, comment, ok := strings.Cut(string(g.src[end:g.lineEnd(end)]), "//"); ok && refactor.DebugMark(comment) {
		return true
	}
	if ends || slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		t := x.info.TypeOf(a)
		return t != nil && isError(t)
	}) {
		return false
	}
	if _, builtin := ast.Unparen(call.Fun).(*ast.Ident); builtin {
		return true
	}
	return dumps(g, call)
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
