package app

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"waferpair/app/parts"
	_ "waferpair/build/testseed/rapidseed"
	"waferpair/engine"
)

// TestEveryPageSeesTheWholeLog checks that pages that read a turn's log at different times
// all get every part, every receipt and the end, once and in order.
func TestEveryPageSeesTheWholeLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := NewTurnLog(func() {})
		type page struct {
			told  LogPosition
			news  []parts.PartDelta
			acked []engine.EditAcked
			over  int
		}
		var pages [3]page
		look := func(p *page) {
			var n TurnDelta
			n, p.told = l.Since(p.told)
			if n.Outcome != nil {
				p.over++
			}
			p.news, p.acked = append(p.news, n.Parts...), append(p.acked, n.Acked...)
		}
		hunks := 0
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				l.Take(engine.Prose{Text: "word "})
			case 2:
				hunks++
				l.Take(engine.HunkOpened{Hunk: hunks, Path: "a.txt", Line: 1})
				l.Take(engine.HunkChanged{Hunk: hunks, Path: "a.txt"}) // pages see it in the document
			case 3:
				l.Take(engine.EditAcked{ID: int64(hunks), Path: "a.txt"})
			default:
				look(&pages[rapid.IntRange(0, 2).Draw(t, "page")])
			}
		}
		l.Take(engine.End(engine.Outcome{}))
		for i := range pages {
			p := &pages[i]
			look(p)
			look(p)
			if p.over != 1 || len(p.acked) != len(l.acked) || p.told.Parts != pages[0].told.Parts {
				t.Fatalf("page %d: %+v", i, p)
			}
			said, seen := 0, 0
			for _, n := range p.news {
				switch n := n.(type) {
				case parts.MoreText:
					said += len(n.Text)
				case parts.NewPart:
					switch part := n.Part.(type) {
					case parts.ProsePart:
						said += len(part.Text)
					case parts.HunkPart:
						if seen++; part.Hunk != seen {
							t.Fatalf("hunk %d comes as number %d", part.Hunk, seen)
						}
					}
				}
			}
			for _, part := range l.list.All() {
				if prose, ok := part.(parts.ProsePart); ok {
					said -= len(prose.Text)
				}
			}
			if said != 0 || seen != hunks {
				t.Fatalf("page %d has %d bytes too many, and %d of %d hunks", i, said, seen, hunks)
			}
		}
	})
}

// TestRateIsOfTheLastHalfSecond checks that the rate counts the last half second only.
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
