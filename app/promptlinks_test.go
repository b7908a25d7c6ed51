package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/prompt"
)

// TestInstructionsBehindALink checks project instructions that are a symbolic link: those of a file of the
// project are read, once; others are named as left out.
func TestInstructionsBehindALink(t *testing.T) {
	out := filepath.Join(t.TempDir(), "elsewhere.md")
	if err := os.WriteFile(out, []byte("Not ours.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		links map[string]string // name -> where it leads
		rules string            // the names of what is read, "-" before what is left out
	}{
		{"AGENTS.md leads to CLAUDE.md", map[string]string{"CLAUDE.md": "Use tabs.\n"},
			map[string]string{"AGENTS.md": "CLAUDE.md"}, "AGENTS.md"},
		{"CLAUDE.md leads to AGENTS.md", map[string]string{"AGENTS.md": "Use tabs.\n"},
			map[string]string{"CLAUDE.md": "AGENTS.md"}, "AGENTS.md"},
		{"into a folder", map[string]string{"docs/rules.md": "Use tabs.\n"},
			map[string]string{"AGENTS.md": "docs/rules.md"}, "AGENTS.md"},
		{"a folder's leads to the outer one", map[string]string{"AGENTS.md": "Use tabs.\n", "sub/x.txt": "x\n"},
			map[string]string{"sub/AGENTS.md": "../AGENTS.md"}, "sub/AGENTS.md"},
		{"out of the project", nil, map[string]string{"AGENTS.md": out}, "-AGENTS.md"},
		{"to an ignored file", map[string]string{".gitignore": "mine.md\n", "mine.md": "Use tabs.\n"},
			map[string]string{"AGENTS.md": "mine.md"}, "-AGENTS.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.txt": "a\n"})
			for name, text := range c.files {
				w.write(name, text)
			}
			for name, to := range c.links {
				w.ok(os.MkdirAll(filepath.Join(w.dir, filepath.Dir(name)), 0o755))
				w.ok(os.Symlink(to, filepath.Join(w.dir, name)))
			}
			m := &drivertest.Speaker{Language: true}
			p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(m)})})
			w.ok(p.Ready(context.Background()))
			got, err := p.Context(context.Background(), app.EditRequest{Text: "look at sub/x.txt"})
			w.ok(err)
			var all []string
			for _, part := range got.Parts {
				if part.Kind == prompt.Rules {
					all = append(all, part.Name)
					if !strings.Contains(part.Text, "Use tabs.") {
						t.Errorf("%q", part.Text)
					}
				}
			}
			for _, l := range got.Out {
				if l.Kind == prompt.Rules {
					all = append(all, "-"+l.Name)
				}
			}
			if names := strings.Join(all, " "); names != c.rules {
				t.Errorf("%s, want %s", names, c.rules)
			}
		})
	}
}
