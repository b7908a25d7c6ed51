package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// newFlag is a flag that is written like another one.
type newFlag struct {
	*flagSet
	ops.Flag
	e      *kit.Edits
	like   flagCall
	before bool

	method, typ, value, help string
}

// write declares the flag and a place for its value, and says where that is. A local variable
// holds a flag by its address, because one that nothing uses yet does not compile.
func (a *newFlag) write() (string, error) {
	c := a.like
	switch st := c.statement(); c.style() {
	case globalStyle:
		spec := st.(*ast.ValueSpec)
		name, err := a.free(a.named(spec.Names[0].Name), nil)
		if err != nil {
			return "", err
		}
		gd := c.block().(*ast.GenDecl)
		line := name + " = " + a.call("", "")
		if gd.Lparen.IsValid() {
			a.line(c.g, spec, line)
		} else {
			a.line(c.g, gd, "var "+line)
		}
		return "*" + name, nil
	case targetStyle:
		if u, ok := c.call.Args[0].(*ast.UnaryExpr); ok && u.Op == token.AND {
			target, done, err := a.target(u.X)
			if err != nil {
				return "", err
			}
			if done {
				a.line(c.g, st, a.call("Var", "&"+target+", "))
				return target, nil
			}
		}
		return a.local()
	case unheldStyle:
		if a.path != pflagPath {
			return a.local()
		}
		a.line(c.g, st, a.call("", ""))
		return a.on() + ".Get" + a.method + "(" + strconv.Quote(a.Name) + ")", nil
	case pointerStyle:
		return a.local()
	case unknownStyle:
	}
	return "", a.s.declined("the flags of %s are declared in a way that is not known (%s)", a.commandLine().Title,
		a.s.kitFile(c.g).Place(c.g.off(c.call.Pos())))
}

// on is what the flags are declared on: flag, fs, cmd.Flags().
func (a *newFlag) on() string { return a.like.g.text(a.like.call.Fun.(*ast.SelectorExpr).X) }

func (a *newFlag) call(suffix, first string) string {
	return a.on() + "." + a.method + suffix + "(" + first + strconv.Quote(a.Name) + ", " + a.value + ", " + a.help + ")"
}

// line puts a line behind a node, or before it and the comments above it.
func (a *newFlag) line(g *goFile, n ast.Node, lines ...string) {
	f := a.s.kitFile(g)
	at := g.lineEnd(g.off(n.End()))
	if a.before {
		at = g.lineStart(g.off(n.Pos()))
		for at > 0 && strings.HasPrefix(strings.TrimSpace(string(g.src[g.lineStart(at-1):at])), "//") {
			at = g.lineStart(at - 1)
		}
	}
	a.insert(f, at, g.indent(g.off(n.Pos())), lines...)
}

func (a *newFlag) insert(f *kit.File, at int, indent string, lines ...string) {
	for i := range lines {
		lines[i] = indent + lines[i]
	}
	a.e.InsertLines(f, at, lines...)
}

// local declares a variable in the function, and the flag under it.
func (a *newFlag) local() (string, error) {
	c := a.like
	st := c.statement()
	if _, ok := st.(*ast.ValueSpec); ok { // var x = flag.Bool(...) in a function
		if st = c.stack[len(c.stack)-4]; !isBlock(c.stack[len(c.stack)-5]) {
			return "", a.s.declined("the flags are declared in a way that is not known")
		}
	}
	name, err := a.free(a.Camel(), st)
	if err != nil {
		return "", err
	}
	if fn := c.function(); fn != nil && !runs(fn) {
		if !a.s.kitFile(c.g).BeginsLine(c.g.off(fn.Pos())) {
			return "", a.s.declined("%s has no line of its own", fn.Name.Name)
		}
		head := fn.Pos()
		if fn.Doc != nil {
			head = fn.Doc.Pos()
		}
		a.insert(a.s.kitFile(c.g), c.g.lineStart(c.g.off(head)), "", "var "+name+" "+a.typ, "")
		a.line(c.g, st, a.call("Var", "&"+name+", "))
		return name, nil
	}
	a.line(c.g, st, "var "+name+" "+a.typ, a.call("Var", "&"+name+", "))
	return name, nil
}

// runs reports whether a function parses flags, or makes the command whose code uses them: one
// that only declares them is no place for their values.
func runs(fn *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
				found = found || sel.Sel.Name == "Parse" || sel.Sel.Name == "Execute"
			}
		case *ast.CompositeLit:
			if sel, ok := n.Type.(*ast.SelectorExpr); ok {
				found = found || sel.Sel.Name == "Command"
			}
		}
		return !found
	})
	return found
}

func isBlock(n ast.Node) bool {
	switch n.(type) {
	case *ast.BlockStmt, *ast.CaseClause:
		return true
	}
	return false
}

// target declares a variable or a field beside the one that the neighbour sets; done is false
// where there is no place for it.
func (a *newFlag) target(x ast.Expr) (text string, done bool, err error) {
	c := a.like
	switch x := x.(type) {
	case *ast.Ident:
		v, ok := c.x.info.Uses[x].(*types.Var)
		if !ok {
			return "", false, nil
		}
		return a.variable(v)
	case *ast.SelectorExpr:
		v, ok := c.x.info.Uses[x.Sel].(*types.Var)
		if !ok || !v.IsField() {
			return "", false, nil
		}
		name, done, err := a.field(v, c.x.info.TypeOf(x.X))
		return c.g.text(x.X) + "." + name, done, err
	}
	return "", false, nil
}

