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

// setConstant replaces the value of a constant, or the initialiser of a variable.
func (j *job) setConstant() error {
	value := j.arg("value")
	expr, err := parser.ParseExpr(value)
	if err != nil {
		return nearer(j.declined("%q is not a Go expression", value), strconv.Quote(value))
	}
	s, err := j.constant()
	if err != nil {
		return err
	}
	d := s.first()
	spec, gd := valueSpec(d)
	if spec == nil {
		return j.declined("%s has no value of its own to set", d.name.Name)
	}
	old, err := j.setValue(d, spec, gd, value)
	if err != nil {
		return err
	}
	if err := j.sameKind(d, spec, value); err != nil {
		return err
	}
	j.importsOf(d.file, expr)
	j.summary = fmt.Sprintf("Set %s to %s%s.", d.name.Name, value, old)
	err = j.settle(j.dirsUsing(d)...)
	if r := j.rejected; r != nil && r.ours && !r.soft { // the value is, as it stands; it may be meant as a text
		return nearer(err, strconv.Quote(value))
	}
	return err
}

// constant is the one declaration that the request means; alternatives under
// build constraints are several here, since each has a value of its own.
func (j *job) constant() (*symbol, error) {
	found, err := j.symbols("name", "const var")
	if err != nil {
		return nil, err
	}
	var each []*symbol
	for _, s := range found {
		for _, d := range s.decls {
			if d.kind == "const" || d.kind == "var" || d.kind == "local" {
				each = append(each, &symbol{[]*decl{d}})
			}
		}
	}
	switch each = j.narrow(each); len(each) {
	case 0:
		return nil, j.declined("%s is not a constant or variable: %s", j.arg("name"), listSymbols(found))
	case 1:
		return each[0], nil
	}
	return nil, j.ambiguous(j.arg("name"), each)
}

// valueSpec finds the declaration of a constant or variable in the syntax.
func valueSpec(d *decl) (spec *ast.ValueSpec, gd *ast.GenDecl) {
	ast.Inspect(d.file.ast, func(n ast.Node) bool {
		if g, ok := n.(*ast.GenDecl); ok {
			for _, s := range g.Specs {
				if vs, ok := s.(*ast.ValueSpec); ok && slices.Contains(vs.Names, d.name) {
					spec, gd = vs, g
				}
			}
		}
		return spec == nil
	})
	return spec, gd
}

// setValue makes the edit and returns ", was OLD" for the summary.
func (j *job) setValue(d *decl, spec *ast.ValueSpec, gd *ast.GenDecl, value string) (string, error) {
	g, i := d.file, slices.Index(spec.Names, d.name)
	if gd.Tok == token.CONST {
		if err := j.refuseIota(d, spec, gd); err != nil {
			return "", err
		}
	}
	switch {
	case len(spec.Values) == 0 && gd.Tok == token.VAR && len(spec.Names) == 1:
		j.edits.insert(g.path, g.off(spec.End()), " = "+value)
		return "", nil
	case len(spec.Values) != len(spec.Names):
		return "", j.declined("%s gets its value together with others at %s", d.name.Name, d.place())
	}
	old := g.text(spec.Values[i])
	if old == value {
		return "", j.already("%s is %s already", d.name.Name, value)
	}
	j.replaceLines(g, g.off(spec.Values[i].Pos()), g.off(spec.Values[i].End()), value)
	if strings.Contains(old, "\n") {
		return "", nil
	}
	return ", was " + old, nil
}

// refuseIota declines where the value is counted, or repeated by the lines below.
func (j *job) refuseIota(d *decl, spec *ast.ValueSpec, gd *ast.GenDecl) error {
	if len(spec.Values) == 0 {
		return j.declined("%s repeats the value of a line above it (%s)", d.name.Name, d.place())
	}
	i := slices.Index(gd.Specs, ast.Spec(spec))
	if i+1 < len(gd.Specs) && len(gd.Specs[i+1].(*ast.ValueSpec).Values) == 0 {
		return j.declined("the constants below %s repeat its value (%s)", d.name.Name, d.place())
	}
	counted := false
	for _, v := range spec.Values {
		ast.Inspect(v, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			counted = counted || ok && id.Name == "iota"
			return true
		})
	}
	if counted {
		return j.declined("%s is counted with iota (%s)", d.name.Name, d.place())
	}
	return nil
}

