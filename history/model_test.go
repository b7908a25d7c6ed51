package history

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// The model checker: random edits, reverts, restores, forks and reopenings of a real store
// against a model that is slow and obvious. The model keeps every version of every file in
// full. For reverts it also keeps, per file, one cell for every byte that ever was in it,
// with the edits that inserted and deleted it: reverting an edit means that it did neither.

type cell struct {
	b    byte
	by   EditID
	gone []EditID
}

// modelFile is a file on one branch.
type modelFile struct {
	cells []cell
	off   map[EditID]bool     // edits that are reverted
	flips map[EditID][]EditID // the edits that a revert reverted
	known map[EditID]bool     // edits that the cells cover
	origin
}

// origin is how a file was created: a file that is brought back stays the same file.
type origin struct {
	made     EditID // 0: not by an edit
	home, as string // the path and the content that it was created with
	moved    bool   // since then
}

func newModelFile(body string) *modelFile {
	f := &modelFile{off: map[EditID]bool{}, flips: map[EditID][]EditID{}, known: map[EditID]bool{}}
	for i := range len(body) {
		f.cells = append(f.cells, cell{b: body[i]})
	}
	return f
}

func (f *modelFile) clone() *modelFile {
	g := &modelFile{off: maps.Clone(f.off), flips: maps.Clone(f.flips), known: maps.Clone(f.known), origin: f.origin}
	for _, c := range f.cells {
		g.cells = append(g.cells, cell{c.b, c.by, slices.Clone(c.gone)})
	}
	return g
}

func (f *modelFile) alive(c cell) bool {
	return !f.off[c.by] && !slices.ContainsFunc(c.gone, func(id EditID) bool { return !f.off[id] })
}

func (f *modelFile) body() string {
	var b strings.Builder
	for _, c := range f.cells {
		if f.alive(c) {
			b.WriteByte(c.b)
		}
	}
	return b.String()
}

// restored returns the file with cells that cover no edits.
func (f *modelFile) restored(body string) *modelFile {
	g := newModelFile(body)
	g.origin = f.origin
	return g
}

// change makes one replacement. Inserted bytes go behind the deleted ones or, without a
// deletion, right behind the living byte before them.
func (f *modelFile) change(id EditID, k text.Change) {
	pos, at := text.Byte(0), 0
	for i := range f.cells {
		if !f.alive(f.cells[i]) {
			continue
		}
		if pos >= k.From && pos < k.To {
			f.cells[i].gone = append(f.cells[i].gone, id)
			at = i + 1
		} else if pos < k.From {
			at = i + 1
		}
		pos++
	}
	var ins []cell
	for i := range len(k.Insert) {
		ins = append(ins, cell{b: k.Insert[i], by: id})
	}
	unsure := f.nearReverted(at)
	f.cells = slices.Insert(f.cells, at, ins...)
	f.known[id] = true
	if unsure {
		*f = *f.restored(f.body())
	}
}

// nearReverted reports whether dead bytes that a revert may bring back are next to a place:
// nobody knows on which side of them something was typed.
func (f *modelFile) nearReverted(at int) bool {
	for i := at; i < len(f.cells) && !f.alive(f.cells[i]); i++ {
		if f.off[f.cells[i].by] {
			return true
		}
	}
	for i := at - 1; i >= 0 && !f.alive(f.cells[i]); i-- {
		if f.off[f.cells[i].by] {
			return true
		}
	}
	return false
}

// undo reverts edits.
func (f *modelFile) undo(by EditID, ids []EditID) {
	f.revert(ids)
	f.flips[by] = ids
	f.known[by] = true
}

// revert makes edits, newest first, as if they had done nothing. A revert among them then
// reverted nothing: the edits that it reverted count again, and a revert among those
// reverts again, however long such a chain is.
func (f *modelFile) revert(ids []EditID) {
	for _, id := range slices.Backward(slices.Sorted(slices.Values(ids))) {
		for _, t := range slices.Sorted(slices.Values(f.flips[id])) { // a revert follows the edits it reverted
			f.redo(t)
		}
		f.off[id] = true
	}
}

