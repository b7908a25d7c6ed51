package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"waferpair/workspace/text"
)

func newStore(t testing.TB) *Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "store"))
}

func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(context.Background(), Options{Dir: dir, Root: "/project"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// must returns its argument, and ends the test on an error.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func baseline(t testing.TB, s *Store, files map[string]string) {
	t.Helper()
	var list []BaseFile
	for path, body := range files {
		list = append(list, BaseFile{Path: path, Bytes: []byte(body), Mode: 0o644, Size: int64(len(body))})
	}
	if _, err := s.Baseline(context.Background(), slices.Values(list)); err != nil {
		t.Fatal(err)
	}
}

// replace returns an edit of the head of path: the first occurrence of old becomes new.
func replace(t testing.TB, s *Store, path, old, new string) NewEdit {
	t.Helper()
	v := must[Version](t)(s.Head(context.Background(), path))
	i := strings.Index(string(v.Bytes), old)
	if i < 0 {
		t.Fatalf("%s does not contain %q: %q", path, old, v.Bytes)
	}
	cs := must[text.ChangeSet](t)(text.NewChangeSet(text.Byte(len(v.Bytes)),
		text.Change{From: text.Byte(i), To: text.Byte(i + len(old)), Insert: new}))
	return NewEdit{Path: path, Kind: Text, Before: text.Of(v.Bytes), Changes: cs}
}

// do appends one operation and waits for it.
func do(t testing.TB, s *Store, author Author, edits ...NewEdit) EditID {
	t.Helper()
	r, err := s.Append(context.Background(), Op{Author: author, Edits: edits})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r.IDs()[0]
}

// toAppend converts a plan to the edits of an Op.
func toAppend(p Plan) []NewEdit {
	out := make([]NewEdit, len(p.Files))
	for i, f := range p.Files {
		out[i] = NewEdit{Path: f.Path, Kind: f.Kind, To: f.To, Before: f.Before, Changes: f.Changes,
			Content: f.Content, Mode: f.Mode, Expect: f.Expect, Reverts: f.Reverts}
	}
	return out
}

// carryOut appends a plan, as app does after it has written the files.
func carryOut(t testing.TB, s *Store, p Plan) []EditID {
	t.Helper()
	r, err := s.Append(context.Background(), Op{Author: Revert, Edits: toAppend(p)})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r.IDs()
}

func at(t testing.TB, s *Store, id EditID, path string) string {
	t.Helper()
	v := must[Version](t)(s.At(context.Background(), id, path))
	if !v.Exists {
		return "(gone)"
	}
	return string(v.Bytes)
}

func want(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestEditAndReadBack(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a.go": "one\ntwo\nthree\n", "b.go": "b\n"})
	e1 := do(t, s, Model, replace(t, s, "a.go", "two", "TWO"))
	e2 := do(t, s, User, replace(t, s, "a.go", "three", "3"))
	want(t, at(t, s, 0, "a.go"), "one\ntwo\nthree\n")
	want(t, at(t, s, e1, "a.go"), "one\nTWO\nthree\n")
	want(t, at(t, s, e2, "a.go"), "one\nTWO\n3\n")
	want(t, at(t, s, e2, "b.go"), "b\n")
	want(t, at(t, s, e2, "missing.go"), "(gone)")
	edits := must[[]Edit](t)(s.List(context.Background(), Filter{}))
	if len(edits) != 2 || edits[0].Author != Model || edits[1].Added != 1 || edits[1].Removed != 1 {
		t.Fatalf("%+v", edits)
	}
	d := must[Detail](t)(s.Get(context.Background(), e1))
	want(t, string(d.Before.Bytes)+"|"+string(d.After.Bytes), "one\ntwo\nthree\n|one\nTWO\nthree\n")
	if _, err := s.At(context.Background(), 99, "a.go"); !errors.Is(err, ErrNoEdit) {
		t.Fatal(err)
	}
}

func TestReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	baseline(t, s, map[string]string{"a": "1\n2\n"})
	e1 := do(t, s, Model, replace(t, s, "a", "1", "one"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir)
	if n := s.Notices(); len(n) != 0 {
		t.Fatal(n)
	}
	want(t, at(t, s, e1, "a"), "one\n2\n")
	e2 := do(t, s, Model, replace(t, s, "a", "2", "two"))
	if e2 <= e1 {
		t.Fatalf("edit %d after %d", e2, e1)
	}
	for _, p := range []string{"history.db", "tail", "lock"} {
		fi := must[fs.FileInfo](t)(os.Stat(filepath.Join(dir, p)))
		if fi.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", p, fi.Mode())
		}
	}
}

func TestRevertFromTheMiddle(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "1\n2\n3\n4\n5\n"})
	e1 := do(t, s, Model, replace(t, s, "a", "2", "two"))
	do(t, s, User, replace(t, s, "a", "1", "one and a half"))
	do(t, s, Model, replace(t, s, "a", "5", "five"))
	p := must[Plan](t)(s.PlanRevert(context.Background(), []EditID{e1}))
	r := carryOut(t, s, p)[0]
	want(t, at(t, s, Newest, "a"), "one and a half\n2\n3\n4\nfive\n")
	if _, err := s.PlanRevert(context.Background(), []EditID{e1}); err == nil ||
		!strings.Contains(err.Error(), "already reverted") {
		t.Fatal(err)
	}
	p = must[Plan](t)(s.PlanRevert(context.Background(), []EditID{r}))
	carryOut(t, s, p)
	want(t, at(t, s, Newest, "a"), "one and a half\ntwo\n3\n4\nfive\n")
}

