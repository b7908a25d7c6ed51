package editstream

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// word draws a line from a small set, so that lines repeat, or an unusual one.
var word = rapid.OneOf(
	rapid.SampledFrom([]string{"", "a", "b", "}", "\treturn nil", "x := 1", "func f() {", "  b", "b  "}),
	rapid.SampledFrom([]string{"*** End Patch", "@@ x", "\u201Cq\u201D \u2013", "\"q\" -", "é世界🙂", "a\rb", "a\r", "+",
		"-x", "\\ No newline at end of file", "*** Update File: f"}),
	rapid.StringMatching(`[a-z]{1,8}`),
)

func drawLines(t *rapid.T, label string, most int) []string {
	return rapid.SliceOfN(word, 0, most).Draw(t, label)
}

// drawDoc draws a file: lines with line breaks of one kind or mixed, with or
// without a final one.
func drawDoc(t *rapid.T) string {
	eols := rapid.SampledFrom([][]string{{"\n"}, {"\n"}, {"\r\n"}, {"\n", "\r\n"}}).Draw(t, "eols")
	var b strings.Builder
	for _, l := range drawLines(t, "doc", 30) {
		b.WriteString(l + rapid.SampledFrom(eols).Draw(t, "eol"))
	}
	s := b.String()
	if rapid.IntRange(0, 3).Draw(t, "final") == 0 {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
	}
	return s
}

// drawStream draws a text with most elements of the formats.
func drawStream(t *rapid.T) string {
	marker := rapid.SampledFrom([]string{
		"*** Begin Patch", "*** End Patch", "*** Update File: f", "*** Add File: n", "*** Delete File: d", "*** Move to: m",
		"*** End of File", "@@", "@@ a", "  *** End Patch", "<<EOF", "EOF",
		"f.go", "`g.go`", "```", "```go", "````", "```go h.go", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE",
		"--- a/f.go", "+++ b/f.go", "--- /dev/null", "+++ /dev/null", "@@ -1,2 +1,3 @@", "diff --git a/f.go b/f.go",
		"new file mode 100644", "deleted file mode 100644", "rename from f.go", "rename to m.go", "```diff",
		"", "Hello 世界",
	})
	line := rapid.OneOf(marker, marker, rapid.Map(word, func(s string) string { return "+" + s }),
		rapid.Map(word, func(s string) string { return " " + s }), rapid.Map(word, func(s string) string { return "-" + s }))
	lines := rapid.SliceOfN(line, 0, 40).Draw(t, "lines")
	if rapid.Bool().Draw(t, "begin") {
		lines = append([]string{"*** Begin Patch", "*** Update File: f"}, lines...)
	}
	return strings.Join(lines, rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "eol"))
}

var parsers = map[string]func() Parser{
	"v4a": NewV4A, "strict": NewStrictV4A, "blocks": NewSearchReplace, "whole": NewWholeFile, "auto": NewAuto,
	"unified": NewUnified,
}

// cuts splits s at random places, also inside characters.
func cuts(t *rapid.T, s string) []string {
	var out []string
	for len(s) > 0 {
		n := min(len(s), rapid.IntRange(1, 20).Draw(t, "cut"))
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

func TestChunksChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStream(t)
		name := rapid.SampledFrom([]string{"v4a", "strict", "blocks", "whole", "unified", "auto"}).Draw(t, "parser")
		want := events(parsers[name](), s, len(s)+1)
		var got []Event
		p := parsers[name]()
		for _, c := range cuts(t, s) {
			p.Push([]byte(c), func(ev Event) { got = append(got, ev) })
		}
		p.Close(func(ev Event) { got = append(got, ev) })
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s: events depend on the chunks:\n%s", name, d)
		}
		checkOrder(t, got)
	})
}

// checkOrder checks the grammar of events that Event documents.
func checkOrder(t interface{ Fatalf(string, ...any) }, evs []Event) {
	file, hunk := false, false
	for i, ev := range evs {
		ok := true
		switch ev.(type) {
		case FileBegin:
			ok, file = !file, true
		case FileEnd:
			ok, file = file && !hunk, false
		case HunkBegin:
			ok, hunk = file && !hunk, true
		case HunkEnd:
			ok, hunk = hunk, false
		case Line:
			ok = hunk
		case Bad:
			hunk = false
		case Prose:
			ok = !file
		}
		if !ok {
			t.Fatalf("event %d, %#v, is out of order in %#v", i, ev, evs)
		}
	}
	if hunk || file && len(evs) > 0 {
		if _, bad := evs[len(evs)-1].(Bad); !bad {
			t.Fatalf("the events end inside a file: %#v", evs)
		}
	}
}

// TestStreamNeverBreaksAFile sends anything to a placer: every change must fit, a failed
// hunk must leave no trace, and the receiver's copy must equal the placer's.
func TestStreamNeverBreaksAFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := memFiles{"f": {Text: text.OfString(drawDoc(t))}, "f.go": {Text: text.OfString(drawDoc(t))},
			"d": {Text: text.OfString("d\n")}}
		name := rapid.SampledFrom([]string{"v4a", "blocks", "whole", "auto"}).Draw(t, "parser")
		pl := NewPlacer(m, Options{})
		r := newReplica2(t, m)
		before := map[string]string{}
		r.hook = func(e Edit) {
			switch e := e.(type) {
			case Opened:
				if _, ok := before[e.Path]; ok || r.created != e.Path {
					before[e.Path] = r.String(e.Path)
				}
			case Failed:
				if want, ok := before[e.Path]; ok && e.Hunk == r.open && r.String(e.Path) != want {
					t.Fatalf("failed hunk %d left %q, was %q", e.Hunk, r.String(e.Path), want)
				}
			}
		}
		p := parsers[name]()
		each := func(ev Event) { pl.Handle(ev, r.take) }
		p.Push([]byte(drawStream(t)), each)
		p.Close(each)
		for path := range pl.known {
			got, exists := pl.View(path)
			mine, mineExists := r.text[path]
			if exists != mineExists || got.String() != mine.String() {
				t.Fatalf("%s: the placer has %q (%v), its receiver %q (%v)", path, got, exists, mine, mineExists)
			}
		}
	})
}

// newReplica2 is newReplica for rapid.
func newReplica2(t *rapid.T, m memFiles) *replica {
	r := newReplica(nil, m)
	r.fatalf = t.Fatalf
	return r
}

var _ = fmt.Sprint