func (f *modelFile) redo(id EditID) {
	delete(f.off, id)
	f.revert(f.flips[id])
}

// world is all files of a branch.
type world map[string]*modelFile

func (w world) clone() world {
	out := world{}
	for p, f := range w {
		out[p] = f.clone()
	}
	return out
}

func (w world) bodies() map[string]string {
	out := map[string]string{}
	for p, f := range w {
		out[p] = f.body()
	}
	return out
}

type machine struct {
	s        *Store
	dir      string
	branch   string
	worlds   map[string]world             // by branch
	versions map[EditID]map[string]string // every moment in full
	moments  map[EditID]world
	lineage  map[string][]EditID // the edits of each branch, its ancestors' included
	deleted  map[EditID]*modelFile
	reverted int
	refused  int
}

var modelPaths = []string{"a", "b", "dir/c"}

const modelLetters = "ab\n\nxyz"

func TestModel(t *testing.T) {
	var reverts, refused int
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		defer os.RemoveAll(m.dir)
		defer func() { m.s.Close() }()
		for range rapid.IntRange(5, 40).Draw(t, "steps") {
			m.step(t)
			m.compareFiles(t)
			m.comparePages(t)
		}
		m.compareAll(t)
		reverts, refused = reverts+m.reverted, refused+m.refused
	})
	t.Logf("%d reverts carried out, %d refused", reverts, refused)
}

func newMachine(t *rapid.T) *machine {
	dir, err := os.MkdirTemp("", "history-model-")
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{dir: dir, branch: "main", versions: map[EditID]map[string]string{}, moments: map[EditID]world{},
		lineage: map[string][]EditID{}, deleted: map[EditID]*modelFile{}}
	m.open(t)
	w := world{}
	var files []BaseFile
	for _, p := range modelPaths[:2] {
		body := rapid.StringOfN(rapid.RuneFrom([]rune(modelLetters)), 0, 30, -1).Draw(t, "baseline")
		w[p] = newModelFile(body)
		files = append(files, BaseFile{Path: p, Bytes: []byte(body), Mode: 0o644})
	}
	if _, err := m.s.Baseline(context.Background(), slices.Values(files)); err != nil {
		t.Fatal(err)
	}
	m.worlds = map[string]world{"main": w}
	m.versions[0], m.moments[0] = w.bodies(), w.clone()
	return m
}

func (m *machine) open(t *rapid.T) {
	s, err := Open(context.Background(), Options{Dir: m.dir + "/store"})
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Notices(); len(n) > 0 {
		t.Fatal(n)
	}
	m.s = s
}

func (m *machine) world() world { return m.worlds[m.branch] }

func (m *machine) step(t *rapid.T) {
	switch rapid.SampledFrom([]string{"edit", "edit", "edit", "edit", "edit", "edit", "create", "delete",
		"rename", "comeback", "revert", "revert", "revert", "restore", "fork", "switch", "reopen"}).Draw(t, "step") {
	case "edit":
		m.edit(t)
	case "create":
		m.create(t)
	case "delete", "rename":
		m.move(t)
	case "comeback":
		m.comeback(t)
	case "revert":
		m.revert(t)
	case "restore":
		m.restore(t)
	case "fork":
		m.fork(t)
	case "switch":
		m.switchTo(t)
	case "reopen":
		if err := m.s.Close(); err != nil {
			t.Fatal(err)
		}
		m.open(t)
	}
}

