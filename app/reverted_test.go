package app_test

import (
	"context"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
)

// regretful is a model that makes exact edits and reverts them.
type regretful struct {
	worker
	between func()
	met     error
}

func (m *regretful) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	r, err := m.worker.Generate(ctx, p, yield)
	if err != nil {
		return r, err
	}
	m.between()
	m.met = yield(model.Revert{Why: "reverted: it was wrong"})
	return r, m.met
}

// TestEditsThatAreReverted: a model can revert its exact edits. What was typed elsewhere since stays;
// what was typed in the same place keeps all of them. The history has both.
func TestEditsThatAreReverted(t *testing.T) {
	const far = "one\nand\nso\non\nthree\n"
	for name, c := range map[string]struct{ old, new, want string }{
		"nothing typed":     {"three", "three", far},
		"elsewhere":         {"three", "3", strings.Replace(far, "three", "3", 1)},
		"in the same place": {"two", "2", strings.Replace(far, "one", "2", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.txt": far, "b.txt": "one\n"})
			var e *editor
			m := &regretful{worker: worker{work: func(files model.Source) []model.FileEdit {
				return []model.FileEdit{replacing(files, "b.txt", "one", "two"), replacing(files, "a.txt", "one", "two")}
			}}}
			m.between = func() {
				if e.pull(); c.old != c.new {
					w.ok(e.replace(c.old, c.new))
				}
			}
			p := w.openModel(m)
			e = w.show(p, "a.txt")
			var reverted []string
			turn := w.start(p, "")
			for ev := range turn.Events() {
				if f, is := ev.(engine.HunkFailed); is {
					reverted = append(reverted, f.Path+" "+f.Reason+" "+f.Message)
				}
			}
			out, other := turn.Wait(), "one\n"
			if name == "in the same place" {
				other = "two\n"
				if m.met == nil || len(reverted) > 0 || len(out.Files) != 2 {
					t.Errorf("%v, %q, %+v", m.met, reverted, out)
				}
			} else if m.met != nil || len(reverted) != 2 || reverted[0] != "b.txt reverted reverted: it was wrong" ||
				len(out.Files) > 0 {
				t.Errorf("%v, %q, %+v", m.met, reverted, out)
			}
			w.at(p, history.Newest, "a.txt", c.want)
			w.at(p, history.Newest, "b.txt", other)
			w.is(w.disk("a.txt")+w.disk("b.txt"), c.want+other)
		})
	}
}

// TestDryRunReverts: nothing is written, and nothing is left of it.
func TestDryRunReverts(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	m := &regretful{between: func() {}, worker: worker{work: func(files model.Source) []model.FileEdit {
		return []model.FileEdit{replacing(files, "a.txt", "one", "two")}
	}}}
	p := w.openModel(m)
	turn, err := p.Edit(t.Context(), app.EditRequest{Text: "x", DryRun: true})
	w.ok(err)
	for range turn.Events() {
	}
	if out := turn.Wait(); m.met != nil || len(out.Files) > 0 || len(out.Edits) > 0 {
		t.Errorf("%v, %+v", m.met, out)
	}
}
