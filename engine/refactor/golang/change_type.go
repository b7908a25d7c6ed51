package golang

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
	"waferpair/engine/refactor/words"
)

// TypeSpots implements the hook of change-type. Whether every use still fits is for the checker.
func (s syntax) TypeSpots(ds []*kit.Decl, typ string) ([]ops.TypeSpot, error) {
	c := &typeChange{syntax: s, of: ds[0].Raw.(declared).symbol, typ: typ}
	if err := c.valid(); err != nil {
		return nil, err
	}
	var out []ops.TypeSpot
	for _, d := range ds {
		t, err := c.spot(d.Raw.(declared).decl)
		if err != nil {
			return nil, err
		}
		s.importsOf(d.File.Raw.(*goFile), c.expr)
		out = append(out, t)
	}
	if err := c.formats(out[0]); err != nil {
		return nil, err
	}
	follow, err := c.getters(out[0])
	return append(out, follow...), err
}

// typeChange is a symbol that gets another type.
type typeChange struct {
	syntax
	of   *symbol
	typ  string
	expr ast.Expr // the function type that has it as a result
	uses []use
}

func (c *typeChange) valid() error {
	f, err := parser.ParseExpr("func() " + c.typ)
	if t, ok := f.(*ast.FuncType); err == nil && ok && t.Results != nil {
		c.expr = f
		return nil
	}
	if f, err := parser.ParseExpr("func(_ " + c.typ + ")"); err == nil && strings.HasPrefix(c.typ, "...") {
		c.expr = f
		return nil
	}
	return c.declined("%q is not a type in Go", c.typ)
}

// spot is the place that says the type of one declaration.
func (c *typeChange) spot(d *decl) (ops.TypeSpot, error) {
	g := d.file
	if g.err != nil {
		return ops.TypeSpot{}, c.declined("%s does not parse: %v", g.path, g.err)
	}
	if g.generated() {
		return ops.TypeSpot{}, c.declined("%s is generated", g.path)
	}
	path, _ := astutil.PathEnclosingInterval(g.ast, d.name.Pos(), d.name.End())
	for i, n := range path {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return c.result(d, n.Name.Name, n.Type)
		case *ast.Field:
			if ft, ok := n.Type.(*ast.FuncType); ok && d.kind == "method" {
				return c.result(d, d.name.Name, ft)
			}
			return c.field(d, n, path[i+1:])
		case *ast.ValueSpec:
			return c.value(d, n, path[i+1])
		case *ast.AssignStmt:
			return c.short(d, n, path[i+1])
		case *ast.TypeSpec:
			return ops.TypeSpot{}, c.declined("%s is a type; what is it to be?", d.name.Name)
		case *ast.RangeStmt:
			return ops.TypeSpot{}, c.declined("what the loop goes through says the type of %s (%s)", d.name.Name, d.place())
		}
	}
	return ops.TypeSpot{}, c.declined("nothing says the type of %s (%s)", d.name.Name, d.place())
}

func (c *typeChange) at(g *goFile, from, to token.Pos, text, was string) ops.TypeSpot {
	return ops.TypeSpot{File: c.kitFile(g), From: g.off(from), To: g.off(to), Text: text, Was: was}
}

// result is what a function gives back: of several values the only one that is no error.
func (c *typeChange) result(d *decl, name string, t *ast.FuncType) (ops.TypeSpot, error) {
	g := d.file
	if err := c.signs(d); err != nil {
		return ops.TypeSpot{}, err
	}
	spot, err := c.results(g, name, t)
	spot.Result = true
	return spot, err
}

