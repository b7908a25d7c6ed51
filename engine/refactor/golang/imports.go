package golang

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// importBlock is the file's import declaration that new imports join: the first
// one that is not import "C".
func importBlock(g *goFile) *ast.GenDecl {
	for _, d := range g.ast.Decls {
		if gd, ok := d.(*ast.GenDecl); ok && gd.Tok == token.IMPORT && len(gd.Specs) > 0 && !isC(gd) {
			return gd
		}
	}
	return nil
}

func isC(gd *ast.GenDecl) bool {
	return slices.ContainsFunc(gd.Specs, func(s ast.Spec) bool { return importOf(s.(*ast.ImportSpec)) == "C" })
}

// classOf sorts imports into the groups people keep: the standard library,
// everybody's modules, this module.
func (p *project) classOf(g *goFile, imp string) int {
	if mod := p.mods.of(g.dir); mod != nil && (imp == mod.path || strings.HasPrefix(imp, mod.path+"/")) {
		return 2
	}
	if first, _, _ := strings.Cut(imp, "/"); strings.Contains(first, ".") {
		return 1
	}
	return 0
}

// localName is the name by which the file refers to the import path, "" if it does not import it.
func (p *project) localName(g *goFile, imp string) string {
	for _, s := range g.ast.Imports {
		if importOf(s) != imp || s.Name != nil && (s.Name.Name == "_" || s.Name.Name == ".") {
			continue
		}
		if s.Name != nil {
			return s.Name.Name
		}
		return p.packageName(g.dir, imp)
	}
	return ""
}

// packageName is what a package calls itself, as seen from a folder; where it
// does not load, what its path makes likely.
func (p *project) packageName(dir, imp string) string {
	if d, ok := p.mods.resolve(dir, imp); ok {
		u := p.universe(hostConfig(), levelOwn)
		if fs := u.libFiles(d); len(fs) > 0 {
			return fs[0].ast.Name.Name
		}
	}
	if first, _, _ := strings.Cut(imp, "/"); strings.Contains(first, ".") {
		if pkg, err := p.ext.host(dir, imp); err == nil {
			return pkg.Name()
		}
	}
	return assumedName(imp)
}

// assumedName guesses a package's name from its path: the last element that is not a version.
func assumedName(imp string) string {
	base := path.Base(imp)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" && path.Dir(imp) != "." {
		base = path.Base(path.Dir(imp))
	}
	base, _, _ = strings.Cut(base, ".")
	return strings.TrimPrefix(base, "go-")
}

// useImport makes the import path available in the file and returns the name to
// use it by. An import that is there is used as it is.
func (j *job) useImport(g *goFile, imp string) string {
	if n := j.p.localName(g, imp); n != "" {
		return n
	}
	key := g.path + "\x00" + imp
	if n, ok := j.imported[key]; ok {
		return n
	}
	n := j.p.packageName(g.dir, imp)
	if j.imported == nil {
		j.imported = map[string]string{}
	}
	j.imported[key] = n
	j.insertImport(g, "", imp)
	return n
}

// insertImport adds a line to the file's imports, in the group where its kind is.
func (j *job) insertImport(g *goFile, alias, imp string) {
	line := strconv.Quote(imp)
	if alias != "" {
		line = alias + " " + line
	}
	gd := importBlock(g)
	switch {
	case gd == nil:
		j.insertFirstImport(g, line)
	case !gd.Lparen.IsValid():
		j.wrapImport(g, gd, line, imp)
	default:
		j.insertIntoGroups(g, gd, line, imp)
	}
}

func (j *job) insertFirstImport(g *goFile, line string) {
	at := g.lineEnd(g.off(g.ast.Name.End()))
	lead := "\n"
	if at == 0 || g.src[at-1] != '\n' {
		lead = "\n\n"
	}
	tail := ""
	if at < len(g.src) && !blankLineAt(g, at) {
		tail = "\n"
	}
	j.insertLines(g, at, lead+"import "+line+"\n"+tail)
}

func blankLineAt(g *goFile, at int) bool {
	return len(bytes.TrimSpace(g.src[at:g.lineEnd(at)])) == 0
}

