package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// signature is a function whose parameters are about to change: all its
// declarations (one per build) and all its calls.
type signature struct {
	s     *symbol
	decls []*ast.FuncDecl
	calls []use
	r     *renaming
}

// signature finds the function and declines whatever a change of its
// parameters would break: use as a value, interfaces, the linker, go test.
func (j *job) signature() (*signature, error) {
	s, err := j.symbol("func", "func method")
	if err != nil {
		return nil, err
	}
	sig := &signature{s: s}
	for _, d := range s.decls {
		fn, ok := d.node.(*ast.FuncDecl)
		switch {
		case !ok || d.local:
			return nil, j.declined("%s is not a function or method with a body of its own", s)
		case fn.Body == nil:
			return nil, j.declined("%s is implemented outside Go", s)
		case fn.Recv == nil && (d.name.Name == "init" || d.name.Name == "main" && d.file.ast.Name.Name == "main"):
			return nil, j.declined("func %s takes no parameters in Go", d.name.Name)
		case d.file.test && fn.Recv == nil && testPrefix(d.name.Name) != "":
			return nil, j.declined("go test decides the parameters of %s", d.name.Name)
		case d.file.err != nil:
			return nil, j.declined("%s does not parse: %v", d.file.path, d.file.err)
		}
		sig.decls = append(sig.decls, fn)
	}
	return sig, j.callsOf(sig)
}

func (j *job) callsOf(sig *signature) error {
	r, uses, err := j.usesOf(sig.s)
	if err != nil {
		return err
	}
	sig.r = r
	if err := r.refuseLinks(); err != nil {
		return err
	}
	if len(r.targets) != len(sig.s.decls) {
		return j.declined(
			"%s satisfies an interface, or belongs to one: every type that implements it would have to change too", sig.s)
	}
	for _, u := range uses {
		call := u.call()
		if call == nil {
			return j.declined("%s uses %s as a value, whose type would change", u.place(), u.id.Name)
		}
		if spreads(u, call) {
			return j.declined("%s passes the results of another call to %s", u.place(), u.id.Name)
		}
		sig.calls = append(sig.calls, u)
	}
	return nil
}

// spreads reports f(g()) where g gives several values.
func spreads(u use, call *ast.CallExpr) bool {
	if len(call.Args) != 1 {
		return false
	}
	_, several := u.unit.info.TypeOf(call.Args[0]).(*types.Tuple)
	return several
}

// settleSignature also checks packages that use the function without naming it.
func (j *job) settleSignature(sig *signature) error {
	also := j.dirsUsing(sig.s.first())
	j.words = []string{sig.s.first().name.Name, j.arg("name")}
	if sig.r.interfaces {
		j.words = nil
	}
	if sig.r.interfaces && exported(sig.s.first().name.Name) {
		also = append(also, keys(j.p.dependents(sig.r.dirs))...)
	}
	return j.settle(also...)
}

func (j *job) addParam() error {
	name, typ := j.arg("name"), j.arg("type")
	switch {
	case !token.IsIdentifier(name):
		return j.declined("%q is not a name in Go", name)
	case typ == "":
		return j.declined("a parameter in Go needs a type; say which: %s TYPE", name)
	}
	texpr, err := parser.ParseExpr(typ)
	if err != nil {
		return j.declined("%q is not a type in Go", typ)
	}
	sig, err := j.signature()
	if err != nil {
		return err
	}
	at, err := j.paramPosition(sig)
	if err != nil {
		return err
	}
	for i, d := range sig.s.decls {
		if err := j.addToDecl(d, sig.decls[i], at, name, typ); err != nil {
			return err
		}
		j.importsOf(d.file, texpr)
	}
	if err := j.addToCalls(sig, at); err != nil {
		return err
	}
	j.summary = fmt.Sprintf("Added the parameter %s %s to %s and an argument to %s.", name, typ, sig.s.first().name.Name,
		plural(len(sig.calls), "call"))
	return j.settleSignature(sig)
}

// paramPosition is where the new parameter goes, counted from 0.
func (j *job) paramPosition(sig *signature) (int, error) {
	n := sig.decls[0].Type.Params.NumFields()
	end := n
	if variadic(sig.decls[0].Type) {
		end--
	}
	switch p := j.arg("position"); p {
	case "", "last":
		if end < n {
			j.note("%s is variadic: the new parameter stands before the last one.", sig.s.first().name.Name)
		}
		return end, nil
	case "first":
		return 0, nil
	default:
		k, err := strconv.Atoi(p)
		if err != nil || k < 1 || k > end+1 {
			return 0, j.declined("there is no position %s among %s", p, plural(n, "parameter"))
		}
		return k - 1, nil
	}
}

