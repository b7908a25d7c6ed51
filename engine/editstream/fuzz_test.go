package editstream

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waferpair/workspace/text"
)

// fuzz checks, for any bytes, that chunks change nothing, that the events are in order, and
// that every change fits its file.
func fuzz(f *testing.F, name string) {
	for _, s := range []string{
		upf + "@@\n a\n-b\n+B\n*** End of File\n" + ep,
		bp + "*** Add File: n\n+x\n*** Delete File: d\n" + ep,
		"f\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\n",
		"--- a/f.go\n+++ b/f.go\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "diff --git a/f.go b/f.go\ndeleted file mode 100644\n",
		"f.go\n```go\na\nx\n```\n", "apply_patch <<'EOF'\n" + upf + "  *** End Patch\n\n",
	} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, s []byte, chunk uint8) {
		evs := events(parsers[name](), string(s), len(s)+1)
		if d := cmp.Diff(evs, events(parsers[name](), string(s), int(chunk)+1)); d != "" {
			t.Fatalf("events depend on the chunks:\n%s", d)
		}
		checkOrder(t, evs)
		m := memFiles{"f": {Text: text.OfString("a\nb\n\nc")}, "f.go": {Text: text.OfString("a\nb\n")}}
		r := newReplica(t, m)
		pl := NewPlacer(m, Options{})
		for _, ev := range evs {
			pl.Handle(ev, r.take)
		}
		for path := range pl.known {
			if got, _ := pl.View(path); got.String() != r.String(path) {
				t.Fatalf("%s: the placer has %q, its receiver %q", path, got.String(), r.String(path))
			}
		}
	})
}

func FuzzV4A(f *testing.F)           { fuzz(f, "v4a") }
func FuzzStrictV4A(f *testing.F)     { fuzz(f, "strict") }
func FuzzSearchReplace(f *testing.F) { fuzz(f, "blocks") }
func FuzzWholeFile(f *testing.F)     { fuzz(f, "whole") }
func FuzzUnified(f *testing.F)       { fuzz(f, "unified") }
func FuzzAuto(f *testing.F)          { fuzz(f, "auto") }

// FuzzSeam checks, for any answer that broke off and any answer that goes on, that chunks change nothing,
// and that no text of it is lost.
func FuzzSeam(f *testing.F) {
	for _, s := range []string{upf + "@@\n a\n-b\n+B\n*** End of File\n" + ep, bp + "x\n*** Add File: n\n+x\n",
		"f.go\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\n", "f.go\n```go\na\nx\n```\n", "`f g`\n```\na"} {
		for _, cut := range []int{1, len(s) / 2, len(s) - 1} {
			f.Add(s[:cut], s[cut:], uint8(3), false)
			f.Add(s[:cut], s, uint8(9), true)
		}
	}
	f.Fuzz(func(t *testing.T, before, next string, chunk uint8, call bool) {
		s := NewSeam(before, call)
		out := ""
		for at := 0; at < len(next); at += int(chunk) + 1 {
			out += s.Push(next[at:min(at+int(chunk)+1, len(next))])
		}
		out += s.Close(false)
		once := NewSeam(before, call)
		if whole := once.Push(next) + once.Close(false); whole != out {
			t.Fatalf("in chunks %q, at once %q", out, whole)
		}
		if !strings.HasSuffix(out, next[max(0, len(next)-20):]) && len(next) > 20 {
			t.Fatalf("%q ends otherwise than %q", out, next)
		}
	})
}
