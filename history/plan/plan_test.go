package plan

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// ledger is a Reader over one branch in memory, which keeps every version whole.
type ledger struct {
	paths    []string // the first one has number 1
	entries  []entry  // the first one has edit 1
	contents []string // of each entry; empty: the file is gone
	first    string   // of the first path
}

type entry struct {
	Touch
	path, to int64
	reverts  []version.EditID
}

func (l *ledger) lineage() version.Lineage {
	return version.Lineage{{Branch: 1, Max: version.EditID(len(l.entries))}}
}

// add records an edit of the only file; content is the file's content after it.
func (l *ledger) add(e entry, content string) version.EditID {
	e.ID = version.EditID(len(l.entries) + 1)
	e.path, e.to = l.number(e.Path), l.number(e.To)
	e.After = version.HashBytes([]byte(content))
	l.entries, l.contents = append(l.entries, e), append(l.contents, content)
	return e.ID
}

func (l *ledger) number(path string) int64 { return int64(slices.Index(l.paths, path) + 1) }

func (l *ledger) row(e entry) version.Row {
	return version.Row{ID: e.ID, Kind: e.Kind, After: e.After[:], Blob: int64(e.ID) + 1, Mode: 0o644, HasMode: true}
}

func (l *ledger) Edits(_ context.Context, path int64, seg version.Segment,
	after version.EditID, _ bool) iter.Seq2[version.Row, error] {
	return func(yield func(version.Row, error) bool) {
		for _, e := range slices.Backward(l.entries) {
			if e.path == path && e.ID <= seg.Max && e.ID > after && !yield(l.row(e), nil) {
				return
			}
		}
	}
}

func (l *ledger) Renamed(_ context.Context, path int64, seg version.Segment) (int64, version.Row, error) {
	for _, e := range slices.Backward(l.entries) {
		if e.to == path && e.ID <= seg.Max {
			return e.path, l.row(e), nil
		}
	}
	return 0, version.Row{}, nil
}

func (l *ledger) First(_ context.Context, path int64) (*version.First, error) {
	if path != 1 {
		return nil, nil
	}
	h := version.HashBytes([]byte(l.first))
	return &version.First{After: h[:], Mode: 0o644, Blob: 1}, nil
}

func (l *ledger) Content(_ context.Context, id int64) ([]byte, error) {
	if id == 1 {
		return []byte(l.first), nil
	}
	return []byte(l.contents[id-2]), nil
}

func (l *ledger) PathID(_ context.Context, path string) (int64, error) { return l.number(path), nil }

func (l *ledger) Path(_ context.Context, id int64) (string, error) { return l.paths[id-1], nil }

func (l *ledger) Edited(context.Context) (out []int64, err error) {
	for i := range l.paths {
		out = append(out, int64(i+1))
	}
	return out, nil
}

func (l *ledger) Touch(_ context.Context, id version.EditID) (Touch, error) {
	if id < 1 || int(id) > len(l.entries) {
		return Touch{}, version.ErrNoEdit
	}
	return l.entries[id-1].Touch, nil
}

func (l *ledger) Touching(_ context.Context, path int64, _ version.Lineage,
	since version.EditID) (out []Touch, err error) {
	for _, e := range l.entries {
		if e.ID >= since && (e.path == path || e.to == path) {
			out = append(out, e.Touch)
		}
	}
	return out, nil
}

func (l *ledger) Reverts(context.Context, version.Lineage) (Reverts, error) {
	r := Reverts{Of: map[version.EditID][]version.EditID{}, By: map[version.EditID][]version.EditID{}}
	for _, e := range l.entries {
		r.Of[e.ID] = e.reverts
		for _, id := range e.reverts {
			r.By[id] = append(r.By[id], e.ID)
		}
	}
	return r, nil
}

func (l *ledger) Names(_ context.Context, _ version.Lineage, since version.EditID) (n Names, err error) {
	for _, e := range l.entries {
		if e.ID >= since && e.to != 0 {
			n.Renames = append(n.Renames, Renaming{e.ID, e.Path, e.To})
		}
	}
	return n, nil
}

// lined is a file in which every edit replaces one line: the oracle of reverts.
type lined struct {
	*ledger
	path  string
	lines []string
	by    [][]version.EditID // the edits of each line, oldest first
}

func newLined() *lined {
	f := &lined{ledger: &ledger{paths: []string{"a", "b"}}, path: "a"}
	for i := range 5 {
		f.lines, f.by = append(f.lines, fmt.Sprint("line ", i)), append(f.by, nil)
	}
	f.first = f.body(f.lines)
	return f
}

func (f *lined) body(lines []string) string { return strings.Join(lines, "\n") + "\n" }

