package editstream

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// typist changes the file while hunks stream into it.
type typist struct {
	r      *replica
	pl     *Placer
	typed  []string
	delete bool
}

// maybe types something at a random place, or nothing.
func (y *typist) maybe(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "type") > 0 {
		return
	}
	now := y.r.String("f")
	at := rapid.IntRange(0, len(now)).Draw(t, "at")
	if rapid.Bool().Draw(t, "line start") {
		at = strings.LastIndexByte(now[:at], '\n') + 1
	}
	if at > 0 && now[at-1] == '\r' {
		at-- // nobody types inside a line break
	}
	c := text.Change{From: text.Byte(at), To: text.Byte(at)}
	if y.delete && rapid.Bool().Draw(t, "delete") {
		c.To = text.Byte(rapid.IntRange(at, min(len(now), at+10)).Draw(t, "to"))
	} else {
		c.Insert = fmt.Sprintf("<%d>", len(y.typed))
		if at == 0 || now[at-1] == '\n' { // elsewhere it would split a line
			c.Insert += rapid.SampledFrom([]string{"", "\n"}).Draw(t, "newline")
		}
		y.typed = append(y.typed, c.Insert)
	}
	y.others(t, c)
}

func (y *typist) others(t *rapid.T, c text.Change) {
	cs, err := text.NewChangeSet(y.r.text["f"].Len(), c)
	if err != nil {
		t.Fatal(err)
	}
	if y.r.text["f"], err = cs.Apply(y.r.text["f"]); err != nil {
		t.Fatal(err)
	}
	y.pl.Rebase("f", cs)
}

// strip removes the typed text.
func (y *typist) strip(t *rapid.T, s string) string {
	for _, typed := range slices.Backward(y.typed) {
		if strings.Count(s, typed) != 1 {
			t.Fatalf("%q, which somebody else typed, is in %q %d times", typed, s, strings.Count(s, typed))
		}
		s = strings.Replace(s, typed, "", 1)
	}
	return s
}

// drawPatch draws a file and the events of a patch for it.
func drawPatch(t *rapid.T) (string, []Event) {
	doc := drawDoc(t)
	changes := drawChanges(t, doc)
	patch := drawnPatch(t, doc, changes)
	return doc, events(NewV4A(), patch, len(patch))
}

func TestRebaseKeepsWhatOthersType(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, evs := drawPatch(t)
		checkRebase(t, doc, evs, false)
	})
}

func TestRebaseWholeFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDoc(t)
		evs := []Event{FileBegin{Op: Whole, Path: "f"}, HunkBegin{Replace: true}}
		for _, l := range drawLines(t, "new", 20) {
			evs = append(evs, Line{'+', l})
		}
		checkRebase(t, doc, append(evs, HunkEnd{}, FileEnd{}), true)
	})
}

// checkRebase streams events while somebody types. Without the typed text, the result must
// be that of the successful hunks on the file alone.
func checkRebase(t *rapid.T, doc string, evs []Event, whole bool) {
	m := memFiles{"f": {Text: text.OfString(doc)}}
	r := newReplica2(t, m)
	pl := NewPlacer(m, Options{})
	y := &typist{r: r, pl: pl}
	inside := rapid.Bool().Draw(t, "inside")
	r.hook = func(e Edit) {
		if _, ok := e.(Changed); ok && inside {
			y.maybe(t)
		}
	}
	for _, ev := range evs {
		pl.Handle(ev, r.take)
		if !inside && len(pl.known) > 0 && (!whole || pl.hunk != nil) {
			y.maybe(t)
		}
	}
	if got, _ := pl.View("f"); got.String() != r.String("f") {
		t.Fatalf("the placer has %q, its receiver %q", got.String(), r.String("f"))
	}
	got := y.strip(t, r.String("f"))
	if whole || endsEmpty(evs) {
		return // a typed line may keep the old line that it is in; an empty last line may not count
	}
	alone := newReplica2(t, m)
	pl = NewPlacer(m, Options{})
	for _, ev := range withoutFailed(evs, r.failed) {
		pl.Handle(ev, alone.take)
	}
	if len(alone.failed) > 0 {
		t.Skip("typed text told places apart")
	}
	// A new line may have got its line break from a line that was typed above it.
	lf := strings.NewReplacer("\r\n", "\n")
	if want := alone.String("f"); lf.Replace(got) != lf.Replace(want) {
		t.Fatalf("got %q, want %q; with typing %q; failed %+v", got, want, r.String("f"), r.failed)
	}
}

