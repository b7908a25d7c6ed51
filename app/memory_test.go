package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// peak returns how much more memory objects use at most while f runs.
func peak(f func()) uint64 {
	runtime.GC()
	done, out := make(chan struct{}), make(chan uint64)
	read := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	base := read()
	go func() {
		most := base
		for {
			select {
			case <-done:
				out <- most - base
				return
			case <-time.After(time.Millisecond):
				most = max(most, read())
			}
		}
	}()
	f()
	close(done)
	return <-out
}

// largeFiles writes n different text files of size bytes.
func largeFiles(t *testing.T, dir string, n, size int) {
	text := bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog\n"), size/44)
	for i := range n {
		name := filepath.Join(dir, fmt.Sprintf("large%02d.txt", i))
		if err := os.WriteFile(name, fmt.Appendf(nil, "file %d\n%s", i, text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestManyLargeFilesTakeLittleMemory opens a project in which 8 files of 15 MB are new: at
// the first opening, and since the last one. Storing two of them at a time takes about 120
// MB; holding all of them would take more than 220.
func TestManyLargeFilesTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it moves much text: make test runs it without the race detector")
	}
	const most = 185 << 20
	for _, name := range []string{"first opening", "made since"} {
		t.Run(name, func(t *testing.T) {
			root, opt := t.TempDir(), Options{DataHome: t.TempDir()}
			open := func() {
				p, err := Open(t.Context(), root, opt)
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				if err := p.intake.Stored(); err != nil {
					t.Fatal(err)
				}
			}
			if name == "made since" {
				open()
			}
			largeFiles(t, root, 8, 15<<20)
			if got := peak(open); got > most {
				t.Errorf("the opening took %d MB at once, more than %d", got>>20, most>>20)
			}
		})
	}
}
