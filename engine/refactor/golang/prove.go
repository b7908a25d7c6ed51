package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
)

func dirOf(p string) string { return path.Dir(p) }

// prove surveys the changed files exactly as the old ones were and compares:
// every identifier spelled as the old or the new name means what it meant, and
// the checker reports nothing that it did not report before.
func (r *renaming) prove(s *survey) error {
	if err := r.taken(); err != nil {
		return err
	}
	if r.extend(s) {
		var err error
		if s, err = r.survey(r.j.p, s.files, s.level); err != nil {
			return err
		}
	}
	s.collect(r.from, r.to)
	q := r.j.p.overlay(r.j.edits.after())
	names := make([]string, len(s.files))
	for i, g := range s.files {
		names[i] = g.path
	}
	files := q.files(names)
	if len(files) != len(s.files) {
		return fmt.Errorf("rename %s: a changed file has no package clause any more", r.from)
	}
	for i, g := range s.files {
		if files[i].err != nil && g.err == nil {
			return r.j.declined("%s would no longer parse", g.path)
		}
	}
	t, err := r.surveyAfter(q, files, s)
	if err != nil {
		return err
	}
	t.collect(r.from, r.to)
	if err := r.sameMeaning(s, t); err != nil {
		return err
	}
	for i := range s.units {
		if e := r.j.newError(r.j.p, q, s.units[i].unit, t.units[i].unit, r.plain); e != nil {
			return r.j.declined("the compiler would reject it: %s", e.says)
		}
	}
	return nil
}

// plain makes messages from before and after the rename comparable.
func (r *renaming) plain(msg string) string { return replaceWord(msg, r.to, r.from) }

func replaceWord(s, from, to string) string {
	var b strings.Builder
	at := 0
	for {
		i := wordAt([]byte(s), from, at)
		if i < 0 {
			return b.String() + s[at:]
		}
		b.WriteString(s[at:i] + to)
		at = i + len(from)
	}
}

type unitLoc struct {
	unit int
	at   loc
}

func (s *survey) meanings(where func(loc) loc) map[unitLoc]string {
	index := map[*unit]int{}
	for i, x := range s.units {
		index[x.unit] = i
	}
	out := map[unitLoc]string{}
	for _, m := range s.mentions {
		out[unitLoc{index[m.unit], where(m.at)}] = m.meaning(where)
	}
	return out
}

func (r *renaming) sameMeaning(s, t *survey) error {
	if len(s.units) != len(t.units) {
		return fmt.Errorf("rename %s: the packages concerned changed under the rename", r.from)
	}
	back := func(l loc) loc { return loc{l.path, r.j.edits.back(l.path, l.off)} }
	before, after := s.meanings(func(l loc) loc { return l }), t.meanings(back)
	for _, m := range t.mentions {
		for i, x := range t.units {
			if x.unit != m.unit {
				continue
			}
			at := back(m.at)
			if was, is := before[unitLoc{i, at}], after[unitLoc{i, at}]; was != is {
				return r.clash(m, was, at)
			}
		}
	}
	if len(before) != len(after) {
		return fmt.Errorf("rename %s: %d identifiers became %d", r.from, len(before), len(after))
	}
	return nil
}

// clash explains an identifier that would change its meaning.
func (r *renaming) clash(m *mention, was string, at loc) error {
	line := m.file.line(m.at.off)
	old := r.j.p.file(at.path)
	if strings.HasPrefix(string(old.src[at.off:]), r.to) && (len(old.src) == at.off+len(r.to) ||
		!identByte(old.src[at.off+len(r.to)])) {
		return r.j.declined("%s:%d uses another %s, which the renamed one would hide", at.path, line, r.to)
	}
	what := "nothing"
	if len(m.decls) > 0 {
		d := m.decls[0]
		what = fmt.Sprintf("the %s declared at %s:%d", r.to, d.path, m.unit.lineAt(d))
	} else if m.foreign != "" {
		what = m.foreign
	}
	return r.j.declined("at %s:%d the new name would mean %s", at.path, line, what)
}

func (x *unit) lineAt(l loc) int {
	for _, g := range x.files {
		if g.path == l.path {
			return g.line(l.off)
		}
	}
	return 0
}

// taken declines a name that the same package or type has already.
func (r *renaming) taken() error {
	for _, s := range r.symbols {
		for _, d := range s.decls {
			if d.local {
				continue
			}
			for _, g := range r.j.p.files(r.j.p.dirs[d.file.dir]) {
				if g.ast.Name.Name != d.file.ast.Name.Name || standalone(g) != standalone(d.file) {
					continue
				}
				for _, o := range declsIn(g, r.to) {
					if o.owner == d.owner {
						return r.j.declined("%s is already declared at %s", r.to, o.place())
					}
				}
			}
		}
	}
	return nil
}

// extend adds the packages that may break without mentioning the name: those
// that convert or assign values whose method or field sets change.
func (r *renaming) extend(s *survey) bool {
	if !r.member {
		return false
	}
	if !r.reachesFurther(s) {
		return false
	}
	r.whole = true
	if r.wide {
		r.extra = r.j.p.dependents(r.dirs)
	}
	for _, g := range s.files {
		delete(r.extra, g.dir)
	}
	return true
}

