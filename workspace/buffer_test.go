package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

func edit(t interface{ Fatal(...any) }, length int, changes ...text.Change) text.ChangeSet {
	cs, err := text.NewChangeSet(text.Byte(length), changes...)
	if err != nil {
		t.Fatal(err)
	}
	return cs
}

// TestBufferClients plays collaborating clients against one buffer: each has
// its own view, sends one change at a time, and rebases by Concurrent. All
// views must end as the buffer's text.
func TestBufferClients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.StringMatching(`[a-z\n]{0,40}`).Draw(t, "start")
		b := newBuffer("f", diskState{exists: true, text: text.OfString(start)})
		type client struct {
			author string
			view   string
			at     Version
		}
		// Without overlaps to refuse, every change of every author must go in:
		// all authors are the user here, in several pages.
		clients := []*client{{User, start, 0}, {User, start, 0}, {User, start, 0}}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			c := clients[rapid.IntRange(0, len(clients)-1).Draw(t, "client")]
			cs := randomEdit(t, len(c.view))
			mine, err := cs.Apply(text.OfString(c.view))
			if err != nil {
				t.Fatal(err)
			}
			applied, err := b.Apply(c.author, c.at, cs)
			if err != nil {
				t.Fatal(err)
			}
			view, err := applied.Concurrent.Apply(mine)
			if err != nil {
				t.Fatal(err)
			}
			now, v := b.Snapshot()
			if view.String() != now.String() || v != applied.Version {
				t.Fatalf("view %q, buffer %q", view.String(), now.String())
			}
			c.view, c.at = view.String(), applied.Version
		}
	})
}

func randomEdit(t *rapid.T, length int) text.ChangeSet {
	a := rapid.IntRange(0, length).Draw(t, "from")
	z := rapid.IntRange(a, min(length, a+5)).Draw(t, "to")
	return edit(t, length, text.Change{From: text.Byte(a), To: text.Byte(z), Insert: rapid.StringMatching(`[A-Z]{0,3}`).Draw(t, "insert")})
}

func TestUserWins(t *testing.T) {
	b := newBuffer("f", diskState{exists: true, text: text.OfString("one two three")})
	if _, err := b.Apply(User, 0, edit(t, 13, text.Change{From: 4, To: 7, Insert: "TWO"})); err != nil {
		t.Fatal(err)
	}
	_, err := b.Apply("model", 0, edit(t, 13, text.Change{From: 5, To: 13, Insert: "x"}))
	var over *OverlapError
	if !errors.As(err, &over) || over.By != User || len(over.Ranges) != 1 {
		t.Fatalf("overlap: %v", err)
	}
	if now, v := b.Snapshot(); now.String() != "one TWO three" || v != 1 {
		t.Fatalf("%q at %d", now.String(), v)
	}
	// The user is not refused, and the user's insertion goes first.
	if _, err := b.Apply("model", 1, edit(t, 13, text.Change{From: 4, To: 4, Insert: "m"})); err != nil {
		t.Fatal(err)
	}
	got, err := b.Apply(User, 1, edit(t, 13, text.Change{From: 4, To: 4, Insert: "u"}))
	if now, _ := b.Snapshot(); err != nil || now.String() != "one umTWO three" {
		t.Fatalf("%q, %v, %+v", now.String(), err, got)
	}
}

func TestBufferLogIsBounded(t *testing.T) {
	b := newBuffer("f", diskState{exists: true})
	big := strings.Repeat("x", maxLogSize/4)
	for range 10 {
		_, v := b.Snapshot()
		if _, err := b.Apply("model", v, edit(t, int(v)*len(big), text.Change{Insert: big})); err != nil {
			t.Fatal(err)
		}
	}
	var old *VersionError
	if _, err := b.Apply("model", 0, edit(t, 0)); !errors.As(err, &old) {
		t.Fatalf("a version that fell out of the log: %v", err)
	}
	if _, err := b.Apply("model", 11, edit(t, 0)); !errors.As(err, &old) {
		t.Fatalf("a version that does not exist: %v", err)
	}
	if b.logSize > maxLogSize {
		t.Errorf("log holds %d bytes", b.logSize)
	}
}

