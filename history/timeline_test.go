package history

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"waferpair/workspace/text"
)

// columnsString and listString print the same edits from two sources.
func columnsString(t testing.TB, s *Store) string {
	t.Helper()
	return must[Columns](t)(s.Columns(context.Background())).String()
}

// String prints all columns.
func (c Columns) String() string {
	var b strings.Builder
	for i, id := range c.IDs {
		to := ""
		if c.To[i] >= 0 {
			to = c.Names[c.To[i]]
		}
		_, undone := slices.BinarySearch(c.Undone, id)
		fmt.Fprintf(&b, "%d %d %s %s %s %s %d %d %d %v %v\n", id, c.Times[i], AuthorNames()[c.Authors[i]],
			KindNames()[c.Kinds[i]], c.Names[c.Paths[i]], to, c.Turns[i], c.Added[i], c.Removed[i],
			c.Flags[i]&FlagPartial != 0, undone)
	}
	return b.String()
}

func listString(t testing.TB, s *Store) string {
	t.Helper()
	var b strings.Builder
	for _, e := range must[[]Edit](t)(s.List(context.Background(), Filter{})) {
		fmt.Fprintf(&b, "%d %d %s %s %s %s %d %d %d %v %v\n", e.ID, e.Time.UnixMilli(), e.Author, e.Kind, e.Path, e.To,
			e.Turn, e.Added, e.Removed, e.Partial, e.RevertedBy != 0)
	}
	return b.String()
}

func TestColumnsSayWhatTheListSays(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	want(t, columnsString(t, s), "")
	baseline(t, s, map[string]string{"a": "one\ntwo\n", "b": "b\n"})
	session := must[SessionID](t)(s.StartSession(ctx, "x"))
	turn := must[TurnID](t)(s.StartTurn(ctx, Turn{Session: session, Request: "r", Model: "m"}))
	cut := replace(t, s, "a", "one", "ONE")
	cut.Partial = true
	r := must[Receipt](t)(s.Append(ctx, Op{Author: Model, Turn: turn, Edits: []NewEdit{cut}}))
	want(t, columnsString(t, s), listString(t, s))
	do(t, s, User, NewEdit{Path: "b", Kind: Rename, To: "c"})
	do(t, s, Outside, replace(t, s, "c", "b", "c"))
	want(t, columnsString(t, s), listString(t, s))
	back := carryOut(t, s, must[Plan](t)(s.PlanRevert(ctx, r.IDs())))
	want(t, columnsString(t, s), listString(t, s))
	carryOut(t, s, must[Plan](t)(s.PlanRevert(ctx, back)))
	want(t, columnsString(t, s), listString(t, s))
	must[Branch](t)(s.Fork(ctx, "side", 1))
	if err := s.SetBranch(ctx, "side"); err != nil {
		t.Fatal(err)
	}
	want(t, columnsString(t, s), listString(t, s))
	do(t, s, User, replace(t, s, "a", "two", "2"))
	want(t, columnsString(t, s), listString(t, s))
	if err := s.SetBranch(ctx, "main"); err != nil {
		t.Fatal(err)
	}
	want(t, columnsString(t, s), listString(t, s))
}

