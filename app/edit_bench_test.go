package app_test

import (
	"fmt"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/refactor/golang/genproject"
)

// BenchmarkEdit opens a 2,000-file project, renames a function in it, and closes it. That
// is what a user waits for, without the start of the process.
func BenchmarkEdit(b *testing.B) {
	dir, data := b.TempDir(), b.TempDir()
	if err := genproject.GenerateProject(dir, 2000); err != nil {
		b.Fatal(err)
	}
	names := [2]string{genproject.Function, "loadConfig"}
	edit := func(i int) {
		p, err := app.Open(b.Context(), dir, app.Options{DataHome: data})
		if err != nil {
			b.Fatal(err)
		}
		defer p.Close()
		turn, err := p.Edit(b.Context(),
			app.EditRequest{Text: fmt.Sprintf("rename %s to %s everywhere", names[i%2], names[1-i%2])})
		if err != nil {
			b.Fatal(err)
		}
		for range turn.Events() {
		}
		if out := turn.Wait(); out.Status != engine.Completed {
			b.Fatalf("%+v", out)
		}
	}
	edit(0)
	i := 1
	for b.Loop() {
		edit(i)
		i++
	}
	if i%2 == 1 {
		edit(i)
	}
}
