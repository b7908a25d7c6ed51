package editstream_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/engine/editstream"
)

// cutAnswer is an answer, and where its edits begin, for models that begin one again.
type cutAnswer struct {
	text   string
	begins []int // of sections and hunks, or of blocks
}

// again returns what a model writes that begins again the edit in which it broke off at cut: the last
// one whose first line has come, because a line that has not come may still belong to the edit before.
func (c cutAnswer) again(cut int) string {
	from := 0
	for _, b := range c.begins {
		if b < cut && strings.Contains(c.text[b:cut], "\n") {
			from = b
		}
	}
	return c.text[from:]
}

func answers() map[string]cutAnswer {
	find := func(text string, marks ...string) cutAnswer {
		c := cutAnswer{text: text}
		for at := range text {
			for _, m := range marks {
				if strings.HasPrefix(text[at:], m) && (at == 0 || text[at-1] == '\n') {
					c.begins = append(c.begins, at)
				}
			}
		}
		return c
	}
	return map[string]cutAnswer{
		"patch": find(
			"Sure, two files.\n\n*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+TWO\n+TWO\n+2.5\n@@ four\n five\n"+
				"+5.5\n six\n*** Add File: new\n+first\n+\n+third\n*** Update File: b\n@@\n-x\n+y\n*** Delete File: gone\n"+
				"*** Update File: b\n@@\n z\n+w\n*** End Patch\nDone.\n", "*** Begin", "*** Update", "*** Add", "*** Delete", "@@"),
		"blocks": find("./a\n```\n<<<<<<< SEARCH\none\ntwo\n=======\none\nTWO\n2.5\n>>>>>>> REPLACE\n```\n\nThen:\n\n"+
			"./b\n<<<<<<< SEARCH\nx\n=======\ny\nY\n>>>>>>> REPLACE\n", "./a\n", "./b\n"),
		"indented": find("a.py\n<<<<<<< SEARCH\nif x:\n        pass\n=======\nif x:\n                return 1\n"+
			"____________\n        x\n>>>>>>> REPLACE\n", "a.py\n"),
		"diff": find(
			"So:\n\n```diff\n--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+2.5\n three\n@@ -8,2 +9,3 @@\n"+
				" eight\n+8.5\n nine\n--- a/y.go\n+++ b/y.go\n@@ -1,2 +1,2 @@\n x\n-y\n+Y\n```\nDone.\n", "--- a/"),
		"whole": find(
			"The files.\n\nsrc/a.go\n```go\npackage a\n\nfunc A() {\n}\n```\n\nand\n\n`src/b.go`:\n```go\npackage b\n\n"+
				"func B() {\n        return\n}\n```\nDone.\n", "src/a.go", "`src/b.go`"),
	}
}

// events returns the edits of a text, without those that came before when it went on with another one.
func edits(text string, known []editstream.Hunk) (out []string) {
	l := editstream.NewLanded(known)
	pass := func(ev editstream.Event) {
		switch ev := ev.(type) {
		case editstream.Prose, editstream.Behind, editstream.Bad:
			if b, is := ev.(editstream.Bad); is {
				out = append(out, "bad: "+b.Message)
			}
		case editstream.HunkBegin:
			out = append(out, fmt.Sprintf("hunk %q", ev.Header))
		case editstream.FileBegin:
			out = append(out, fmt.Sprintf("%s %s", ev.Op, ev.Path))
		case editstream.Line:
			out = append(out, fmt.Sprintf("%c%s", ev.Kind, ev.Text))
		}
	}
	p := editstream.NewAuto()
	take := func(ev editstream.Event) { l.Handle(ev, pass, func(editstream.Hunk) {}) }
	p.Push([]byte(text), take)
	p.Close(take)
	return out
}

// landedOf returns the complete edits of a text that was cut.
func landedOf(text string) (known []editstream.Hunk, lines []string) {
	all, last := editstream.Hunks(editstream.NewAuto(), []byte(text), false)
	for n := 1; n <= last; n++ {
		if h, ok := all[n]; ok && !h.Partial {
			known = append(known, h)
			if h.Op == editstream.Delete {
				lines = append(lines, "delete "+h.Path)
				continue
			}
			lines = append(lines, fmt.Sprintf("hunk %q", h.Header))
			for _, l := range h.Lines {
				lines = append(lines, fmt.Sprintf("%c%s", l.Kind, l.Text))
			}
		}
	}
	return known, lines
}

// hunksOnly leaves out which file a hunk is of.
func hunksOnly(list []string) (out []string) {
	for _, l := range list {
		if !strings.HasPrefix(l, "update ") && !strings.HasPrefix(l, "add ") && !strings.HasPrefix(l, "whole ") {
			out = append(out, l)
		}
	}
	return out
}

