package history

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/history/version"
)

// walked returns the list of files that the walk over their edits gives.
func walked(ctx context.Context, s *Store) (map[string]FileState, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	return s.rows().walkedFiles(ctx, s.lineage())
}

// compareFiles checks that the list of files is the same with and without table head.
func (m *machine) compareFiles(t *rapid.T) {
	got, err := m.s.Files(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if all, err := m.s.rows().haveHeads(context.Background(), m.s.current); !all || err != nil {
		t.Fatalf("heads are missing (%v)", err)
	}
	want, err := walked(context.Background(), m.s)
	if err != nil || !maps.Equal(got, want) {
		t.Fatalf("files: %+v (%v)\nwant %+v", got, err, want)
	}
	for path, f := range m.world() {
		if st := got[path]; st.Head != HashBytes([]byte(f.body())) {
			t.Fatalf("%s is %v, want %q", path, st.Head, f.body())
		}
	}
}

// sameFiles is compareFiles for tests without a model.
func sameFiles(t *testing.T, s *Store) map[string]FileState {
	t.Helper()
	got := must[map[string]FileState](t)(s.Files(context.Background()))
	if want := must[map[string]FileState](t)(walked(context.Background(), s)); !maps.Equal(got, want) {
		t.Fatalf("files: %+v\nwant %+v", got, want)
	}
	if rep := must[Report](t)(s.Check(context.Background(), nil)); !rep.OK() {
		t.Fatalf("%v", rep.Damage)
	}
	return got
}

func body(s string) Hash { return HashBytes([]byte(s)) }

// TestHeadsOfForks: later edits on the branch that a fork left do not belong to the fork,
// even if the fork is of a moment long ago.
func TestHeadsOfForks(t *testing.T) {
	s, ctx := newStore(t), context.Background()
	baseline(t, s, map[string]string{"a": "one\n"})
	baseline(t, s, map[string]string{"b": "b\n"})
	first := do(t, s, User, replace(t, s, "a", "one", "two"))
	do(t, s, User, replace(t, s, "a", "two", "three"))
	do(t, s, User, NewEdit{Path: "b", Kind: Rename, To: "c"})
	must[Branch](t)(s.Fork(ctx, "other", first))
	do(t, s, User, replace(t, s, "c", "b", "B"))
	for _, at := range []struct{ branch, a, b, c string }{{"other", "two\n", "b\n", ""}, {"main", "three\n", "", "B\n"},
		{"other", "two\n", "b\n", ""}} {
		if err := s.SetBranch(ctx, at.branch); err != nil {
			t.Fatal(err)
		}
		got := sameFiles(t, s)
		for path, want := range map[string]string{"a": at.a, "b": at.b, "c": at.c} {
			if h := got[path].Head; h != body(want) && !(want == "" && h.IsZero()) {
				t.Errorf("%s on %s is %v, want %q", path, at.branch, h, want)
			}
		}
	}
	do(t, s, User, replace(t, s, "a", "two", "2"))
	if got := sameFiles(t, s)["a"].Head; got != body("2\n") {
		t.Errorf("a is %v after its first edit on the fork", got)
	}
}

// TestHeadsOfWhatWasPurged purges a file and a session, and records the file's content
// again.
func TestHeadsOfWhatWasPurged(t *testing.T) {
	s, ctx := newStore(t), context.Background()
	baseline(t, s, map[string]string{"a": "one\n"})
	baseline(t, s, map[string]string{"b": "one\n"})
	do(t, s, User, replace(t, s, "a", "one", "two"))
	session := must[SessionID](t)(s.StartSession(ctx, "s"))
	turn := must[TurnID](t)(s.StartTurn(ctx, Turn{Session: session, Request: "r", Model: "m"}))
	r := must[Receipt](t)(s.Append(ctx, Op{Author: Model, Turn: turn, Edits: []NewEdit{replace(t, s, "b", "one", "two")}}))
	if err := r.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, s)
	must[PurgeReport](t)(s.Purge(ctx, PurgeRequest{Path: "a"}))
	if got := sameFiles(t, s)["a"].Head; !got.IsZero() {
		t.Errorf("a is %v after it was purged", got)
	}
	must[PurgeReport](t)(s.Purge(ctx, PurgeRequest{Session: session}))
	sameFiles(t, s)
	baseline(t, s, map[string]string{"a": "anew\n"})
	if got := sameFiles(t, s)["a"].Head; got != body("anew\n") {
		t.Errorf("a is %v after it was recorded anew", got)
	}
	do(t, s, User, replace(t, s, "a", "anew", "newer"))
	if got := sameFiles(t, s)["a"].Head; got != body("newer\n") {
		t.Errorf("a is %v after it was edited", got)
	}
}