func withoutFailed(evs []Event, failed []Failed) []Event {
	var out []Event
	n, drop := 0, false
	for _, ev := range evs {
		if _, ok := ev.(HunkBegin); ok {
			n++
			drop = slices.ContainsFunc(failed, func(f Failed) bool { return f.Hunk == n })
		}
		if !drop {
			out = append(out, ev)
		}
		if _, ok := ev.(HunkEnd); ok {
			drop = false
		}
	}
	return out
}

func TestRebaseConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := memFiles{"f": {Text: text.OfString(drawDoc(t))}, "f.go": {Text: text.OfString(drawDoc(t))}}
		p := parsers[rapid.SampledFrom([]string{"v4a", "blocks", "whole", "auto"}).Draw(t, "parser")]()
		r := newReplica2(t, m)
		pl := NewPlacer(m, Options{})
		y := &typist{r: r, pl: pl, delete: true}
		for _, ev := range events(p, strings.ReplaceAll(drawStream(t), "f.go", "f"), 100) {
			pl.Handle(ev, r.take)
			if _, ok := r.text["f"]; ok && pl.known["f"] != nil {
				y.maybe(t)
			}
		}
		pl.Cut(r.take)
		if got, ok := pl.View("f"); ok && got.String() != r.String("f") {
			t.Fatalf("the placer has %q, its receiver %q", got.String(), r.String("f"))
		}
	})
}

// typingThere is why TestDrop refuses.
const typingThere = "the user is typing there"

// TestDrop refuses random changes: the file must be as if the hunk had never existed.
func TestDrop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, evs := drawPatch(t)
		if rapid.Bool().Draw(t, "whole") {
			evs = []Event{FileBegin{Op: Whole, Path: "f"}, HunkBegin{Replace: true}}
			for _, l := range drawLines(t, "new", 20) {
				evs = append(evs, Line{'+', l})
			}
			evs = append(evs, HunkEnd{}, FileEnd{})
		}
		m := memFiles{"f": {Text: text.OfString(doc)}}
		r := newReplica2(t, m)
		pl := NewPlacer(m, Options{})
		dropped := 0 // hunk that is being dropped
		y := &typist{r: r, pl: pl, delete: rapid.Bool().Draw(t, "deleting")}
		typing := rapid.Bool().Draw(t, "typing")
		take := func(e Edit) {
			if c, ok := e.(Changed); ok && c.Hunk != dropped && !pl.hunk.over && rapid.IntRange(0, 3).Draw(t, "drop") == 0 {
				dropped = c.Hunk
				pl.Drop("f", typingThere, nil)
				if typing {
					y.maybe(t)
				}
				return // not applied
			}
			r.take(e)
		}
		for _, ev := range evs {
			pl.Handle(ev, take)
			if h := pl.hunk; h != nil && !h.over && rapid.IntRange(0, 9).Draw(t, "late") == 0 {
				pl.Drop("f", typingThere, r.take)
			}
		}
		if got, _ := pl.View("f"); got.String() != r.String("f") {
			t.Fatalf("the placer has %q, its receiver %q", got.String(), r.String("f"))
		}
		for _, f := range r.failed {
			if f.Hunk == dropped && f.Message != typingThere {
				return // it failed by itself, and what reverts it was refused
			}
		}
		alone := newReplica2(t, m)
		pl = NewPlacer(m, Options{})
		for _, ev := range withoutFailed(evs, r.failed) {
			pl.Handle(ev, alone.take)
		}
		if len(y.typed) > 0 || y.delete {
			if !y.delete {
				y.strip(t, r.String("f"))
			}
			return
		}
		if len(alone.failed) == 0 && alone.String("f") != r.String("f") {
			t.Fatalf("got %q, want %q; failed %+v", r.String("f"), alone.String("f"), r.failed)
		}
	})
}

// endsEmpty reports whether the last old line of a hunk is empty: the file may lack that
// line.
func endsEmpty(evs []Event) bool {
	last := "x"
	for _, ev := range evs {
		switch ev := ev.(type) {
		case Line:
			if ev.Kind != '+' {
				last = ev.Text
			}
		case HunkEnd:
			if last == "" {
				return true
			}
			last = "x"
		}
	}
	return false
}

// drawnPatch renders drawn changes. It skips changes that overlap or change nothing; it
// must render all others.
func drawnPatch(t *rapid.T, doc string, changes []text.Change) string {
	cs, err := text.NewChangeSet(text.Byte(len(doc)), changes...)
	if err != nil {
		t.Skip("overlap")
	}
	before := text.OfString(doc)
	after, err := cs.Apply(before)
	if err != nil {
		t.Fatal(err)
	}
	if after.Equal(before) {
		t.Skip("no change")
	}
	patch, err := RenderV4A([]FileChange{{Path: "f", Before: before, Changes: changes}})
	if err != nil {
		t.Fatalf("render %v of %q: %v", changes, doc, err)
	}
	return patch
}