// TestRevertOfARevertAndOfWhatItRevertsAgain: when a revert is in force again because its
// own revert was reverted, the edits that it reverted are not reverted twice.
func TestRevertOfARevertAndOfWhatItRevertsAgain(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "ayy\n"})
	e1 := do(t, s, Model, replace(t, s, "a", "\n", ""))
	e2 := do(t, s, Model, replace(t, s, "a", "ayy", "z"))
	revert := func(ids ...EditID) EditID {
		t.Helper()
		return carryOut(t, s, must[Plan](t)(s.PlanRevert(context.Background(), ids)))[0]
	}
	again := revert(revert(e2, e1))
	want(t, at(t, s, Newest, "a"), "z")
	revert(e1, again)
	want(t, at(t, s, Newest, "a"), "ayy\n")
}

// TestRevertOfRenamesInTurn: a file gets its old name back once the file that has it now
// gives it up; two that wait for each other are refused.
func TestRevertOfRenamesInTurn(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "A\n", "b": "B\n"})
	rename := func(from, to string) EditID { return do(t, s, User, NewEdit{Path: from, Kind: Rename, To: to}) }
	one, two := rename("b", "c"), rename("a", "b")
	p := must[Plan](t)(s.PlanRevert(context.Background(), []EditID{one, two}))
	carryOut(t, s, p)
	want(t, at(t, s, Newest, "a"), "A\n")
	want(t, at(t, s, Newest, "b"), "B\n")
	ids := []EditID{rename("a", "c"), rename("b", "a"), rename("c", "b")}
	_, err := s.PlanRevert(context.Background(), ids)
	var c *Conflict
	if !errors.As(err, &c) || len(c.Clashes) != 2 || !strings.Contains(err.Error(), "one at a time") {
		t.Fatalf("two that changed names: %v", err)
	}
}

func TestRevertConflictSaysWhere(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "1\n2\n3\n"})
	e1 := do(t, s, Model, replace(t, s, "a", "2", "two"))
	e2 := do(t, s, User, replace(t, s, "a", "two", "zwei"))
	_, err := s.PlanRevert(context.Background(), []EditID{e1})
	var c *Conflict
	if !errors.As(err, &c) {
		t.Fatal(err)
	}
	k := c.Clashes[0]
	second := Lines{From: 2, To: 2}
	if k.Path != "a" || k.Edit != e1 || !slices.Equal(k.By, []EditID{e2}) || k.Old != second || k.New != second {
		t.Fatalf("%+v", k)
	}
	p := must[Plan](t)(s.PlanRevert(context.Background(), []EditID{e1, e2}))
	carryOut(t, s, p)
	want(t, at(t, s, Newest, "a"), "1\n2\n3\n")
}

