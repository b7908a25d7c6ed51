//go:build unix

package server_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOpeningPrepares checks that opening a Go project starts the work that its first
// request would wait for, and that closing the project ends it.
func TestOpeningPrepares(t *testing.T) {
	dir := t.TempDir()
	alive := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(alive, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	// A go command that says that it runs, and then compiles for ever.
	script := "#!/bin/sh\nexec 3>" + alive + "\necho \"$*\" >&3\nsleep 10000 &\nwait\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	w := newWorld(t, map[string]string{"go.mod": "module shop\n\ngo 1.26\n",
		"a.go": "package shop\n\nimport \"cmp\"\n\nvar A = cmp.Compare(1, 2)\n"})
	s := w.serve()
	f, err := os.Open(alive) // waits for a writer
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, f); err != nil { // ends when no process can write any more
		t.Error(err)
	}
}
