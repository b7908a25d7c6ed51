package history

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// outlinesOf returns the outlines in a store, by hash.
func outlinesOf(t testing.TB, s *Store, version int64) map[Hash]string {
	t.Helper()
	out := map[Hash]string{}
	if err := s.Outlines(t.Context(), version, func(h Hash, data []byte) { out[h] = string(data) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// onDisk records files, and that they are on disk as recorded.
func onDisk(t testing.TB, s *Store, files map[string]string) {
	t.Helper()
	baseline(t, s, files)
	var states []DiskState
	for path, body := range files {
		states = append(states, DiskState{Path: path, Hash: HashBytes([]byte(body)), Size: int64(len(body))})
	}
	if err := s.SetDisk(t.Context(), states); err != nil {
		t.Fatal(err)
	}
}

// settleOutlines waits until no outline waits to be written.
func settleOutlines(t testing.TB, s *Store) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		s.outlines.mu.Lock()
		n := len(s.outlines.pending)
		s.outlines.mu.Unlock()
		if n == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d outlines still wait", n)
		}
	}
	if err := s.solo(t.Context(), func(*writer) error { return nil }); err != nil { // the last batch is written
		t.Fatal(err)
	}
}

func outlineOf(path, body, data string) Outline {
	return Outline{path, HashBytes([]byte(body)), []byte(data)}
}

// TestOutlinesAreOfWhatIsOnDisk: the next process has them, for the same version of the
// program and only for contents that a file has.
func TestOutlinesAreOfWhatIsOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	onDisk(t, s, map[string]string{"a": "one\n", "b": "two\n"})
	s.KeepingOutlines(1)([]Outline{
		outlineOf("a", "one\n", "outline of a"), outlineOf("b", "other\n", "not what b holds"),
		outlineOf("c", "two\n", "there is no c"), {"b", HashBytes([]byte("two\n")), make([]byte, maxOutline+1)},
	})
	if err := s.Close(); err != nil { // writes the waiting ones
		t.Fatal(err)
	}
	s = openStore(t, dir)
	if got := outlinesOf(t, s, 1); len(got) != 1 || got[HashBytes([]byte("one\n"))] != "outline of a" {
		t.Fatalf("kept %v", got)
	}
	if got := outlinesOf(t, s, 2); len(got) != 0 {
		t.Fatalf("another version reads %v", got)
	}

	// An outline of old content is replaced, or removed by the next process.
	if err := s.SetDisk(t.Context(), []DiskState{{Path: "a", Hash: HashBytes([]byte("1\n"))}}); err != nil {
		t.Fatal(err)
	}
	s.KeepingOutlines(1)([]Outline{outlineOf("b", "two\n", "outline of b")})
	settleOutlines(t, s)
	if got := outlinesOf(t, s, 1); len(got) != 1 || got[HashBytes([]byte("two\n"))] != "outline of b" {
		t.Fatalf("kept %v", got)
	}

	// A second process reads, and writes nothing.
	second := must[*Store](t)(Open(t.Context(), Options{Dir: dir}))
	defer second.Close()
	second.KeepingOutlines(1)([]Outline{outlineOf("a", "1\n", "outline of a")})
	if got := outlinesOf(t, second, 1); !second.ReadOnly() || len(got) != 1 {
		t.Fatalf("the second process reads %v", got)
	}
}

// TestPurgeRemovesOutlines: also those that were computed before it and stored after it.
func TestPurgeRemovesOutlines(t *testing.T) {
	const secret = "hunter2-SECRET-0451"
	s := newStore(t)
	onDisk(t, s, map[string]string{"ok": "fine\n", "s": "x\n"})
	list := []Outline{outlineOf("ok", "fine\n", "fine"), outlineOf("s", "x\n", noise(secret))}
	keep := s.KeepingOutlines(1)
	keep(list)
	settleOutlines(t, s)
	if got := outlinesOf(t, s, 1); len(got) != 2 {
		t.Fatalf("kept %v", got)
	}
	keep(list) // waits while the purge runs
	if _, err := s.Purge(t.Context(), PurgeRequest{Path: "s"}); err != nil {
		t.Fatal(err)
	}
	keep(list) // computed before it
	s.KeepingOutlines(1)(list)
	settleOutlines(t, s)
	if got := outlinesOf(t, s, 1); len(got) != 1 || got[HashBytes([]byte("fine\n"))] != "fine" {
		t.Fatalf("kept %v", got)
	}
	if found := grepStore(t, s, secret); len(found) > 0 {
		t.Fatalf("the purged words are in %v", found)
	}
}