func TestCreateDeleteRename(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	c := do(t, s, Model, NewEdit{Path: "new", Kind: Create, Content: []byte("x\ny\n"), Mode: 0o755})
	e := do(t, s, Model, replace(t, s, "new", "x", "X"))
	r := do(t, s, User, NewEdit{Path: "new", Kind: Rename, To: "newer"})
	e2 := do(t, s, User, replace(t, s, "newer", "y", "Y"))
	want(t, at(t, s, r, "new"), "(gone)")
	want(t, at(t, s, e2, "newer"), "X\nY\n")
	want(t, at(t, s, e, "new"), "X\ny\n")
	carryOut(t, s, must[Plan](t)(s.PlanRevert(ctx, []EditID{e})))
	want(t, at(t, s, Newest, "newer"), "x\nY\n")
	carryOut(t, s, must[Plan](t)(s.PlanRevert(ctx, []EditID{r})))
	want(t, at(t, s, Newest, "new"), "x\nY\n")
	if v := must[Version](t)(s.Head(ctx, "new")); v.Mode != 0o755 {
		t.Fatal(v.Mode)
	}
	var conflict *Conflict
	if _, err := s.PlanRevert(ctx, []EditID{c}); !errors.As(err, &conflict) {
		t.Fatal(err)
	}
	d := do(t, s, User, NewEdit{Path: "new", Kind: Delete})
	want(t, at(t, s, Newest, "new"), "(gone)")
	carryOut(t, s, must[Plan](t)(s.PlanRevert(ctx, []EditID{d})))
	want(t, at(t, s, Newest, "new"), "x\nY\n")
	carryOut(t, s, must[Plan](t)(s.PlanRestore(ctx, c)))
	want(t, at(t, s, Newest, "new"), "x\ny\n")
	carryOut(t, s, must[Plan](t)(s.PlanRestore(ctx, 0)))
	want(t, at(t, s, Newest, "new"), "(gone)")
}

func TestForkAndSwitch(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "1\n2\n"})
	e1 := do(t, s, Model, replace(t, s, "a", "1", "one"))
	e2 := do(t, s, Model, replace(t, s, "a", "2", "two"))
	must[Branch](t)(s.Fork(ctx, "try", e1))
	p := must[Plan](t)(s.Switch(ctx, "try"))
	if len(p.Files) != 1 || p.Files[0].Path != "a" {
		t.Fatalf("%+v", p)
	}
	if err := s.SetBranch(ctx, "try"); err != nil {
		t.Fatal(err)
	}
	want(t, at(t, s, Newest, "a"), "one\n2\n")
	e3 := do(t, s, User, replace(t, s, "a", "2", "zwei"))
	want(t, at(t, s, e3, "a"), "one\nzwei\n")
	want(t, at(t, s, e2, "a"), "one\ntwo\n")
	if n := len(must[[]Edit](t)(s.List(ctx, Filter{}))); n != 2 {
		t.Fatalf("%d edits on the branch", n)
	}
	if n := len(must[[]Edit](t)(s.List(ctx, Filter{Branches: true}))); n != 3 {
		t.Fatalf("%d edits in all", n)
	}
	if err := s.SetBranch(ctx, "main"); err != nil {
		t.Fatal(err)
	}
	want(t, at(t, s, Newest, "a"), "one\ntwo\n")
}

func TestStaleEditIsRefused(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "1\n"})
	stale := replace(t, s, "a", "1", "one")
	do(t, s, User, replace(t, s, "a", "1", "eins"))
	var he *HeadError
	if _, err := s.Append(ctx, Op{Author: Model, Edits: []NewEdit{stale}}); !errors.As(err, &he) || he.Path != "a" {
		t.Fatal(err)
	}
	unknown := NewEdit{Path: "zzz", Kind: Text}
	if _, err := s.Append(ctx, Op{Author: Model, Edits: []NewEdit{unknown}}); !errors.As(err, &he) {
		t.Fatal(err)
	}
	want(t, at(t, s, Newest, "a"), "eins\n")
}

func TestSessionsAndDrafts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "1\n"})
	ses := must[SessionID](t)(s.StartSession(ctx, "first"))
	turn := must[TurnID](t)(s.StartTurn(ctx, Turn{Session: ses, Request: "do it", Model: "spark"}))
	must[[]ItemID](t)(s.PutItems(ctx, turn, Item{Status: ItemCompleted, Body: []byte(`{}`)}))
	e := replace(t, s, "a", "1", "one")
	if err := s.PutDraft(ctx, Draft{Turn: turn, Path: "a", Base: e.Before, Changes: e.Changes}); err != nil {
		t.Fatal(err)
	}
	if d := must[[]Draft](t)(s.Drafts(ctx)); len(d) != 1 || d[0].Before != HashBytes([]byte("1\n")) {
		t.Fatalf("%+v", d)
	}
	r := must[Receipt](t)(s.Append(ctx, Op{Author: Model, Turn: turn, Edits: []NewEdit{e}}))
	if err := r.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if d := must[[]Draft](t)(s.Drafts(ctx)); len(d) != 0 {
		t.Fatalf("%+v", d)
	}
	if n := len(must[[]Edit](t)(s.List(ctx, Filter{Turn: turn}))); n != 1 {
		t.Fatal(n)
	}
	if n := len(must[[]Edit](t)(s.List(ctx, Filter{Session: ses}))); n != 1 {
		t.Fatal(n)
	}
	s.Close()
	s = openStore(t, dir)
	x := must[Session](t)(s.Session(ctx, ses))
	if len(x.Turns) != 1 || x.Turns[0].Status != "interrupted" || len(x.Turns[0].Items) != 1 {
		t.Fatalf("%+v", x)
	}
}