// wrapImport turns import "a" into a group of two.
func (j *job) wrapImport(g *goFile, gd *ast.GenDecl, line, imp string) {
	spec := gd.Specs[0].(*ast.ImportSpec)
	from, to := g.off(spec.Pos()), g.off(spec.End())
	end := g.lineEnd(to)
	rest := strings.TrimRight(string(g.src[to:end]), "\r\n")
	old := string(g.src[from:to]) + rest
	a, b := j.p.classOf(g, importOf(spec)), j.p.classOf(g, imp)
	first, second := old, line
	if b < a || b == a && imp < importOf(spec) {
		first, second = line, old
	}
	gap := "\n\t"
	if a != b {
		gap = "\n\n\t"
	}
	nl := ""
	if end > to && g.src[end-1] == '\n' {
		nl = "\n"
	}
	j.replaceLines(g, from, end, "(\n\t"+first+gap+second+"\n)"+nl)
}

// insertIntoGroups finds the group (specs without a blank line between them)
// with most imports of the same kind, and the place in it by path.
func (j *job) insertIntoGroups(g *goFile, gd *ast.GenDecl, line, imp string) {
	class := j.p.classOf(g, imp)
	best, bestScore := []*ast.ImportSpec(nil), 0
	groups := importGroups(g, gd)
	for _, gr := range groups {
		score := 0
		for _, s := range gr {
			if j.p.classOf(g, importOf(s)) == class {
				score++
			} else {
				score--
			}
		}
		if score > bestScore || best == nil && len(groups) == 1 && score == 0 {
			best, bestScore = gr, score
		}
	}
	if best == nil {
		j.insertGroup(g, gd, groups, line, class)
		return
	}
	for _, s := range best {
		if imp < importOf(s) {
			at := s.Pos()
			if s.Doc != nil {
				at = s.Doc.Pos()
			}
			j.insertLines(g, g.lineStart(g.off(at)), "\t"+line+"\n")
			return
		}
	}
	j.insertLines(g, g.lineEnd(g.off(best[len(best)-1].End())), "\t"+line+"\n")
}

// insertGroup adds a group of its own: the standard library first, the rest last.
func (j *job) insertGroup(g *goFile, gd *ast.GenDecl, groups [][]*ast.ImportSpec, line string, class int) {
	if class == 0 {
		j.insertLines(g, g.lineEnd(g.off(gd.Lparen)), "\t"+line+"\n\n")
		return
	}
	last := groups[len(groups)-1]
	j.insertLines(g, g.lineEnd(g.off(last[len(last)-1].End())), "\n\t"+line+"\n")
}

func importGroups(g *goFile, gd *ast.GenDecl) [][]*ast.ImportSpec {
	var out [][]*ast.ImportSpec
	end := -1
	for _, s := range gd.Specs {
		spec := s.(*ast.ImportSpec)
		from := g.lineOf(spec.Pos())
		if spec.Doc != nil {
			from = g.lineOf(spec.Doc.Pos())
		}
		if end < 0 || from > end+1 {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], spec)
		end = g.lineOf(spec.End())
	}
	return out
}

func (j *job) addImport() error {
	g, err := j.targetFile()
	if err != nil {
		return err
	}
	imp, alias := strings.Trim(j.arg("path"), "\"`"), j.arg("alias")
	if imp == "" || imp == "C" || strings.ContainsAny(imp, " \t\n\"'`\\") {
		return j.declined("%q is not an import path", imp)
	}
	if alias != "" && alias != "_" && alias != "." && !token.IsIdentifier(alias) {
		return j.declined("%q is not a name in Go", alias)
	}
	for _, s := range g.ast.Imports {
		if importOf(s) == imp && (s.Name == nil && alias == "" || s.Name != nil && s.Name.Name == alias) {
			return j.already("%s imports %s already (line %d)", g.path, imp, g.lineOf(s.Pos()))
		}
	}
	j.insertImport(g, alias, imp)
	j.summary = fmt.Sprintf("Imported %s in %s.", imp, g.path)
	err = j.settle()
	if r := j.rejected; r != nil && r.soft && r.ours {
		return j.declined(
			"nothing in %s uses %s, and Go rejects an import that is not used; ask for the code that uses it, or import it as _", g.path, imp)
	}
	return err
}