// TestHiddenLettersLeaveTheOutlines: the beginning of a secret may have been a name.
func TestHiddenLettersLeaveTheOutlines(t *testing.T) {
	s := newStore(t)
	const body = "# HUNTER1\nx\n"
	onDisk(t, s, map[string]string{"a": body})
	keep := s.KeepingOutlines(1)
	keep([]Outline{outlineOf("a", body, "heading HUNTER1")})
	settleOutlines(t, s)
	if len(outlinesOf(t, s, 1)) != 1 {
		t.Fatal("nothing was kept")
	}
	finish(t, s, "a", "HUNTER1")
	settleHides(t, s)
	keep([]Outline{outlineOf("a", body, "heading HUNTER1")})
	settleOutlines(t, s)
	if got := outlinesOf(t, s, 1); len(got) != 0 {
		t.Fatalf("kept %v", got)
	}
	// a reader may block the wipe of the log
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if f := grepStore(t, s, "HUNTER1"); len(f) == 0 {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the letters are still in %v", f)
		}
	}
}

// TestOutlinesGiveWayToEdits: a history with a cap removes them before any edit.
func TestOutlinesGiveWayToEdits(t *testing.T) {
	s := newStore(t)
	files, list := map[string]string{}, []Outline(nil)
	for i := range 60 {
		name, body := fmt.Sprint("f", i), fmt.Sprintf("%d\n", i)
		files[name] = body
		list = append(list, outlineOf(name, body, strings.Repeat("x", 50_000)))
	}
	onDisk(t, s, files)
	for i := range 200 {
		do(t, s, User, replace(t, s, "f0", "\n", fmt.Sprintf("%d\n", i)))
	}
	s.KeepingOutlines(1)(list[1:])
	settleOutlines(t, s)
	if len(outlinesOf(t, s, 1)) != 59 {
		t.Fatal("not all were kept")
	}
	if err := s.SetCap(t.Context(), 1<<20); err != nil {
		t.Fatal(err)
	}
	if below, err := s.Reclaim(t.Context()); err != nil || !below {
		t.Fatalf("below the cap: %v, %v", below, err)
	}
	z := must[Sizes](t)(s.Size(t.Context()))
	if z.Reclaimed != 0 || len(outlinesOf(t, s, 1)) != 0 {
		t.Fatalf("%d edits were given up, and %d outlines are left", z.Reclaimed, len(outlinesOf(t, s, 1)))
	}
	s.KeepingOutlines(1)(list[1:]) // there is no room for them
	settleOutlines(t, s)
	if got := outlinesOf(t, s, 1); len(got) != 0 {
		t.Fatalf("%d came back", len(got))
	}
}

// TestOutlinesAreCounted: the bound applies to their real size, whatever was written twice,
// came too late or was removed.
func TestOutlinesAreCounted(t *testing.T) {
	s := newStore(t)
	onDisk(t, s, map[string]string{"a": "one\n", "b": "two\n"})
	keep := s.KeepingOutlines(1)
	put := func(step string, list ...Outline) {
		t.Helper()
		keep(list)
		settleOutlines(t, s)
		var is int64
		err := s.solo(t.Context(), func(w *writer) error {
			if w.outlineBytes == 0 {
				t.Errorf("%s: nothing is counted", step)
			}
			is = w.outlineBytes
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var bytes int64
		if err := s.read.QueryRowContext(t.Context(), "SELECT sum(length(data)) FROM outline").Scan(&bytes); err != nil ||
			is != bytes {
			t.Fatalf("%s: %d bytes are counted, and %d are there, %v", step, is, bytes, err)
		}
	}
	put("first", outlineOf("a", "one\n", "outline of a"), outlineOf("b", "two\n", "outline of b"))
	put("again, longer", outlineOf("a", "one\n", "a longer outline of a"))
	put("again, shorter", outlineOf("a", "one\n", "a"))
	put("of other contents", outlineOf("a", "other\n", "too late"), outlineOf("c", "two\n", "no such file"))
	if _, err := s.Purge(t.Context(), PurgeRequest{Path: "b"}); err != nil {
		t.Fatal(err)
	}
	keep = s.KeepingOutlines(1)
	put("after a purge", outlineOf("a", "one\n", "outline of a"))
}
