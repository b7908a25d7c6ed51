package server_test

import (
	"net/url"
	"strings"
	"testing"

	"waferpair/app/server"
)

// TestAReviewIsAskedReadAndFixed: a turn's changes are reviewed, and a finding is dismissed, opened
// again, and fixed with the lines that it suggests.
func TestAReviewIsAskedReadAndFixed(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	s := w.serve()
	c := dial(t, s)
	c.ended(c.edit(w.script(patch("a.txt", "one", "bad")...)))

	var asked struct{ Turn int64 }
	ask := func(more map[string]any) {
		t.Helper()
		r := request(w.script("## error a.txt:2\n> bad\nThis is bad.\n\nIt should be good.\n\n```suggestion\ngood\n```\n"))
		r["text"] = ""
		for k, v := range more {
			r[k] = v
		}
		c.must("edit", r, &asked)
	}
	ask(map[string]any{"about": map[string]any{"kind": "review"}})
	if o := c.ended(asked.Turn); o.Status != server.StatusCompleted {
		t.Fatalf("%+v", o)
	}
	var found server.Reviewed
	must(t, get(t, s, "reviewed", url.Values{"turn": {itoa(asked.Turn)}}, &found))
	if len(found.Findings) != 1 || found.Findings[0].From != 2 || !found.Findings[0].Suggests ||
		found.Findings[0].State != "open" {
		t.Fatalf("%+v", found)
	}
	n := found.Findings[0].N
	open := func() int {
		t.Helper()
		var list struct{ Findings []server.Finding }
		must(t, get(t, s, "findings", url.Values{"path": {"a.txt"}}, &list))
		return len(list.Findings)
	}
	for _, decided := range []struct {
		state string
		open  int
	}{{"dismissed", 0}, {"open", 1}, {"accepted", 1}} {
		c.must("setFinding", map[string]any{"n": n, "state": decided.state}, nil)
		if got := open(); got != decided.open {
			t.Errorf("%s: %d are open", decided.state, got)
		}
	}
	if f := c.call("setFinding", map[string]any{"n": n, "state": "gone"}, nil); f == nil || f.Code != "usage" {
		t.Errorf("a state that there is not: %v", f)
	}
	r := request("")
	r["text"], r["fix"] = "", n
	c.must("edit", r, &asked)
	c.ended(asked.Turn)
	w.onDisk("a.txt", "one\ngood\ntwo\n")
	if got := open(); got != 0 {
		t.Errorf("%d are open once it is fixed", got)
	}
	r["fix"] = 99
	if f := c.call("edit", r, nil); f == nil || !strings.Contains(f.Message, "Finding 99 is not there") {
		t.Errorf("a finding that there is not: %v", f)
	}
}

// TestReadyRequestsAreListedAndSent: they need no words, but a place or words where they are about one.
func TestReadyRequestsAreListedAndSent(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	c := dial(t, s)
	var list struct{ Requests []server.ReadyRequest }
	must(t, get(t, s, "ready", nil, &list))
	if len(list.Requests) < 3 || list.Requests[2].Name != "explain" || !list.Requests[2].Asks {
		t.Errorf("%+v", list.Requests)
	}
	r := request(w.script("It has one line."))
	r["text"], r["ready"], r["mode"] = "", "explain", "ask"
	if f := c.call("edit", r, nil); f == nil || f.Code != "usage" {
		t.Errorf("about nothing: %v", f)
	}
	r["file"] = "a.txt"
	var asked struct{ Turn int64 }
	c.must("edit", r, &asked)
	if o := c.ended(asked.Turn); o.Status != server.StatusCompleted {
		t.Errorf("%+v", o)
	}
	r["ready"] = "gone"
	if f := c.call("edit", r, nil); f == nil || !strings.Contains(f.Message, `no ready request "gone"`) {
		t.Errorf("a ready request that there is not: %v", f)
	}
	r["ready"], r["about"] = "", map[string]any{"kind": "review"}
	if f := c.call("edit", r, nil); f == nil || !strings.Contains(f.Message, "nothing to look at") {
		t.Errorf("a review without changes: %v", f)
	}
}