func TestMomentsHaveNames(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "one\n"})
	e := do(t, s, User, replace(t, s, "a", "one", "1"))
	for id, name := range map[EditID]string{0: "start", e: "works"} {
		if err := s.NameMoment(ctx, id, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.NameMoment(ctx, e, "still works"); err != nil {
		t.Fatal(err)
	}
	if err := s.NameMoment(ctx, 99, "never"); err == nil {
		t.Fatal("a moment that is not there got a name")
	}
	if err := s.NameMoment(ctx, 0, ""); err != nil {
		t.Fatal(err)
	}
	m := must[[]Moment](t)(s.Moments(ctx))
	if len(m) != 1 || m[0].Edit != e || m[0].Name != "still works" || m[0].Time.IsZero() {
		t.Fatalf("%+v", m)
	}
}

func TestConflictsShowThreeSides(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "one\ntwo\nthree\n", "b": "b\n"})
	e1 := do(t, s, Model, replace(t, s, "a", "two", "TWO"))
	e2 := do(t, s, Model, replace(t, s, "a", "three", "THREE"))
	if w := must[[]ThreeWay](t)(s.Conflicts(ctx, []EditID{e1})); len(w) != 0 {
		t.Fatalf("no conflict, and yet %+v", w)
	}
	do(t, s, User, replace(t, s, "a", "TWO", "my two"))
	do(t, s, User, NewEdit{Path: "a", Kind: Rename, To: "z"})
	w := must[[]ThreeWay](t)(s.Conflicts(ctx, []EditID{e1, e2}))
	if len(w) != 1 || w[0].Path != "z" || !slices.Equal(w[0].Edits, []EditID{e1, e2}) || len(w[0].Clashes) != 1 ||
		!w[0].Exists {
		t.Fatalf("%+v", w)
	}
	want(t, w[0].Base, "one\nTWO\nTHREE\n")
	want(t, w[0].Theirs, "one\ntwo\nthree\n")
	want(t, w[0].Mine, "one\nmy two\nTHREE\n")
	if c := w[0].Clashes[0]; c.Edit != e1 || c.New != (Lines{From: 2, To: 2}) {
		t.Fatalf("%+v", c)
	}
}

func TestAConflictAboutAFileThatIsGone(t *testing.T) {
	s := newStore(t)
	e := do(t, s, Model, NewEdit{Path: "n", Kind: Create, Content: []byte("new\n")})
	do(t, s, Outside, NewEdit{Path: "n", Kind: Delete})
	w := must[[]ThreeWay](t)(s.Conflicts(context.Background(), []EditID{e}))
	if len(w) != 1 || w[0].Exists || w[0].Base != "new\n" || w[0].Theirs != "" || w[0].Mine != "" {
		t.Fatalf("%+v", w)
	}
}

// TestTheOldestDatabaseOpens takes a database of the first schema, with a rename, a revert,
// a fork and a session, through all migrations.
func TestTheOldestDatabaseOpens(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	unpack(t, "testdata/schema1.db.gz", filepath.Join(dir, "history.db"))
	s := openStore(t, dir)
	ctx := context.Background()
	want(t, at(t, s, Newest, "a.go"), "one\nTWO\n3\n")
	want(t, at(t, s, Newest, "c.txt"), "b\n")
	if open := must[[]Edit](t)(s.Unreviewed(ctx)); len(open) != 0 {
		t.Fatalf("edits from before there was a review wait for one: %+v", open)
	}
	if len(must[[]Branch](t)(s.Branches(ctx))) != 2 || len(must[[]Session](t)(s.Sessions(ctx))) != 1 {
		t.Fatal("the fork or the session is missing")
	}
	e := do(t, s, Model, replace(t, s, "a.go", "one", "1"))
	if open := must[[]Edit](t)(s.Unreviewed(ctx)); len(open) != 1 || open[0].ID != e {
		t.Fatalf("%+v", open)
	}
	want(t, columnsString(t, s), listString(t, s))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir)
	want(t, at(t, s, Newest, "a.go"), "1\nTWO\n3\n")
	if rep := must[Report](t)(s.Check(ctx, nil)); !rep.OK() {
		t.Fatalf("%+v", rep)
	}
}