func (c *typeChange) results(g *goFile, name string, t *ast.FuncType) (ops.TypeSpot, error) {
	if t.Results == nil {
		return c.at(g, t.Params.End(), t.Params.End(), " "+c.typ, ""), nil
	}
	if strings.HasPrefix(c.typ, "(") || c.typ == "error" && t.Results.NumFields() > 1 {
		return c.at(g, t.Results.Pos(), t.Results.End(), c.typ, g.text(t.Results)), nil
	}
	var own []*ast.Field
	for _, f := range t.Results.List {
		if t.Results.NumFields() == 1 || g.text(f.Type) != "error" {
			own = append(own, f)
		}
	}
	if len(own) != 1 || len(own[0].Names) > 1 {
		return ops.TypeSpot{}, c.declined("%s returns %s: write what it is to return in full, in parentheses", name,
			g.text(t.Results))
	}
	return c.at(g, own[0].Type.Pos(), own[0].Type.End(), c.typ, g.text(own[0].Type)), nil
}

// signs declines methods whose results, or parameters, others lay down.
func (c *typeChange) signs(d *decl) error {
	r, uses, err := c.usesOf(c.of)
	if err != nil {
		return err
	}
	if c.uses = uses; d.name.Name == c.of.first().name.Name && (d.kind == "method" || d.kind == "func") {
		return c.agreed(r, d)
	}
	return nil
}

// byName are methods that packages of the standard library look for when the program runs.
var byName = words.Set(`String GoString Error Format Is As Unwrap MarshalJSON UnmarshalJSON MarshalText UnmarshalText
	MarshalXML UnmarshalXML MarshalBinary UnmarshalBinary GobEncode GobDecode Scan Value Read Write Close ReadByte
	WriteByte ReadFrom WriteTo Seek ServeHTTP Len Less Swap Push Pop Set`)

func (c *typeChange) agreed(r *renaming, d *decl) error {
	if err := r.refuseLinks(); err != nil {
		return err
	}
	switch {
	case len(r.targets) != len(c.of.decls):
		return c.declined(
			"%s satisfies an interface, or belongs to one: every type that implements it would have to change too", c.of)
	case d.kind == "method" && byName[d.name.Name]:
		return c.declined("%s is a method that interfaces of the standard library ask for, with the type that it has", c.of)
	case d.kind == "func" && (d.name.Name == "main" || d.name.Name == "init") ||
		d.file.test && d.kind == "func" && testPrefix(d.name.Name) != "":
		return c.declined("what runs %s says what it takes and returns", d.name.Name)
	}
	return nil
}

// field is that of a struct, or a parameter; others may share the type.
func (c *typeChange) field(d *decl, f *ast.Field, around []ast.Node) (ops.TypeSpot, error) {
	g := d.file
	sep := ", "
	switch owner := owns(around); owner := owner.(type) {
	case *ast.StructType:
		sep = g.eol() + g.indent(g.off(f.Pos()))
		if _, uses, err := c.usesOf(c.of); err == nil {
			c.uses = uses
		}
	case *ast.FuncDecl:
		if owner.Recv != nil && slices.Contains(owner.Recv.List, f) {
			return ops.TypeSpot{}, c.declined("%s is the receiver of %s", d.name.Name, owner.Name.Name)
		}
		if err := c.paramOf(d, owner); err != nil {
			return ops.TypeSpot{}, err
		}
	}
	if len(f.Names) == 1 {
		return c.at(g, f.Type.Pos(), f.Type.End(), c.typ, g.text(f.Type)), nil
	}
	tag := ""
	if f.Tag != nil {
		tag = " " + g.text(f.Tag)
	}
	var before, behind []string
	into := &before
	for _, id := range f.Names {
		if id == d.name || id.Pos() == d.name.Pos() {
			into = &behind
			continue
		}
		*into = append(*into, id.Name)
	}
	var parts []string
	add := func(names []string, typ string) {
		if len(names) > 0 {
			parts = append(parts, strings.Join(names, ", ")+" "+typ+tag)
		}
	}
	add(before, g.text(f.Type))
	add([]string{d.name.Name}, c.typ)
	add(behind, g.text(f.Type))
	end := f.Type.End()
	if f.Tag != nil {
		end = f.Tag.End()
	}
	return c.at(g, f.Pos(), end, strings.Join(parts, sep), g.text(f.Type)), nil
}