func (f *lined) set(line int) {
	before, from := text.OfString(f.body(f.lines)), text.Byte(0)
	for _, l := range f.lines[:line] {
		from += text.Byte(len(l) + 1)
	}
	now := fmt.Sprint("edit ", len(f.entries)+1)
	cs, _ := text.NewChangeSet(before.Len(),
		text.Change{From: from, To: from + text.Byte(len(f.lines[line])), Insert: now})
	f.lines[line] = now
	id := f.add(entry{Touch: Touch{Kind: version.Text, Path: f.path, Delta: version.MakeDelta(before, cs).Encode()}},
		f.body(f.lines))
	f.by[line] = append(f.by[line], id)
}

func (f *lined) rename() {
	to := map[string]string{"a": "b", "b": "a"}[f.path]
	f.add(entry{Touch: Touch{Kind: version.Rename, Path: f.path, To: to}}, f.body(f.lines))
	f.path = to
}

// without returns the file as if some edits had never been made; false if another edit of
// the same line came on top of one of them.
func (f *lined) without(set map[version.EditID]bool) (string, bool) {
	lines := make([]string, len(f.lines))
	for i, ids := range f.by {
		lines[i] = fmt.Sprint("line ", i)
		back := false
		for _, id := range ids {
			if back = back || set[id]; back && !set[id] {
				return "", false
			}
			if !set[id] {
				lines[i] = fmt.Sprint("edit ", id)
			}
		}
	}
	return f.body(lines), true
}

// carryOut records a plan for the file and returns the content after it.
func (f *lined) carryOut(t *rapid.T, p Plan) (string, []version.EditID) {
	now := f.body(f.lines)
	var ids []version.EditID
	for _, e := range p.Files {
		if e.Kind != version.Text || e.Path != f.path || e.Before.String() != now || e.Merged {
			t.Fatalf("%s of %s, which is at %s and holds %q: %+v", e.Kind, e.Path, f.path, now, e)
		}
		after, err := e.Changes.Apply(e.Before)
		if err != nil {
			t.Fatal(err)
		}
		now = after.String()
		ids = append(ids, f.add(entry{Touch: Touch{Kind: version.Text, Path: f.path, OfPlan: true,
			Delta: version.MakeDelta(e.Before, e.Changes).Encode()}, reverts: e.Reverts}, now))
	}
	return now, ids
}

// TestRevertIsAsIfItHadNeverBeen: the file is as it would be without the edits, or that
// would be a guess; and reverting the revert restores the file.
func TestRevertIsAsIfItHadNeverBeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, set := newLined(), map[version.EditID]bool{}
		for range rapid.IntRange(1, 12).Draw(t, "edits") {
			if rapid.IntRange(0, 4).Draw(t, "rename") == 0 {
				f.rename()
			}
			f.set(rapid.IntRange(0, len(f.lines)-1).Draw(t, "line"))
			if rapid.Bool().Draw(t, "take back") {
				set[version.EditID(len(f.entries))] = true
			}
		}
		var ids []version.EditID
		for id := range set {
			ids = append(ids, id)
		}
		want, ok := f.without(set)
		p, err := Revert(t.Context(), f, ids, f.lineage())
		var c *Conflict
		if errors.As(err, &c) != !ok || ok && err != nil {
			t.Fatalf("revert %v: %v, possible is %v", ids, err, ok)
		}
		ways, err := Conflicts(t.Context(), f, ids, f.lineage())
		if err != nil || (len(ways) == 0) != ok || !ok && (ways[0].Path != f.path || ways[0].Mine != f.body(f.lines)) {
			t.Fatalf("what is in the way of %v: %+v (%v)", ids, ways, err)
		}
		if !ok {
			return
		}
		got, again := f.carryOut(t, p)
		if got != want {
			t.Fatalf("without %v: %q, want %q", ids, got, want)
		}
		was := f.body(f.lines)
		f.lines = strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if p, err = Revert(t.Context(), f, again, f.lineage()); err != nil {
			t.Fatal(err)
		}
		if got, _ := f.carryOut(t, p); got != was {
			t.Fatalf("and back: %q, want %q", got, was)
		}
	})
}

// TestBetweenLeadsFromOneMomentToAnother: wherever the file is at both.
func TestBetweenLeadsFromOneMomentToAnother(t *testing.T) {
	f := newLined()
	f.set(1)
	f.rename()
	f.set(3)
	then := f.lineage()
	f.set(1)
	here, err := Between(t.Context(), f, f.lineage(), then)
	if err != nil || len(here.Files) != 1 || here.Files[0].Kind != version.Text || here.Files[0].Path != "b" {
		t.Errorf("to where it has the same name: %+v (%v)", here, err)
	}
	there, err := Between(t.Context(), f, f.lineage(), then.UpTo(1))
	var kinds []string
	for _, e := range there.Files {
		kinds = append(kinds, string(e.Kind)+" "+e.Path)
	}
	if want := []string{"create a", "delete b"}; err != nil || !slices.Equal(kinds, want) {
		t.Errorf("to where it has another name: %v (%v), want %v", kinds, err, want)
	}
}
