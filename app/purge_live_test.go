package app_test

import (
	"strings"
	"testing"

	"waferpair/engine"
	"waferpair/history"
)

// TestPurgeOfAFileThatIsBeingChanged checks that a purge saves the changes of a file before
// it removes them from the history, so that the file loses nothing, and that the file's
// turn goes on.
func TestPurgeOfAFileThatIsBeingChanged(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(10), "b.txt": lines(10), "c.txt": lines(10)})
	p := w.open()
	e := w.show(p, "c.txt")
	turn := w.start(p, w.script("*** Begin Patch\n*** Update File: a.txt\n@@\n-line 3\n+line three\n"+
		"*** Update File: b.txt\n@@\n-line 4\n+line four\n@@\n", 300, "-line 8\n+line eight\n*** End Patch\n"))
	purge := func(path, want string) {
		t.Helper()
		if _, err := p.Purge(t.Context(), path, 0); err != nil || !strings.Contains(w.disk(path), want) {
			t.Errorf("after the purge of %s: %q %v", path, w.disk(path), err)
		}
		w.at(p, history.Newest, path, w.disk(path))
	}
	purged := false
	for ev := range turn.Events() {
		if ack, ok := ev.(engine.EditAcked); ok && ack.Path == "b.txt" && !purged {
			purged = true
			e.typed("line 2", "line two")
			purge("c.txt", "line two")
			purge("b.txt", "line four")
		}
	}
	if out := turn.Wait(); out.Status != engine.Completed {
		t.Errorf("%+v", out)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	want := strings.NewReplacer("line 4", "line four", "line 8", "line eight").Replace(lines(10))
	if w.disk("b.txt") != want {
		t.Errorf("%s", w.disk("b.txt"))
	}
	p = w.open()
	w.at(p, history.Newest, "b.txt", want)
}
