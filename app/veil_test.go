package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
)

// TestPatchesAroundSecrets checks that a model's patch, whose lines have the mask, lands on the true
// bytes, and that no secret is lost when it would change the secret itself.
func TestPatchesAroundSecrets(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	masked := strings.Repeat("<masked>", 5)
	file := "first\ntoken = \"" + secret + "\"\nlast\n"
	for name, c := range map[string]struct{ patch, want string }{
		"context": {"*** Update File: a.txt\n@@\n-first\n+one\n token = \"" + masked + "\"\n last\n",
			strings.Replace(file, "first", "one", 1)},
		"context in front": {"*** Update File: a.txt\n@@\n token = \"" + masked + "\"\n-last\n+end\n",
			strings.Replace(file, "last", "end", 1)},
		"rewritten": {"*** Update File: a.txt\n@@\n-first\n+one\n-token = \"" + masked + "\"\n+key = \"" + masked +
			"\"\n last\n", "one\nkey = \"" + secret + "\"\nlast\n"},
		"written short": {"*** Update File: a.txt\n@@\n-token = \"" + masked + "\"\n+key = \"<masked>\"\n-last\n+end\n",
			"first\nkey = \"" + secret + "\"\nend\n"},
		"removed": {"*** Update File: a.txt\n@@\n first\n-token = \"" + masked + "\"\n last\n", file},
		"deleted": {"*** Delete File: a.txt\n", file},
		"added":   {"*** Update File: a.txt\n@@\n first\n+again = \"" + masked + "\"\n token = \"" + masked + "\"\n", file},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.txt": file})
			m := &drivertest.Speaker{Language: true, Answers: [][]model.Item{
				{patchCall("c", "*** Begin Patch\n"+c.patch+"*** End Patch\n")}, {model.Assistant("Done.\n")}}}
			p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(m, agent.Tools()...)})})
			turn, err := p.Edit(context.Background(), app.EditRequest{Text: "change it"})
			w.ok(err)
			for range turn.Events() {
			}
			o := turn.Wait()
			w.is(w.disk("a.txt"), c.want)
			if refused := c.want == file; refused != (o.Status == engine.Failed) ||
				refused && !strings.Contains(o.Message, "a secret that the model cannot see") {
				t.Errorf("%s: %s", o.Status, o.Message)
			}
			noneReads(t, m, secret)
			if all := w.versions(p, "a.txt"); strings.Contains(all, secret) {
				t.Errorf("the history has the secret:\n%s", all)
			}
		})
	}
}

// noneReads checks that no prompt has a secret.
func noneReads(t *testing.T, m *drivertest.Speaker, secret string) {
	t.Helper()
	for _, prompt := range m.Prompts() {
		for _, i := range prompt.Items {
			if strings.Contains(i.Text(), secret) {
				t.Errorf("the model reads the secret:\n%s", i.Text())
			}
		}
	}
}

// TestTextsAroundSecrets checks the formats that are no call, and the same as a dry run, which shows
// the true bytes and changes nothing.
func TestTextsAroundSecrets(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	masked := strings.Repeat("<masked>", 5)
	file := "first\ntoken = \"" + secret + "\"\nlast\n"
	want := "1st\n  token = \"" + secret + "\"\nlast\n"
	for format, answer := range map[string]string{
		"whole": "a.txt\n```\n1st\n  token = \"" + masked + "\"\nlast\n```\n",
		"blocks": "a.txt\n<<<<<<< SEARCH\nfirst\ntoken = \"" + masked + "\"\n=======\n1st\n  token = \"" + masked +
			"\"\n>>>>>>> REPLACE\n",
		"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-first\n-token = \"" + masked + "\"\n+1st\n+  token = \"" +
			masked + "\"\n*** End Patch\n",
	} {
		for _, dry := range []bool{true, false} {
			t.Run(fmt.Sprint(format, dry), func(t *testing.T) {
				w := newWorld(t, map[string]string{"a.txt": file})
				m := &drivertest.Speaker{Language: true, Answers: [][]model.Item{{model.Assistant(answer)}}}
				p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(m, agent.Tools()...)})})
				turn, err := p.Edit(context.Background(), app.EditRequest{Text: "change it", DryRun: dry})
				w.ok(err)
				shown := ""
				for ev := range turn.Events() {
					if c, ok := ev.(engine.HunkChanged); ok {
						shown += c.Inserted
					}
				}
				if o := turn.Wait(); o.Status != engine.Completed {
					t.Fatalf("%s: %s", o.Status, o.Message)
				}
				if !strings.Contains(shown, "  token = \""+secret) {
					t.Errorf("the user sees %q", shown)
				}
				w.is(w.disk("a.txt"), map[bool]string{true: file, false: want}[dry])
				noneReads(t, m, secret)
			})
		}
	}
}

// TestASteerIsMasked checks that a secret in a steer reaches neither the model nor the history.
func TestASteerIsMasked(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	w := newWorld(t, map[string]string{"a.txt": "first\n"})
	m := &drivertest.Speaker{Language: true, Answers: [][]model.Item{
		{model.Assistant(strings.Repeat("word ", 2000))}, {model.Assistant("Done.\n")}}}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(m, agent.Tools()...)})})
	turn, err := p.Edit(context.Background(), app.EditRequest{Text: "write"})
	w.ok(err)
	turn.Pause()
	turn.Steer("use " + secret)
	for range turn.Events() {
	}
	noneReads(t, m, secret)
	if prompts := m.Prompts(); len(prompts) != 2 || !strings.Contains(prompts[1].Request(), "use <masked>") {
		t.Errorf("%d prompts", len(prompts))
	}
	w.ok(p.History().Backup(t.Context()))
	if found := w.dataHolds(secret); len(found) > 0 {
		t.Error(found)
	}
}
