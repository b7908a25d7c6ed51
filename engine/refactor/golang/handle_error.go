package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"

	"waferpair/engine/refactor/words"
)

// ignored is a statement that drops an error.
type ignored struct {
	g    *goFile
	x    *unit
	stmt ast.Stmt
	call *ast.CallExpr
	at   int           // index of the error among the call's results
	n    int           // number of results
	fn   *ast.FuncType // of the innermost function around it
}

func (i ignored) place() string { return fmt.Sprintf("%s:%d", i.g.path, i.g.lineOf(i.stmt.Pos())) }

// handleError returns the errors that a function, or the selected lines, drop:
// f(), _ = f() and x, _ := f() become a check that returns the wrapped error
// with zero values. The function around must return an error.
func (j *job) handleError() error {
	places, err := j.exprPlaces()
	if err != nil {
		return err
	}
	var all []ignored
	for _, pl := range places {
		_, x := j.unitOf(j.p, pl.g)
		if x == nil {
			return j.declined("no build includes %s", pl.g.path)
		}
		all = append(all, j.ignoredIn(pl, x)...)
	}
	if call := j.arg("call"); call != "" {
		all = slices.DeleteFunc(all, func(i ignored) bool { return !calls(i.g, i.call, call) })
	}
	if m := j.arg("mode"); m != "" && m != "log" {
		return j.wrapReturned(places, all)
	}
	if len(all) == 0 {
		return j.declined("no error%s is ignored there in a statement of its own", of(j.arg("call")))
	}
	if len(all) > 1 && j.arg("func") == "" && j.target.From <= 0 {
		var where []string
		for _, i := range all {
			where = append(where, i.place())
		}
		return j.declined("%d errors are ignored: %s; name the function or select one", len(all), strings.Join(where, ", "))
	}
	for _, i := range all {
		if err := j.handle(i); err != nil {
			return err
		}
	}
	j.guard = []string{"err"}
	j.summary = fmt.Sprintf("%s %s instead of ignoring it.", j.handled, plural(len(all), "error"))
	return j.settle()
}

func of(call string) string {
	if call == "" {
		return ""
	}
	return " of " + call
}

// calls reports whether a call is of what the request calls it: os.Remove, Remove.
func calls(g *goFile, call *ast.CallExpr, name string) bool {
	fun := oneLine(g.text(callee(call)))
	return fun == name || strings.HasSuffix(fun, "."+name)
}

// ignoredIn finds the statements, with the function type around each.
func (j *job) ignoredIn(pl sourcePlace, x *unit) []ignored {
	var out []ignored
	inBlocks(pl.node, func(list []ast.Stmt) {
		for _, s := range list {
			if !j.inSelection(pl.g, s) {
				continue
			}
			if i, ok := ignoring(x, s); ok {
				i.g, i.fn = pl.g, funcAround(pl.g, s)
				out = append(out, i)
			}
		}
	})
	return out
}

func ignoring(x *unit, s ast.Stmt) (ignored, bool) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok || harmless(x.info, call) {
			return ignored{}, false
		}
		ts := resultsOf(x.info, call)
		n := len(ts)
		return ignored{x: x, stmt: s, call: call, at: n - 1, n: n}, n > 0 && isError(ts[n-1])
	case *ast.AssignStmt:
		if len(s.Rhs) != 1 || s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			return ignored{}, false
		}
		call, ok := s.Rhs[0].(*ast.CallExpr)
		if !ok {
			return ignored{}, false
		}
		ts := resultsOf(x.info, call)
		if len(ts) != len(s.Lhs) || len(ts) == 0 {
			return ignored{}, false
		}
		n := len(ts)
		id, ok := s.Lhs[n-1].(*ast.Ident)
		return ignored{x: x, stmt: s, call: call, at: n - 1, n: n}, ok && id.Name == "_" && isError(ts[n-1])
	}
	return ignored{}, false
}

// harmless are calls whose error nobody looks at: printing to standard output,
// and writers that are documented never to fail.
func harmless(info *types.Info, call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil {
		return false
	}
	name := fn.FullName()
	if strings.HasPrefix(name, "fmt.Print") {
		return true
	}
	return strings.HasPrefix(name, "(*bytes.Buffer).") || strings.HasPrefix(name, "(*strings.Builder).") ||
		strings.HasPrefix(name, "(hash.Hash)") || strings.HasPrefix(name, "math/rand.")
}

