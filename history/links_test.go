package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// rowByRow is the obvious version of reader.Edits.
func rowByRow(t testing.TB, s *Store, path int64, seg version.Segment, after EditID, deltas bool) (out []version.Row) {
	t.Helper()
	rows := must[interface {
		Next() bool
		Scan(...any) error
		Close() error
	}](t)(s.read.QueryContext(t.Context(), "SELECT id, kind, state, mode, after, blob, "+deltaOf+
		" FROM edit e WHERE path = ? AND branch = ? AND id <= ? AND id > ? ORDER BY id DESC",
		path, seg.Branch, int64(seg.Max), int64(after)))
	defer rows.Close()
	for rows.Next() {
		var r version.Row
		var kind, state int
		var mode, blob *int64
		if err := rows.Scan(&r.ID, &kind, &state, &mode, &r.After, &blob, &r.Delta); err != nil {
			t.Fatal(err)
		}
		r.Kind, r.Lost, r.Size = word(kinds, kind), lost(state, statePurged), len(r.Delta)
		if mode != nil {
			r.Mode, r.HasMode = fs.FileMode(*mode), true
		}
		if blob != nil {
			r.Blob = *blob
		}
		if !deltas {
			r.Delta = nil
		}
		out = append(out, r)
	}
	return out
}

// sameEdits compares the chains with their rows, for all files on all branches, between
// random moments.
func sameEdits(t *testing.T, s *Store, r *rand.Rand) {
	t.Helper()
	if err := s.Flush(t.Context()); err != nil { // so that both read the same rows
		t.Fatal(err)
	}
	var last int64 // read from the database: the writer's own count belongs to its goroutine
	if err := s.read.QueryRowContext(t.Context(), "SELECT coalesce(max(id), 0) FROM edit").Scan(&last); err != nil {
		t.Fatal(err)
	}
	for _, path := range must[[]int64](t)(s.rows().Edited(t.Context())) {
		for branch := range int64(len(s.branches)) {
			seg := version.Segment{Branch: branch + 1, Max: Newest}
			after := EditID(0)
			if r.IntN(2) == 0 {
				seg.Max, after = EditID(r.Int64N(last+1)), EditID(r.Int64N(last+1))
			}
			deltas := r.IntN(3) > 0
			var got []version.Row
			for row, err := range s.rows().Edits(t.Context(), path, seg, after, deltas) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, row)
			}
			want := rowByRow(t, s, path, seg, after, deltas)
			for i := range want[:min(len(want), len(got))] {
				if w := &want[i]; i > 0 && got[i].After == nil && w.Kind == version.Text && w.Lost == nil {
					w.After = nil // is not read
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("path %d, branch %d, %d to %d: read as\n%v\nand the rows are\n%v", path, seg.Branch, after,
					seg.Max, got, want)
			}
		}
	}
}

// TestChainsAreTheirRows: on random histories of renames, forks, deletes, whole contents,
// changes too large for a packed value, and purges.
func TestChainsAreTheirRows(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(5, seed))
		s := newStore(t)
		baseline(t, s, map[string]string{"a": "one\ntwo\n", "b": ""})
		names := []string{"a", "b", "c", "d"}
		for i := range 120 {
			path := names[r.IntN(len(names))]
			if r.IntN(30) == 0 {
				if _, err := s.Fork(t.Context(), fmt.Sprint("fork ", i), Newest); err != nil {
					t.Fatal(err)
				}
				continue
			}
			randomEdit(t, s, r, path, names)
		}
		sameEdits(t, s, r)
		if _, err := s.Purge(t.Context(), PurgeRequest{Path: "b"}); err != nil && !errors.Is(err, ErrNotFound) {
			t.Fatal(err)
		}
		sameEdits(t, s, r)
	}
}

// randomEdit makes an edit of a file, if that is possible there.
func randomEdit(t *testing.T, s *Store, r *rand.Rand, path string, names []string) {
	t.Helper()
	was, err := s.Head(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	e := NewEdit{Path: path, Kind: Create, Content: []byte(fmt.Sprint(r.Int()))}
	if was.Exists {
		e.Kind = []Kind{Text, Text, Text, Text, Blob, Mode, Rename, Delete}[r.IntN(8)]
	}
	switch e.Kind {
	case Text:
		e.Before = text.Of(was.Bytes)
		word := fmt.Sprint(r.Int())
		if r.IntN(10) == 0 { // incompressible
			b := make([]byte, 2*chainDelta)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			word = string(b)
		}
		at := text.Byte(r.IntN(len(was.Bytes) + 1))
		e.Changes = must[text.ChangeSet](t)(text.NewChangeSet(e.Before.Len(), text.Change{From: at, To: at, Insert: word}))
	case Mode:
		e.Mode = 0o600 + fs.FileMode(r.IntN(8))
	case Rename:
		e.To = names[r.IntN(len(names))]
	}
	var taken *HeadError
	if _, err := s.Append(t.Context(), Op{Author: User, Edits: []NewEdit{e}}); err != nil && !errors.As(err, &taken) {
		t.Fatal(err)
	}
}

// TestALongChainIsReadInParts: for a file that was not stored whole for longer than one
// value takes.
func TestALongChainIsReadInParts(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": strings.Repeat("line\n", 20)})
	op := Op{Author: User}
	for i := range 2*chainRows + 10 {
		op.Edits = append(op.Edits, NewEdit{Path: "a", Kind: Mode, Mode: 0o600 + fs.FileMode(i%8)})
	}
	if err := must[Receipt](t)(s.Append(t.Context(), op)).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	do(t, s, User, replace(t, s, "a", "line", "word"))
	sameEdits(t, s, rand.New(rand.NewPCG(1, 1)))
	want(t, at(t, s, Newest, "a"), "word\n"+strings.Repeat("line\n", 19))
}

// TestADamagedChainIsAnError: whatever is in place of a number or a length.
func TestADamagedChainIsAnError(t *testing.T) {
	s := newStore(t)
	oneFile(t, s, 5)
	seg := version.Segment{Branch: 1, Max: Newest}
	pid := must[int64](t)(s.rows().PathID(t.Context(), "a"))
	var whole []byte
	if err := s.read.QueryRowContext(context.Background(), chainQuery, pid, seg.Branch, int64(seg.Max), 0, chainDelta).
		Scan(&whole); err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		l := links{b: whole[:n:n]}
		for len(l.b) > 0 {
			l.next(chainDelta)
		}
		l = links{b: append(append([]byte{}, whole[:n]...), "x 99999999999999999999 "...)}
		for len(l.b) > 0 {
			l.next(chainDelta)
		}
	}
	l := links{b: whole[:len(whole)-1]}
	for len(l.b) > 0 {
		l.next(chainDelta)
	}
	if !l.bad {
		t.Fatal("a chain that is cut off is read as whole")
	}
}
