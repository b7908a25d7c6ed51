package server

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"waferpair/engine"
)

// Pages that look at a turn's log at different times all get the same: every
// event once, in order, and the prose whole.
func TestEveryPageSeesTheWholeLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &turnLog{turn: &engine.Turn{}, began: time.Now(), events: []TurnEvent{eventStarted{T: "started"}}}
		var want strings.Builder
		cursors, got := make([]int, 3), make([][]TurnEvent, 3)
		look := func(page int) {
			n := l.since(cursors[page])
			cursors[page] += len(n.Events)
			got[page] = append(got[page], n.Events...)
		}
		hunks := 0
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			switch n := rapid.IntRange(0, 5).Draw(t, "step"); n {
			case 0, 1, 2:
				s := rapid.SampledFrom([]string{"a", "bc", "\n"}).Draw(t, "prose")
				want.WriteString(s)
				l.take(engine.Prose{Text: s})
			case 3:
				hunks++
				l.take(engine.HunkOpened{Hunk: hunks, Path: "a.txt", Line: 1})
				l.take(engine.HunkChanged{Hunk: hunks, Path: "a.txt"}) // pages see it in the document
			default:
				look(rapid.IntRange(0, 2).Draw(t, "page"))
			}
		}
		for page := range cursors {
			look(page)
			var prose strings.Builder
			seen := 0
			for _, ev := range got[page] {
				switch ev := ev.(type) {
				case eventProse:
					prose.WriteString(ev.Text)
				case eventHunk:
					if seen++; ev.Hunk != seen {
						t.Fatalf("hunk %d comes as number %d", ev.Hunk, seen)
					}
				}
			}
			if prose.String() != want.String() || seen != hunks {
				t.Fatalf("page %d has %q and %d hunks, not %q and %d", page, prose.String(), seen, want.String(), hunks)
			}
		}
	})
}

// The rate is that of the last half second, whatever was before.
func TestRateIsOfTheLastHalfSecond(t *testing.T) {
	var r rate
	start := time.Now()
	tokens := int64(0)
	for ms := range 3000 {
		now := start.Add(time.Duration(ms) * time.Millisecond)
		if ms < 1500 {
			tokens += 1
		} else {
			tokens += 5
		}
		r.sample(now, tokens)
		if got := r.at(now, tokens); ms == 1400 && (got < 990 || got > 1010) || ms == 2900 && (got < 4900 || got > 5100) {
			t.Errorf("after %d ms: %.0f tokens a second", ms, got)
		}
	}
	for ms := 3250; ms <= 4000; ms += 250 { // nothing happens
		r.sample(start.Add(time.Duration(ms)*time.Millisecond), tokens)
	}
	if got := r.at(start.Add(4*time.Second), tokens); got != 0 {
		t.Errorf("a second after the last token: %.0f", got)
	}
	if n := len(r.samples); n > 15 {
		t.Errorf("%d samples are kept", n)
	}
}