// append records edits and notes the moment; do makes the same change in the model.
func (m *machine) append(t *rapid.T, author Author, edits []NewEdit, do func(ids []EditID)) []EditID {
	r, err := m.s.Append(context.Background(), Op{Author: author, Edits: edits})
	if err != nil {
		t.Fatalf("append %+v: %v", edits, err)
	}
	if rapid.Bool().Draw(t, "wait") {
		if err := r.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	do(r.IDs())
	for i, e := range edits {
		t.Logf("%d: %s %s %q %v %v -> %q", r.IDs()[i], e.Kind, e.Path, e.Before, slices.Collect(e.Changes.Changes), e.Reverts,
			m.world().bodies())
	}
	id := r.IDs()[len(r.IDs())-1]
	m.versions[id], m.moments[id] = m.world().bodies(), m.world().clone()
	m.lineage[m.branch] = append(m.lineage[m.branch], id)
	return r.IDs()
}

func (m *machine) pick(t *rapid.T) string {
	paths := slices.Sorted(maps.Keys(m.world()))
	if len(paths) == 0 {
		return ""
	}
	return rapid.SampledFrom(paths).Draw(t, "path")
}

func (m *machine) edit(t *rapid.T) {
	path := m.pick(t)
	if path == "" {
		return
	}
	f := m.world()[path]
	body := f.body()
	from := rapid.IntRange(0, len(body)).Draw(t, "from")
	to := min(len(body), from+rapid.IntRange(0, 6).Draw(t, "length"))
	ins := rapid.StringOfN(rapid.RuneFrom([]rune(modelLetters)), 0, 6, -1).Draw(t, "insert")
	if from == to && ins == "" {
		return
	}
	k := text.Change{From: text.Byte(from), To: text.Byte(to), Insert: ins}
	cs, err := text.NewChangeSet(text.Byte(len(body)), k)
	if err != nil {
		t.Fatal(err)
	}
	e := NewEdit{Path: path, Kind: Text, Before: text.OfString(body), Changes: cs}
	m.append(t, rapid.SampledFrom([]Author{Model, User}).Draw(t, "author"), []NewEdit{e}, func(ids []EditID) {
		f.change(ids[0], k)
	})
}

func (m *machine) create(t *rapid.T) {
	for _, p := range modelPaths {
		if m.world()[p] == nil {
			body := rapid.StringOfN(rapid.RuneFrom([]rune(modelLetters)), 0, 10, -1).Draw(t, "content")
			m.append(t, User, []NewEdit{{Path: p, Kind: Create, Content: []byte(body)}}, func(ids []EditID) {
				m.world()[p] = newModelFile(body)
				m.world()[p].origin = origin{made: ids[0], home: p, as: body}
			})
			return
		}
	}
}

func (m *machine) move(t *rapid.T) {
	path := m.pick(t)
	if path == "" {
		return
	}
	for _, to := range modelPaths {
		if m.world()[to] == nil && rapid.Bool().Draw(t, "rename") {
			m.append(t, User, []NewEdit{{Path: path, Kind: Rename, To: to}}, func([]EditID) {
				m.rename(path, to)
			})
			return
		}
	}
	m.delete(t, path)
}

// rename moves a file in the model; its cells start over.
func (m *machine) rename(path, to string) {
	f := m.world()[path]
	m.world()[to] = f.restored(f.body())
	m.world()[to].moved = true
	delete(m.world(), path)
}

func (m *machine) delete(t *rapid.T, path string) []EditID {
	return m.append(t, User, []NewEdit{{Path: path, Kind: Delete}}, func(ids []EditID) { m.gone(path, ids[0]) })
}

func (m *machine) gone(path string, by EditID) {
	m.deleted[by] = m.world()[path]
	delete(m.world(), path)
}

// comeback deletes a file that an edit created, in one of the possible ways, and brings it
// back.
func (m *machine) comeback(t *rapid.T) {
	path := m.pickMade(t)
	if path == "" {
		m.create(t)
		return
	}
	before := m.newest()
	var ids []EditID
	switch rapid.SampledFrom([]string{"delete", "revert", "restore"}).Draw(t, "deleted by") {
	case "delete":
		ids = m.delete(t, path)
	case "revert":
		ids = m.take(t, []EditID{m.world()[path].made})
	case "restore":
		ids = m.restoreTo(t, m.anyMoment(t))
	}
	if m.world()[path] != nil || len(ids) == 0 {
		return
	}
	if rapid.Bool().Draw(t, "by a restore") {
		m.restoreTo(t, before)
		return
	}
	m.take(t, ids)
}

// pickMade picks a file that an edit created.
func (m *machine) pickMade(t *rapid.T) string {
	var paths []string
	for p, f := range m.world() {
		if f.made != 0 {
			paths = append(paths, p)
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return rapid.SampledFrom(slices.Sorted(slices.Values(paths))).Draw(t, "path")
}

func (m *machine) newest() EditID {
	if line := m.lineage[m.branch]; len(line) > 0 {
		return line[len(line)-1]
	}
	return 0
}

func (m *machine) revert(t *rapid.T) {
	if path := m.pickMade(t); path != "" && rapid.Bool().Draw(t, "what made it") {
		m.take(t, []EditID{m.world()[path].made})
		return
	}
	if all := m.lineage[m.branch]; len(all) > 0 {
		m.take(t, rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, min(3, len(all)), rapid.ID[EditID]).Draw(t, "ids"))
	}
}

// take reverts edits, and returns the edits that did it, or none if it was refused.
func (m *machine) take(t *rapid.T, ids []EditID) []EditID {
	plan, err := m.s.PlanRevert(context.Background(), ids)
	var c *Conflict
	if errors.As(err, &c) {
		m.refused++
		for _, k := range c.Clashes {
			if k.Reason == "" || !slices.Contains(ids, k.Edit) {
				t.Fatalf("a conflict without a reason: %+v", k)
			}
		}
		if p := m.asMade(ids); p != "" && !strings.Contains(c.Error(), "is already reverted") {
			t.Fatalf("revert %v: %v, but %s is what it made", ids, c, p)
		}
		return nil
	}
	if err != nil {
		t.Fatalf("revert %v: %v", ids, err)
	}
	if len(plan.Files) == 0 {
		return nil
	}
	m.reverted++
	return m.carryOut(t, plan)
}

// asMade returns the file that is as an edit created it, however often it went and came
// back.
func (m *machine) asMade(ids []EditID) string {
	for p, f := range m.world() {
		if len(ids) == 1 && f.made == ids[0] && f.home == p && f.as == f.body() {
			return p
		}
	}
	return ""
}

// carryOut appends a plan. If the cells cover everything that is reverted in a file, they
// determine what the file must then contain.
func (m *machine) carryOut(t *rapid.T, plan Plan) []EditID {
	// by lines, which the cells do not model
	rough := slices.ContainsFunc(plan.Files, func(p PlannedEdit) bool { return p.Merged })
	return m.append(t, Revert, toAppend(plan), func(done []EditID) {
		w := m.world()
		for i, p := range plan.Files {
			f := w[p.Path]
			exact := p.Kind == Text && len(p.Reverts) > 0 && !rough && !slices.ContainsFunc(p.Reverts, func(id EditID) bool {
				return !f.known[id]
			})
			switch {
			case exact:
				f.undo(done[i], p.Reverts)
				after, _ := p.Changes.Apply(p.Before)
				if after.String() != f.body() {
					t.Fatalf("reverting %v of %s gives %q, the model says %q (before: %q)", p.Reverts, p.Path, after,
						f.body(), p.Before)
				}
			case p.Kind == Text:
				after, _ := p.Changes.Apply(p.Before)
				w[p.Path] = f.restored(after.String())
			case p.Kind == Create:
				w[p.Path] = m.back(p)
			case p.Kind == Delete:
				m.gone(p.Path, done[i])
			case p.Kind == Rename:
				m.rename(p.Path, p.To)
			}
		}
	})
}

// back returns the file that a revert brings back: the deleted one, with everything that
// its cells cover if nothing else is reverted with it.
func (m *machine) back(p PlannedEdit) *modelFile {
	f := newModelFile(string(p.Content))
	for _, id := range p.Reverts {
		if d := m.deleted[id]; d != nil {
			f.origin = d.origin
			if len(p.Reverts) == 1 && d.body() == f.body() {
				return d.clone()
			}
		}
	}
	return f
}

func (m *machine) anyMoment(t *rapid.T) EditID {
	return rapid.SampledFrom(slices.Sorted(maps.Keys(m.versions))).Draw(t, "moment")
}

func (m *machine) restore(t *rapid.T) { m.restoreTo(t, m.anyMoment(t)) }

func (m *machine) restoreTo(t *rapid.T, id EditID) (ids []EditID) {
	plan, err := m.s.PlanRestore(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]*modelFile{}
	for _, p := range plan.Files {
		last[p.Path] = m.last(p.Path)
	}
	if len(plan.Files) > 0 {
		ids = m.carryOut(t, plan)
	}
	if got := m.world().bodies(); !maps.Equal(got, m.versions[id]) {
		t.Fatalf("restored to %d: %q, want %q", id, got, m.versions[id])
	}
	if !slices.Contains(m.lineage[m.branch], id) {
		return ids
	}
	for _, p := range plan.Files { // the same file again, if there was no other one of that name since
		if was, f := m.moments[id][p.Path], last[p.Path]; p.Kind == Create && f != nil && !f.moved && f.made == was.made {
			m.world()[p.Path].origin = was.origin
		}
	}
	if len(ids) > 0 {
		m.moments[m.newest()] = m.world().clone()
	}
	return ids
}

// last returns the newest file that was deleted under a name.
func (m *machine) last(path string) *modelFile {
	line := m.lineage[m.branch]
	for i := len(line) - 2; i >= 0; i-- {
		f := m.moments[line[i]][path]
		if f == nil {
			continue
		}
		for id := line[i+1]; id == line[i+1] || m.versions[id] == nil; id-- { // all edits of the operation after it
			if d := m.deleted[id]; d != nil && d.made == f.made {
				return f
			}
		}
		return nil
	}
	return nil
}

func (m *machine) fork(t *rapid.T) {
	id := m.anyMoment(t)
	name := string(rune('A' + len(m.worlds)))
	if _, err := m.s.Fork(context.Background(), name, id); err != nil {
		t.Fatal(err)
	}
	m.worlds[name] = m.moments[id].clone()
	for _, line := range m.lineage {
		if i := slices.Index(line, id); i >= 0 {
			m.lineage[name] = slices.Clone(line[:i+1])
		}
	}
}

func (m *machine) switchTo(t *rapid.T) {
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(m.worlds))).Draw(t, "branch")
	plan, err := m.s.Switch(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	got := applyPlan(t, m.world().bodies(), plan)
	if want := m.worlds[name].bodies(); !maps.Equal(got, want) {
		t.Fatalf("switch to %s: %q, want %q", name, got, want)
	}
	if err := m.s.SetBranch(context.Background(), name); err != nil {
		t.Fatal(err)
	}
	m.branch = name
}

// applyPlan carries a plan out on plain strings.
func applyPlan(t *rapid.T, files map[string]string, plan Plan) map[string]string {
	for _, p := range plan.Files {
		switch p.Kind {
		case Text:
			if p.Before.String() != files[p.Path] {
				t.Fatalf("the plan is for %q, the file holds %q", p.Before, files[p.Path])
			}
			after, err := p.Changes.Apply(p.Before)
			if err != nil {
				t.Fatal(err)
			}
			files[p.Path] = after.String()
		case Create:
			files[p.Path] = string(p.Content)
		case Delete:
			delete(files, p.Path)
		}
	}
	return files
}

// compareAll reads every file at every moment.
func (m *machine) compareAll(t *rapid.T) {
	ctx := context.Background()
	for id, files := range m.versions {
		for _, p := range modelPaths {
			v, err := m.s.At(ctx, id, p)
			body, exists := files[p]
			if err != nil || v.Exists != exists || string(v.Bytes) != body {
				t.Fatalf("%s at %d: %q %v %v, want %q %v", p, id, v.Bytes, v.Exists, err, body, exists)
			}
		}
		states, err := m.s.Paths(ctx, id)
		if err != nil || len(states) != len(files) {
			t.Fatalf("files at %d: %v %v, want %v", id, states, err, files)
		}
	}
	m.compareStretches(t)
	known, err := m.s.Files(ctx)
	for _, p := range modelPaths {
		if f := m.world()[p]; f != nil && known[p].Head != HashBytes([]byte(f.body())) ||
			f == nil && !known[p].Head.IsZero() {
			t.Fatalf("the head of %s is wrong (%v)", p, err)
		}
	}
	if r, err := m.s.Check(ctx, nil); err != nil || !r.OK() {
		t.Fatalf("check: %v %v", r.Damage, err)
	}
}