// unusedImports are the imports of the file that no identifier refers to. An
// import whose package could not be loaded counts as used unless it is named.
func (j *job) unusedImports(p *project, g *goFile) (unused []*ast.ImportSpec, err error) {
	cfgs, _ := configsFor([]*goFile{g})
	x := unitHolding(j.universe(p, cfgs[len(cfgs)-1]).unitsOf(g.dir, []*goFile{g}), g.ast.Package)
	if x == nil {
		return nil, j.declined("no build includes %s", g.path)
	}
	used := map[types.Object]bool{}
	for _, o := range x.info.Uses {
		used[o] = true
	}
	for _, s := range g.ast.Imports {
		if importOf(s) == "C" || s.Name != nil && (s.Name.Name == "_" || s.Name.Name == ".") {
			continue
		}
		o := x.info.Implicits[s]
		if s.Name != nil {
			o = x.info.Defs[s.Name]
		}
		pn, ok := o.(*types.PkgName)
		if !ok || used[o] {
			continue
		}
		if s.Name == nil && !pn.Imported().Complete() {
			j.note("%s: %s could not be loaded, so its name is not certain; it was left.", g.path, importOf(s))
			continue
		}
		unused = append(unused, s)
	}
	return unused, nil
}

func (j *job) removeImports() error {
	files, err := j.importFiles()
	if err != nil {
		return err
	}
	want := strings.Trim(j.arg("path"), "\"`")
	n, have := 0, false
	for _, g := range files {
		unused, err := j.unusedImports(j.p, g)
		if err != nil {
			j.note("%v", err)
			continue
		}
		var drop []*ast.ImportSpec
		for _, s := range g.ast.Imports {
			if want != "" && importOf(s) != want && j.p.localName(g, importOf(s)) != want {
				continue
			}
			have = true
			if slices.Contains(unused, s) {
				drop = append(drop, s)
			} else if want != "" && j.target.File != "" {
				return j.declined("%s is in use in %s (or imported for its effects)", want, g.path)
			}
		}
		j.dropImports(g, drop)
		n += len(drop)
	}
	if n == 0 {
		if want != "" && !have {
			return j.declined("nothing imports %s", want)
		}
		return j.already("there are no unused imports%s", in(j.target.File))
	}
	j.summary = fmt.Sprintf("Removed %s.", plural(n, "unused import"))
	return j.settle()
}

func in(file string) string {
	if file == "" {
		return ""
	}
	return " in " + file
}

func (j *job) importFiles() ([]*goFile, error) {
	if j.target.File != "" {
		g, err := j.targetFile()
		return []*goFile{g}, err
	}
	var out []*goFile
	for _, f := range j.p.mentioning("import") {
		if g := j.p.file(f); g != nil && g.err == nil && !vendored(f) &&
			!strings.Contains("/"+f, "/testdata/") && !hidden(f) {
			out = append(out, g)
		}
	}
	return out, nil
}

// dropImports deletes imports with their comments, and what they leave empty:
// a group with the blank line before it, a whole declaration.
func (j *job) dropImports(g *goFile, drop []*ast.ImportSpec) {
	gone := func(s *ast.ImportSpec) bool { return slices.Contains(drop, s) }
	for _, d := range g.ast.Decls {
		gd, ok := d.(*ast.GenDecl)
		if !ok || gd.Tok != token.IMPORT || len(gd.Specs) == 0 {
			continue
		}
		if !slices.ContainsFunc(gd.Specs, func(s ast.Spec) bool { return !gone(s.(*ast.ImportSpec)) }) {
			j.dropDecl(g, gd)
			continue
		}
		for _, gr := range importGroups(g, gd) {
			j.dropFromGroup(g, gr, gone)
		}
	}
}

func (j *job) dropDecl(g *goFile, gd *ast.GenDecl) {
	start := gd.Pos()
	if gd.Doc != nil && !gd.Lparen.IsValid() {
		start = gd.Doc.Pos()
	}
	from, to := g.lineStart(g.off(start)), g.lineEnd(g.off(gd.End()))
	if to < len(g.src) && blankLineAt(g, to) {
		to = g.lineEnd(to) // the blank line before the imports stays
	}
	j.edits.replace(g.path, from, to, "")
}