func resultsOf(info *types.Info, call *ast.CallExpr) []types.Type {
	switch t := info.TypeOf(call).(type) {
	case nil:
		return nil
	case *types.Tuple:
		var out []types.Type
		for v := range t.Variables() {
			out = append(out, v.Type())
		}
		return out
	default:
		return []types.Type{t}
	}
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

func funcAround(g *goFile, n ast.Node) *ast.FuncType {
	for _, p := range pathTo(g, n) {
		switch p := p.(type) {
		case *ast.FuncLit:
			return p.Type
		case *ast.FuncDecl:
			return p.Type
		}
	}
	return nil
}

func (j *job) handle(i ignored) error {
	ind := i.g.indent(i.g.off(i.stmt.Pos()))
	ret, err := j.errorReturn(i, ind+"\t")
	if err != nil {
		return err
	}
	if !aloneOnLines(i.g, i.stmt) {
		return j.declined("%s: the statement shares its lines", i.place())
	}
	if err := j.errName(i); err != nil {
		return err
	}
	g := i.g
	from, to := g.off(i.stmt.Pos()), g.off(i.stmt.End())
	check := "err != nil {\n" + ind + "\t" + ret + "\n" + ind + "}"
	call := strings.ReplaceAll(g.text(i.call), "\r\n", "\n")
	a, ok := i.stmt.(*ast.AssignStmt)
	if !ok || allBlank(a.Lhs) {
		j.replaceLines(g, from, to, "if "+strings.Repeat("_, ", i.at)+"err := "+call+"; "+check)
		return nil
	}
	blank := a.Lhs[i.at]
	define := ""
	if a.Tok == token.ASSIGN && !j.errVisible(i) {
		define = "var err error\n" + ind
	}
	if define != "" {
		j.insertLines(g, from, define)
	}
	if j.errScopes == nil {
		j.errScopes = map[*types.Scope]bool{}
	}
	j.errScopes[i.x.pkg.Scope().Innermost(i.stmt.Pos())] = true
	j.edits.replace(g.path, g.off(blank.Pos()), g.off(blank.End()), "err")
	j.insertLines(g, to, "\n"+ind+"if "+check)
	return nil
}

func allBlank(es []ast.Expr) bool {
	return !slices.ContainsFunc(es, func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return !ok || id.Name != "_"
	})
}

// errorReturn writes what leaves the function with the error: a return of it,
// wrapped, or what functions do that can return none: a handler of HTTP answers
// with it, a test fails, main ends the program. The lines are split by \n and the
// indentation of the first.
func (j *job) errorReturn(i ignored, ind string) (string, error) {
	sig, _ := i.x.info.TypeOf(i.fn).(*types.Signature)
	if sig == nil {
		sig = j.declSignature(i)
	}
	if sig == nil {
		return "", j.declined("%s: it is not in a function", i.place())
	}
	if j.arg("mode") == "log" {
		return j.logged(i)
	}
	if n := sig.Results().Len(); n == 0 || !isError(sig.Results().At(n-1).Type()) {
		if lines := j.withoutResult(i, sig); lines != nil {
			return strings.Join(lines, "\n"+ind), nil
		}
		if !j.logs(i) {
			return "", j.declined("%s: the function around it returns no error; it can be logged", i.place())
		}
		return j.logged(i)
	}
	var vals []string
	for k := range sig.Results().Len() - 1 {
		vals = append(vals, zeroOf(sig.Results().At(k).Type(), func(p *types.Package) string {
			if p == i.x.pkg {
				return ""
			}
			return j.useImport(i.g, p.Path())
		}))
	}
	j.handled = "Returned"
	return "return " + strings.Join(append(vals, j.wrapped(i.g, j.whatFailed(i))), ", "), nil
}

// wrapped is the error with what failed before it.
func (j *job) wrapped(g *goFile, failed string) string {
	return fmt.Sprintf("%s.Errorf(%q, err)", j.useImport(g, "fmt"), failed+": %w")
}

