package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"waferpair/app"
	"waferpair/engine/local"
)

// TestAFileIsNoModel checks that a file's name is never taken for a driver's, whatever the file
// holds: a project could contain one that answers for a model.
func TestAFileIsNoModel(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"answers.jsonl", "model.gguf", "spark.gguf", filepath.Join("dir", "model.gguf")} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(`{"text":"hello"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		whole, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, asked := range []string{name, "./" + name, whole} {
			if d, err := app.Models(&local.Shelf{}).Open(asked); err == nil {
				t.Errorf("%q opened %s", asked, d.Info().Name)
			}
		}
	}
	if _, err := app.Models(&local.Shelf{}).Open("script:answers.jsonl"); err != nil {
		t.Error(err) // with its prefix it is
	}
}
