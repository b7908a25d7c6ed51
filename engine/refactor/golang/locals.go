package golang

import (
	"go/ast"
	"go/types"
	"slices"
)

// localDecls finds what functions of the file declare inside: parameters,
// results, receivers, variables, constants, types, labels. The checker decides
// what := declares, so the file is checked by itself, with nothing imported.
func (p *project) localDecls(g *goFile, name string) []*decl {
	u := p.universe(hostConfig(), levelOwn)
	x := u.check(unitKey{g.dir, g.path, "alone"}, []*goFile{g}, nil, true)
	var out []*decl
	seen := map[loc]bool{}
	for _, m := range x.mentionsIn(p, g, []string{name}) {
		def, isDef := x.info.Defs[m.id]
		if !isDef || seen[m.at] || name == "_" {
			continue
		}
		seen[m.at] = true
		if d := localDecl(g, m.id, def, x.pkg); d != nil {
			out = append(out, d)
		}
	}
	return out
}

func localDecl(g *goFile, id *ast.Ident, def types.Object, pkg *types.Package) *decl {
	fn := enclosingFunc(g, id)
	if fn == nil {
		return nil
	}
	d := &decl{name: id, file: g, kind: "local", owner: fn.Name.Name, node: fn, local: true}
	switch def := def.(type) {
	case nil: // the symbol of a type switch
	case *types.Var:
		if def.IsField() {
			d.kind = "field"
		} else if isParam(fn, id) {
			d.kind = "param"
		}
	case *types.Func:
		if def.Parent() == pkg.Scope() || id == fn.Name {
			return nil
		}
		d.kind = "method"
	}
	return d
}

func enclosingFunc(g *goFile, n ast.Node) *ast.FuncDecl {
	for _, d := range g.ast.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Pos() <= n.Pos() && n.Pos() < f.End() {
			return f
		}
	}
	return nil
}

func isParam(fn *ast.FuncDecl, id *ast.Ident) bool {
	for _, l := range []*ast.FieldList{fn.Recv, fn.Type.Params, fn.Type.Results} {
		if l == nil {
			continue
		}
		for _, f := range l.List {
			if slices.Contains(f.Names, id) {
				return true
			}
		}
	}
	return false
}

// selected are the symbols that the selected lines declare or use, local ones included.
func (j *job) selected(q query) []*symbol {
	g := j.p.file(j.target.File)
	if g == nil || j.target.From <= 0 {
		return nil
	}
	found := append(j.p.findTop(q), j.p.findLocal(q, []string{g.path})...)
	if out := j.used(found, q.name, g); len(out) < len(found) || len(found) == 1 {
		return out
	}
	return nil
}

// usedHere keeps the symbols that the target's file refers to.
func (j *job) usedHere(found []*symbol) []*symbol {
	g := j.p.file(j.target.File)
	if g == nil {
		return found
	}
	if out := j.used(found, found[0].first().name.Name, g); len(out) > 0 {
		return out
	}
	return found
}

// used keeps the symbols that the file, or its selected lines, refer to.
func (j *job) used(found []*symbol, name string, g *goFile) []*symbol {
	cfgs, _ := configsFor([]*goFile{g})
	used := map[loc]bool{}
	for _, x := range j.p.universe(cfgs[len(cfgs)-1], levelProject).unitsOf(g.dir, []*goFile{g}) {
		for _, m := range x.mentions(j.p, map[string]bool{g.path: true}, name) {
			l := g.line(m.at.off)
			if j.target.From > 0 && (l < j.target.From || l > j.target.To) {
				continue
			}
			for _, d := range m.decls {
				used[d] = true
			}
		}
	}
	var out []*symbol
	for _, s := range found {
		if slices.ContainsFunc(s.decls, func(d *decl) bool { return used[d.loc()] }) {
			out = append(out, s)
		}
	}
	return out
}

func (d *decl) loc() loc { return loc{d.file.path, d.file.off(d.name.Pos())} }