// TestHeadsOfBefore: a database without heads gets them, however many files it has; a
// read-only store walks over the edits.
func TestHeadsOfBefore(t *testing.T) {
	s, ctx := newStore(t), context.Background()
	var files []BaseFile
	for i := range headsAtOnce + 3 {
		files = append(files, BaseFile{Path: string(rune('a'+i/26)) + string(rune('a'+i%26)),
			Bytes: []byte("x\n"), Mode: 0o644})
	}
	must[int](t)(s.Baseline(ctx, slices.Values(files)))
	for _, f := range files {
		do(t, s, User, replace(t, s, f.Path, "x", f.Path))
	}
	if err := s.clearHeads(ctx); err != nil {
		t.Fatal(err)
	}
	reader := must[*Store](t)(Open(ctx, Options{Dir: s.opts.Dir}))
	defer reader.Close()
	seen := must[map[string]FileState](t)(reader.Files(ctx))
	if got := sameFiles(t, s); !maps.Equal(got, seen) || got["aa"].Head != body("aa\n") {
		t.Fatalf("%v, and who only reads: %v", got["aa"], seen["aa"])
	}
	if all := must[bool](t)(s.rows().haveHeads(ctx, 1)); !all {
		t.Error("they are not kept")
	}
}

// TestCheckFindsWrongHeads also checks that they are then rebuilt.
func TestCheckFindsWrongHeads(t *testing.T) {
	s, ctx := newStore(t), context.Background()
	baseline(t, s, map[string]string{"a": "one\n"})
	do(t, s, User, replace(t, s, "a", "one", "two"))
	want := sameFiles(t, s)
	for what, query := range map[string]string{
		"another hash": "UPDATE head SET after = randomblob(32)",
		"another mode": "UPDATE head SET mode = 1",
		"none":         "DELETE FROM head",
		"one too many": "INSERT INTO head (branch, path, edit, mode, after) VALUES (1, 99, 1, 0, NULL)",
	} {
		job := must[*promise](t)(s.submit(ctx, 0, func(g *group) error { return g.exec(query) }))
		if err := job.wait(ctx); err != nil {
			t.Fatal(err)
		}
		rep := must[Report](t)(s.Check(ctx, nil))
		if len(rep.Damage) != 1 || !strings.Contains(rep.Damage[0].String(), "the newest version of ") {
			t.Errorf("%s: %v", what, rep.Damage)
		}
		if got := sameFiles(t, s); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
}

// TestHeadsAreWrittenOnceAGroup: for a file with a stream of edits, only the last one
// counts.
func TestHeadsAreWrittenOnceAGroup(t *testing.T) {
	g := group{}
	for id := range EditID(3) {
		g.made(&newEdit{row: editRow{id: id + 1, branch: 1}, pathID: 7, sum: version.Known(Hash{byte(id)}), mode: 0o644})
	}
	if h := g.heads[headKey{1, 7}]; len(g.heads) != 1 || h.edit != 3 || h.after.Hash() != (Hash{2}) {
		t.Errorf("%+v", g.heads)
	}
}

// TestFilesReadsNoEdits: the list of all files costs what the files cost, however many
// edits made them. Without its edits it is the same.
func TestFilesReadsNoEdits(t *testing.T) {
	s, ctx := newStore(t), context.Background()
	baseline(t, s, map[string]string{"a": "v0\n", "b": "b\n", "c": "c\n"})
	for i := range 30 {
		do(t, s, User, versionEdit(i))
	}
	do(t, s, User, NewEdit{Path: "b", Kind: Rename, To: "d"}, NewEdit{Path: "c", Kind: Delete},
		NewEdit{Path: "new", Kind: Create, Content: []byte("new\n")})
	want := sameFiles(t, s)
	if want["a"].Head != body("v30\n") || want["d"].Head != body("b\n") || want["new"].Head != body("new\n") {
		t.Fatalf("%+v", want)
	}
	for _, query := range []string{"DELETE FROM step", "DELETE FROM edit", "DELETE FROM op", "DELETE FROM blob",
		"DELETE FROM chunk"} {
		job := must[*promise](t)(s.submit(ctx, 0, func(g *group) error { return g.exec(query) }))
		if err := job.wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if got := must[map[string]FileState](t)(s.Files(ctx)); !maps.Equal(got, want) {
		t.Errorf("without the edits: %+v, with them %+v", got, want)
	}
}
