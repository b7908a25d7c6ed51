package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"waferpair/workspace/text"
)

func benchFolder(b *testing.B, files, size int) *Folder {
	b.Helper()
	dir := b.TempDir()
	content := []byte(strings.Repeat("x", size))
	for i := range files {
		full := filepath.Join(dir, fmt.Sprintf("d%d/f%d", i/100, i))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(full, content, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	f, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	return f
}

// BenchmarkSave saves one file of 20 KB, and a batch of 1,000.
func BenchmarkSave(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := benchFolder(b, n, 20<<10)
			last := strings.Repeat("x", 20<<10)
			for k := 0; b.Loop(); k++ {
				next := strings.Repeat(string(rune('a'+k%26)), 20<<10)
				writes := make([]Write, n)
				for i := range writes {
					writes[i] = update(fmt.Sprintf("d%d/f%d", i/100, i), last, next)
				}
				if _, err := f.Save(context.Background(), writes); err != nil {
					b.Fatal(err)
				}
				last = next
			}
		})
	}
}

// BenchmarkWalk100k walks the tree that the promise of 3 seconds is about.
func BenchmarkWalk100k(b *testing.B) {
	f := benchFolder(b, 100_000, 100)
	for b.Loop() {
		n := 0
		if err := f.Walk(context.Background(), func(Entry) error { n++; return nil }); err != nil || n != 101_000 {
			b.Fatal(n, err)
		}
	}
}

// BenchmarkReadAll reads and hashes Go's sources with four readers.
func BenchmarkReadAll(b *testing.B) {
	f, err := Open(goSources(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for b.Loop() {
		paths := make(chan string, 100)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for p := range paths {
					if _, err := f.Read(context.Background(), p); err != nil {
						b.Error(err)
					}
				}
			})
		}
		n := 0
		err := f.Walk(context.Background(), func(e Entry) error {
			if e.Kind == Regular {
				n++
				paths <- e.Path
			}
			return nil
		})
		close(paths)
		wg.Wait()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(n), "files")
	}
}

// BenchmarkApply streams small insertions into a file of 1 MB.
func BenchmarkApply(b *testing.B) {
	start := text.OfString(strings.Repeat("some line of code\n", 60_000))
	buf := NewBuffer("f", start)
	for b.Loop() {
		t, v := buf.Snapshot()
		cs, _ := text.NewChangeSet(t.Len(), text.Change{From: t.Len() / 2, To: t.Len() / 2, Insert: "token "})
		if _, err := buf.Apply("model", v, cs); err != nil {
			b.Fatal(err)
		}
	}
}
