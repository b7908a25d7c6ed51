package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
)

// mixedProject writes a project of 10,000 files, in Go, TypeScript, Python and Markdown, and returns
// its folder.
func mixedProject(b *testing.B) string {
	b.Helper()
	root := b.TempDir()
	nouns := strings.Fields("account address archive batch cache channel client config cursor device event export " +
		"filter folder gateway handler index invoice job journal lease ledger message metric order packet page parser " +
		"payment policy pool queue record region report request retry route schema session shard signal snapshot store")
	for i := range 10_000 {
		noun, other := nouns[i%len(nouns)], nouns[(i/7)%len(nouns)]
		up, dir := strings.ToUpper(noun[:1])+noun[1:], fmt.Sprintf("%s%02d/%s", other, i/1000, noun)
		var name, body string
		switch i % 4 {
		case 0:
			name = fmt.Sprintf("%s%d.go", noun, i)
			body = "package " + noun + "\n" + strings.Repeat(fmt.Sprintf("\n// %s%d keeps what a %s knows of its %s.\ntype %s%d struct {\n\tName string\n\tKey int\n}\n\n// Open opens it.\nfunc (x *%s%d) Open(token string) error {\n\tif token == \"\" {\n\t\treturn errClosed\n\t}\n\treturn x.start(token)\n}\n",
				up, i, noun, other, up, i, up, i), 4)
		case 1:
			name = fmt.Sprintf("%s%d.ts", noun, i)
			body = strings.Repeat(fmt.Sprintf("// loads the %s\nexport class %sView%d {\n  private key = ''\n  render(token: string): string {\n    return this.key + token\n  }\n}\n\nexport function load%s%d(id: number) {\n  return fetch('/api/%s/' + id)\n}\n", noun, up, i, up, i, noun), 4)
		case 2:
			name = fmt.Sprintf("%s_%d.py", noun, i)
			body = strings.Repeat(fmt.Sprintf("class %sTask%d:\n    \"\"\"Runs the %s.\"\"\"\n\n    def run(self, password=None):\n        return self.key\n\n\ndef make_%s_%d(kind):\n    return kind\n\n\n", up, i, noun, noun, i), 4)
		case 3:
			name = fmt.Sprintf("%s-%d.md", noun, i)
			body = strings.Repeat(fmt.Sprintf("# The %s\n\nA %s belongs to a %s. Its API key is in the settings.\n\n",
				noun, noun, other), 8)
		}
		path := filepath.Join(root, dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

// BenchmarkContext10kFiles assembles prompts of 60,000 tokens in a project of 10,000 files: warm, as
// for each request of a session but its first, and the first one after the program has started.
func BenchmarkContext10kFiles(b *testing.B) {
	root, data := mixedProject(b), b.TempDir()
	open := func() *app.Project {
		m := &drivertest.Speaker{Language: true}
		p, err := app.Open(b.Context(), root, app.Options{DataHome: data,
			Models: engine.NewRegistry([]engine.Driver{agent.New(m, agent.Tools()...)})})
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	p := open()
	if err := p.Baseline(); err != nil {
		b.Fatal(err)
	}
	all, err := p.Query().Core.Live.Files(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var pins []string
	for i := 0; i < len(all) && len(pins) < 150; i += 7 {
		pins = append(pins, all[i])
	}
	r := app.EditRequest{Text: "make loadCache404 retry requests that time out; see account4400.go",
		Target: model.Target{File: all[4001]}, Pins: pins}
	ask := func(b *testing.B, p *app.Project) int {
		c, err := p.Context(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		return c.Tokens
	}
	ask(b, p)
	b.Run("warm", func(b *testing.B) {
		tokens := 0
		for b.Loop() {
			tokens = ask(b, p)
		}
		b.ReportMetric(float64(tokens), "tokens")
	})
	if err := p.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			p := open()
			b.StartTimer()
			ask(b, p)
			b.StopTimer()
			if err := p.Close(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
}
