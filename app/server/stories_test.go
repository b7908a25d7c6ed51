package server_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/app/owner"
	"waferpair/engine"
	"waferpair/workspace/text"
)

func at(pos int, ins string) func(text.Text) (text.ChangeSet, error) {
	return func(t text.Text) (text.ChangeSet, error) {
		p := min(text.Byte(pos), t.Len())
		return text.NewChangeSet(t.Len(), text.Change{From: p, To: p, Insert: ins})
	}
}

func TestTypingReachesTheOtherPageAndTheDisk(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	s := w.serve()
	a, b := dial(t, s), dial(t, s)
	a.open("a.txt")
	b.open("a.txt")
	a.typeAt("a.txt", at(0, "zero\n"))
	a.settle("a.txt")
	b.wait("it has what was typed", func() bool { return b.docs["a.txt"].shown().Len() == 13 })
	b.typeAt("a.txt", at(4, "!"))
	b.settle("a.txt")
	const want = "zero!\none\ntwo\n"
	a.wait("both pages agree", func() bool { return a.docs["a.txt"].shown().String() == want })
	b.wait("both pages agree", func() bool { return b.docs["a.txt"].shown().String() == want })
	a.must("save", map[string]any{"path": "a.txt"}, nil)
	w.onDisk("a.txt", want)
}

func TestATurnStreamsToEveryPage(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	s := w.serve()
	a, b := dial(t, s), dial(t, s)
	a.open("a.txt")
	parts := append([]any{"I add a line.\n"}, patch("a.txt", "one", "one and a half")...)
	turn := a.edit(w.script(parts...))
	got := a.ended(turn)
	if got.Status != "completed" || len(got.Edits) != 1 || got.Timing.Tokens == 0 {
		t.Errorf("outcome %+v", got)
	}
	if a.text("a.txt") != "one\none and a half\ntwo\n" {
		t.Errorf("the page shows %q", a.text("a.txt"))
	}
	b.ended(turn)
	late := dial(t, s) // a page that comes later sees how the turn went
	late.ended(turn)
	for _, page := range []*client{a, b, late} {
		page.look(func() {
			if n := len(page.turn.parts); n < 2 || n > 3 || page.turn.parts[0]["kind"] != "prose" ||
				page.turn.parts[1]["kind"] != "hunk" || page.turn.parts[1]["state"] != "done" {
				t.Errorf("parts: %v", page.turn.parts)
			}
			if len(page.turn.acked) != 1 || page.turn.acked[0] != (engine.EditAcked{ID: int64(got.Edits[0]), Path: "a.txt"}) {
				t.Errorf("acked: %v", page.turn.acked)
			}
		})
	}
	a.wait("the head is told", func() bool { return a.head >= int64(got.Edits[0]) })
}

// TestATurnOfACommandStreamsToPages: a turn that no page has begun is shown as it goes
// on, also to the pages of a server that joins while it runs, and they steer and stop it.
func TestATurnOfACommandStreamsToPages(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	w.opt.Projects = &owner.Projects{}
	a := dial(t, w.serve())
	a.open("a.txt")
	u, err := w.opt.Projects.Open(t.Context(), w.dir, app.Options{DataHome: w.opt.DataHome})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	answer := append(append([]any{"I write.\n"}, patch("a.txt", "one", "half")[:2]...), 3_600_000, "+never\n")
	turn, err := u.Edit(t.Context(), app.EditRequest{Text: "write", Model: w.script(answer...)})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for range turn.Events() {
		}
	}()
	shown := func(c *client) func() bool {
		return func() bool {
			p := c.turn.parts
			return c.turn.turn == turn.ID() && len(p) == 2 && p[0]["text"] == "I write.\n" && p[1]["state"] == "open"
		}
	}
	a.wait("the turn is shown as it goes on", shown(a))
	a.wait("and its edit", func() bool { return strings.Contains(a.docs["a.txt"].shown().String(), "half") })
	b := dial(t, w.serve())
	b.wait("from its beginning", shown(b))
	b.must("pause", map[string]any{"turn": turn.ID()}, nil)
	a.wait("it is paused", func() bool { return a.turn.live.State == "paused" })
	b.must("steer", map[string]any{"turn": turn.ID(), "text": "shorter"}, nil)
	a.wait("the receipt", func() bool {
		return slices.ContainsFunc(a.turn.parts, func(p map[string]any) bool {
			return p["kind"] == "steer" && p["text"] == "shorter"
		})
	})
	b.call("stop", map[string]any{"turn": turn.ID()}, nil) // unless it has ended by itself
	for _, c := range []*client{a, b} {
		if got := c.ended(turn.ID()); len(got.Edits) != 1 {
			t.Errorf("outcome %+v", got)
		}
	}
	w.onDisk("a.txt", "one\nhalf\ntwo\n")
}

func TestStopEndsATurnAtOnce(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	s := w.serve()
	a := dial(t, s)
	a.open("a.txt")
	parts := append(patch("a.txt", "one", "half")[:2], 3_600_000, "+never\n")
	turn := a.edit(w.script(parts...))
	a.wait("the edit is shown", func() bool { return strings.Contains(a.docs["a.txt"].shown().String(), "half") })
	if f := a.call("edit", request("spark"), nil); f == nil || f.Code != "busy" {
		t.Errorf("a second turn: %+v", f)
	}
	a.must("stop", map[string]any{"turn": turn}, nil)
	if got := a.ended(turn); got.Status != "stopped" {
		t.Errorf("outcome %+v", got)
	}
	if a.text("a.txt") != "one\nhalf\ntwo\n" {
		t.Errorf("the partial edit is gone: %q", a.text("a.txt"))
	}
	if f := a.call("stop", map[string]any{"turn": turn}, nil); f == nil || f.Code != "gone" {
		t.Errorf("stop again: %+v", f)
	}
}

