package workspace

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/workspace/text"
)

func edit(t interface{ Fatal(...any) }, length int, changes ...text.Change) text.ChangeSet {
	cs, err := text.NewChangeSet(text.Byte(length), changes...)
	if err != nil {
		t.Fatal(err)
	}
	return cs
}

// TestBufferClients runs collaborating clients on one buffer: each has its own view, sends
// one change at a time, and rebases by Concurrent. All views must end as the buffer's text.
func TestBufferClients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.StringMatching(`[a-z\n]{0,40}`).Draw(t, "start")
		b := NewBuffer("f", text.OfString(start))
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
	return edit(t, length, text.Change{From: text.Byte(a), To: text.Byte(z),
		Insert: rapid.StringMatching(`[A-Z]{0,3}`).Draw(t, "insert")})
}

func TestUserWins(t *testing.T) {
	b := NewBuffer("f", text.OfString("one two three"))
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
	// The user's change is never refused, and the user's insertion goes first.
	if _, err := b.Apply("model", 1, edit(t, 13, text.Change{From: 4, To: 4, Insert: "m"})); err != nil {
		t.Fatal(err)
	}
	got, err := b.Apply(User, 1, edit(t, 13, text.Change{From: 4, To: 4, Insert: "u"}))
	if now, _ := b.Snapshot(); err != nil || now.String() != "one umTWO three" {
		t.Fatalf("%q, %v, %+v", now.String(), err, got)
	}
}

func TestBufferLogIsBounded(t *testing.T) {
	b := NewBuffer("f", text.Text{})
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

// TestSince: the changes since a version lead from it to the present text, and name their
// authors.
func TestSince(t *testing.T) {
	b := NewBuffer("f", text.OfString("ab"))
	for i, author := range []string{User, "model", User} {
		now, v := b.Snapshot()
		if _, err := b.ApplyFrom(author, fmt.Sprint("page-", i), v,
			edit(t, int(now.Len()), text.Change{From: 1, To: 1, Insert: fmt.Sprint(i)})); err != nil {
			t.Fatal(err)
		}
	}
	now, v, list, err := b.Since(1)
	at := text.OfString("a0b")
	for _, c := range list {
		if at, err = c.Changes.Apply(at); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil || v != 3 || !at.Equal(now) || len(list) != 2 || list[0].Author != "model" ||
		list[1].Origin != "page-2" || list[1].Version != 3 {
		t.Fatalf("%q at %d, %+v: %v", now, v, list, err)
	}
	if _, _, _, err := b.Since(4); !errors.As(err, new(*VersionError)) {
		t.Errorf("since a version that does not exist: %v", err)
	}
}
