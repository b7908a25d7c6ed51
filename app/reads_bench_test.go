package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/app/query"
)

// manyFiles opens a project of n files, 100 in each folder.
func manyFiles(b *testing.B, n int, name, body string) *app.Project {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "project")
	for i := range n {
		sub := filepath.Join(dir, fmt.Sprintf("pkg%03d", i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(sub, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf(name, i)),
			[]byte(strings.ReplaceAll(body, "$", fmt.Sprint(i))), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return openBench(b, dir)
}

func openBench(b *testing.B, dir string) *app.Project {
	b.Helper()
	p, err := app.Open(b.Context(), dir, app.Options{DataHome: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	if err := p.Baseline(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	return p
}

func BenchmarkTree10kEntries(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "project")
	for i := range 10_000 {
		name := filepath.Join(dir, "wide", fmt.Sprintf("file%d.go", i))
		if i == 0 {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	p := openBench(b, dir)
	for b.Loop() {
		if list, err := p.Query().Tree(b.Context(), "wide"); err != nil || len(list) != 10_000 {
			b.Fatal(len(list), err)
		}
	}
}

// goFile is about as long as a file of the standard library.
var goFile = "package p\n" + strings.Repeat(`
// Handle$ does what the request says and tells how it went.
func (s *Server$) Handle(ctx context.Context, req *Request) (*Response, error) {
	if err := s.check(ctx, req); err != nil {
		return nil, fmt.Errorf("handle %s: %w", req.Name, err)
	}
	for i, part := range req.Parts {
		if part.Kind == KindText && i < s.limit {
			s.out = append(s.out, part.Text...)
		}
	}
	return &Response{Name: req.Name, Count: len(s.out)}, nil
}

type Server$ struct {
	limit int
	out   []byte
}
`, 15)

func BenchmarkSymbols2000Files(b *testing.B) {
	p := manyFiles(b, 2000, "file%d.go", goFile)
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			if list, err := app.NewQuery(p).Symbols(b.Context(), "server", "", 50); err != nil || len(list) != 50 {
				b.Fatal(len(list), err)
			}
		}
	})
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			if _, err := p.Query().Symbols(b.Context(), "hndl1", "", 50); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("grep", func(b *testing.B) {
		for b.Loop() {
			if _, err := p.Query().Grep(b.Context(), query.GrepQuery{Text: "nowhere to be found"}, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("grep regex", func(b *testing.B) {
		for b.Loop() {
			if _, err := p.Query().Grep(b.Context(), query.GrepQuery{Text: `kind\w+ (x|y)+z`, Regex: true}, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkHugeProject measures the tree and the file finder in a project of 100,000 files.
func BenchmarkHugeProject(b *testing.B) {
	p := manyFiles(b, 100_000, "some_component_file_%d.go", "package p\n")
	b.Run("root", func(b *testing.B) {
		for b.Loop() {
			if _, err := p.Query().Tree(b.Context(), ""); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, query := range []string{"c", "comp", "pkg77file"} {
		b.Run("find "+query, func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Query().Find(b.Context(), query, 50); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