func unpack(t testing.TB, from, to string) {
	t.Helper()
	f := must[*os.File](t)(os.Open(from))
	defer f.Close()
	b := must[[]byte](t)(io.ReadAll(must[*gzip.Reader](t)(gzip.NewReader(f))))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTurnsComeInParts(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	id := must[SessionID](t)(s.StartSession(ctx, ""))
	for i := range 4 {
		turn := must[TurnID](t)(s.StartTurn(ctx, Turn{Session: id, Request: fmt.Sprint("request ", i), Model: "m"}))
		must[[]ItemID](t)(s.PutItems(ctx, turn, Item{Status: ItemCompleted, Body: []byte(`{}`)}))
	}
	show := func(before TurnID, limit int) (out string) {
		for _, x := range must[[]Turn](t)(s.Turns(ctx, id, before, limit)) {
			out += fmt.Sprint(x.ID, len(x.Items), " ")
		}
		return out
	}
	want(t, show(0, 0), "1 1 2 1 3 1 4 1 ")
	want(t, show(0, 2), "3 1 4 1 ")
	want(t, show(3, 1), "2 1 ")
	want(t, must[[]Session](t)(s.Sessions(ctx))[0].Title, "request 0")
	if err := s.RenameSession(ctx, id, "  better "); err != nil {
		t.Fatal(err)
	}
	want(t, must[[]Session](t)(s.Sessions(ctx))[0].Title, "better")
	if s.RenameSession(ctx, id, " ") == nil || s.RenameSession(ctx, 9, "x") == nil {
		t.Fatal("an empty title, or that of no session, was taken")
	}
}

// many fills a store with edits of several files, as a long project has them.
func many(b testing.TB, s *Store, edits, files int) {
	b.Helper()
	ctx := context.Background()
	bodies := map[string]string{}
	texts := make([]text.Text, files)
	for i := range texts {
		body := strings.Repeat("func f(a, b int) int { return a + b }\n", 400)
		bodies[fmt.Sprintf("f%02d.go", i)] = body
		texts[i] = text.OfString(body)
	}
	baseline(b, s, bodies)
	session := must[SessionID](b)(s.StartSession(ctx, "x"))
	var turn TurnID
	for n := range edits {
		if n%200 == 0 {
			turn = must[TurnID](b)(s.StartTurn(ctx, Turn{Session: session, Request: "r", Model: "m"}))
		}
		i := n * 7 % files
		at := text.Byte(n * 131 % int(texts[i].Len()))
		cs := must[text.ChangeSet](b)(text.NewChangeSet(texts[i].Len(), text.Change{From: at, To: min(texts[i].Len(), at+20),
			Insert: "x := compute(y)\n"}))
		op := Op{Author: Model, Turn: turn,
			Edits: []NewEdit{{Path: fmt.Sprintf("f%02d.go", i), Kind: Text, Before: texts[i], Changes: cs}}}
		if _, err := s.Append(ctx, op); err != nil {
			b.Fatal(err)
		}
		texts[i] = must[text.Text](b)(cs.Apply(texts[i]))
	}
}

func BenchmarkColumns100k(b *testing.B) {
	s := newStore(b)
	many(b, s, 100_000, 50)
	for b.Loop() {
		s.columns = columnCache{}
		must[Columns](b)(s.Columns(context.Background()))
	}
}

func BenchmarkScrub(b *testing.B) {
	s := newStore(b)
	many(b, s, 10_000, 50)
	must[Columns](b)(s.Columns(context.Background()))
	b.ResetTimer()
	took := make([]time.Duration, b.N)
	for i := range b.N {
		id, start := EditID(1+i*7919%10_000), time.Now()
		must[Version](b)(s.At(context.Background(), id, fmt.Sprintf("f%02d.go", i%50)))
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100])/1e6, "p99-ms")
}

func BenchmarkBlameCold(b *testing.B) {
	s := newStore(b)
	many(b, s, 10_000, 1)
	now := must[Version](b)(s.Head(context.Background(), "f00.go"))
	t := text.Of(now.Bytes)
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			s.traces = traces{}
			must[[]BlameRun](b)(s.Blame(context.Background(), "f00.go", t))
		}
	})
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			must[[]BlameRun](b)(s.Blame(context.Background(), "f00.go", t))
		}
	})
	b.Run("review", func(b *testing.B) {
		for b.Loop() {
			must[[]ReviewHunk](b)(s.Review(context.Background(), "f00.go", t))
		}
	})
}