func TestIntents(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	id := must[int64](t)(s.Intend(ctx, []IntentWrite{{Path: "a", Op: "write", After: HashBytes([]byte("x"))}}))
	p := must[[]PendingIntent](t)(s.PendingIntents(ctx))
	if len(p) != 1 || p[0].ID != id || p[0].Writes[0].After != HashBytes([]byte("x")) {
		t.Fatalf("%+v", p)
	}
	if err := s.IntentDone(ctx, id, "applied"); err != nil {
		t.Fatal(err)
	}
	if p := must[[]PendingIntent](t)(s.PendingIntents(ctx)); len(p) != 0 {
		t.Fatalf("%+v", p)
	}
}

func TestFilesForReconcile(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "1\n", "b": "2\n"})
	do(t, s, Model, replace(t, s, "a", "1", "one"))
	err := s.SetDisk(ctx, []DiskState{{Path: "a", Hash: HashBytes([]byte("one\n")), Size: 4, MTime: 7, Inode: 9},
		{Path: "big", Size: 1 << 40, Excluded: "too large"}})
	if err != nil {
		t.Fatal(err)
	}
	m := must[map[string]FileState](t)(s.Files(ctx))
	if len(m) != 3 || m["a"].Head != HashBytes([]byte("one\n")) || m["a"].Inode != 9 || m["big"].Excluded != "too large" ||
		m["b"].Head != m["b"].Disk {
		t.Fatalf("%+v", m)
	}
}

// TestLoneEditIsAcknowledgedAtOnce: after a pause an edit does not sit out the window
// in which others could be committed with it; one right behind it does, until somebody
// waits for it. The window is an hour here, so that no load can be taken for it.
func TestLoneEditIsAcknowledgedAtOnce(t *testing.T) {
	s := must[*Store](t)(Open(t.Context(), Options{Dir: filepath.Join(t.TempDir(), "store"), GroupWindow: time.Hour}))
	t.Cleanup(func() { s.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	edit := func(e NewEdit) Receipt { return must[Receipt](t)(s.Append(ctx, Op{Author: User, Edits: []NewEdit{e}})) }
	if err := edit(NewEdit{Path: "a", Kind: Create, Content: []byte("v0\n")}).Wait(ctx); err != nil {
		t.Fatal("after a pause:", err)
	}
	behind := edit(versionEdit(0))
	if behind.p.isDone() {
		t.Error("the one behind it did not wait for others")
	}
	if err := errors.Join(s.Flush(ctx), behind.Wait(ctx)); err != nil {
		t.Error("once somebody waits:", err)
	}
}

// TestWhatSomebodyWaitsForIsNotGathered: the end of a turn and what is about to be saved do not sit out the
// window behind an edit.
func TestWhatSomebodyWaitsForIsNotGathered(t *testing.T) {
	s := must[*Store](t)(Open(t.Context(), Options{Dir: filepath.Join(t.TempDir(), "store"), GroupWindow: time.Hour}))
	t.Cleanup(func() { s.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	session := must[SessionID](t)(s.StartSession(ctx, ""))
	turn := must[TurnID](t)(s.StartTurn(ctx, Turn{Session: session, Request: "ask", Model: "m"}))
	must[Receipt](t)(s.Append(ctx, Op{Author: User, Edits: []NewEdit{{Path: "a", Kind: Create, Content: []byte("a\n")}}}))
	if _, err := s.Intend(ctx, nil); err != nil {
		t.Error("what is about to be saved:", err)
	}
	if err := s.EndTurn(ctx, turn, "completed", "", nil); err != nil {
		t.Error("the end of a turn:", err)
	}
}

func TestBackup(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "1\n"})
	for i := range 4 { // each beside the writer, which checks whether one is due
		do(t, s, Model, replace(t, s, "a", fmt.Sprint(i+1), fmt.Sprint(i+2)))
		if err := s.Backup(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n <= backups; n++ {
		if err := sound(context.Background(), s.files.backup(n)); err != nil {
			t.Errorf("backup %d: %v", n, err)
		}
	}
}
