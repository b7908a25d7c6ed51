package golang

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/golang/genproject"
)

// diskSource reads the disk each time, as a first request does with a warm page cache.
type diskSource struct{ root string }

func (s diskSource) Files(context.Context) ([]string, error) {
	var out []string
	err := filepath.WalkDir(s.root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(s.root, p)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	return out, err
}

func (s diskSource) Read(p string) ([]byte, error) {
	return os.ReadFile(filepath.Join(s.root, filepath.FromSlash(p)))
}

func (s diskSource) Root() string { return s.root }

func BenchmarkRename(b *testing.B) {
	dir := b.TempDir()
	if err := genproject.GenerateProject(dir, 2000); err != nil {
		b.Fatal(err)
	}
	for _, symbol := range []string{genproject.Function, genproject.Exported, genproject.Method} {
		b.Run(symbol, func(b *testing.B) {
			for b.Loop() {
				res, err := New().Run(context.Background(), diskSource{dir}, refactor.Target{},
					op("rename", "symbol", symbol, "to", "Zq"+symbol[:1]))
				if err != nil {
					b.Fatal(err)
				}
				if len(res.Edits) < 20 {
					b.Fatalf("%d files", len(res.Edits))
				}
			}
		})
	}
}
