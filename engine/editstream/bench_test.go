package editstream

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"waferpair/workspace/text"
)

// tokenBytes is the assumed size of a token of source text.
const tokenBytes = 4

// bigFile returns Go-like source of about n bytes whose lines mostly repeat.
func bigFile(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b,
			"// F%d does step %d.\nfunc F%d(x int) int {\n\tif x < 0 {\n\t\treturn 0\n\t}\n\ty := x + %d\n\treturn y\n}\n\n", i,
			i, i, i)
	}
	return b.String()
}

// bigPatch changes every step-th function of bigFile.
func bigPatch(doc string, step int) string {
	var changes []text.Change
	for i := 0; ; i += step {
		old := fmt.Sprintf("\ty := x + %d\n", i)
		at := strings.Index(doc, old)
		if at < 0 {
			break
		}
		changes = append(changes, text.Change{From: text.Byte(at), To: text.Byte(at + len(old)),
			Insert: fmt.Sprintf("\ty := x - %d\n\ty *= 2\n\tlog(y)\n", i)})
	}
	patch, err := RenderV4A([]FileChange{{Path: "f", Before: text.OfString(doc), Changes: changes}})
	if err != nil {
		panic(err)
	}
	return patch
}

// run streams a text token by token and counts the edits.
func run(parser Parser, m memFiles, s string) (changed, failed int) {
	pl := NewPlacer(m, Options{})
	stream(parser, pl, s, tokenBytes, func(e Edit) {
		switch e.(type) {
		case Changed:
			changed++
		case Failed:
			failed++
		}
	})
	return changed, failed
}

func benchmark(b *testing.B, parser func() Parser, doc, s string, failures int) {
	m := files("f", doc)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		if changed, failed := run(parser(), m, s); changed == 0 && failures == 0 || failed != failures {
			b.Fatalf("%d changes, %d failures", changed, failed)
		}
	}
	b.ReportMetric(float64(len(s))/tokenBytes*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

func BenchmarkV4A(b *testing.B) {
	for _, size := range []int{12 << 10, 1 << 20} {
		doc := bigFile(size)
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) { benchmark(b, NewV4A, doc, bigPatch(doc, 2), 0) })
	}
}

func BenchmarkAddFile(b *testing.B) {
	doc := bigFile(1 << 20)
	patch := bp + "*** Add File: new\n+" + strings.ReplaceAll(strings.TrimSuffix(doc, "\n"), "\n", "\n+") + "\n" + ep
	benchmark(b, NewV4A, doc, patch, 0)
}

func BenchmarkWholeFile(b *testing.B) {
	doc := bigFile(1 << 20)
	whole := "f.go\n```go\n" + strings.ReplaceAll(doc, "return y", "return y + 1") + "```\n"
	benchmark(b, NewAuto, doc, strings.Replace(whole, "f.go", "./f", 1), 0)
}

func BenchmarkSearchReplace(b *testing.B) {
	doc := bigFile(12 << 10)
	var s strings.Builder
	for i := 0; strings.Contains(doc, fmt.Sprintf("\ty := x + %d\n", i)); i++ {
		fmt.Fprintf(&s, "a/f\n<<<<<<< SEARCH\nfunc F%d(x int) int {\n\tif x < 0 {\n\t\treturn 0\n\t}\n\ty := x + %d\n=======\nfunc F%d(x int) int {\n\tif x < 0 {\n\t\treturn 0\n\t}\n\ty := x - %d\n>>>>>>> REPLACE\n", i, i, i, i)
	}
	m := memFiles{"a/f": {Text: text.OfString(doc)}}
	b.ReportAllocs()
	for b.Loop() {
		if _, failed := run(NewAuto(), m, s.String()); failed > 0 {
			b.Fatal(failed)
		}
	}
	b.ReportMetric(float64(s.Len())/tokenBytes*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

// TestLinear feeds inputs that could make a careless implementation quadratic, and fails
// when they take much more processor time than their size allows.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	same := strings.Repeat("x\n", 200_000)
	for name, c := range map[string]struct {
		doc, text string
		parser    func() Parser
	}{
		"a hunk of one repeated line":  {same, upf + "@@\n" + strings.Repeat(" x\n", 100_000) + "-x\n" + ep, NewV4A},
		"the same and a contradiction": {same, upf + "@@\n" + strings.Repeat(" x\n", 100_000) + "-y\n" + ep, NewV4A},
		"a long insertion": {"a\n", upf + "@@\n a\n" + strings.Repeat("+some text of a line\n", 100_000) + ep,
			NewV4A},
		"a long insertion, unplaced": {"a\na\n", upf + "@@\n" + strings.Repeat("+some text of a line\n", 100_000) +
			" a\n" + ep, NewV4A},
		"a long insertion, then failure": {"a\nb\n", upf + "@@\n a\n" + strings.Repeat("+some text of a line\n", 100_000) +
			" c\n" + ep, NewV4A},
		"a whole file of one line":        {same, "./f\n```\n" + strings.Repeat("x\n", 100_000) + "```\n", NewAuto},
		"a whole file, nothing in common": {same, "./f\n```\n" + strings.Repeat("y\n", 100_000) + "```\n", NewAuto},
		"a whole file, alternating": {strings.Repeat("x\ny\n", 50_000),
			"./f\n```\n" + strings.Repeat("y\nz\nx\n", 30_000) + "```\n", NewAuto},
		"one line of 1 MB":           {"a\n", upf + "@@\n a\n+" + strings.Repeat("z", 1_000_000) + "\n" + ep, NewV4A},
		"one line of 20 MB":          {"a\n", upf + "@@\n a\n+" + strings.Repeat("z", 20_000_000) + "\n" + ep, NewV4A},
		"20 MB of prose in one line": {"a\n", strings.Repeat("zé", 7_000_000), NewAuto},
		"many empty lines":           {"a\n", strings.Repeat("\n", 1_000_000), NewAuto},
		"held end and empty lines":   {"a\n", upf + "@@\n a\n *** End Patch" + strings.Repeat("\n", 300_000), NewV4A},
		"many appends":               {same, upf + strings.Repeat("@@\n+x\n", 30_000) + ep, NewV4A},
		"many sections": {"a\n", bp + strings.Repeat("*** Update File: f\n@@\n-a\n+a\n", 30_000) + ep,
			NewV4A},
	} {
		t.Run(name, func(t *testing.T) {
			m := files("f", c.doc)
			start := cpuTime()
			run(c.parser(), m, c.text)
			if used := cpuTime() - start; used > 5*time.Second {
				t.Errorf("used %v of the processor", used)
			} else {
				t.Logf("%v", used)
			}
		})
	}
}

// cpuTime returns the processor time of this process. Other programs on the machine make a
// test take longer, but not use more of it.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestMemory checks that a parser's memory does not grow with the stream.
func TestMemory(t *testing.T) {
	p := NewAuto().(*blocks)
	for range 100 {
		p.Push([]byte(strings.Repeat("f.go\n\n", 1000)), func(Event) {})
	}
	if len(p.pending) > maxPending || cap(p.pending) > 4*maxPending {
		t.Errorf("%d lines are held", cap(p.pending))
	}
	for range 50 {
		p.Push([]byte(strings.Repeat("x", 100_000)), func(Event) {})
	}
	if cap(p.in.buf) > 2*LineLimit {
		t.Errorf("%d bytes of a line are held", cap(p.in.buf))
	}
}