func variadic(t *ast.FuncType) bool {
	l := t.Params.List
	if len(l) == 0 {
		return false
	}
	_, ok := l[len(l)-1].Type.(*ast.Ellipsis)
	return ok
}

func (j *job) addToDecl(d *decl, fn *ast.FuncDecl, at int, name, typ string) error {
	if err := j.paramName(d, fn, name); err != nil {
		return err
	}
	g, l := d.file, fn.Type.Params
	defer func() { // behind the new parameter where both come at one place
		for _, f := range l.List {
			if len(f.Names) == 0 {
				j.edits.insert(g.path, g.off(f.Pos()), "_ ")
			}
		}
	}()
	var elems []ast.Node
	k := 0
	for _, f := range l.List {
		n := max(1, len(f.Names))
		if at > k && at < k+n { // in the middle of a, b int
			j.edits.insert(g.path, g.off(f.Names[at-k-1].End()), " "+g.text(f.Type)+", "+name+" "+typ)
			return nil
		}
		if at == k {
			break
		}
		k += n
	}
	i := 0
	for c := 0; i < len(l.List) && c < at; i++ {
		c += max(1, len(l.List[i].Names))
	}
	for _, f := range l.List {
		elems = append(elems, f)
	}
	j.insertInList(g, l.Opening, l.Closing, elems, i, name+" "+typ)
	return nil
}

// paramName declines a name that the function has already, or that its body
// uses for something else.
func (j *job) paramName(d *decl, fn *ast.FuncDecl, name string) error {
	for _, l := range []*ast.FieldList{fn.Recv, fn.Type.Params, fn.Type.Results, fn.Type.TypeParams} {
		if l == nil {
			continue
		}
		for _, f := range l.List {
			for _, n := range f.Names {
				if n.Name == name && name != "_" {
					return j.declined("%s has a parameter, result or receiver %s already", d.name.Name, name)
				}
			}
		}
	}
	_, x := j.unitOf(j.p, d.file)
	if x == nil {
		return j.declined("no build includes %s", d.file.path)
	}
	for _, m := range x.mentionsIn(j.p, d.file, []string{name}) {
		inside := fn.Body.Pos() <= m.id.Pos() && m.id.Pos() < fn.Body.End()
		if !inside || m.sel || m.obj == nil || x.info.Defs[m.id] != nil {
			continue
		}
		if v, ok := m.obj.(*types.Var); ok && v.IsField() {
			continue
		}
		if p := m.obj.Pos(); p < fn.Pos() || p >= fn.End() {
			return j.declined("%s:%d uses another %s, which the parameter would hide", d.file.path, d.file.line(m.at.off), name)
		}
	}
	return nil
}

// insertInList puts an element before the i-th of a comma-separated list, in
// the way the list is written: on one line or one element a line.
func (j *job) insertInList(g *goFile, open, closing token.Pos, elems []ast.Node, i int, s string) {
	if len(elems) == 0 {
		j.edits.insert(g.path, g.off(open)+1, s)
		return
	}
	if i < len(elems) {
		at := g.off(elems[i].Pos())
		if ind := g.indent(at); g.lineStart(at)+len(ind) == at {
			j.insertLines(g, at, s+",\n"+ind)
		} else {
			j.edits.insert(g.path, at, s+", ")
		}
		return
	}
	end := g.off(elems[len(elems)-1].End())
	if g.line(end) == g.lineOf(closing) {
		j.edits.insert(g.path, end, ", "+s)
		return
	}
	comma := end
	for comma < g.off(closing) && g.src[comma] != ',' {
		comma++
	}
	j.insertLines(g, g.lineEnd(comma), g.indent(g.off(elems[len(elems)-1].Pos()))+s+",\n")
}

// addToCalls adds the argument everywhere: what the user gave, as each place
// must write it, or the zero value of the parameter's type.
func (j *job) addToCalls(sig *signature, at int) error {
	value := j.arg("value")
	var expr ast.Expr
	var zero types.Type
	var err error
	if value != "" {
		if expr, err = parser.ParseExpr(value); err != nil {
			return j.declined("%q is not a Go expression", value)
		}
	} else if zero, err = j.newParamType(sig, at); err != nil {
		return err
	}
	for _, u := range sig.calls {
		call := u.call()
		arg := ""
		if value != "" {
			if arg, err = j.adapt(sig, u, expr, value); err != nil {
				return err
			}
		} else {
			arg = j.zeroValue(u, zero)
		}
		var elems []ast.Node
		for _, a := range call.Args {
			elems = append(elems, a)
		}
		if at > len(elems) {
			return j.declined("%s calls %s with too few arguments", u.place(), u.id.Name)
		}
		j.insertInList(u.file, call.Lparen, call.Rparen, elems, at, arg)
	}
	return nil
}

