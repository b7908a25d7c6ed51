package server_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waferpair/app/server"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/model"
)

// nameless is a model that something happens to whenever it is asked for its name.
type nameless struct{ asked func() }

func (m nameless) Info() model.Info { m.asked(); return model.Info{Name: "nameless"} }

func (nameless) Generate(_ context.Context, _ model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	return model.Result{}, model.Say(yield, "done", 1)
}

// TestAPageShowsTheSessionOfItsTurn: also when somebody else begins a session at the
// moment at which a turn begins in the one that requests went to.
func TestAPageShowsTheSessionOfItsTurn(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	var s *server.Server
	var other atomic.Pointer[client]
	var begun atomic.Bool // another session
	turns := func() int { // of the first one
		var c struct{ Turns []struct{ Turn int64 } }
		if err := get(t, s, "conversation", map[string][]string{"session": {"1"}}, &c); err != nil {
			return 0
		}
		return len(c.Turns)
	}
	w.opt.Models = engine.NewRegistry([]engine.Driver{agent.New(nameless{func() {
		// the turn is in a session by now, and its request not answered
		if c := other.Load(); c != nil && turns() == 1 && begun.CompareAndSwap(false, true) {
			if f := c.call("newSession", map[string]any{}, nil); f != nil {
				t.Errorf("newSession: %s: %s", f.Code, f.Message)
			}
		}
	}})})
	s = w.serve()
	a, b := dial(t, s), dial(t, s)
	other.Store(b)
	a.edit("nameless")
	if !begun.Load() {
		t.Fatal("nobody began another session")
	}
	// Not a.ended, which would wait in vain if the page showed another session.
	var second struct{ Turn int64 }
	for deadline := time.Now().Add(patience); ; {
		refused := a.call("edit", request("nameless"), &second)
		if refused == nil {
			break
		}
		if refused.Code != "busy" || time.Now().After(deadline) { // busy until the first turn has ended
			t.Fatalf("edit: %s: %s", refused.Code, refused.Message)
		}
	}
	if n := turns(); n != 2 {
		t.Fatalf("the page shows another session than that of its turn, which has %d turns", n)
	}
	a.ended(second.Turn)
	var doc struct{ Name, Text string }
	must(t, get(t, s, "markdown", map[string][]string{"session": {"1"}}, &doc))
	if !strings.HasSuffix(doc.Name, ".md") || strings.Count(doc.Text, "\n## Turn ") != 2 ||
		!strings.Contains(doc.Text, "done") {
		t.Errorf("the session as a document: %q, %q", doc.Name, doc.Text)
	}
}
