package text

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDiffMakesTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := OfString(genText().Draw(t, "a"))
		b := OfString(genText().Draw(t, "b"))
		if rapid.Bool().Draw(t, "edited") {
			b = apply(t, genChange(int(a.Len())).Draw(t, "c"), a)
		}
		d := Diff(a, b)
		if got := apply(t, d, a); !got.Equal(b) {
			t.Fatalf("%v gives %q, want %q", d, got, b)
		}
		for c := range d.Changes {
			if cutBefore(a.String(), int(c.From)) != 0 || cutBefore(a.String(), int(c.To)) != 0 {
				t.Fatalf("%v cuts a character of %q", c, a)
			}
		}
	})
}

// lcs is the slow, obvious length of a longest common subsequence of lines.
func lcs(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diag := 0
		for j, y := range b {
			up := row[j+1]
			if x == y {
				row[j+1] = diag + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			diag = up
		}
	}
	return row[len(b)]
}

// TestDiffIsShortest: in a gap between anchors only Myers decides, and the result must be a
// shortest one.
func TestDiffIsShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n"}), 0, 30)
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		d := newLineDiff(strings.Join(a, ""), strings.Join(b, ""))
		d.gap(block{0, len(a), 0, len(b)})
		kept := len(a)
		for _, bl := range d.blocks {
			kept -= bl.a1 - bl.a0
		}
		if want := lcs(a, b); kept != want {
			t.Fatalf("keeps %d lines, could keep %d", kept, want)
		}
	})
}

func TestDiffExamples(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want []Change
	}{
		{"", "", nil},
		{"", "x", []Change{{0, 0, "x"}}},
		{"x", "", []Change{{0, 1, ""}}},
		{"a\r\nb\r\n", "a\nb\r\n", []Change{{1, 2, ""}}},
		{"é\n", "è\n", []Change{{0, 2, "è"}}},
		{"😀", "😁", []Change{{0, 4, "😁"}}},
		{"aa", "aaa", []Change{{2, 2, "a"}}},
		{"one\ntwo\nthree\n", "one\n2\nthree\nfour\n", []Change{{4, 7, "2"}, {14, 14, "four\n"}}},
	} {
		if got := slices.Collect(Diff(OfString(c.a), OfString(c.b)).Changes); !slices.Equal(got, c.want) {
			t.Errorf("Diff(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestDiffOfRealFiles(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(goroot(t), "src/net/http/*.go"))
	if len(files) < 20 {
		t.Fatal("Go's standard library is not there: run the tests with a complete Go installation")
	}
	for i, f := range files[:20] {
		a, b := readText(t, f), readText(t, files[i+1])
		if got := apply(t, Diff(a, b), a); !got.Equal(b) {
			t.Errorf("%s to %s: wrong result", f, files[i+1])
		}
	}
}

func readText(t testing.TB, name string) Text {
	t.Helper()
	b, err := os.ReadFile(name)
	return Of(must(t, b, err))
}

// TestDiffStaysBounded: big files that differ everywhere, in order or not, must neither
// hang nor allocate out of proportion.
func TestDiffStaysBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	r := rand.New(rand.NewPCG(1, 2))
	var lines []string
	for i := range 200_000 {
		lines = append(lines, fmt.Sprintf("%d some line of usual length with a few words\n", r.IntN(20_000)+i%3))
	}
	a := OfString(strings.Join(lines, ""))
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	b := OfString(strings.Join(lines, ""))
	start := cpuTime()
	d := Diff(a, b)
	if used := cpuTime() - start; used > 10*time.Second {
		t.Errorf("%d MB used %v of the processor", a.Len()>>20, used)
	}
	if got := apply(t, d, a); !got.Equal(b) {
		t.Error("wrong result")
	}
}

// cpuTime returns the processor time of this process: other programs on the computer make a
// test slower, but do not add to it.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
