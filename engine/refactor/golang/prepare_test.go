//go:build unix

package golang

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"waferpair/engine/refactor"
)

// slowGo puts a go command before the real one that notes its runs, and, when it
// is to compile, tells so and waits: until something is written to the file that
// it returns, or for ever. alive ends when it and all it started have ended.
func slowGo(t *testing.T) (log string, started, alive, hold *os.File) {
	t.Helper()
	real, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	t.Setenv("GOCACHE", filepath.Join(dir, "cache"))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	log = filepath.Join(dir, "log")
	pipe := func(name string) (*os.File, string) {
		path := filepath.Join(dir, name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip("no named pipes here: ", err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f, path
	}
	started, startedPath := pipe("started")
	hold, holdPath := pipe("hold")
	writer, alivePath := pipe("alive")
	writer.Close() // the go command is to be the only one
	script := `#!/bin/sh
echo start >>` + log + `
case "$*" in *-n\ -f*) ;; # compiles nothing
*-export*)
	if [ -p ` + holdPath + ` ]; then
		exec 3>` + alivePath + `
		(read _ <` + holdPath + `) & # a child, as compilers are
		echo x >` + startedPath + `
		wait
	fi;;
esac
` + real + ` "$@"; code=$?
echo end >>` + log + `
exit $code
`
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	alive, err = os.OpenFile(alivePath, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { alive.Close() })
	return log, started, alive, hold
}

const imports = `
-- a.go --
package m

import "cmp"

type T struct{}

func (T) Less(a, b int) bool { return cmp.Less(a, b) }
`

// awaitByte waits until the go command says that it compiles.
func awaitByte(t *testing.T, f *os.File) {
	t.Helper()
	if _, err := f.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
}

// TestPreparationIsNotWaitedFor: a request that comes while dependencies are compiled has
// their types from source, does not compile them itself, and says at once what it does.
func TestPreparationIsNotWaitedFor(t *testing.T) {
	log, started, _, hold := slowGo(t)
	src, lang := txtarSource(t, imports), New()
	prepared := make(chan error, 1)
	go func() { prepared <- lang.(refactor.Preparer).Prepare(t.Context(), src) }()
	awaitByte(t, started)

	told := map[string]bool{}
	ctx := refactor.WithProgress(t.Context(), func(what string, _ int, _ bool) { told[what] = true })
	if _, err := lang.Run(ctx, src, refactor.Target{}, op("rename", "symbol", "T.Less", "to", "Before")); err != nil {
		t.Error(err)
	}
	if !told["Reading the types of dependencies (go list)"] {
		t.Errorf("the user was told %v", told)
	}
	if b, _ := os.ReadFile(log); strings.Count(string(b), "start") != strings.Count(string(b), "end")+1 {
		t.Errorf("the preparation is over: %q", b)
	}
	if err := os.Remove(hold.Name()); err != nil {
		t.Fatal(err)
	}
	if _, err := hold.WriteString("go on\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-prepared; err != nil {
		t.Fatal(err)
	}
}

// TestPreparationEndsWithItsContext: and so does all that the go command started.
func TestPreparationEndsWithItsContext(t *testing.T) {
	_, started, alive, _ := slowGo(t)
	ctx, cancel := context.WithCancel(t.Context())
	prepared := make(chan error, 1)
	go func() { prepared <- New().(refactor.Preparer).Prepare(ctx, txtarSource(t, imports)) }()
	awaitByte(t, started)
	cancel()
	if err := <-prepared; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if _, err := io.Copy(io.Discard, alive); err != nil { // the end comes when nobody can write any more
		t.Error(err)
	}
}

// TestPreparedOncePerState: again only when what it depends on has changed.
func TestPreparedOncePerState(t *testing.T) {
	log, _, _, hold := slowGo(t)
	if err := os.Remove(hold.Name()); err != nil {
		t.Fatal(err)
	}
	src, lang := txtarSource(t, imports), New().(refactor.Preparer)
	runs := func(want int) {
		t.Helper()
		if err := lang.Prepare(t.Context(), src); err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(log); strings.Count(string(b), "start") != want {
			t.Errorf("%d runs, want %d", strings.Count(string(b), "start"), want)
		}
	}
	runs(1)
	runs(1)
	if err := os.WriteFile(filepath.Join(src.root, "go.sum"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	runs(1) // an empty one says as much as none
	if err := os.WriteFile(filepath.Join(src.root, "go.mod"),
		[]byte("module example.com/m\n\ngo 1.25\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	runs(2)
}
