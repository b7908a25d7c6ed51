package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/app/query"
	"waferpair/engine"
)

func partsOf(c query.Conversation) string {
	var b strings.Builder
	for _, part := range c.Turns[len(c.Turns)-1].Parts {
		var p struct {
			Kind, State, Path, Text, Message string
			Hunk                             int
		}
		j, err := json.Marshal(part)
		if err == nil {
			err = json.Unmarshal(j, &p)
		}
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(&b, "%s|%s|%d|%s|%s|%s\n", p.Kind, p.State, p.Hunk, p.Path, strings.TrimSpace(p.Text),
			strings.SplitN(p.Message, "\n", 2)[0])
	}
	return b.String()
}

func TestATurnIsShownTheSameAfterARestart(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5F6", 3)
	w := newWorld(t, map[string]string{"a.go": "one\ntwo\n"})
	p := w.open()
	turn := w.start(p,
		w.steered("First "+secret+".\n"+patch("*** Update File: a.go\n@@\n-one\n+1\n@@\n-missing\n+?\n"), "Then this.\n"))
	for ev := range turn.Events() {
		if f, refused := ev.(engine.HunkFailed); refused && f.Reason == "missing" {
			turn.Steer("and " + secret)
		}
	}
	if o := turn.Wait(); o.Status != engine.Conflict {
		t.Fatalf("%+v", o)
	}
	before := w.conversation(p, 0)
	w.ok(p.Close())
	w.nowhere(secret)
	after := w.conversation(w.open(), 0)
	w.is(partsOf(after), partsOf(before))
	w.is(fmt.Sprint(after.Turns[0].Steers), "[and "+strings.Repeat("<masked>", 5)+"]")
	told := strings.Split(partsOf(after), "\n")
	for i, want := range []string{"prose||0||First <masked>", "hunk|done|1|a.go||", "hunk|refused|2|a.go||",
		"steer|applied|1||and <masked>", "prose||0||Then this."} {
		if !strings.HasPrefix(told[i], want) {
			t.Errorf("part %d is %q, want %q", i, told[i], want)
		}
	}
}

// steered returns a model that says something, waits, and says more after a steer.
func (w *world) steered(first, then string) string {
	w.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for _, line := range []map[string]any{{"text": first}, {"after_ms": 60_000, "text": "never"},
		{"steer": true}, {"text": then}} {
		w.ok(enc.Encode(line))
	}
	name := filepath.Join(w.TempDir(), "steered.jsonl")
	w.ok(os.WriteFile(name, []byte(b.String()), 0o600))
	return "script:" + name
}

// TestARunningTurnIsWrittenDownAsFarAsItGot checks that what a turn has done so far is
// stored while it runs, so that a crash leaves it.
func TestARunningTurnIsWrittenDownAsFarAsItGot(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "one\n"})
	p := w.open()
	turn := w.start(p, w.script("I begin.\n"+patch("*** Update File: a.go\n@@\n-none\n+1\n"), 60_000, "never"))
	go func() {
		for range turn.Events() {
		}
	}()
	w.until(func() bool { return strings.Contains(partsOf(w.conversation(p, 0)), "hunk|refused|1|a.go") })
	c := w.conversation(p, 0)
	if !strings.HasPrefix(partsOf(c), "prose||0||I begin.|\n") || c.Turns[0].Status != "" {
		t.Errorf("%+v", c.Turns)
	}
	turn.Stop()
	turn.Wait()
}

func TestADeclinedTurnKeepsTheNearestRequests(t *testing.T) {
	w := newWorld(t, map[string]string{"a.py": "def parse_config():\n    return 1\n"})
	p := w.open()
	turn, err := p.Edit(w.Context(), app.EditRequest{Text: "rename parse_confg to load_config"})
	w.ok(err)
	for range turn.Events() {
	}
	o := turn.Wait()
	if o.Refusal == nil || len(o.Refusal.Candidates) == 0 {
		t.Fatalf("%+v", o)
	}
	w.ok(p.Close())
	kept := w.conversation(w.open(), 0).Turns[0].Nearest
	if len(kept) != len(o.Refusal.Candidates) || !reflect.DeepEqual(kept[0].Candidate, o.Refusal.Candidates[0]) {
		t.Errorf("%+v, want %+v", kept, o.Refusal.Candidates)
	}
}
