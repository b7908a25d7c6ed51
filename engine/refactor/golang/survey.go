package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// survey is every mention of the two names in the packages concerned, under
// every build configuration that matters, and what the checker said of them.
type survey struct {
	p         *project
	level     level
	files     []*goFile
	universes []*universe
	units     []surveyed
	mentions  []*mention
	left      []*goFile // files no configuration builds
}

type surveyed struct {
	cfg    int
	unit   *unit
	wanted map[string]bool
}

// survey looks at the files that hold the old name, and at those that hold the
// new one where it could get in the way.
func (r *renaming) survey(p *project, files []*goFile, l level) (*survey, error) {
	return r.surveyOn(nil, p, files, l)
}

// sees reports whether a file that does not parse can get at a member through
// what it imports, as far as that can be read.
func (r *renaming) sees(p *project, g *goFile) bool {
	if _, err := parser.ParseFile(token.NewFileSet(), g.path, g.src, parser.ImportsOnly); err != nil {
		return true
	}
	return p.dependents(r.dirs)[g.dir] || p.comesBack()
}

// surveyAfter surveys an overlay as s surveyed what it was made from.
func (r *renaming) surveyAfter(q *project, files []*goFile, s *survey) (*survey, error) {
	if s.level == levelOwn {
		return r.survey(q, files, s.level) // nothing to share: each package is alone
	}
	return r.surveyOn(s, q, files, s.level)
}

func (r *renaming) surveyOn(base *survey, p *project, files []*goFile, l level) (*survey, error) {
	var reached map[string]bool
	if base != nil {
		reached = p.reached()
	}
	for _, g := range files {
		if g.err != nil && (r.dirs[g.dir] || r.importsDecl(p, g) || r.member && r.sees(p, g)) {
			return nil, r.j.declined("%s mentions %s and does not parse: %v", g.path, r.from, g.err)
		}
	}
	s := &survey{p: p, level: l, files: files}
	var cfgs []buildConfig
	cfgs, s.left = configsFor(files)
	for i, cfg := range cfgs {
		u := p.universe(cfg, l, keys(r.dirs)...)
		u.narrow = u.narrow || r.narrow
		if !r.whole {
			u.words = []string{r.from, r.to}
		}
		if base != nil && i < len(base.universes) && base.universes[i].cfg.String() == cfg.String() {
			u.after(base.universes[i], reached)
		}
		s.universes = append(s.universes, u)
		for _, dir := range dirsOf(files) {
			for _, x := range r.unitsIn(u, dir, files) {
				s.add(i, x, files, r.whole)
			}
		}
		for _, dir := range keys(r.extra) {
			for _, x := range u.unitsOf(dir, p.files(p.dirs[dir])) {
				s.add(i, x, files, true)
			}
		}
	}
	return s, nil
}

// add takes a unit in; its mentions are looked for in the given files, or in all.
func (s *survey) add(cfg int, x *unit, files []*goFile, all bool) {
	var wanted map[string]bool
	if !all {
		wanted = map[string]bool{}
		for _, g := range files {
			wanted[g.path] = true
		}
	}
	s.units = append(s.units, surveyed{cfg, x, wanted})
}

// collect resolves the mentions of the names in all units.
func (s *survey) collect(names ...string) {
	s.mentions = nil
	for _, x := range s.units {
		s.mentions = append(s.mentions, x.unit.mentions(s.p, x.wanted, names...)...)
	}
}

// unitsIn checks the folder's units. Where only package-qualified uses matter,
// a foreign folder's mentioning files alone are enough: the names that are
// missing then are declared by files that do not mention the symbol.
func (r *renaming) unitsIn(u *universe, dir string, files []*goFile) []*unit {
	if b := u.before(dir); b != nil {
		return r.unitsIn(b, dir, files)
	}
	var wanted []*goFile
	for _, g := range files {
		if g.dir == dir {
			wanted = append(wanted, g)
		}
	}
	if r.dirs[dir] || !u.narrow {
		return u.unitsOf(dir, wanted)
	}
	groups := map[string][]*goFile{}
	for _, g := range wanted {
		switch {
		case standalone(g):
			groups[g.path] = append(groups[g.path], g)
		case u.cfg.includes(g):
			groups[g.ast.Name.Name] = append(groups[g.ast.Name.Name], g)
		}
	}
	var out []*unit
	for _, name := range sortedKeys(groups) {
		out = append(out, u.check(unitKey{dir, name, "part"}, groups[name], nil, true))
	}
	return out
}

