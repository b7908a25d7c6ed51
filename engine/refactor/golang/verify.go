package golang

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"slices"

	"waferpair/workspace/text"
)

// settle ends an operation other than rename: the changed files are made as
// gofmt wants them where they were so before, parsed, and their packages are
// type-checked, before and after, together with the packages in also. A new
// complaint declines. Imports that the edits leave unused go too.
func (j *job) settle(also ...string) error {
	if j.edits.empty() {
		return j.declined("there is nothing to change")
	}
	if err := j.edits.sorted(); err != nil {
		return j.declined("the changes get in each other's way: %v", err)
	}
	if err := j.dropUnused(); err != nil {
		return err
	}
	for f := range j.edits.changes {
		j.tidy(f)
	}
	q := j.p.overlay(j.edits.after())
	var names []string
	for _, f := range sortedKeys(j.edits.changes) {
		if !isGo(f) {
			continue
		}
		g, old := q.file(f), j.p.file(f)
		if g == nil || g.err != nil && (old == nil || old.err == nil) {
			return j.declined("%s would no longer parse: %v", f, errOf(g))
		}
		names = append(names, f)
		also = append(also, g.dir)
	}
	return j.typeCheck(q, names, also)
}

func errOf(g *goFile) error {
	if g == nil {
		return fmt.Errorf("no package clause")
	}
	return g.err
}

func (j *job) typeCheck(q *project, changed, dirs []string) error {
	cfgs, _ := configsFor(q.files(changed))
	set := map[string]bool{}
	for _, d := range dirs {
		set[d] = true
	}
	reached := q.reached()
	for _, cfg := range cfgs {
		was, is := j.universe(j.p, cfg), j.universe(q, cfg)
		if len(j.words) > 0 {
			was, is = j.p.universe(cfg, levelAll), q.universe(cfg, levelAll)
			was.words, is.words = j.words, j.words
		}
		is.after(was, reached)
		for _, dir := range keys(set) {
			if j.rejected = j.compare(was, is, dir); j.rejected != nil {
				return j.declined("the compiler would reject it: %s", j.rejected.says)
			}
		}
	}
	return j.ctx.Err()
}

// compare checks all the units of a folder in both universes.
func (j *job) compare(was, is *universe, dir string) *rejection {
	before := map[unitKey]*unit{}
	for _, x := range was.unitsOf(dir, was.p.files(was.p.dirs[dir])) {
		before[x.key.same()] = x
	}
	for _, x := range is.unitsOf(dir, is.p.files(is.p.dirs[dir])) {
		old := before[x.key.same()]
		if old == x {
			continue // nothing that changed can reach it
		}
		if j.misfits != nil {
			for _, e := range j.newErrors(was.p, is.p, old, x, nil) {
				*j.misfits = append(*j.misfits, e.says)
			}
			continue
		}
		if e := j.newError(was.p, is.p, old, x, nil); e != nil {
			return e
		}
		if says := j.otherMeaning(was.p, is.p, old, x); says != "" {
			return &rejection{says: says}
		}
	}
	return nil
}

// otherMeaning reports an identifier spelled as a name the job introduces (or
// takes away) that means something else than before, where the checker is
// content with both.
func (j *job) otherMeaning(p, q *project, before, after *unit) string {
	if len(j.guard) == 0 || before == nil {
		return ""
	}
	was := map[loc]string{}
	for _, m := range before.mentions(p, nil, j.guard...) {
		was[m.at] = m.meaning(func(l loc) loc { return l })
	}
	back := func(l loc) loc { return loc{l.path, j.edits.back(l.path, l.off)} }
	for _, m := range after.mentions(q, nil, j.guard...) {
		if j.edits.inserted(m.at) {
			continue
		}
		if w, ok := was[back(m.at)]; ok && w != m.meaning(back) {
			return fmt.Sprintf("%s:%d: %s would mean something else", m.file.path, m.file.line(m.at.off), m.id.Name)
		}
	}
	return ""
}

// tidy formats a changed file that was formatted before, so that what the edit
// touches (alignment, comment lists) stays as gofmt would have it.
func (j *job) tidy(file string) {
	if changes, ok := j.tidied(file); ok {
		j.edits.changes[file] = changes
	}
}

// tidied gives the changes of a file that tidy would make of the present ones;
// false when they are fine.
func (j *job) tidied(file string) ([]text.Change, bool) {
	if !isGo(file) {
		return nil, false
	}
	old := j.p.bytes[file]
	now := applyChanges(old, j.edits.changes[file])
	is, ok := gofmt(now)
	if !ok || bytes.Equal(is, now) {
		return nil, false
	}
	if j.edits.create[file] {
		return []text.Change{{Insert: string(is)}}, true
	}
	if was, ok := gofmt(old); !ok || !bytes.Equal(was, old) {
		return nil, false
	}
	return lineDiff(old, is), true
}

var bom = []byte("\xef\xbb\xbf")

// gofmt formats a file and keeps its byte order mark and line endings. It
// refuses files whose line endings are mixed.
func gofmt(src []byte) ([]byte, bool) {
	mark := []byte{}
	if bytes.HasPrefix(src, bom) {
		mark, src = bom, src[len(bom):]
	}
	lf, crlf := bytes.Count(src, []byte("\n")), bytes.Count(src, []byte("\r\n"))
	if crlf > 0 && crlf != lf {
		return nil, false
	}
	out, err := format.Source(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
	if err != nil {
		return nil, false
	}
	if crlf > 0 {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return append(bytes.Clone(mark), out...), true
}

// dropUnused removes the imports of changed files that were used before the
// edits and are not any more. It works on the edited text, where imports may
// have been added, and states the whole change anew, by lines.
func (j *job) dropUnused() error {
	if !j.dropsCode {
		return nil
	}
	q := j.p.overlay(j.edits.after())
	quiet := &job{ctx: j.ctx, op: j.op}
	for _, f := range sortedKeys(j.edits.changes) {
		g, old := q.file(f), j.p.file(f)
		if !isGo(f) || g == nil || old == nil || g.err != nil {
			continue
		}
		now, err := quiet.unusedImports(q, g)
		if err != nil || len(now) == 0 {
			continue
		}
		was, err := quiet.unusedImports(j.p, old)
		if err != nil {
			continue
		}
		drop := slices.DeleteFunc(now, func(s *ast.ImportSpec) bool {
			return slices.ContainsFunc(was, func(o *ast.ImportSpec) bool { return sameImport(s, o) })
		})
		after := &job{p: q, edits: newEdits(q)}
		after.dropImports(g, drop)
		if err := after.edits.sorted(); err != nil {
			return err
		}
		j.edits.changes[f] = lineDiff(old.src, applyChanges(g.src, after.edits.changes[f]))
	}
	return nil
}
