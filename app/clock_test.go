package app_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/history"
)

// clock is a clock that the test sets.
type clock struct{ ms atomic.Int64 }

func (c *clock) now() time.Time     { return time.UnixMilli(c.ms.Add(1)) }
func (c *clock) set(to time.Time)   { c.ms.Store(to.UnixMilli()) }
func (c *clock) by(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// TestClockThatGoesBackwards checks that the order of edits is that of their numbers,
// whatever the clock says between two edits, in a turn, and between two runs.
func TestClockThatGoesBackwards(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(40), "b.txt": "b\n", "c.txt": "c\n"})
	c := &clock{}
	c.set(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	open := func() *app.Project { return w.openWith(app.Options{Now: c.now}) }
	p := open()
	steps := []func(){
		func() { c.by(-24 * time.Hour) }, func() { c.set(time.UnixMilli(0)) }, func() { c.by(24 * time.Hour) },
		func() { c.set(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)) }, func() { c.set(time.UnixMilli(1)) },
	}
	edit := func(session string, n int) {
		t.Helper()
		body := patch(fmt.Sprintf("*** Update File: a.txt\n@@\n-line %d\n+turn %d\n", n, n))
		turn, err := p.Edit(t.Context(), app.EditRequest{Text: "go", Model: w.script(body), Session: session})
		if err != nil {
			t.Fatal(err)
		}
		for ev := range turn.Events() {
			if _, ok := ev.(engine.HunkChanged); ok {
				c.by(-24 * time.Hour)
			}
		}
		if out := turn.Wait(); out.Status != engine.Completed {
			t.Fatalf("%+v", out)
		}
	}
	for n, set := range steps {
		edit("new", n)
		set()
		e := w.show(p, "b.txt")
		e.typed("b", fmt.Sprint(n, " b"))
		if err := p.SaveFile(t.Context(), "b.txt"); err != nil {
			t.Fatal(err)
		}
		set()
		if n%2 == 1 {
			w.write("c.txt", fmt.Sprint("c ", n, "\n"))
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			set()
			p = open()
		}
	}
	w.at(p, history.Newest, "b.txt", "0 1 2 3 4 b\n")
	w.at(p, history.Newest, "c.txt", "c 3\n")
	sessions, err := p.History().Sessions(t.Context())
	if err != nil || len(sessions) != len(steps) {
		t.Fatalf("%d sessions, %v", len(sessions), err)
	}
	for i, s := range sessions {
		if int(s.ID) != i+1 || s.Count != 1 {
			t.Errorf("session %d is %+v", i+1, s)
		}
	}
	edits, err := p.History().List(t.Context(), history.Filter{})
	for i, e := range edits {
		if i > 0 && e.ID <= edits[i-1].ID {
			t.Errorf("edit %d after %d", e.ID, edits[i-1].ID)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Restore(t.Context(), app.RestoreRequest{At: edits[0].ID}); err != nil {
		t.Fatal(err)
	}
	w.at(p, history.Newest, "b.txt", "b\n")
}

// TestWhatChangedInASessionGoesByOrder checks that the tree marks the changes of the
// session, even if the clock dates its edits before its beginning.
func TestWhatChangedInASessionGoesByOrder(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"})
	c := &clock{}
	c.set(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	p := w.openWith(app.Options{Now: c.now})
	edit := func(session, name string) {
		t.Helper()
		turn, err := p.Edit(t.Context(), app.EditRequest{Text: "go", Session: session,
			Model: w.script(patch("*** Update File: " + name + ".txt\n-" + name + "\n+" + name + name + "\n"))})
		if err != nil {
			t.Fatal(err)
		}
		for range turn.Events() {
		}
	}
	changed := func() (names string) {
		t.Helper()
		entries, err := p.Query().Tree(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Changed {
				names += e.Name + " "
			}
		}
		return names
	}
	c.by(24 * time.Hour)
	edit("new", "a")
	c.by(-12 * time.Hour) // before the edit of the session before
	edit("new", "b")
	c.by(-12 * time.Hour) // before the session began
	edit("", "c")
	if got := changed(); got != "b.txt c.txt " {
		t.Errorf("changed in this session: %s", got)
	}
}

// TestBandThatEndedBeforeByTheClock checks that a page that asks for changes gets the end
// of a turn, whatever its time.
func TestBandThatEndedBeforeByTheClock(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	c := &clock{}
	c.set(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	p := w.openWith(app.Options{Now: c.now})
	turn := w.start(p, w.script(patch("*** Update File: a.txt\n-a\n+aa\n"), 100, "and some words\n"))
	var seen history.EditID
	for ev := range turn.Events() {
		if e, ok := ev.(engine.EditAcked); ok {
			seen = history.EditID(e.ID)
			c.by(-24 * time.Hour)
		}
	}
	c.by(48 * time.Hour)
	e := w.show(p, "b.txt")
	e.typed("b", "bb")
	if err := p.SaveFile(t.Context(), "b.txt"); err != nil {
		t.Fatal(err)
	}
	line, err := p.Query().Timeline(t.Context(), history.Page{After: seen})
	if err != nil || len(line.Bands) != 1 || line.Bands[0].Status == "" {
		t.Fatalf("%+v %v", line.Bands, err)
	}
}