// TestReloadMerges: an outside save and unsaved typing in different lines are
// both kept; in the same line the buffer stays as it is.
func TestReloadMerges(t *testing.T) {
	ctx := context.Background()
	w := open1(t, "f.txt", "one\ntwo\nthree\n")
	b, err := w.Buffer(ctx, "f.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Apply(User, 0, edit(t, 14, text.Change{From: 0, To: 3, Insert: "ONE"})); err != nil {
		t.Fatal(err)
	}
	put(t, w.root, "f.txt", "one\ntwo\nTHREE\n")
	reload := func() error {
		disk, err := w.Read(ctx, "f.txt")
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Reload(disk)
		return err
	}
	if err := reload(); err != nil {
		t.Fatal(err)
	}
	if now, _ := b.Snapshot(); now.String() != "ONE\ntwo\nTHREE\n" || !b.Dirty() {
		t.Fatalf("merged: %q", now.String())
	}
	put(t, w.root, "f.txt", "uno\ntwo\nTHREE\n")
	if err := reload(); !errors.As(err, new(*OverlapError)) {
		t.Fatalf("overlap: %v", err)
	}
	disk, _ := w.Read(ctx, "f.txt")
	b.Keep(disk)
	write, v, ok := b.Pending()
	if !ok {
		t.Fatal("nothing to save")
	}
	w.save(write)
	b.MarkSaved(write, v)
	if b.Dirty() || w.cat("f.txt") != "ONE\ntwo\nTHREE\n" {
		t.Fatalf("saved: %q", w.cat("f.txt"))
	}
	if err := reload(); err != nil { // our own save, as a watcher reports it
		t.Fatal(err)
	}
	if _, now := b.Snapshot(); now != v {
		t.Errorf("reloading our own save made version %d of %d", now, v)
	}
}

func TestReadCurrent(t *testing.T) {
	ctx := context.Background()
	w := open1(t, "f.txt", "disk", "bin", "\x00\x01\x02")
	check := func(name, want string) {
		t.Helper()
		got, err := w.ReadCurrent(ctx, name)
		if err != nil || string(got.Bytes) != want || got.Hash != hashOf(want) {
			t.Errorf("%s: %q, %v", name, got.Bytes, err)
		}
	}
	check("f.txt", "disk")
	b, err := w.Buffer(ctx, "f.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = b.Apply(User, 0, edit(t, 4, text.Change{From: 4, To: 4, Insert: "+"}))
	check("f.txt", "disk+")
	check(w.root+"/f.txt", "disk+")
	n, err := w.NewBuffer("new/g.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = n.Apply(User, 0, edit(t, 0, text.Change{Insert: "fresh"}))
	check("new/g.txt", "fresh")
	if again, err := w.Buffer(ctx, "new/g.txt"); again != n {
		t.Errorf("a new file's buffer is not found: %v", err)
	}
	if saved, err := w.SaveBuffers(ctx, w.OpenBuffers()); err != nil || len(saved) != 2 || w.cat("f.txt") != "disk+" {
		t.Errorf("%+v, %v", saved, err)
	}
	if saved, err := w.SaveBuffers(ctx, w.OpenBuffers()); err != nil || len(saved) != 0 {
		t.Errorf("saved again: %+v, %v", saved, err)
	}
	if w.cat("new/g.txt") != "fresh" || n.Dirty() {
		t.Error("new file not saved")
	}
	if _, err := w.NewBuffer("f.txt"); err == nil {
		t.Error("a new buffer over an existing file")
	}
	if _, err := w.Buffer(ctx, "bin"); err == nil {
		t.Error("a binary file was opened for editing")
	}
	if got := fmt.Sprint(len(w.OpenBuffers())); got != "2" {
		t.Error(got)
	}
}
