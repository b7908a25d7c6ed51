package app_test

import "testing"

// TestWhatWasTypedAndTakenBackStaysAway checks that no start makes an edit of typing that
// was in the journal and was deleted again.
func TestWhatWasTypedAndTakenBackStaysAway(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	p := w.open()
	e := w.show(p, "a.txt")
	journaled := func() bool {
		d, err := p.History().Drafts(t.Context())
		w.ok(err)
		return len(d) > 0
	}
	w.ok(e.replace("", "not to stay: "))
	w.until(journaled)
	w.ok(e.replace("not to stay: ", ""))
	w.until(func() bool { return !journaled() })
	w.ok(p.Close())
	p = w.open()
	defer p.Close()
	w.is(w.disk("a.txt"), "one\n")
	w.is(w.authors(p), "")
}