// TestTwoPagesWithASessionEach: each page shows its own session's turn, both are told
// of all that run, both see every file grow, and either can stop the other's.
func TestTwoPagesWithASessionEach(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "one\ntwo\n"})
	s := w.serve()
	a, b := dial(t, s), dial(t, s)
	for _, c := range []*client{a, b} {
		c.open("a.txt")
		c.open("b.txt")
	}
	long := func(file string) string {
		return w.script(append(patch(file, "one", "of "+file)[:2], 3_600_000, "+never\n")...)
	}
	first := a.edit(long("a.txt"))
	var fresh struct{ Session int64 }
	b.must("newSession", map[string]any{}, &fresh)
	second := b.edit(long("b.txt"))
	for _, c := range []*client{a, b} {
		c.wait("both files grow", func() bool {
			return strings.Contains(c.docs["a.txt"].shown().String(), "of a.txt") &&
				strings.Contains(c.docs["b.txt"].shown().String(), "of b.txt")
		})
		c.wait("both turns are told of", func() bool { return len(c.running) == 2 })
	}
	a.wait("it shows its own", func() bool { return a.turn.turn == first && a.turn.live.State == "running" })
	b.wait("it shows its own", func() bool { return b.turn.turn == second && b.turn.live.State == "running" })
	b.wait("it is told of its session", func() bool {
		return b.project != nil && int64(b.project.Session) == fresh.Session
	})
	a.look(func() {
		if a.project != nil && int64(a.project.Session) == fresh.Session {
			t.Errorf("both pages show session %d", fresh.Session)
		}
	})
	if f := b.call("edit", request("spark"), nil); f == nil || f.Code != "busy" {
		t.Errorf("a second turn in the session: %+v", f)
	}
	if f := a.call("fork", map[string]any{"at": 0, "name": "f"}, nil); f == nil || f.Code != "busy" {
		t.Errorf("a fork under two turns: %+v", f)
	}
	b.must("stop", map[string]any{"turn": first}, nil)
	if got := a.ended(first); got.Status != "stopped" {
		t.Errorf("outcome %+v", got)
	}
	b.wait("one is left", func() bool { return len(b.running) == 1 && int64(b.running[0].Turn) == second })
	a.must("useSession", map[string]any{"session": fresh.Session}, nil)
	a.wait("it shows the other one, from its beginning", func() bool { return a.turn.turn == second })
	a.must("stop", map[string]any{"turn": second}, nil)
	b.ended(second)
	a.ended(second)
	w.onDisk("a.txt", "one\nof a.txt\ntwo\n")
	w.onDisk("b.txt", "one\nof b.txt\ntwo\n")
}

func TestPauseAndResume(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	s := w.serve()
	a := dial(t, s)
	turn := a.edit(w.script("thinking ", 200, "done"))
	a.must("pause", map[string]any{"turn": turn}, nil)
	a.wait("it is paused", func() bool { return a.turn.live.State == "paused" })
	a.must("resume", map[string]any{"turn": turn}, nil)
	if got := a.ended(turn); got.Status != "completed" {
		t.Errorf("outcome %+v", got)
	}
}

func TestSteerHasReceipts(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	s := w.serve()
	a := dial(t, s)
	turn := a.edit(w.script("a ", 3_600_000, "b"))
	a.wait("it runs", func() bool { return a.turn.live.Tokens > 0 })
	var out struct{ Sent bool }
	a.must("steer", map[string]any{"turn": turn, "text": "shorter"}, &out)
	if !out.Sent {
		t.Error("not sent")
	}
	a.wait("the model has it", func() bool {
		return slices.ContainsFunc(a.turn.parts, func(p map[string]any) bool {
			return p["kind"] == "steer" && p["text"] == "shorter" && p["state"] != "queued"
		})
	})
	a.call("stop", map[string]any{"turn": turn}, nil) // unless it has ended by itself
	a.ended(turn)
	if a.must("steer", map[string]any{"turn": turn, "text": "too late"}, &out); out.Sent {
		t.Error("sent to a turn that is over")
	}
}

func TestUIStateComesBack(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	a := dial(t, s)
	if string(a.hello.UI) != "null" {
		t.Errorf("a new project has the state %s", a.hello.UI)
	}
	ui := map[string]any{"tabs": []any{}, "active": "a.txt", "draft": "add <b> & \"c\"", "scope": []any{}, "model": "",
		"at": nil, "zoom": nil, "axis": "edits", "follow": true, "panels": map[string]any{"tree": 240.0, "chat": 360.0,
			"timeline": 80.0, "sizes": map[string]any{}},
		"open": []any{}, "history": []any{}}
	a.must("setUI", map[string]any{"ui": ui}, nil)
	a.must("setPrefs", map[string]any{"prefs": map[string]any{"theme": "dark", "density": "compact",
		"fontSize": 13, "notify": true}}, nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b := dial(t, w.serve())
	var back map[string]any
	if err := json.Unmarshal(b.hello.UI, &back); err != nil || !reflect.DeepEqual(back, ui) {
		t.Errorf("came back as %s: %v", b.hello.UI, err)
	}
	if got := string(b.hello.Prefs); !strings.Contains(got, `"dark"`) {
		t.Errorf("preferences came back as %s", got)
	}
	if len(b.hello.Recent) != 1 || b.hello.Recent[0].Root != w.dir {
		t.Errorf("recent: %+v", b.hello.Recent)
	}
}
