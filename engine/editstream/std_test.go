package editstream

import (
	"go/build"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/workspace/text"
)

// TestStandardLibrary edits files of Go's standard library at random lines, writes the
// edits as patches, and streams those: every hunk must find its place in real, repetitive
// code.
func TestStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	n := 0
	for _, dir := range []string{"net/http", "go/types", "strconv", "unicode"} {
		paths, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no files in %s: %v", dir, err)
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			n += editRealFile(t, rng, filepath.Base(path), string(b))
		}
	}
	t.Logf("%d hunks", n)
}

func editRealFile(t *testing.T, rng *rand.Rand, name, doc string) int {
	c := FileChange{Path: name, Before: text.OfString(doc)}
	at := 0
	for line := range strings.Lines(doc) {
		if rng.IntN(60) == 0 {
			change := text.Change{From: text.Byte(at), To: text.Byte(at + len(line)), Insert: strings.ToUpper(line)}
			switch rng.IntN(3) {
			case 0:
				change.Insert = ""
			case 1:
				change.To = change.From
			}
			c.Changes = append(c.Changes, change)
		}
		at += len(line)
	}
	cs, err := text.NewChangeSet(c.Before.Len(), c.Changes...)
	if err != nil {
		t.Fatal(err)
	}
	want, err := cs.Apply(c.Before)
	if err != nil || want.Equal(c.Before) {
		return 0
	}
	patch, err := RenderV4A([]FileChange{c})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r := newReplica(t, files(name, doc))
	stream(NewAuto(), NewPlacer(r.files, Options{}), patch, 7, r.take)
	if len(r.failed)+len(r.bad) > 0 || r.String(name) != want.String() {
		t.Fatalf("%s: %+v %+v\n%s", name, r.failed, r.bad, patch)
	}
	// The whole file, streamed over the old one, has the same result.
	whole := newReplica(t, files(name, doc))
	stream(NewWholeFile(), NewPlacer(whole.files, Options{}), name+"\n``````go\n"+want.String()+"``````\n", 50, whole.take)
	if got := whole.String(name); got != want.String() {
		t.Fatalf("%s: whole file differs", name)
	}
	if touched, least := whole.closed[0].Added+whole.closed[0].Removed, r.lines(); touched > least+least/2+10 {
		t.Errorf("%s: the whole file touched %d lines, the patch %d", name, touched, least)
	}
	return len(r.closed)
}

// lines returns the number of lines that all hunks touched.
func (r *replica) lines() (n int) {
	for _, c := range r.closed {
		n += c.Added + c.Removed
	}
	return n
}