// sameKind declines turning a number into a string and the like, which the
// checker alone would accept where the constant is hardly used.
func (j *job) sameKind(d *decl, spec *ast.ValueSpec, value string) error {
	_, x := j.unitOf(j.p, d.file)
	if x == nil {
		return nil
	}
	o := x.info.Defs[d.name]
	if o == nil || spec.Type != nil {
		return nil
	}
	was, ok := o.Type().Underlying().(*types.Basic)
	tv, err := types.Eval(j.p.fset, x.pkg, d.name.Pos(), value)
	if !ok || err != nil {
		return nil // the checker will say
	}
	is, ok := tv.Type.Underlying().(*types.Basic)
	const kinds = types.IsBoolean | types.IsNumeric | types.IsString
	if !ok || was.Info()&kinds != is.Info()&kinds {
		return nearer(j.declined("%s is %s, and %s is %s", d.name.Name, o.Type(), value, tv.Type), strconv.Quote(value))
	}
	return nil
}

// unitOf checks the package that holds the file, with everything it imports.
func (j *job) unitOf(p *project, g *goFile) (*universe, *unit) {
	cfgs, _ := configsFor([]*goFile{g})
	u := j.universe(p, cfgs[len(cfgs)-1])
	return u, unitHolding(u.unitsOf(g.dir, []*goFile{g}), g.ast.Package)
}

// universe is the project with all its types, made once per configuration.
func (j *job) universe(p *project, cfg buildConfig) *universe {
	key := universeKey{p, cfg.String()}
	if j.universes == nil {
		j.universes = map[universeKey]*universe{}
	}
	if j.universes[key] == nil {
		j.universes[key] = p.universe(cfg, levelAll)
	}
	return j.universes[key]
}

type universeKey struct {
	p   *project
	cfg string
}

// dirsUsing are the folders whose packages may refer to the declaration.
func (j *job) dirsUsing(d *decl) []string {
	if d.local || !exported(d.name.Name) {
		return []string{d.file.dir}
	}
	var out []string
	for _, f := range j.p.mentioning(d.name.Name) {
		out = append(out, dirOf(f))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// importsOf makes sure that the packages which an expression names are imported
// in the file: those of the standard library that are known by their last
// element, and those that another file of the package imports.
func (j *job) importsOf(g *goFile, e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok {
			if imp := j.importFor(g, id.Name); imp != "" {
				j.useImport(g, imp)
			}
		}
		return true
	})
}

// importFor is the path of the package that a name must mean in the file, where
// the file does not have it yet: "" if it has, or if nothing says.
func (j *job) importFor(g *goFile, name string) string {
	for _, s := range g.ast.Imports {
		if j.p.localName(g, importOf(s)) == name {
			return ""
		}
	}
	if _, x := j.unitOf(j.p, g); x != nil && x.pkg != nil && x.pkg.Scope().Lookup(name) != nil {
		return ""
	}
	paths := map[string]bool{}
	for _, f := range j.p.dirs[g.dir] {
		o := j.p.file(f)
		if o == nil {
			continue
		}
		for _, s := range o.ast.Imports {
			if s.Name == nil && j.p.packageName(o.dir, importOf(s)) == name {
				paths[importOf(s)] = true
			}
		}
	}
	if len(paths) == 1 {
		return keys(paths)[0]
	}
	for d := range j.p.dirs {
		if d[strings.LastIndexByte(d, '/')+1:] == name {
			return "" // the project has one of that name, too
		}
	}
	if len(paths) == 0 {
		return stdByName[name]
	}
	return ""
}

// stdByName are packages of the standard library whose name nobody mistakes.
var stdByName = func() map[string]string {
	m := map[string]string{}
	for _, p := range strings.Fields("bufio bytes cmp context errors fmt io iter log maps math os path reflect regexp slices sort strconv strings sync time unicode log/slog net/http net/url os/exec path/filepath sync/atomic unicode/utf8 encoding/json encoding/hex encoding/base64 math/big io/fs testing net") {
		m[p[strings.LastIndexByte(p, '/')+1:]] = p
	}
	return m
}()