func (j *job) dropFromGroup(g *goFile, gr []*ast.ImportSpec, gone func(*ast.ImportSpec) bool) {
	if !slices.ContainsFunc(gr, func(s *ast.ImportSpec) bool { return !gone(s) }) {
		from, _ := specLines(g, gr[0])
		_, to := specLines(g, gr[len(gr)-1])
		if before := g.lineStart(from - 1); blankLineAt(g, before) {
			from = before
		} else if blankLineAt(g, to) {
			to = g.lineEnd(to)
		}
		j.edits.replace(g.path, from, to, "")
		return
	}
	for _, s := range gr {
		if gone(s) {
			from, to := specLines(g, s)
			j.edits.replace(g.path, from, to, "")
		}
	}
}

// specLines are the bytes of a spec's lines, with the comments that belong to it.
func specLines(g *goFile, s *ast.ImportSpec) (from, to int) {
	start := s.Pos()
	if s.Doc != nil {
		start = s.Doc.Pos()
	}
	return g.lineStart(g.off(start)), g.lineEnd(g.off(s.End()))
}

func (j *job) sortImports() error {
	g, err := j.targetFile()
	if err != nil {
		return err
	}
	for _, d := range g.ast.Decls {
		gd, ok := d.(*ast.GenDecl)
		if !ok || gd.Tok != token.IMPORT || !gd.Lparen.IsValid() || isC(gd) || len(gd.Specs) < 2 {
			continue
		}
		if err := j.sortBlock(g, gd); err != nil {
			return err
		}
	}
	if j.edits.empty() {
		return j.already("the imports of %s are sorted", g.path)
	}
	j.summary = fmt.Sprintf("Sorted the imports of %s.", g.path)
	return j.settle()
}

// sortBlock sorts each group by path. A single group of several kinds is
// divided: the standard library, other modules, this module. Groups that
// somebody made stay as they are.
func (j *job) sortBlock(g *goFile, gd *ast.GenDecl) error {
	groups := importGroups(g, gd)
	for _, gr := range groups {
		from, _ := specLines(g, gr[0])
		_, to := specLines(g, gr[len(gr)-1])
		if g.lineStart(g.off(gd.Lparen)) >= from || g.lineEnd(g.off(gd.Rparen)) <= to || strangeComments(g, gr, from, to) {
			return j.declined("the imports of %s have comments or line breaks in places that sorting would move", g.path)
		}
		sorted := slices.Clone(gr)
		split := len(groups) == 1
		sort.SliceStable(sorted, func(a, b int) bool {
			x, y := importOf(sorted[a]), importOf(sorted[b])
			if cx, cy := j.p.classOf(g, x), j.p.classOf(g, y); split && cx != cy {
				return cx < cy
			}
			return x < y
		})
		if text := j.groupText(g, sorted, split); text != string(g.src[from:to]) {
			j.edits.replace(g.path, from, to, text)
		}
	}
	return nil
}

func (j *job) groupText(g *goFile, sorted []*ast.ImportSpec, split bool) string {
	var b strings.Builder
	for i, s := range sorted {
		if i > 0 && sameImport(sorted[i-1], s) && s.Doc == nil && s.Comment == nil {
			continue
		}
		if split && i > 0 && j.p.classOf(g, importOf(sorted[i-1])) != j.p.classOf(g, importOf(s)) {
			b.WriteString(g.eol())
		}
		from, to := specLines(g, s)
		b.Write(g.src[from:to])
	}
	return b.String()
}

func sameImport(a, b *ast.ImportSpec) bool {
	return importOf(a) == importOf(b) && (a.Name == nil) == (b.Name == nil) &&
		(a.Name == nil || a.Name.Name == b.Name.Name)
}

// strangeComments reports comments that belong to no import of the group, and
// imports that share a line.
func strangeComments(g *goFile, gr []*ast.ImportSpec, from, to int) bool {
	for i := 1; i < len(gr); i++ {
		if g.lineOf(gr[i].Pos()) == g.lineOf(gr[i-1].Pos()) {
			return true
		}
	}
	for _, c := range g.ast.Comments {
		if at := g.off(c.Pos()); at < from || at >= to {
			continue
		}
		if !slices.ContainsFunc(gr, func(s *ast.ImportSpec) bool { return s.Doc == c || s.Comment == c }) {
			return true
		}
	}
	return false
}