// convertible reports whether some other struct has the same field names as one
// whose field is renamed: values may be converted from one to the other where
// neither is named.
func (r *renaming) convertible(s *survey) bool {
	ours, others := map[string]bool{}, map[string]bool{}
	for _, g := range s.files {
		ast.Inspect(g.ast, func(n ast.Node) bool {
			st, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			ids := fieldIdents(st)
			names, target := "", false
			for _, id := range ids {
				names += id.Name + " "
				target = target || id.Name == r.from && r.targets[loc{g.path, g.off(id.Pos())}]
			}
			if target {
				if ours[names] {
					others[names] = true // two of ours may be each other's
				}
				ours[names] = true
			} else {
				others[names] = true
			}
			return true
		})
	}
	for names := range ours {
		if others[names] {
			return true
		}
	}
	return false
}

func fieldIdents(st *ast.StructType) []*ast.Ident {
	var out []*ast.Ident
	for _, f := range st.Fields.List {
		out = append(out, f.Names...)
		if len(f.Names) == 0 {
			if id := embeddedIdent(f.Type); id != nil {
				out = append(out, id)
			}
		}
	}
	return out
}

// rejection is what the checker reports of the edited code and did not before.
type rejection struct {
	says string // where, and what
	ours bool   // it is about text that the job wrote
	soft bool   // something is not used; all else is fine
}

// newError compares the checker's reports on a unit before and after the job's
// edits and returns the first one that is new, nil if there is none.
func (j *job) newError(p, q *project, before, after *unit, plain func(string) string) *rejection {
	if all := j.newErrors(p, q, before, after, plain); len(all) > 0 {
		return all[0]
	}
	return nil
}

// newErrors are all of them.
func (j *job) newErrors(p, q *project, before, after *unit, plain func(string) string) []*rejection {
	if plain == nil {
		plain = func(s string) string { return s }
	}
	key := func(p *project, e types.Error, back bool) string {
		l, ok := p.locate(e.Pos)
		if !ok {
			return plain(e.Msg)
		}
		if back {
			l.off = j.edits.back(l.path, l.off)
		}
		return l.String() + plain(e.Msg)
	}
	had := map[string]int{}
	if before != nil {
		for _, e := range before.errs {
			had[key(p, e, false)]++
		}
	}
	var out []*rejection
	for _, e := range after.errs {
		k := key(q, e, true)
		if had[k] > 0 {
			had[k]--
			continue
		}
		new := &rejection{says: e.Msg, soft: e.Soft}
		if l, ok := q.locate(e.Pos); ok {
			new.says = fmt.Sprintf("%s:%d: %s", l.path, q.file(l.path).line(l.off), e.Msg)
			new.ours = j.edits.inserted(l)
		}
		out = append(out, new)
	}
	return out
}

// dependents are the folders whose packages import one of dirs, directly or not, tests included.
func (p *project) dependents(dirs map[string]bool) map[string]bool {
	imports := p.importGraph()
	out := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for from, tos := range imports {
			if out[from] {
				continue
			}
			for _, to := range tos {
				if dirs[to] || out[to] {
					out[from] = true
					changed = true
					break
				}
			}
		}
	}
	return out
}

func (p *project) importGraph() map[string][]string {
	out := map[string][]string{}
	for f, imps := range p.allImports() {
		for _, imp := range imps {
			if d, ok := p.mods.resolve(dirOf(f), imp); ok {
				out[dirOf(f)] = append(out[dirOf(f)], d)
			}
		}
	}
	return out
}

// allImports are the import paths of every Go file; files are read as far as their imports.
func (p *project) allImports() map[string][]string {
	p.importsOnce.Do(func() { p.imports = p.readImports() })
	return p.imports
}

func (p *project) readImports() map[string][]string {
	var names []string
	out := map[string][]string{}
	if p.base != nil {
		maps.Copy(out, p.base.allImports())
		names = slices.DeleteFunc(keys(p.changed), func(f string) bool { return !isGo(f) })
	} else {
		for _, fs := range p.dirs {
			names = append(names, fs...)
		}
	}
	lists := make([][]string, len(names))
	inParallel(len(names), func(i int) {
		tree, _ := parser.ParseFile(token.NewFileSet(), names[i], p.bytes[names[i]], parser.ImportsOnly)
		if tree == nil {
			return
		}
		for _, s := range tree.Imports {
			lists[i] = append(lists[i], importOf(s))
		}
	})
	for i, n := range names {
		out[n] = lists[i]
	}
	return out
}

// foreignImports are what the packages that can see dirs import from outside the project.
func (p *project) foreignImports(dirs map[string]bool) []string {
	see := p.dependents(dirs)
	set := map[string]bool{}
	for f, imps := range p.allImports() {
		if !see[dirOf(f)] && !dirs[dirOf(f)] || strings.Contains("/"+f, "/testdata/") {
			continue
		}
		for _, imp := range imps {
			if _, ok := p.mods.resolve(dirOf(f), imp); !ok && imp != "C" && imp != "unsafe" {
				set[imp] = true
			}
		}
	}
	return keys(set)
}
