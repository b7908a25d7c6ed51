package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// Implementation implements the hook of implement by the type checker.
func (s syntax) Implementation(_, iface string) (*ops.Implementation, error) {
	sym, err := s.typeDecl()
	if err != nil {
		return nil, err
	}
	d := sym.first()
	_, x := s.unitOf(s.p, d.file)
	switch {
	case len(sym.decls) > 1 || d.local:
		return nil, s.declined("%s is local to a function, or declared once for each build", sym)
	case x == nil || x.pkg == nil || x.info.Defs[d.name] == nil:
		return nil, s.declined("no build includes %s", d.file.path)
	}
	named, ok := x.info.Defs[d.name].Type().(*types.Named)
	if !ok || d.node.(*ast.TypeSpec).Assign.IsValid() {
		return nil, s.declined("%s is another name of a type, and has no methods of its own", sym)
	}
	switch named.Underlying().(type) {
	case *types.Interface, *types.Pointer:
		return nil, s.declined("%s is an interface or a pointer, which has no methods of its own", sym)
	}
	t, title, err := s.interfaceOf(d, x, strings.TrimPrefix(s.arg(iface), "*"))
	if err != nil {
		return nil, err
	}
	im := &implementing{syntax: s, d: d, x: x, named: named, title: title,
		out: &ops.Implementation{Title: d.name.Name, Interface: title, File: s.kitFile(d.file)}}
	im.out.Users = []*kit.Decl{s.decl(sym, d)}
	return im.out, im.all(t)
}

type implementing struct {
	syntax
	d     *decl
	x     *unit
	named *types.Named
	title string
	out   *ops.Implementation

	own     []*ast.FuncDecl // the type's methods, in its own file those that are there first
	pointer bool
	name    string // of the receiver, "" if they have none
	args    string // the receiver's type parameters: [K, V]
}

