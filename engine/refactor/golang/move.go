package golang

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor/kit"
)

// Paths implements the hook of move: a file without its folder is one of the package.
func (s syntax) Paths(*kit.Decl) ([]string, bool) {
	var out []string
	for _, dir := range sortedKeys(s.p.dirs) {
		out = append(out, s.p.dirs[dir]...)
	}
	return out, true
}

// Movable implements the hook of move. Within a package a declaration means the same in every file
// that the same builds include.
func (s syntax) Movable(m *kit.Move) error {
	sym := m.Decl.Raw.(declared).symbol
	d := sym.first()
	switch {
	case d.local || d.kind == "field" || d.kind == "method" && !isFuncDecl(d.node):
		return s.declined("%s is no declaration of its own", sym)
	case d.kind == "func" && d.name.Name == "init":
		return s.declined("init functions run in the order of their files")
	case !isGo(m.To):
		return s.declined("%s is not a Go file", m.To)
	case path.Dir(m.To) != d.file.dir:
		return s.declined("%s is in another package, and %s stays in %s: name a file of that folder",
			m.To, d.name.Name, d.file.dir)
	}
	if err := s.sameBuilds(m, d.file); err != nil {
		return err
	}
	if err := s.sameTests(m, sym); err != nil {
		return err
	}
	if err := s.part(m, d); err != nil || d.kind != "type" {
		return err
	}
	for _, o := range declsIn(d.file, "") {
		if o.kind == "method" && o.owner == d.name.Name && isFuncDecl(o.node) {
			if err := s.part(m, o); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(m.Parts, func(a, b kit.Part) int { return a.From - b.From })
	return nil
}

// sameBuilds declines a file that other builds include, or that nobody writes by hand.
func (s syntax) sameBuilds(m *kit.Move, g *goFile) error {
	if goos, goarch := nameConstraint(g.path); true {
		if toOS, toArch := nameConstraint(m.To); goos != toOS || goarch != toArch {
			return s.declined("the names of %s and %s ask for different systems", g.path, m.To)
		}
	}
	if g.generated() {
		return s.declined("%s is generated", g.path)
	}
	if m.Into == nil {
		return nil
	}
	t := m.Into.Raw.(*goFile)
	switch {
	case t.generated():
		return s.declined("%s is generated", t.path)
	case t.ast.Name.Name != g.ast.Name.Name:
		return s.declined("%s is in package %s, and %s in %s", t.path, t.ast.Name.Name, g.path, g.ast.Name.Name)
	case (g.expr == nil) != (t.expr == nil) || g.expr != nil && g.expr.String() != t.expr.String():
		return s.declined("the build constraints of %s and %s differ", g.path, t.path)
	}
	return nil
}

// sameTests declines what go test would no longer find, or what other packages would lose.
func (s syntax) sameTests(m *kit.Move, sym *symbol) error {
	d, toTest := sym.first(), strings.HasSuffix(m.To, "_test.go")
	switch {
	case toTest == d.file.test:
		return nil
	case d.file.test && d.kind == "func" && testPrefix(d.name.Name) != "":
		return s.declined("go test looks for %s in files that end in _test.go", d.name.Name)
	case d.file.test && strings.HasSuffix(d.file.ast.Name.Name, "_test"):
		return s.declined("%s is in package %s, which test files alone can be in", d.file.path, d.file.ast.Name.Name)
	case d.file.test:
		return nil // the checker tells whether it uses what tests declare
	case exported(d.name.Name):
		return s.declined("%s is exported, and nothing outside the tests sees what %s declares", d.name.Name, m.To)
	}
	_, uses, err := s.usesOf(sym)
	if err != nil {
		return err
	}
	for _, u := range uses {
		if !u.file.test && !insideDecl(sym, u) {
			return s.declined("%s is used at %s, outside the tests", d.name.Name, u.place())
		}
	}
	return nil
}

// part adds a declaration to what moves.
func (s syntax) part(m *kit.Move, d *decl) error {
	from, to, err := s.declLines(d)
	if err != nil {
		return err
	}
	g := d.file
	to = from + len(bytes.TrimRight(g.src[from:to], "\r\n"))
	text := strings.ReplaceAll(string(g.src[from:to]), "\r\n", "\n")
	for line := range strings.Lines(text) {
		for _, word := range []string{"//go:embed", "//go:linkname", "//go:wasm", "//export "} {
			if strings.HasPrefix(strings.TrimSpace(line), word) {
				return s.declined("%s is tied to its file by %s", d.name.Name, strings.TrimSpace(line))
			}
		}
	}
	if gd := groupOf(d); gd != nil && gd.Lparen.IsValid() && len(gd.Specs) > 1 {
		if text, err = alone(gd.Tok, g, d, from, to); err != nil {
			return s.declined("%s cannot be taken out of its group: %v", d.name.Name, err)
		}
	}
	m.Parts = append(m.Parts, kit.Part{From: from, To: to, Text: text})
	return nil
}

func groupOf(d *decl) *ast.GenDecl {
	for _, x := range d.file.ast.Decls {
		if gd, ok := x.(*ast.GenDecl); ok && gd.Pos() <= d.name.Pos() && d.name.Pos() < gd.End() {
			return gd
		}
	}
	return nil
}

// alone is a spec of a group as a declaration of its own.
func alone(tok token.Token, g *goFile, d *decl, from, to int) (string, error) {
	at := g.off(d.node.Pos())
	src := "package p\n\n" + string(g.src[from:g.lineStart(at)]) + tok.String() + " " + string(g.src[at:to]) + "\n"
	out, err := format.Source([]byte(strings.ReplaceAll(src, "\r\n", "\n")))
	return strings.TrimSpace(strings.TrimPrefix(string(out), "package p\n")), err
}

// Follow implements the hook of move: the other file imports what the parts use. What the first
// file no longer uses goes when the edits are settled.
func (s syntax) Follow(m *kit.Move) error {
	d := m.Decl.Raw.(declared).decl
	g := d.file
	_, x := s.unitOf(s.p, g)
	if x == nil || x.info == nil {
		return s.declined("no build includes %s", g.path)
	}
	for _, e := range x.errs {
		if g.contains(e.Pos) && m.Holds(g.off(e.Pos)) {
			return s.declined("%s:%d does not compile: %s", g.path, g.lineOf(e.Pos), e.Msg)
		}
	}
	if err := s.keepsOrder(m, x, d); err != nil {
		return err
	}
	if m.Into == nil != (len(s.p.bytes[m.To]) == 0) {
		return s.declined("%s cannot be read as Go", m.To)
	}
	needs, err := s.needs(m, x, g)
	if err != nil {
		return err
	}
	if d.file.test && !strings.HasSuffix(m.To, "_test.go") {
		for _, n := range needs {
			if n.path == "testing" {
				return s.declined("%s uses the package testing, which belongs in files that end in _test.go", d.name.Name)
			}
		}
	}
	if d.file.test != strings.HasSuffix(m.To, "_test.go") {
		m.Job.Promise.Users = []*kit.Decl{m.Decl}
	}
	if m.Into == nil {
		m.Head = s.newHead(m, g, needs)
	} else {
		t := m.Into.Raw.(*goFile)
		m.At = placeIn(t, d)
		if err := s.importInto(m, t, needs); err != nil {
			return err
		}
	}
	m.Write()
	return nil
}

// need is a package that the moved code refers to.
type need struct {
	path, name string
	alias      bool // the name is written before the path
	at         []int
}

// needs are the packages that the parts refer to, in the order of their paths.
func (s syntax) needs(m *kit.Move, x *unit, g *goFile) ([]*need, error) {
	by, err := map[string]*need{}, error(nil)
	ast.Inspect(g.ast, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok { // its name is a member, or behind its package
			ast.Inspect(sel.X, func(n ast.Node) bool { return s.needed(m, x, g, n, by, &err) })
			return false
		}
		return s.needed(m, x, g, n, by, &err)
	})
	var out []*need
	for _, k := range sortedKeys(by) {
		out = append(out, by[k])
	}
	return out, err
}

func (s syntax) needed(m *kit.Move, x *unit, g *goFile, n ast.Node, by map[string]*need, err *error) bool {
	id, ok := n.(*ast.Ident)
	if sel, is := n.(*ast.SelectorExpr); is {
		ast.Inspect(sel.X, func(n ast.Node) bool { return s.needed(m, x, g, n, by, err) })
		return false
	}
	if !ok || !m.Holds(g.off(id.Pos())) {
		return true
	}
	switch obj := x.info.Uses[id].(type) {
	case nil:
	case *types.PkgName:
		imp := obj.Imported().Path()
		if spec := specOf(g, x, obj); spec != nil {
			imp = importOf(spec)
			if by[imp] == nil {
				by[imp] = &need{path: imp, name: id.Name, alias: spec.Name != nil}
			}
			by[imp].at = append(by[imp].at, g.off(id.Pos()))
		}
		if imp == "C" && *err == nil {
			*err = s.declined("%s:%d uses C, which is declared in its file", g.path, g.lineOf(id.Pos()))
		}
	default:
		if obj.Pkg() != nil && obj.Pkg() != x.pkg && obj.Parent() == obj.Pkg().Scope() && *err == nil {
			*err = s.declined("%s:%d uses %s from an import with a dot", g.path, g.lineOf(id.Pos()), id.Name)
		}
	}
	return true
}

// specOf is the import that declares the package's name in the file.
func specOf(g *goFile, x *unit, obj *types.PkgName) *ast.ImportSpec {
	for _, spec := range g.ast.Imports {
		if x.info.Implicits[spec] == obj || spec.Name != nil && x.info.Defs[spec.Name] == obj {
			return spec
		}
	}
	return nil
}

// newHead is what a new file of the package begins with.
func (s syntax) newHead(m *kit.Move, g *goFile, needs []*need) string {
	var b strings.Builder
	if notice := m.From.Notice(); notice != "" && !strings.Contains(notice, "//go:build") {
		b.WriteString(notice + "\n\n")
	}
	if g.expr != nil {
		b.WriteString("//go:build " + g.expr.String() + "\n\n")
	}
	b.WriteString("package " + g.ast.Name.Name)
	if len(needs) == 0 {
		return b.String()
	}
	lines := make([][]string, 3)
	for _, n := range needs {
		line := strconv.Quote(n.path)
		if n.alias {
			line = n.name + " " + line
		}
		class := s.p.classOf(g, n.path)
		lines[class] = append(lines[class], line)
	}
	lines = slices.DeleteFunc(lines, func(l []string) bool { return len(l) == 0 })
	if len(needs) == 1 {
		return b.String() + "\n\nimport " + lines[0][0]
	}
	groups := make([]string, len(lines))
	for i, l := range lines {
		groups[i] = "\t" + strings.Join(l, "\n\t") + "\n"
	}
	return b.String() + "\n\nimport (\n" + strings.Join(groups, "\n") + ")"
}

// importInto makes the packages known in the file, by the names that it has for them.
func (s syntax) importInto(m *kit.Move, t *goFile, needs []*need) error {
	now, patches := t.src, []kit.Patch(nil)
	for _, n := range needs {
		if is := s.p.localName(t, n.path); is != "" {
			for _, at := range n.at {
				if is != n.name {
					patches = append(patches, kit.Patch{From: at, To: at + len(n.name), With: is})
				}
			}
			continue
		}
		for _, spec := range t.ast.Imports {
			if s.p.localName(t, importOf(spec)) == n.name {
				return s.declined("%s is %s in %s and %s in %s", n.name, n.path, m.From.Path, importOf(spec), t.path)
			}
		}
		alias := ""
		if n.alias {
			alias = n.name
		}
		q := s.p.overlay(map[string][]byte{t.path: now})
		one := &job{ctx: s.ctx, p: q, op: s.op, edits: newEdits(q)}
		one.insertImport(q.file(t.path), alias, n.path)
		if err := one.edits.sorted(); err != nil {
			return fmt.Errorf("move: import %s: %w", n.path, err)
		}
		now = applyChanges(now, one.edits.changes[t.path])
	}
	if diff := lineDiff(t.src, now); len(diff) > 0 {
		s.edits.changes[t.path] = append(s.edits.changes[t.path], diff...)
	}
	return m.Patch(patches...)
}

// placeIn is where in the file the declaration goes: a method behind the others of its type,
// constants and variables behind those at the top, everything else at the end.
func placeIn(t *goFile, d *decl) int {
	after := ast.Node(nil)
	for _, x := range t.ast.Decls {
		switch x := x.(type) {
		case *ast.FuncDecl:
			if d.kind == "method" && receiverName(x) == d.owner {
				after = x
			}
		case *ast.GenDecl:
			if d.kind == "method" && x.Tok == token.TYPE && slices.ContainsFunc(x.Specs, func(s ast.Spec) bool {
				return s.(*ast.TypeSpec).Name.Name == d.owner
			}) {
				after = x
			}
		}
	}
	if d.kind == "const" || d.kind == "var" {
		after = t.ast.Name
		for _, x := range t.ast.Decls {
			gd, ok := x.(*ast.GenDecl)
			if !ok || gd.Tok == token.TYPE {
				break
			}
			after = gd
		}
	}
	if after == nil {
		return len(t.src)
	}
	return t.lineEnd(t.off(after.End()))
}

// keepsOrder declines a variable whose value comes from a call that may take part in the order in
// which the package begins: variables are set file by file.
func (s syntax) keepsOrder(m *kit.Move, x *unit, d *decl) error {
	spec, ok := d.node.(*ast.ValueSpec)
	if !ok || d.kind != "var" || !s.acts(x, spec) {
		return nil
	}
	g := d.file
	for _, f := range x.files {
		for _, o := range f.ast.Decls {
			gd, ok := o.(*ast.GenDecl)
			if !ok || gd.Tok != token.VAR {
				continue
			}
			for _, v := range gd.Specs {
				other := v.(*ast.ValueSpec)
				if other == spec || !s.acts(x, other) {
					continue
				}
				before := f.path < g.path || f == g && other.Pos() < spec.Pos()
				if before != (f.path < m.To || f.path == m.To && f.off(other.Pos()) < placeIn(f, d)) {
					return s.declined("%s would be set before or after %s (%s:%d) otherwise than now", d.name.Name,
						other.Names[0].Name, f.path, f.lineOf(other.Pos()))
				}
			}
		}
	}
	return nil
}

// acts reports whether the values of a variable come from code of the project that runs.
func (s syntax) acts(x *unit, spec *ast.ValueSpec) bool {
	found := false
	for _, v := range spec.Values {
		ast.Inspect(v, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.UnaryExpr:
				found = found || n.Op == token.ARROW
			case *ast.CallExpr:
				found = found || !pureCall(x.info, n) && s.ours(x, n)
				if lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
					found = true
					return lit == nil
				}
			}
			return !found
		})
	}
	return found
}

// ours reports whether a call may run code of the project.
func (s syntax) ours(x *unit, call *ast.CallExpr) bool {
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return true
	}
	switch obj := x.info.Uses[id].(type) {
	case *types.TypeName, *types.Builtin:
		return false
	case *types.Func:
		if obj.Pkg() == nil {
			return true
		}
		_, project := s.p.mods.resolve(x.key.dir, obj.Pkg().Path())
		return project || obj.Pkg() == x.pkg
	}
	return true
}
