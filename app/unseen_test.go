package app_test

import (
	"context"
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
			"\"\n last\n", file},
		"removed": {"*** Update File: a.txt\n@@\n first\n-token = \"" + masked + "\"\n last\n", file},
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
			for _, prompt := range m.Prompts() {
				for _, i := range prompt.Items {
					if strings.Contains(i.Text(), secret) {
						t.Errorf("the model reads the secret:\n%s", i.Text())
					}
				}
			}
		})
	}
}