// concerned lists the files to survey.
func (r *renaming) concerned(p *project) []*goFile {
	if r.local {
		return p.files(r.sameDir(p.mentioning(r.from, r.to)))
	}
	if !r.wide && !exported(r.to) {
		return p.files(r.sameDir(p.mentioning(r.from, r.to)))
	}
	old := p.files(p.mentioning(r.from))
	in := map[string]bool{}
	var out []*goFile
	add := func(g *goFile) {
		if !in[g.path] && !hidden(g.path) {
			in[g.path] = true
			out = append(out, g)
		}
	}
	for _, g := range old {
		if r.dirs[g.dir] || r.wide && (r.member || r.importsDecl(p, g)) {
			add(g)
		}
	}
	promoted := r.promoted(p)
	for _, f := range p.mentioning(r.to) {
		if !promoted && !r.dirs[path.Dir(f)] && !r.extra[path.Dir(f)] {
			continue // no selector there can reach the renamed member under its new name
		}
		if g := p.file(f); g != nil {
			add(g)
		}
	}
	slices.SortFunc(out, func(a, b *goFile) int { return strings.Compare(a.path, b.path) })
	return out
}

// promoted reports whether some type embeds one whose member is renamed, so that
// the new name may hide or meet another one where the member is not mentioned.
func (r *renaming) promoted(p *project) bool {
	if !r.member {
		return false
	}
	owners := map[string]bool{}
	for _, s := range r.symbols {
		if owners[s.first().owner] = true; s.first().owner == "" || !r.onlyMembers() {
			return true
		}
	}
	found := false
	for _, g := range p.files(p.mentioning(keys(owners)...)) {
		ast.Inspect(g.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncType:
				return false // what looks embedded there is a parameter without a name
			case *ast.Field:
				found = found || len(n.Names) == 0 && owners[embeddedName(n.Type)]
			case *ast.TypeSpec:
				found = found || n.Assign.IsValid() && owners[embeddedName(n.Type)]
			}
			return !found
		})
	}
	return found
}

func (r *renaming) sameDir(names []string) []string {
	return slices.DeleteFunc(names, func(f string) bool { return !r.dirs[path.Dir(f)] || hidden(f) })
}

// importsDecl reports whether the file imports a package that declares the symbol.
func (r *renaming) importsDecl(p *project, g *goFile) bool {
	for _, s := range g.ast.Imports {
		if dir, ok := p.mods.resolve(g.dir, importOf(s)); ok && r.dirs[dir] {
			return true
		}
	}
	return false
}

func (r *renaming) dotImports(p *project, g *goFile) bool {
	for _, s := range g.ast.Imports {
		if s.Name == nil || s.Name.Name != "." {
			continue
		}
		if dir, ok := p.mods.resolve(g.dir, importOf(s)); ok && r.dirs[dir] {
			return true
		}
	}
	return false
}

// importOf is the path of an import.
func importOf(s *ast.ImportSpec) string { return strings.Trim(s.Path.Value, "`\"") }

// embedded reports whether some struct embeds a type of the old name: its field
// is then reached through values.
func (r *renaming) embedded() bool {
	isType := slices.ContainsFunc(r.symbols, func(s *symbol) bool { return s.first().kind == "type" || s.first().local })
	if !isType {
		return false
	}
	found := false
	for _, g := range r.j.p.files(r.j.p.mentioning(r.from)) {
		ast.Inspect(g.ast, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && len(f.Names) == 0 && embeddedName(f.Type) == r.from {
				found = found || r.mayName(g, f.Type)
			}
			return !found
		})
	}
	return found
}

// mayName reports whether the type, written with the old name, may be the
// renamed one, going by what the file can see.
func (r *renaming) mayName(g *goFile, t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.StarExpr:
		return r.mayName(g, t.X)
	case *ast.SelectorExpr:
		return r.importsDecl(r.j.p, g)
	case *ast.Ident:
		return r.dirs[g.dir] || r.dotImports(r.j.p, g)
	}
	return true
}