// newParamType checks the changed declaration for the type that was written.
func (j *job) newParamType(sig *signature, at int) (types.Type, error) {
	if err := j.edits.sorted(); err != nil {
		return nil, j.declined("the changes get in each other's way: %v", err)
	}
	d := sig.s.first()
	q := j.p.overlay(j.edits.after())
	g := q.file(d.file.path)
	if g == nil || g.err != nil {
		return nil, j.declined("%q is not a type in Go", j.arg("type"))
	}
	_, x := j.unitOf(q, g)
	for _, o := range x.info.Defs {
		fn, ok := o.(*types.Func)
		if !ok || fn.Name() != d.name.Name {
			continue
		}
		if l, ok := q.locate(fn.Pos()); !ok || j.edits.back(l.path, l.off) != d.loc().off || l.path != d.file.path {
			continue
		}
		t := fn.Signature().Params().At(at).Type()
		if b, ok := t.(*types.Basic); ok && b.Kind() == types.Invalid {
			if err := q.ext.trouble(); err != nil && strings.Contains(j.arg("type"), ".") {
				return nil, j.declined("whether there is a type %s cannot be told: %v", j.arg("type"), err)
			}
			return nil, j.declined("there is no type %s where %s is declared", j.arg("type"), d.name.Name)
		}
		return t, nil
	}
	return nil, fmt.Errorf("add a parameter to %s: the changed function is gone", d.name.Name)
}

// zeroValue writes the zero value of a type at a call.
func (j *job) zeroValue(u use, t types.Type) string {
	qualify := func(p *types.Package) string {
		if strings.TrimSuffix(u.unit.pkg.Path(), "_test") == p.Path() && u.unit.key.kind != "xtest" {
			return ""
		}
		return j.useImport(u.file, p.Path())
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context" &&
		n.Obj().Name() == "Context" {
		return j.useImport(u.file, "context") + ".TODO()"
	}
	return zeroOf(t, qualify)
}

func zeroOf(t types.Type, qualify types.Qualifier) string {
	if _, ok := t.(*types.TypeParam); ok {
		return "*new(" + types.TypeString(t, qualify) + ")"
	}
	switch b := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case b.Info()&types.IsString != 0:
			return `""`
		case b.Info()&types.IsBoolean != 0:
			return "false"
		case b.Info()&types.IsNumeric != 0:
			return "0"
		}
		return "nil"
	case *types.Struct, *types.Array:
		return types.TypeString(t, qualify) + "{}"
	}
	return "nil"
}

// adapt writes the user's expression at a call: packages are imported, and what
// the function's package declares is qualified in other packages.
func (j *job) adapt(sig *signature, u use, expr ast.Expr, value string) (string, error) {
	type patch struct {
		at, n int
		s     string
	}
	var patches []patch
	var err error
	home := sig.s.first().file
	scope := u.unit.pkg.Scope().Innermost(u.id.Pos())
	sels := map[*ast.Ident]bool{}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			sels[n.Sel] = true
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				sels[id] = true
			}
		case *ast.Ident:
			if sels[n] || scope != nil && known(scope, n.Name, u.id.Pos()) {
				return true
			}
			s, e := j.foreignName(home, u, n.Name)
			if e != nil {
				err = e
			} else if s != n.Name {
				patches = append(patches, patch{int(n.Pos()) - 1, len(n.Name), s})
			}
		}
		return true
	}
	ast.Inspect(expr, visit)
	slices.SortFunc(patches, func(a, b patch) int { return b.at - a.at })
	for _, p := range patches {
		value = value[:p.at] + p.s + value[p.at+p.n:]
	}
	return value, err
}

func known(scope *types.Scope, name string, pos token.Pos) bool {
	_, o := scope.LookupParent(name, pos)
	return o != nil
}

// foreignName is how the calling file writes a name that it does not know:
// an imported package, or something that the function's package declares.
func (j *job) foreignName(home *goFile, u use, name string) (string, error) {
	for _, s := range home.ast.Imports {
		if imp := importOf(s); j.p.localName(home, imp) == name {
			return j.useImport(u.file, imp), nil
		}
	}
	if u.file.dir != home.dir || u.unit.key.kind == "xtest" {
		_, x := j.unitOf(j.p, home)
		if x != nil && x.pkg != nil && x.pkg.Scope().Lookup(name) != nil {
			if !exported(name) {
				return "", j.declined("%s is in another package and cannot use %s", u.place(), name)
			}
			return j.useImport(u.file, j.p.mods.importPath(home.dir)) + "." + name, nil
		}
	}
	if imp := j.importFor(u.file, name); imp != "" {
		return j.useImport(u.file, imp), nil
	}
	return name, nil
}
