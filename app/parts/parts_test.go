package parts

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"waferpair/engine"
)

// drawEvent is any event about one of a few hunks.
func drawEvent(t *rapid.T, long int) engine.Event {
	hunk := rapid.IntRange(1, 4).Draw(t, "hunk")
	text := rapid.SampledFrom([]string{"a", "ü", "word ", strings.Repeat("ä", long)}).Draw(t, "text")
	return rapid.SampledFrom([]engine.Event{
		engine.Prose{Text: text}, engine.Prose{Text: text},
		engine.HunkOpened{Hunk: hunk, Path: "f", Line: hunk * 10},
		engine.HunkChanged{Hunk: hunk}, engine.EditAcked{},
		engine.HunkClosed{Hunk: hunk, Path: "f", Added: hunk, Partial: hunk == 2},
		engine.HunkFailed{Hunk: hunk, Path: "f", Reason: "missing", Message: text},
		engine.FileMoved{Path: "f", To: "g"}, engine.Note{Text: text},
		engine.Steered{Text: "s", State: engine.SteerQueued}, engine.Steered{Text: "s", State: engine.SteerApplied, Hunk: hunk},
	}).Draw(t, "event")
}

func TestPartsTellWhatHappened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l List
		said, hunks := "", map[int]string{}
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			ev := drawEvent(t, 3)
			l.Take(ev)
			switch ev := ev.(type) {
			case engine.Prose:
				said += ev.Text
			case engine.HunkOpened:
				hunks[ev.Hunk] = Open
			case engine.HunkClosed:
				hunks[ev.Hunk] = map[bool]string{true: Partial, false: Done}[ev.Partial]
			case engine.HunkFailed:
				hunks[ev.Hunk] = Refused
			}
		}
		gotSaid, gotHunks, before := "", map[int]string{}, ""
		for _, p := range l.All() {
			switch p.Kind {
			case Prose:
				if gotSaid += p.Text; before == Prose {
					t.Fatal("prose that goes on was divided")
				}
			case Hunk:
				gotHunks[p.Hunk] = p.State
			}
			before = p.Kind
		}
		if gotSaid != said || fmt.Sprint(gotHunks) != fmt.Sprint(hunks) {
			t.Fatalf("%q %v, want %q %v", gotSaid, gotHunks, said, hunks)
		}
	})
}

func TestPartsAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l List
		long := rapid.SampledFrom([]int{1, maxPartBytes / 7}).Draw(t, "long")
		for range rapid.IntRange(1, 20).Draw(t, "rounds") {
			some := []engine.Event{drawEvent(t, long), drawEvent(t, long), drawEvent(t, long)}
			for i := range 120 {
				l.Take(some[i%len(some)])
			}
		}
		parts, size := l.All(), 0
		for _, p := range parts {
			size += len(p.Text) + len(p.Path) + len(p.To) + len(p.Message)
			if !utf8.ValidString(p.Text) {
				t.Fatal("a letter was cut")
			}
		}
		if len(parts) > maxParts+2 || size > maxPartBytes+len(partsCut) {
			t.Fatalf("%d parts, %d bytes", len(parts), size)
		}
		if full := len(parts) >= maxParts || size > maxPartBytes; full && parts[len(parts)-1].Text != partsCut {
			t.Fatal("what is left out is not told")
		}
	})
}
