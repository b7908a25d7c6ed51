package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// loc is a place in the bytes of the project.
type loc struct {
	path string
	off  int
}

func (l loc) String() string { return fmt.Sprintf("%s@%d", l.path, l.off) }

// mention is one identifier that is spelled as the name in question, and what
// it means in one unit. Declarations are identified by where their name
// stands, which is the same in every unit and under every build configuration.
type mention struct {
	at         loc
	id         *ast.Ident
	file       *goFile
	decls      []loc  // the project's declarations it refers to; two for an embedded field
	foreign    string // it certainly means this thing outside the project
	sel        bool   // it is the Sel of a selector
	pkg        string // import path of the package that qualifies it
	key        bool   // it is a key of a composite literal
	foreignLit bool   // of a type from outside the project, so it is no field of ours
	shaky      bool   // resolved through an embedded field of unknown type
	obj        types.Object
	unit       *unit
}

func (m *mention) resolved() bool { return len(m.decls) > 0 || m.foreign != "" }

// meaning is the resolution as text, with places mapped by where.
func (m *mention) meaning(where func(loc) loc) string {
	if m.foreign != "" {
		return m.foreign
	}
	if len(m.decls) == 0 {
		return "?"
	}
	var s []string
	for _, d := range m.decls {
		s = append(s, where(d).String())
	}
	sort.Strings(s)
	return strings.Join(s, " ")
}

// mentions lists the identifiers of the unit's wanted files that are spelled as one of the names.
func (x *unit) mentions(p *project, wanted map[string]bool, names ...string) []*mention {
	var out []*mention
	for _, g := range x.files {
		if wanted == nil || wanted[g.path] {
			out = append(out, x.mentionsIn(p, g, names)...)
		}
	}
	return out
}

func (x *unit) mentionsIn(p *project, g *goFile, names []string) []*mention {
	var out []*mention
	sels := map[*ast.Ident]*ast.SelectorExpr{}
	keys := map[*ast.Ident]*ast.CompositeLit{}
	ast.Inspect(g.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			sels[n.Sel] = n
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if id, ok := kv.Key.(*ast.Ident); ok {
						keys[id] = n
					}
				}
			}
		case *ast.Ident:
			if n == g.ast.Name || !spelled(n.Name, names) {
				return true
			}
			m := &mention{at: loc{g.path, g.off(n.Pos())}, id: n, file: g, key: keys[n] != nil, unit: x}
			m.foreignLit = m.key && x.foreignLit(p, g, keys[n])
			x.resolve(p, m, sels[n])
			out = append(out, m)
		}
		return true
	})
	return out
}

// foreignLit reports whether the literal's type is written as one of a package
// outside the project. Its fields are that package's, loaded or not.
func (x *unit) foreignLit(p *project, g *goFile, lit *ast.CompositeLit) bool {
	t, ok := lit.Type.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := t.X.(*ast.Ident)
	if !ok {
		return false
	}
	pn, ok := x.info.Uses[id].(*types.PkgName)
	if !ok {
		return false
	}
	_, ours := p.mods.resolve(g.dir, pn.Imported().Path())
	return !ours
}

func spelled(s string, names []string) bool {
	for _, n := range names {
		if s == n {
			return true
		}
	}
	return false
}

// resolve fills in what the checker found out about the identifier.
func (x *unit) resolve(p *project, m *mention, sel *ast.SelectorExpr) {
	if sel != nil {
		m.sel = true
		if id, ok := sel.X.(*ast.Ident); ok {
			if pn, ok := x.info.Uses[id].(*types.PkgName); ok {
				m.pkg = pn.Imported().Path()
			}
		}
		if s := x.info.Selections[sel]; s != nil && len(s.Index()) > 1 {
			m.shaky = embedsUnknown(s.Recv(), len(s.Index()), map[types.Type]bool{})
		}
	}
	def, isDef := x.info.Defs[m.id]
	if isDef && def == nil { // the symbol of a type switch: it declares one variable per clause
		m.decls = append(m.decls, m.at)
		return
	}
	for _, o := range []types.Object{def, x.info.Uses[m.id]} {
		if o != nil {
			m.obj = o
			m.point(p, o)
		}
	}
}

func (m *mention) point(p *project, o types.Object) {
	if l, ok := p.locate(origin(o).Pos()); ok {
		m.decls = append(m.decls, l)
		return
	}
	pkg := "universe"
	if o.Pkg() != nil {
		pkg = o.Pkg().Path()
		if _, ours := p.mods.resolve(m.file.dir, pkg); ours {
			return // the project's own, seen through a dependency: there is no place to compare
		}
	}
	m.foreign = pkg + "." + o.Name()
}

// origin is the generic declaration behind an instantiated field or method.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Var:
		return o.Origin()
	case *types.Func:
		return o.Origin()
	}
	return o
}

// locate is the place of a position that lies in one of the project's files.
func (p *project) locate(pos token.Pos) (loc, bool) {
	if !pos.IsValid() {
		return loc{}, false
	}
	f := p.fset.File(pos)
	if f == nil {
		return loc{}, false
	}
	if p.base != nil && !p.changed[f.Name()] {
		return p.base.locate(pos)
	}
	p.mu.Lock()
	g := p.parsed[f.Name()]
	p.mu.Unlock()
	if g == nil || g.tok != f {
		return loc{}, false
	}
	return loc{g.path, f.Offset(pos)}, true
}

// embedsUnknown reports whether a selection through t might really end in an
// embedded field whose type could not be loaded.
func embedsUnknown(t types.Type, depth int, seen map[types.Type]bool) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if seen[t] || depth == 0 {
		return false
	}
	seen[t] = true
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if !f.Embedded() {
			continue
		}
		ft := f.Type()
		if pt, ok := ft.(*types.Pointer); ok {
			ft = pt.Elem()
		}
		if b, ok := ft.Underlying().(*types.Basic); ok && b.Kind() == types.Invalid {
			return true
		}
		if embedsUnknown(ft, depth-1, seen) {
			return true
		}
	}
	return false
}