func (im *implementing) all(t *types.Interface) error {
	var lacks []*types.Func
	for i := range t.NumMethods() {
		m := t.Method(i)
		if !m.Exported() && m.Pkg() != im.x.pkg && m.Pkg() != nil && m.Pkg().Path() != im.x.pkg.Path() {
			return im.declined("%s has the method %s, which only its own package can declare", im.title, m.Name())
		}
		had, err := im.has(m)
		if err != nil {
			return err
		}
		if !had {
			lacks = append(lacks, m)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	slices.SortStableFunc(lacks, func(a, b *types.Func) int { return int(a.Pos()) - int(b.Pos()) })
	im.survey()
	at, g := im.place(), im.d.file
	if at > 0 && g.src[at-1] != '\n' {
		im.out.Text = "\n"
	}
	im.out.At = at
	im.importAll(lacks)
	for _, m := range lacks {
		im.out.Lacks = append(im.out.Lacks, m.Name())
		im.out.Text += "\n" + im.stub(m)
	}
	return nil
}

// has reports whether the type has a method already; it declines one that is another.
func (im *implementing) has(m *types.Func) (bool, error) {
	o, _, _ := types.LookupFieldOrMethod(im.named, true, im.x.pkg, m.Name())
	if o == nil {
		return false, nil
	}
	where := ""
	if l, ok := im.p.locate(o.Pos()); ok {
		where = " (" + l.path + ":" + strconv.Itoa(im.p.file(l.path).line(l.off)) + ")"
	}
	fn, ok := o.(*types.Func)
	if !ok {
		return false, im.declined("%s has a field %s%s, and %s asks for a method", im.d.name.Name, m.Name(), where, im.title)
	}
	if want, is := signatureText(m), signatureText(fn); want != is {
		return false, im.declined("%s has a method %s%s already, and %s asks for another: %s%s", im.d.name.Name, m.Name(),
			where, im.title, m.Name(), strings.TrimPrefix(types.TypeString(m.Signature(), (*types.Package).Name), "func"))
	}
	im.out.Had = append(im.out.Had, m.Name()+where)
	return true, nil
}

// signatureText is a method's type without the names in it: the same for the same type, whichever
// check of its packages it comes from.
func signatureText(fn *types.Func) string {
	sig := fn.Signature()
	return tupleText(sig.Params(), sig.Variadic()) + tupleText(sig.Results(), false)
}

func tupleText(t *types.Tuple, variadic bool) string {
	var out []string
	for v := range t.Variables() {
		out = append(out, types.TypeString(v.Type(), nil))
	}
	return "(" + strings.Join(out, ", ") + ")" + strconv.FormatBool(variadic)
}

// survey looks at the methods that the type has.
func (im *implementing) survey() {
	for _, g := range im.x.files {
		for _, d := range g.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && receiverName(f) == im.d.name.Name {
				im.own = append(im.own, f)
			}
		}
	}
	_, isStruct := im.named.Underlying().(*types.Struct)
	im.pointer = isStruct && len(im.own) == 0
	for _, f := range im.own {
		field := f.Recv.List[0]
		if _, ok := field.Type.(*ast.StarExpr); ok {
			im.pointer = true
		}
		if len(field.Names) == 1 && field.Names[0].Name != "_" && im.name == "" {
			im.name = field.Names[0].Name
		}
	}
	if im.name == "" && len(im.own) == 0 {
		im.name = strings.ToLower(im.d.name.Name[:1])
	}
	if ps := im.named.TypeParams(); ps.Len() > 0 {
		var names []string
		for p := range ps.TypeParams() {
			names = append(names, p.Obj().Name())
		}
		im.args = "[" + strings.Join(names, ", ") + "]"
	}
}

// importAll imports what the methods mention where the file has no block of imports yet, which one
// insertion after the other would not make.
func (im *implementing) importAll(methods []*types.Func) {
	g := im.d.file
	paths := map[string]string{} // to what the import says
	for _, m := range methods {
		types.TypeString(m.Signature(), func(p *types.Package) string {
			if p.Path() != im.x.pkg.Path() && im.p.localName(g, p.Path()) == "" {
				paths[p.Path()] = strconv.Quote(p.Path())
			}
			return ""
		})
	}
	gd := importBlock(g)
	if len(paths) < 2 || gd != nil && gd.Lparen.IsValid() {
		return
	}
	if im.imported == nil {
		im.imported = map[string]string{}
	}
	for imp := range paths {
		im.imported[g.path+"\x00"+imp] = im.p.packageName(g.dir, imp)
	}
	if gd == nil {
		im.insertFirstImport(g, im.block(paths))
		return
	}
	old := gd.Specs[0].(*ast.ImportSpec)
	paths[importOf(old)] = g.text(old)
	im.replaceLines(g, g.off(old.Pos()), g.off(old.End()), im.block(paths))
}

// block is a block of imports, in the groups that people keep.
func (im *implementing) block(paths map[string]string) string {
	g, sorted := im.d.file, sortedKeys(paths)
	slices.SortStableFunc(sorted, func(a, b string) int { return im.p.classOf(g, a) - im.p.classOf(g, b) })
	out := "(\n"
	for i, imp := range sorted {
		if i > 0 && im.p.classOf(g, sorted[i-1]) != im.p.classOf(g, imp) {
			out += "\n"
		}
		out += "\t" + paths[imp] + "\n"
	}
	return out + ")"
}

// place is behind the last method of the type in its own file, or behind the type.
func (im *implementing) place() int {
	g := im.d.file
	var last ast.Node
	for _, d := range g.ast.Decls {
		if gd, ok := d.(*ast.GenDecl); ok && gd.Pos() <= im.d.name.Pos() && im.d.name.Pos() < gd.End() {
			last = gd
		}
	}
	for _, f := range im.own {
		if g.contains(f.Pos()) {
			last = f
		}
	}
	return g.lineEnd(g.off(last.End()))
}

// stub is one method that says that it is not written yet.
func (im *implementing) stub(m *types.Func) string {
	sig := m.Signature()
	names := map[string]bool{}
	for _, name := range usual {
		names[name] = im.name == name && slices.ContainsFunc(slices.Collect(sig.Params().Variables()),
			func(v *types.Var) bool {
				return v.Name() == ""
			})
	}
	for v := range sig.Params().Variables() {
		names[v.Name()] = true
	}
	for v := range sig.Results().Variables() {
		names[v.Name()] = true
	}
	recv := im.d.name.Name + im.args
	if im.pointer {
		recv = "*" + recv
	}
	if im.name != "" && !names[im.name] {
		recv = im.name + " " + recv
	}
	qualify := func(p *types.Package) string {
		if p == im.x.pkg || p.Path() == im.x.pkg.Path() {
			return ""
		}
		return im.useImport(im.d.file, p.Path())
	}
	results := parameters(sig.Results(), false, qualify, nil)
	switch {
	case sig.Results().Len() == 0:
		results = ""
	case sig.Results().Len() > 1 || sig.Results().At(0).Name() != "":
		results = " (" + results + ")"
	default:
		results = " " + results
	}
	return fmt.Sprintf(
		"// %s implements %s.\nfunc (%s) %s(%s)%s {\n\t// TODO: implement %s.\n\tpanic(\"not implemented\")\n}\n",
		m.Name(), im.title, recv, m.Name(), parameters(sig.Params(), sig.Variadic(), qualify, usual), results, m.Name())
}

// usual are the names that parameters of these types usually have.
var usual = map[string]string{"context.Context": "ctx", "net/http.ResponseWriter": "w", "*net/http.Request": "r",
	"error": "err", "[]byte": "p", "io.Writer": "w", "io.Reader": "r"}

// parameters writes them as people do: those of one type in a row share it.
func parameters(t *types.Tuple, variadic bool, qualify types.Qualifier, usual map[string]string) string {
	names := make([]string, t.Len())
	all := map[string]bool{}
	for i := range names {
		v := t.At(i)
		if names[i] = v.Name(); names[i] == "" && t.Len() > 1 {
			names[i] = usual[types.TypeString(v.Type(), nil)]
		}
		if names[i] != "_" {
			all[names[i]] = true
		}
	}
	if all[""] || len(all) < t.Len() && !slices.Contains(names, "_") {
		names = make([]string, t.Len()) // one without a name: all are
	}
	var out strings.Builder
	for i, name := range names {
		typ := types.TypeString(t.At(i).Type(), qualify)
		if variadic && i == t.Len()-1 {
			typ = "..." + strings.TrimPrefix(typ, "[]")
		}
		next := i+1 < t.Len() && name != "" && types.Identical(t.At(i).Type(), t.At(i+1).Type()) &&
			!(variadic && i+2 == t.Len())
		if out.WriteString(name); name != "" && !next {
			out.WriteString(" ")
		}
		if !next {
			out.WriteString(typ)
		}
		if i+1 < t.Len() {
			out.WriteString(", ")
		}
	}
	return out.String()
}

// interfaceOf finds the interface that a request writes, and what it is called in the file.
func (s syntax) interfaceOf(d *decl, x *unit, text string) (*types.Interface, string, error) {
	if i := strings.LastIndexByte(text, '/'); i >= 0 && strings.Contains(text[i:], ".") { // encoding/json.Marshaler
		if s.importFor(d.file, strings.Split(text[i+1:], ".")[0]) == "" && s.p.localName(d.file, pathOf(text)) == "" {
			return s.interfaceIn(d, x, pathOf(text), text[strings.LastIndexByte(text, '.')+1:], text[i+1:])
		}
		text = text[i+1:]
	}
	expr, err := parser.ParseExpr(text)
	if err != nil {
		return nil, "", s.declined("%q is not a type in Go", text)
	}
	if tv, err := types.Eval(s.p.fset, x.pkg, d.name.Pos(), text); err == nil && tv.IsType() {
		return s.asInterface(tv.Type, text)
	}
	switch e := expr.(type) {
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok {
			for _, imp := range s.pathsFor(d.file, id.Name) {
				t, title, err := s.interfaceIn(d, x, imp, e.Sel.Name, text)
				if err == nil || len(s.pathsFor(d.file, id.Name)) == 1 {
					return t, title, err
				}
			}
		}
	case *ast.Ident:
		if dirs := s.declaring(e.Name); len(dirs) == 1 {
			return s.interfaceIn(d, x, s.p.mods.importPath(dirs[0]), e.Name, text)
		} else if len(dirs) > 1 {
			return nil, "", s.declined("%s is declared in %s: say which, as in %s.%s", text, list(dirs, "and"),
				s.p.packageName(d.file.dir, s.p.mods.importPath(dirs[0])), text)
		}
	case *ast.IndexExpr, *ast.IndexListExpr:
		return nil, "", s.declined("%s means nothing in %s: import its package first", text, d.file.path)
	}
	return nil, "", s.declined("there is no interface %s that %s could see", text, d.file.path)
}

func pathOf(text string) string { return text[:strings.LastIndexByte(text, '.')] }

// pathsFor are the packages that a name may mean in a file that does not import it.
func (s syntax) pathsFor(g *goFile, name string) []string {
	if imp := s.importFor(g, name); imp != "" {
		return []string{imp}
	}
	var out []string
	for d := range s.p.dirs {
		if imp := s.p.mods.importPath(d); d != g.dir && s.p.packageName(g.dir, imp) == name {
			out = append(out, imp)
		}
	}
	slices.Sort(out)
	return append(out, moreStd[name]...)
}

// moreStd are packages of the standard library whose interfaces people implement, by name.
var moreStd = func() map[string][]string {
	m := map[string][]string{}
	for _, p := range strings.Fields(`database/sql database/sql/driver encoding encoding/gob encoding/xml encoding/binary
		container/heap flag hash image image/color image/draw html/template text/template expvar crypto crypto/cipher
		go/ast go/types net/rpc net/smtp io/fs log/slog net/http/httptest os/signal sort testing/quick`) {
		name := p[strings.LastIndexByte(p, '/')+1:]
		m[name] = append(m[name], p)
	}
	return m
}()

// declaring are the folders of other packages that declare an interface of the name.
func (s syntax) declaring(name string) []string {
	var out []string
	for _, sym := range s.p.findTop(query{name: name, kind: "type"}) {
		d := sym.first()
		if spec, ok := d.node.(*ast.TypeSpec); ok && !d.file.test && !slices.Contains(out, d.file.dir) {
			if _, ok := spec.Type.(*ast.InterfaceType); ok {
				out = append(out, d.file.dir)
			}
		}
	}
	return out
}

func (s syntax) interfaceIn(d *decl, x *unit, imp, name, text string) (*types.Interface, string, error) {
	u, _ := s.unitOf(s.p, d.file)
	pkg, err := importer{u, d.file.dir, nil}.Import(imp)
	if err != nil {
		return nil, "", s.declined("%s could not be loaded: %v", imp, err)
	}
	o, ok := pkg.Scope().Lookup(name).(*types.TypeName)
	if !ok || !o.Exported() && pkg != x.pkg {
		return nil, "", s.declined("%s has no type %s", imp, name)
	}
	if !strings.Contains(text, ".") {
		text = pkg.Name() + "." + name
	}
	return s.asInterface(o.Type(), text)
}

func (s syntax) asInterface(t types.Type, title string) (*types.Interface, string, error) {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.TypeParams().Len() > n.TypeArgs().Len() {
		return nil, "", s.declined("%s is generic: say what for, as in %s[int]", title, title)
	}
	i, ok := t.Underlying().(*types.Interface)
	switch {
	case !ok:
		return nil, "", s.declined("%s is not an interface", title)
	case !i.IsMethodSet():
		return nil, "", s.declined("%s is a constraint, which a type meets by what it is", title)
	}
	return i, title, nil
}
