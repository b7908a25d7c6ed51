package app_test

import (
	"fmt"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/history"
)

// stuck returns a project with typing in a.txt that cannot be saved; free makes the file
// writable again.
func stuck(t *testing.T) (w *world, p *app.Project, free func()) {
	w = newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	p = w.open()
	e := w.show(p, "a.txt")
	w.immutable("a.txt", true)
	free = func() { w.immutable("a.txt", false) }
	t.Cleanup(free)
	w.ok(e.replace("one", "two"))
	// What failed in the background by then is told, and is no error here.
	if err := p.Settle(t.Context()); !strings.Contains(fmt.Sprint(err, w.told()), "a.txt") {
		t.Fatal("an immutable file was saved:", err)
	}
	return w, p, free
}

// TestASettleSavesWhatFailedBefore checks that Settle saves a file at once whose save
// failed before, and does not leave it to the autosaver.
func TestASettleSavesWhatFailedBefore(t *testing.T) {
	w, p, free := stuck(t)
	free()
	w.ok(p.Settle(t.Context()))
	if got := w.disk("a.txt"); got != "two\n" {
		t.Errorf("it holds %q", got)
	}
}

// TestWhatFailsAgainIsInNobodysWay checks that a file that cannot be saved does not stop
// changes of other files, and that the user is notified of it. Only a purge, which would
// lose text, is refused.
func TestWhatFailsAgainIsInNobodysWay(t *testing.T) {
	w, p, free := stuck(t)
	if r, err := p.ApplyPatch(t.Context(), []byte(patch("*** Update File: b.txt\n@@\n-one\n+two\n")), false); err != nil {
		t.Fatal(r.Outcome, err)
	}
	if got := w.disk("b.txt"); got != "two\n" || !strings.Contains(w.told(), "a.txt") {
		t.Errorf("b.txt holds %q; told %q", got, w.told())
	}
	if _, err := p.Purge(t.Context(), "b.txt", 0); err == nil || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("what is only in the history may be purged: %v", err)
	}
	free()
	p.TryAgain(t.Context())
	if got := w.disk("a.txt"); got != "two\n" {
		t.Errorf("it holds %q", got)
	}
	_, err := p.Purge(t.Context(), "b.txt", 0)
	w.ok(err)
	w.at(p, history.Newest, "a.txt", "two\n")
}
