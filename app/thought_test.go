package app_test

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
)

// minded is a model of which is remembered how its answers begin.
type minded struct {
	*drivertest.Speaker
	thinks *atomic.Bool
}

func (m minded) Info() model.Info {
	i := m.Speaker.Info()
	i.Thinks = m.thinks.Load()
	return i
}

func (m minded) BeginsInThought(begins bool) { m.thinks.Store(begins) }

// TestDraftsBeforeTheEndOfAThoughtAreTakenBack has a model whose server keeps <think>. What its first answer wrote
// before </think> is taken back, from the files and from what the turn says it did; in the next answer nothing
// of it is made.
func TestDraftsBeforeTheEndOfAThoughtAreTakenBack(t *testing.T) {
	const draft = "Perhaps so:\n*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n@@\n three\n+3\n*** Add File: n.txt\n+n\n" +
		"*** Update File: b.txt\n@@\n-b\n+B\n*** Delete File: gone.txt\n*** Update File: a.txt\n@@\n-nowhere\n+x\n*** End Patch\nNo.\n"
	const right = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch\nDone.\n"
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n", "gone.txt": "g\n"})
	var thinks atomic.Bool
	s := &drivertest.Speaker{Language: true, Answers: [][]model.Item{{model.Assistant(draft + "</think>\n\n" + right)},
		{model.Assistant(draft + "</think>" + "*** Begin Patch\n*** Update File: a.txt\n@@\n-2\n+two\n*** End Patch\n")},
		{model.Assistant("*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+zwei\n*** End Patch\n")}}}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(minded{s, &thinks})})})
	for n, want := range []struct {
		a              string
		thinks         bool
		opened, failed int
	}{
		{"one\n2\nthree\n", true, 5, 5}, {"one\ntwo\nthree\n", true, 1, 0}, {"one\nzwei\nthree\n", false, 1, 0},
	} {
		turn, err := p.Edit(context.Background(), app.EditRequest{Text: "edit"})
		w.ok(err)
		opened, failed := 0, 0
		for ev := range turn.Events() {
			switch ev.(type) {
			case engine.HunkOpened:
				opened++
			case engine.HunkFailed:
				failed++
			}
		}
		o := turn.Wait()
		if w.disk("a.txt") != want.a || w.disk("b.txt") != "b\n" || w.disk("gone.txt") != "g\n" {
			t.Errorf("turn %d: a.txt is %q, b.txt %q", n+1, w.disk("a.txt"), w.disk("b.txt"))
		}
		if _, err := os.Stat(filepath.Join(w.dir, "n.txt")); err == nil {
			t.Errorf("turn %d: a new file of a draft is there", n+1)
		}
		if o.Status != engine.Completed || len(o.Files) != 1 ||
			o.Files[0] != (engine.FileCount{Path: "a.txt", Added: 1, Removed: 1}) ||
			thinks.Load() != want.thinks || opened != want.opened || failed != want.failed {
			t.Errorf("turn %d: %s (%s), %+v; thinks %v, %d opened, %d failed", n+1, o.Status, o.Message, o.Files,
				thinks.Load(), opened, failed)
		}
	}
	if r, err := p.History().Check(w.Context(), nil); err != nil || !r.OK() {
		t.Errorf("%+v, %v", r, err)
	}
}