// TestASeamMakesTheEditsOfTheWholeAnswer cuts answers at every byte, and continues each as three
// kinds of models do: the edits are those of the whole answer.
func TestASeamMakesTheEditsOfTheWholeAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot in one goroutine")
	}
	for name, c := range answers() {
		want := strings.Join(hunksOnly(edits(c.text, nil)), "\n")
		for cut := 1; cut < len(c.text); cut++ {
			for kind, next := range map[string]string{"at the byte": c.text[cut:], "the edit": c.again(cut),
				"everything": c.text, "at the byte, for certain": c.text[cut:]} {
				if name == "diff" && kind == "the edit" {
					continue // whether the next line is of the same hunk depends on the counts in its header
				}
				known, done := landedOf(c.text[:cut])
				for _, size := range []int{1, 7, len(next)} {
					s := editstream.NewSeam(c.text[:cut], false)
					if strings.HasSuffix(kind, "certain") {
						var ok bool
						if s, ok = editstream.Rejoin(c.text[:cut], false); !ok {
							t.Fatalf("%s, cut at %d: no seam", name, cut)
						}
					}
					text := ""
					for at := 0; at < len(next); at += size {
						text += s.Push(next[at:min(at+size, len(next))])
					}
					text += s.Close(false)
					got := strings.Join(append(done[:len(done):len(done)], hunksOnly(edits(text, known))...), "\n")
					if got != want {
						t.Fatalf(
							"%s, cut at %d, chunks of %d, the model goes on with %s:\n%s\n---- seam\n%s\n---- got\n%s\n---- want\n%s",
							name, cut, size, kind, c.text[:cut], text, got, want)
					}
				}
			}
		}
	}
}

// TestASeamDoesNotDependOnChunks draws the chunks, and words before the answer.
func TestASeamDoesNotDependOnChunks(t *testing.T) {
	all := answers()
	rapid.Check(t, func(t *rapid.T) {
		c := all[rapid.SampledFrom([]string{"patch", "blocks", "whole"}).Draw(t, "format")]
		cut := rapid.IntRange(1, len(c.text)-1).Draw(t, "cut")
		words := rapid.SampledFrom([]string{"", "Here is the rest:\n\n", "Sorry.\n"}).Draw(t, "words")
		next := words + rapid.SampledFrom([]string{c.again(cut), c.text}).Draw(t, "next")
		s := editstream.NewSeam(c.text[:cut], false)
		text := ""
		for rest := next; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "chunk")
			text += s.Push(rest[:n])
			rest = rest[n:]
		}
		text += s.Close(false)
		once := editstream.NewSeam(c.text[:cut], false)
		if whole := once.Push(next) + once.Close(false); whole != text {
			t.Fatalf("in chunks %q, at once %q", text, whole)
		}
	})
}

// TestASeamAfterASeam cuts a patch twice; the model goes on at the byte each time.
func TestASeamAfterASeam(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+TWO\n@@\n three\n+3\n+3\n*** End Patch\n"
	_, want := landedOf(patch)
	for first := 1; first < len(patch); first++ {
		known, done := landedOf(patch[:first])
		for second := first + 1; second < len(patch); second++ {
			s := editstream.NewSeam(patch[:first], true)
			text := s.Push(patch[first:second]) + s.Close(true)
			more, then := landedOf(text)
			s = editstream.NewSeam(text, true)
			rest := s.Push(patch[second:]) + s.Close(false)
			all := append(append(done[:len(done):len(done)], then...),
				hunksOnly(edits(rest, append(known[:len(known):len(known)], more...)))...)
			if strings.Join(all, "\n") != strings.Join(want, "\n") {
				t.Fatalf("cut at %d and %d, the seams make\n%s\n----\n%s", first, second, text, rest)
			}
		}
	}
}

// TestASeamAfterALineAgain cuts an answer that begins with the line in which another one broke off.
func TestASeamAfterALineAgain(t *testing.T) {
	const block = "a.py\n<<<<<<< SEARCH\none of the lines\n=======\n    two of the lines\nthree\n>>>>>>> REPLACE\n"
	want := edits(block, nil)
	from := strings.Index(block, "    two")
	for first := from + len("    two"); first < from+len("    two of the lines"); first++ {
		for second := from; second < len(block)-1; second++ {
			if second == from+1 { // one byte may be anything
				continue
			}
			s := editstream.NewSeam(block[:first], false)
			text := s.Push(block[from:second]) + s.Close(true)
			kept := text[strings.LastIndexByte(text, '\n')+1:]
			again := from // it repeats that line, too
			if strings.Contains(block[from:second], "\n") {
				again = strings.LastIndexByte(block[:second], '\n') + 1
			}
			if len(kept) < 3 || strings.Trim(kept, "> ") == "" { // too little to be repeated
				again = second
			}
			s = editstream.NewSeam(text, false)
			if got := edits(s.Push(block[again:])+s.Close(false), nil); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Fatalf("cut at %q and %q: it makes\n%s", block[:first], block[from:second], strings.Join(got, "\n"))
			}
		}
	}
}

// TestASeamAfterAMarkerAgain cuts markers; the model repeats the whole line.
func TestASeamAfterAMarkerAgain(t *testing.T) {
	for _, text := range []string{"a.py\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n",
		"*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** Update File: b\n@@\n-x\n*** End Patch\n"} {
		want := hunksOnly(edits(text, nil))
		for _, marker := range []string{"=======\n", ">>>>>>> REPLACE\n", "*** Update File: b\n"} {
			from := strings.Index(text, marker)
			for cut := from; from >= 0 && cut < from+len(marker); cut++ {
				s := editstream.NewSeam(text[:cut], false)
				got := hunksOnly(edits(s.Push(text[from:])+s.Close(false), nil))
				if strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("cut at %q: it makes\n%s", text[:cut], strings.Join(got, "\n"))
				}
			}
		}
	}
}