// embeddedIdent is the identifier that names an embedded field.
func embeddedIdent(t ast.Expr) *ast.Ident {
	switch t := t.(type) {
	case *ast.StarExpr:
		return embeddedIdent(t.X)
	case *ast.ParenExpr:
		return embeddedIdent(t.X)
	case *ast.SelectorExpr:
		return t.Sel
	case *ast.IndexExpr:
		return embeddedIdent(t.X)
	case *ast.IndexListExpr:
		return embeddedIdent(t.X)
	case *ast.Ident:
		return t
	}
	return nil
}

func embeddedName(t ast.Expr) string {
	if id := embeddedIdent(t); id != nil {
		return id.Name
	}
	return ""
}

// grow adds to the targets what must be renamed with them: fields that embed a
// renamed type, and methods coupled through interfaces.
func (r *renaming) grow(s *survey) error {
	s.collect(r.from, r.to)
	for changed := true; changed; {
		changed = false
		for _, m := range s.mentions {
			embeds := len(m.decls) == 2 // the field that is declared and the type that is used
			if embeds && m.id.Name == r.from && r.isTarget(m) && !r.targets[m.at] {
				r.targets[m.at] = true
				changed = true
			}
		}
	}
	if r.methods() {
		return r.couple(s)
	}
	return nil
}

func (r *renaming) methods() bool {
	return slices.ContainsFunc(r.symbols, func(s *symbol) bool { return s.first().kind == "method" })
}

// doubts lists the mentions that may be the symbol, as far as this survey could
// tell. far reports whether there are more, in packages that import no declaring
// one, directly or not: there a value of the type can come only out of a
// dependency that imports this project (see comesBack).
func (r *renaming) doubts(s *survey) (out []string, far bool) {
	sure := map[loc]string{} // by place: the meaning some unit found
	target := map[loc]bool{}
	var see map[string]bool
	doubt := func(m *mention) {
		if see == nil {
			see = r.j.p.dependents(r.dirs)
		}
		if r.wide && !r.dirs[m.file.dir] && !see[m.file.dir] && !m.resolved() {
			far = true
			return
		}
		out = append(out, fmt.Sprintf("%s:%d", m.file.path, m.file.line(m.at.off)))
	}
	same := func(l loc) loc { return l }
	for _, m := range s.mentions {
		if m.id.Name != r.from || !m.resolved() {
			continue
		}
		if m.shaky && r.member {
			doubt(m)
		}
		if _, ok := sure[m.at]; ok && target[m.at] != r.isTarget(m) {
			doubt(m) // one build says so, another one not
		}
		sure[m.at], target[m.at] = m.meaning(same), r.isTarget(m)
	}
	for _, m := range s.mentions {
		if _, ok := sure[m.at]; !ok && m.id.Name == r.from && r.possible(m) {
			doubt(m)
		}
	}
	for _, g := range s.left {
		if hasWord(g.src, r.from) {
			out = append(out, g.path)
		}
	}
	return out, far
}

// possible reports whether an unresolved mention can be the symbol at all.
func (r *renaming) possible(m *mention) bool {
	switch {
	case r.local:
		return !m.sel && slices.ContainsFunc(r.symbols, func(s *symbol) bool { return s.first().file == m.file })
	case m.sel && m.pkg != "":
		return !r.onlyMembers() && slices.ContainsFunc(keys(r.dirs), func(d string) bool {
			return m.pkg == r.j.p.mods.importPath(d)
		})
	case m.sel:
		return r.member
	case m.key && m.foreignLit:
		return !r.onlyMembers() && (r.dirs[m.file.dir] || r.dotImports(r.j.p, m.file))
	case m.key:
		return r.member || r.dirs[m.file.dir] || r.dotImports(r.j.p, m.file)
	}
	return !r.onlyMembers() && (r.dirs[m.file.dir] || r.dotImports(r.j.p, m.file))
}

// onlyMembers reports whether every symbol is a method or field, which no bare name reaches.
func (r *renaming) onlyMembers() bool {
	return !slices.ContainsFunc(r.symbols, func(s *symbol) bool {
		k := s.first().kind
		return k != "method" && k != "field"
	})
}