// owns is the struct or the function that a field belongs to.
func owns(around []ast.Node) ast.Node {
	for _, n := range around {
		switch n.(type) {
		case *ast.StructType, *ast.FuncDecl, *ast.FuncLit:
			return n
		}
	}
	return nil
}

// paramOf declines a parameter of a method that interfaces ask for.
func (c *typeChange) paramOf(d *decl, fn *ast.FuncDecl) error {
	for _, o := range declsIn(d.file, fn.Name.Name) {
		if o.node != fn {
			continue
		}
		of := &typeChange{syntax: c.syntax, of: &symbol{decls: []*decl{o}}}
		return of.signs(o)
	}
	return nil
}

// value is a constant or a variable that a declaration names.
func (c *typeChange) value(d *decl, v *ast.ValueSpec, around ast.Node) (ops.TypeSpot, error) {
	g := d.file
	gd, _ := around.(*ast.GenDecl)
	if len(v.Names) > 1 {
		return ops.TypeSpot{}, c.declined("%s is declared together with others (%s): give it a line of its own first",
			d.name.Name, d.place())
	}
	if gd != nil && gd.Tok == token.CONST {
		i := slices.Index(gd.Specs, ast.Spec(v))
		repeats := func(k int) bool { return k < len(gd.Specs) && len(gd.Specs[k].(*ast.ValueSpec).Values) == 0 }
		if repeats(i) || repeats(i+1) {
			return ops.TypeSpot{}, c.declined("%s is one of several constants that share a type (%s): it is theirs too",
				d.name.Name, d.place())
		}
	}
	if _, uses, err := c.usesOf(c.of); err == nil {
		c.uses = uses
	}
	if v.Type == nil {
		return c.at(g, v.Names[0].End(), v.Names[0].End(), " "+c.typ, ""), nil
	}
	return c.at(g, v.Type.Pos(), v.Type.End(), c.typ, g.text(v.Type)), nil
}

// short is a := b, which becomes var a T = b.
func (c *typeChange) short(d *decl, a *ast.AssignStmt, around ast.Node) (ops.TypeSpot, error) {
	g := d.file
	switch {
	case len(a.Lhs) != 1:
		return ops.TypeSpot{}, c.declined("%s is declared together with others (%s)", d.name.Name, d.place())
	case !isBlock(around) && !isComm(around, a):
		return ops.TypeSpot{}, c.declined("%s is declared in the head of a statement (%s), which cannot say its type",
			d.name.Name, d.place())
	}
	name := g.text(a.Lhs[0])
	if x := c.named(d); x != nil {
		c.uses = x
	}
	return c.at(g, a.Pos(), a.TokPos+token.Pos(len(":=")), "var "+name+" "+c.typ+" =", ""), nil
}

func isComm(around ast.Node, a *ast.AssignStmt) bool {
	cc, ok := around.(*ast.CommClause)
	return ok && cc.Comm != ast.Stmt(a)
}

// named are the uses of a local variable, nil where they are not certain.
func (c *typeChange) named(*decl) []use {
	_, uses, err := c.usesOf(c.of)
	if err != nil {
		return nil
	}
	return uses
}

// getters are the functions that do nothing but return a field, which have its type.
func (c *typeChange) getters(own ops.TypeSpot) ([]ops.TypeSpot, error) {
	if c.of.first().kind != "field" {
		return nil, nil
	}
	var out []ops.TypeSpot
	for _, u := range c.uses {
		fn := enclosingFunc(u.file, u.id)
		if fn == nil || fn.Body == nil || len(fn.Body.List) != 1 || fn.Type.Results.NumFields() != 1 {
			continue
		}
		ret, ok := fn.Body.List[0].(*ast.ReturnStmt)
		if !ok || len(ret.Results) != 1 || u.file.text(fn.Type.Results.List[0].Type) != own.Was {
			continue
		}
		if sel, ok := ret.Results[0].(*ast.SelectorExpr); !ok || sel.Sel != u.id {
			continue
		}
		t := fn.Type.Results.List[0].Type
		spot := c.at(u.file, t.Pos(), t.End(), c.typ, own.Was)
		spot.Follows = fn.Name.Name
		c.importsOf(u.file, c.expr)
		out = append(out, spot)
	}
	return out, nil
}