// withoutResult is how a function handles an error that it cannot return, or nil
// where there is no usual way.
func (j *job) withoutResult(i ignored, sig *types.Signature) []string {
	j.handled = "Handled"
	fn := enclosingFunc(i.g, i.stmt)
	if fn != nil && fn.Type == i.fn && fn.Recv == nil && fn.Name.Name == "main" && i.g.ast.Name.Name == "main" {
		if defers(fn, i.stmt) {
			return nil // an exit would leave out what is deferred
		}
		std, err := j.p.localName(i.g, "os"), j.p.localName(i.g, "fmt")
		if std == "" || err == "" || j.p.localName(i.g, "log") != "" {
			return []string{j.useImport(i.g, "log") + ".Fatal(err)"}
		}
		return []string{fmt.Sprintf("%s.Fprintln(%s.Stderr, err)", err, std), std + ".Exit(1)"}
	}
	if sig.Results().Len() > 0 {
		return nil
	}
	for p := range sig.Params().Variables() {
		switch types.TypeString(p.Type(), nil) {
		case "net/http.ResponseWriter":
			if p.Name() != "" && p.Name() != "_" && !(j.logs(i) && mentions(i.call, p.Name())) {
				web := j.useImport(i.g, "net/http")
				return []string{fmt.Sprintf("%s.Error(%s, err.Error(), %s.StatusInternalServerError)",
					web, p.Name(), web), "return"}
			}
		case "*testing.T", "*testing.B", "*testing.F", "testing.TB":
			if p.Name() != "" && p.Name() != "_" {
				return []string{p.Name() + ".Fatal(err)"}
			}
		}
	}
	return nil
}

// mentions reports whether a call is given a variable, or is of it: what failed to be written there
// cannot be reported there.
func mentions(call *ast.CallExpr, name string) bool {
	found := false
	ast.Inspect(call, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// logs reports whether the code around a statement logs: its file imports a package for it, or there is a logger.
func (j *job) logs(i ignored) bool {
	for path := range logPackages {
		if j.p.localName(i.g, path) != "" {
			return true
		}
	}
	l, err := syntax{job: j}.loggingAt(i.g, i.x, i.call, kit.Logger{})
	if err != nil {
		return false
	}
	_, found := l.around()
	return found
}

// logged writes the error to the log, and the function goes on.
func (j *job) logged(i ignored) (string, error) {
	l, err := syntax{job: j}.loggingAt(i.g, i.x, i.call, kit.Logger{})
	if err != nil {
		return "", err
	}
	w, err := l.writer("")
	if err != nil {
		return "", err
	}
	j.handled = "Logged"
	return w.failure(j.whatFailed(i)), nil
}

// defers reports whether a function defers something before a statement.
func defers(fn *ast.FuncDecl, before ast.Stmt) bool {
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		d, ok := n.(*ast.DeferStmt)
		found = found || ok && d.Pos() < before.Pos()
		return !found
	})
	return found
}

func (j *job) declSignature(i ignored) *types.Signature {
	if fn := enclosingFunc(i.g, i.stmt); fn != nil && fn.Type == i.fn {
		if o := i.x.info.Defs[fn.Name]; o != nil {
			sig, _ := o.Type().(*types.Signature)
			return sig
		}
	}
	return nil
}

// whatFailed is the callee's name in words: os.WriteFile -> write file.
func (j *job) whatFailed(i ignored) string {
	name := ""
	switch f := callee(i.call).(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
		if ws := words.Of(name); len(ws) == 1 {
			if id, ok := f.X.(*ast.Ident); ok {
				return strings.ToLower(name) + " " + id.Name
			}
		}
	}
	if name == "" {
		return "call"
	}
	return phrase(words.Of(name))
}

// errName declines where err means something that is not an error.
func (j *job) errName(i ignored) error {
	scope := i.x.pkg.Scope().Innermost(i.stmt.Pos())
	if scope == nil {
		return nil
	}
	if _, o := scope.LookupParent("err", i.stmt.Pos()); o != nil && !isError(o.Type()) {
		return j.declined("%s: err is something else there", i.place())
	}
	return nil
}

func (j *job) errVisible(i ignored) bool {
	scope := i.x.pkg.Scope().Innermost(i.stmt.Pos())
	if scope == nil {
		return false
	}
	for s := scope; s != nil; s = s.Parent() {
		if j.errScopes[s] {
			return true
		}
	}
	s, o := scope.LookupParent("err", i.stmt.Pos())
	return o != nil && s != i.x.pkg.Scope()
}
