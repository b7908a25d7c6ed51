package editstream_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/engine/editstream"
	"waferpair/workspace/text"
)

// project is files in memory.
type project map[string]text.Text

func (p project) Open(path string) (editstream.Doc, error) { return editstream.Doc{Text: p[path]}, nil }

// apply carries out a text, behind a filter, and cuts it when it is not closed. It returns the hunks
// that landed, by number, as complete (false) or partial (true).
func (p project) apply(t *rapid.T, words string, l *editstream.Landed, closed bool) (landed map[int]bool, failed int) {
	landed = map[int]bool{}
	placer := editstream.NewPlacer(p, editstream.Options{})
	do := func(ed editstream.Edit) {
		switch ed := ed.(type) {
		case editstream.Changed:
			after, err := ed.Changes.Apply(p[ed.Path])
			if err != nil {
				t.Fatal(err)
			}
			p[ed.Path] = after
		case editstream.Closed:
			landed[ed.Hunk] = ed.Partial
		case editstream.Failed:
			failed++
		}
	}
	parser := editstream.NewAuto()
	take := func(ev editstream.Event) {
		l.Handle(ev, func(ev editstream.Event) { placer.Handle(ev, do) }, func(editstream.Hunk) { placer.Skip() })
	}
	parser.Push([]byte(words), take)
	if closed {
		parser.Close(take)
	}
	placer.Cut(do)
	return landed, failed
}

// TestWhatLandedIsNotMadeAgain cuts a patch at a random byte, and then has all of it again: the file
// must be what the whole patch makes of it, so no hunk is lost, and none is made twice.
func TestWhatLandedIsNotMadeAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 30).Draw(t, "lines")
		var lines []string
		for i := range n {
			lines = append(lines, "line "+strings.Repeat("x", i+1))
		}
		patch := "Sure.\n*** Begin Patch\n*** Update File: a\n"
		for at := 0; at < n-3; at += rapid.IntRange(3, 6).Draw(t, "apart") {
			patch += "@@\n " + lines[at] + "\n"
			for range rapid.IntRange(0, 2).Draw(t, "removed") {
				if at+1 < n-1 {
					at++
					patch += "-" + lines[at] + "\n"
				}
			}
			for range rapid.IntRange(1, 3).Draw(t, "added") {
				patch += "+" + rapid.StringMatching(`new [a-c]{1,3}`).Draw(t, "new") + "\n"
			}
		}
		patch += "*** End Patch\nDone.\n"
		base := text.OfString(strings.Join(lines, "\n") + "\n")

		want := project{"a": base}
		if _, failed := want.apply(t, patch, editstream.NewLanded(nil), true); failed > 0 {
			t.Skip("the patch has no certain place")
		}
		got := project{"a": base}
		cut := rapid.IntRange(0, len(patch)).Draw(t, "cut")
		made, _ := got.apply(t, patch[:cut], editstream.NewLanded(nil), false)
		hunks, _ := editstream.Hunks(editstream.NewAuto(), []byte(patch[:cut]), false)
		var known []editstream.Hunk
		for num := 1; num <= len(hunks); num++ {
			if partial, landed := made[num]; landed {
				h := hunks[num]
				h.Partial = partial
				known = append(known, h)
			}
		}
		_, failed := got.apply(t, patch, editstream.NewLanded(known), true)
		if !got["a"].Equal(want["a"]) || failed > 0 {
			t.Fatalf("cut at %d of\n%s\nit is\n%swant\n%s%d failed, known %+v", cut, patch, got["a"], want["a"], failed, known)
		}
	})
}

// TestABlockThatWasCutIsSkipped checks search/replace: how far a cut block got is not in its lines.
func TestABlockThatWasCutIsSkipped(t *testing.T) {
	known := []editstream.Hunk{{Path: "a.go", Replace: true, Partial: true,
		Lines: []editstream.Line{{Kind: '-', Text: "one"}, {Kind: '+', Text: "one"}, {Kind: '+', Text: "two"}}}}
	block := "a.go\n<<<<<<< SEARCH\none\n=======\none\ntwo\nthree\n>>>>>>> REPLACE\n"
	var skipped []editstream.Hunk
	passed := 0
	l := editstream.NewLanded(known)
	parser := editstream.NewSearchReplace()
	take := func(ev editstream.Event) {
		l.Handle(ev, func(ev editstream.Event) {
			if _, line := ev.(editstream.Line); line {
				passed++
			}
		}, func(h editstream.Hunk) { skipped = append(skipped, h) })
	}
	parser.Push([]byte(block), take)
	parser.Close(take)
	if len(skipped) != 1 || !skipped[0].Partial || passed > 0 {
		t.Errorf("skipped %+v, passed %d lines", skipped, passed)
	}
}