// formats declines a value of another sort where a format says how it is printed, which no type says.
func (c *typeChange) formats(own ops.TypeSpot) error {
	was := cmp.Or(own.Was, "untyped")
	if sortOf(was) == sortOf(c.typ) || sortOf(was) == "" {
		return nil
	}
	for _, u := range c.uses {
		if verb := verbFor(u); verb != "" && !slices.Contains([]string{"%v", "%+v", "%#v", "%T"}, verb) {
			return c.declined("%s prints %s with %s, which is not for %s", u.place(), u.id.Name, verb, c.typ)
		}
	}
	return nil
}

// sortOf is what formats tell apart; "" for what has no type written, whose sort stays open.
func sortOf(typ string) string {
	switch strings.TrimRight(typ, "0123456789") {
	case "untyped":
		return ""
	case "int", "uint", "byte", "rune", "uintptr":
		return "integer"
	case "float", "complex":
		return "float"
	}
	return typ
}

var (
	formatter = regexp.MustCompile(`(?i)(printf|errorf|fatalf|panicf|logf|infof|warnf|warningf|debugf|skipf|appendf)$`)
	verbs     = regexp.MustCompile(`%[-+# 0]*[0-9.]*[a-zA-Z%]`)
)

// verbFor is the verb that a call's format has for a use, "" where none has.
func verbFor(u use) string {
	var arg ast.Node = u.id
	for _, n := range u.path[1:] {
		switch n := n.(type) {
		case *ast.SelectorExpr, *ast.ParenExpr, *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr:
			arg = n
		case *ast.CallExpr:
			if n.Fun == arg { // the result of the function
				arg = n
				continue
			}
			return verbIn(u, n, arg)
		default:
			return ""
		}
	}
	return ""
}

func verbIn(u use, call *ast.CallExpr, arg ast.Node) string {
	if !formatter.MatchString(u.file.text(call.Fun)) {
		return ""
	}
	at := slices.IndexFunc(call.Args, func(e ast.Expr) bool { return e == arg })
	for i := range min(max(at, 0), len(call.Args)) {
		format := stringOf(call.Args[i])
		if tv := u.unit.info.Types[call.Args[i]]; format == "" && tv.Value != nil {
			format = strings.Trim(tv.Value.ExactString(), `"`)
		}
		if !strings.Contains(format, "%") {
			continue
		}
		all := slices.DeleteFunc(verbs.FindAllString(format, -1), func(v string) bool { return v == "%%" })
		if k := at - i - 1; k < len(all) {
			return all[k]
		}
	}
	return ""
}

// typesFit checks what may depend on the type: all that uses the symbols, and all that imports
// that. What does not fit any more is named.
func (j *job) typesFit(ds []*kit.Decl) error {
	dirs := map[string]bool{}
	shown := false
	for _, d := range ds {
		x := d.Raw.(declared).decl
		dirs[x.file.dir] = true
		shown = shown || !x.local || x.kind == "param"
	}
	var also []string
	if shown {
		also = keys(j.p.dependents(dirs))
	}
	j.misfits = &[]string{}
	err := j.settle(append(also, keys(dirs)...)...)
	if err == nil && len(*j.misfits) > 0 {
		err = j.declined("it does not fit everywhere: %s", few(*j.misfits))
	}
	return err
}

func few(places []string) string {
	const limit = 6
	slices.Sort(places)
	places = slices.Compact(places)
	if len(places) > limit {
		return fmt.Sprintf("%s; and %d more", strings.Join(places[:limit], "; "), len(places)-limit)
	}
	return strings.Join(places, "; ")
}