// around is the file that declares an object and the nodes around its name, innermost first.
func (a *newFlag) around(o types.Object) (*goFile, []ast.Node) {
	l, ok := a.s.p.locate(o.Pos())
	if !ok {
		return nil, nil
	}
	g := a.s.p.file(l.path)
	if g == nil || g.err != nil || g.generated() {
		return nil, nil
	}
	path, _ := astutil.PathEnclosingInterval(g.ast, o.Pos(), o.Pos())
	return g, path
}

// variable declares one beside another.
func (a *newFlag) variable(v *types.Var) (string, bool, error) {
	g, path := a.around(v)
	i := slices.IndexFunc(path, func(n ast.Node) bool { _, ok := n.(*ast.ValueSpec); return ok })
	if i < 0 || i+1 >= len(path) {
		return "", false, nil
	}
	gd, ok := path[i+1].(*ast.GenDecl)
	global := v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
	if !ok || !global && g != a.like.g {
		return "", false, nil
	}
	var at ast.Node
	if !global {
		at = gd
	}
	name, err := a.free(a.named(v.Name()), at)
	if err != nil {
		return "", false, err
	}
	typ := a.typeIn(g)
	was := a.before
	a.before = false
	defer func() { a.before = was }()
	if gd.Lparen.IsValid() {
		a.line(g, path[i], name+" "+typ)
	} else {
		a.line(g, gd, "var "+name+" "+typ)
	}
	return name, true, nil
}

// field declares one beside another.
func (a *newFlag) field(v *types.Var, of types.Type) (string, bool, error) {
	g, path := a.around(v)
	i := slices.IndexFunc(path, func(n ast.Node) bool { _, ok := n.(*ast.Field); return ok })
	if i < 0 {
		return "", false, nil
	}
	field := path[i].(*ast.Field)
	if f := a.s.kitFile(g); !f.BeginsLine(g.off(field.Pos())) || len(field.Names) == 0 {
		return "", false, nil
	}
	name := a.named(v.Name())
	if v.Exported() {
		name = ops.Capital(name)
	}
	taken := func(n string) bool {
		o, _, _ := types.LookupFieldOrMethod(of, true, v.Pkg(), n)
		return o != nil || !token.IsIdentifier(n)
	}
	if taken(name) {
		name += "Flag"
	}
	if taken(name) {
		return "", false, a.s.declined("%s is taken", name)
	}
	line := name + " " + a.typeIn(g) + likeTag(field.Tag, v.Name(), a.Flag)
	was := a.before
	a.before = false
	a.line(g, field, line)
	a.before = was
	return name, true, nil
}

// typeIn is the flag's type as a file names it.
func (a *newFlag) typeIn(g *goFile) string {
	if a.Kind == ops.Duration {
		return a.s.useImport(g, "time") + ".Duration"
	}
	return a.typ
}

var tagPair = regexp.MustCompile(`(\w+):"([^",]*)(,[^"]*)?"`)

// likeTag is the tag of a field as another field has one, with those keys that are made of the
// field's name.
func likeTag(tag *ast.BasicLit, old string, f ops.Flag) string {
	if tag == nil {
		return ""
	}
	var out []string
	text, _ := strconv.Unquote(tag.Value)
	for _, m := range tagPair.FindAllStringSubmatch(text, -1) {
		was := ops.Flag{Name: old}
		for _, form := range []func(ops.Flag) string{ops.Flag.Snake, ops.Flag.Camel,
			func(f ops.Flag) string { return strings.ReplaceAll(f.Snake(), "_", "-") },
			func(f ops.Flag) string { return strings.ReplaceAll(f.Snake(), "_", "") },
			func(f ops.Flag) string { return ops.Capital(f.Camel()) }} {
			if form(was) == m[2] {
				out = append(out, m[1]+`:"`+form(f)+m[3]+`"`)
				break
			}
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " `" + strings.Join(out, " ") + "`"
}

// named is the flag's variable with what the neighbours' have before or behind their flag's name.
func (a *newFlag) named(old string) string {
	name, was := a.Camel(), ops.Flag{Name: a.like.name}.Camel()
	low, flag := strings.ToLower(old), strings.ToLower(was)
	if len(flag) < 2 || low == flag {
		return name
	}
	if before, ok := strings.CutSuffix(low, flag); ok && affix(before) {
		return old[:len(before)] + ops.Capital(name)
	}
	if behind, ok := strings.CutPrefix(low, flag); ok && affix(behind) {
		return name + old[len(flag):]
	}
	return name
}

func affix(s string) bool {
	return slices.Contains([]string{"flag", "opt", "option", "arg", "cli", "f", "p", "ptr", "param"}, s)
}

// importsAs reports whether a file imports a package under the name.
func importsAs(x *unit, g *goFile, name string) bool {
	s := x.info.Scopes[g.ast]
	return s != nil && s.Lookup(name) != nil
}

// free is the name, or one like it, that means nothing else where it is declared: in a package,
// or at a statement.
func (a *newFlag) free(name string, at ast.Node) (string, error) {
	x := a.like.x
	taken := func(n string) bool {
		if !token.IsIdentifier(n) || predeclared(n) {
			return true
		}
		if x.pkg.Scope().Lookup(n) != nil ||
			slices.ContainsFunc(x.files, func(g *goFile) bool { return importsAs(x, g, n) }) {
			return true
		}
		if at == nil {
			return false
		}
		_, o := x.pkg.Scope().Innermost(at.Pos()).LookupParent(n, token.NoPos)
		return o != nil
	}
	for _, n := range []string{name, name + "Flag"} {
		if !taken(n) {
			return n, nil
		}
	}
	return "", a.s.declined("%s and %sFlag mean something else where the flag is declared", name, name)
}
