package version

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// shelf is a Reader over rows in memory, oldest first.
type shelf struct {
	rows     []shelved
	first    map[int64]*First
	contents [][]byte // the first one has number 1
}

type shelved struct {
	Row
	path, to, branch int64
}

func (s *shelf) PathID(_ context.Context, path string) (int64, error) { return int64(len(path)), nil }

func (s *shelf) Edits(_ context.Context, path int64, seg Segment, after EditID, deltas bool) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for _, r := range slices.Backward(s.rows) {
			if r.path != path || r.branch != seg.Branch || r.ID > seg.Max || r.ID <= after {
				continue
			}
			if !deltas {
				r.Delta = nil
			}
			if !yield(r.Row, nil) {
				return
			}
		}
	}
}

func (s *shelf) Renamed(_ context.Context, path int64, seg Segment) (int64, Row, error) {
	for _, r := range slices.Backward(s.rows) {
		if r.to == path && r.branch == seg.Branch && r.ID <= seg.Max && r.Lost == nil {
			return r.path, r.Row, nil
		}
	}
	return 0, Row{}, nil
}

func (s *shelf) First(_ context.Context, path int64) (*First, error) { return s.first[path], nil }

func (s *shelf) Content(_ context.Context, id int64) ([]byte, error) {
	if id < 1 || id > int64(len(s.contents)) {
		return nil, ErrDamaged
	}
	return s.contents[id-1], nil
}

func (s *shelf) keep(b string) int64 {
	s.contents = append(s.contents, []byte(b))
	return int64(len(s.contents))
}

// add puts the next edit of a branch on the shelf.
func (s *shelf) add(path, branch int64, row Row) EditID {
	row.ID = EditID(len(s.rows) + 1)
	row.Size = len(row.Delta)
	s.rows = append(s.rows, shelved{Row: row, path: path, branch: branch})
	return row.ID
}

func hashOf(b string) []byte {
	h := HashBytes([]byte(b))
	return h[:]
}

// moment is the state and the path of the file: the oracle of the walk.
type moment struct {
	path   int64
	lin    Lineage
	text   string
	exists bool
}

// next makes the next edit, on the newest branch, and returns the moment after it.
func (m moment) next(t *rapid.T, s *shelf) moment {
	branch, row := m.lin[0].Branch, Row{Kind: Create, Mode: 0o600, HasMode: true}
	if m.exists {
		row = Row{Kind: rapid.SampledFrom([]Kind{Text, Text, Text, Blob, Mode, Rename, Delete}).Draw(t, "kind")}
	}
	was, path := text.OfString(m.text), m.path
	if m.exists = row.Kind != Delete; row.Kind == Create || row.Kind == Text || row.Kind == Blob {
		m.text = aText().Draw(t, "text")
	}
	if row.Kind == Create || row.Kind == Blob || row.Kind == Text && rapid.IntRange(0, 4).Draw(t, "keyframe") == 0 {
		row.Blob = s.keep(m.text)
	}
	switch row.Kind {
	case Text:
		row.Delta = MakeDelta(was, text.Diff(was, text.OfString(m.text))).Encode()
	case Mode:
		row.Mode, row.HasMode = 0o755, true
	case Rename:
		m.path = path%3 + 1
	case Delete:
		m.text = ""
	}
	if m.exists {
		row.After = hashOf(m.text)
	}
	id := s.add(path, branch, row)
	if m.path != path {
		s.rows[id-1].to = m.path
	}
	m.lin = slices.Clone(m.lin)
	m.lin[0].Max = id
	return m
}

// TestWalkMeetsEveryVersion: one file is changed, replaced, renamed, deleted and created
// again, from branch to branch; its version at any moment can be read.
func TestWalkMeetsEveryVersion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := aText().Draw(t, "base")
		s := &shelf{first: map[int64]*First{}}
		s.first[1] = &First{After: hashOf(base), Mode: 0o644, Blob: s.keep(base)}
		now := moment{path: 1, lin: Lineage{{Branch: 1}}, text: base, exists: true}
		moments := []moment{now}
		for range rapid.IntRange(0, 30).Draw(t, "edits") {
			if rapid.IntRange(0, 9).Draw(t, "fork") == 0 {
				now.lin = append(Lineage{{Branch: now.lin[0].Branch + 1}}, now.lin...)
			}
			now = now.next(t, s)
			moments = append(moments, now)
		}
		for i, m := range moments {
			v, got, err := Read(t.Context(), s, m.path, m.lin)
			if err != nil || v.Exists != m.exists || got.String() != m.text {
				t.Fatalf("moment %d: %v %q (%v), want %v %q", i, v.Exists, got.String(), err, m.exists, m.text)
			}
		}
	})
}

// TestWalkSaysWhatIsLost: purged content, content recorded again after that, and content
// that does not match its hash.
func TestWalkSaysWhatIsLost(t *testing.T) {
	s := &shelf{first: map[int64]*First{}}
	read := func(max EditID) (string, error) {
		_, got, err := Read(t.Context(), s, 1, Lineage{{Branch: 1, Max: max}})
		return got.String(), err
	}
	s.add(1, 1, Row{Kind: Create, Lost: ErrReclaimed})
	before := text.OfString("old\n")
	s.add(1, 1, Row{Kind: Text, After: hashOf("new\n"),
		Delta: MakeDelta(before, text.Diff(before, text.OfString("new\n"))).Encode()})
	if _, err := read(2); err != ErrReclaimed || !errors.Is(err, ErrPurged) {
		t.Errorf("on top of what was reclaimed: %v", err)
	}
	s.first[1] = &First{Since: 1, After: hashOf("old\n"), Blob: s.keep("old\n")}
	if got, err := read(2); err != nil || got != "new\n" {
		t.Errorf("on top of what was recorded anew: %q (%v)", got, err)
	}
	s.first[1].Since = 3
	if _, err := read(2); err != ErrReclaimed {
		t.Errorf("before it was recorded anew: %v", err)
	}
	s.first[1] = &First{Since: 1, After: hashOf("other\n"), Blob: s.keep("other\n")}
	if _, err := read(2); !errors.Is(err, ErrDamaged) {
		t.Errorf("on top of other bytes: %v", err)
	}
}

// TestLifeIsOneFile: a lifeline begins where the present file was created.
func TestLifeIsOneFile(t *testing.T) {
	s := &shelf{first: map[int64]*First{1: {After: hashOf("a"), Blob: 1}}}
	s.add(1, 1, Row{Kind: Delete})
	s.add(1, 1, Row{Kind: Create, After: hashOf("b"), Blob: s.keep("b")})
	s.add(1, 1, Row{Kind: Rename, After: hashOf("b")})
	s.rows[2].to = 2
	s.add(2, 2, Row{Kind: Mode, After: hashOf("b")})
	lin := Lineage{{Branch: 2, Max: Newest}, {Branch: 1, Max: 3}}
	for since, want := range map[EditID][]EditID{0: {2, 3, 4}, 4: {4}} {
		l, err := Life(t.Context(), s, 2, lin, since)
		var got []EditID
		for _, e := range l.Edits {
			got = append(got, e.ID)
		}
		if err != nil || !slices.Equal(got, want) || l.Base != 0 {
			t.Errorf("since %d: %v from %d (%v), want %v", since, got, l.Base, err, want)
		}
	}
}
