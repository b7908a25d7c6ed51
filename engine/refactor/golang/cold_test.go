package golang

import (
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"waferpair/engine/refactor"
)

const coldProject = `
-- a.go --
package m

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

type Counter struct{ n int }

func (c *Counter) Write(b []byte) (int, error) { c.n += len(b); return len(b), nil }

func (c *Counter) Reset() { c.n = 0 }

func Copy(r io.Reader) (*Counter, error) {
	c := new(Counter)
	_, err := io.Copy(c, r)
	return c, err
}

func lines(name string) int {
	f, err := os.Open(name)
	if err != nil {
		return 0
	}
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		n++
	}
	fmt.Println(n)
	return n
}

func all() int { return lines("a") + lines("b") }
`

// TestColdCache: with an empty build cache every operation does what it does with a full one,
// and compiles nothing.
func TestColdCache(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	src, lang := txtarSource(t, coldProject), New()
	if err := lang.(refactor.Preparer).Prepare(t.Context(), src); err != nil {
		t.Skip("no build cache: ", err)
	}
	ops := []refactor.Op{
		op("rename", "symbol", "Counter.Write", "to", "Add"),
		op("add-param", "func", "lines", "name", "out", "type", "io.Writer", "value", "os.Stdout"),
		op("add-param", "func", "all", "name", "wait", "type", "time.Duration"),
		op("add-param", "func", "all", "name", "wait", "type", "time.Nothing"),
		op("handle-error", "func", "lines"),
		op("delete-unused", "func", "all"),
	}
	warm := run(t, lang, src, ops)
	t.Setenv("GOCACHE", t.TempDir())
	cold := run(t, lang, src, ops)
	for i := range ops {
		if warm[i] != cold[i] {
			t.Errorf("%s\nwith a full build cache:\n%s\nwith an empty one:\n%s", ops[i], warm[i], cold[i])
		}
	}
	made, err := exec.Command("go", "list", "-n", "-export", "-f", "{{.Export}}", "errors").Output()
	if err != nil || strings.TrimSpace(string(made)) != "" {
		t.Errorf("package errors was compiled: %s (%v)", made, err)
	}
}

// run is what each of the operations does with the project, or why it declines.
func run(t *testing.T, lang refactor.Language, src memSource, ops []refactor.Op) (out []string) {
	t.Helper()
	done := 0
	for _, o := range ops {
		res, err := lang.Run(t.Context(), src, refactor.Target{}, o)
		if declined := (*refactor.Declined)(nil); errors.As(err, &declined) {
			out = append(out, declined.Error())
			continue
		} else if err != nil {
			t.Fatalf("%s: %v", o, err)
		}
		done++
		after := src.apply(t, res)
		var b strings.Builder
		for _, f := range slices.Sorted(maps.Keys(after.files)) {
			b.Write(after.files[f])
		}
		out = append(out, b.String()+strings.Join(res.Notes, "\n"))
	}
	if done < 3 {
		t.Fatalf("only %d operations did anything: %q", done, out)
	}
	return out
}
