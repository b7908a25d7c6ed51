package query

import (
	"testing"

	"pgregory.net/rapid"

	"waferpair/history"
	"waferpair/workspace/text"
)

// shownAt returns the text that a page shows of one version by itself.
func shownAt(t text.Text) string {
	if b := t.Bytes(); !text.IsBinary(b) {
		return text.DetectEncoding(b).Shown(text.Of(b))
	}
	return ""
}

// TestThePastIsShownAsEachMomentByItself checks that the steps that a page gets lead, at
// each moment, to the text of the file's version then, whatever bytes it has.
func TestThePastIsShownAsEachMomentByItself(t *testing.T) {
	pieces := []string{"a", "line\n", "\r\n", "é", "𝒳", "\xff", "\x00", "\xf0\x9d", "\ufeff", "\xff\xfea\x00b\x00",
		"b\x00\n\x00", "\x80"}
	joined, apart := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.Custom(func(t *rapid.T) string { // mostly plain text
			if rapid.IntRange(0, 3).Draw(t, "odd") > 0 {
				return rapid.StringOfN(rapid.SampledFrom([]rune("ab\né𝒳")), 0, 8, -1).Draw(t, "text")
			}
			var s string
			for _, p := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces") {
				s += p
			}
			return s
		})
		st := history.Stretch{First: history.Version{Exists: true, Bytes: []byte(some.Draw(t, "first"))}}
		texts := []text.Text{text.Of(st.First.Bytes)}
		for i := range rapid.IntRange(0, 12).Draw(t, "edits") {
			before := texts[i]
			from := text.Byte(rapid.IntRange(0, int(before.Len())).Draw(t, "from"))
			to := min(before.Len(), from+text.Byte(rapid.IntRange(0, 4).Draw(t, "removed")))
			cs, err := text.NewChangeSet(before.Len(), text.Change{From: from, To: to, Insert: some.Draw(t, "insert")})
			if err != nil {
				t.Fatal(err)
			}
			after, err := cs.Apply(before)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, after)
			st.Steps = append(st.Steps, history.Step{Edit: history.EditID(i + 1), Changes: cs, After: after})
		}
		st.To = history.EditID(len(st.Steps))
		at := history.EditID(rapid.IntRange(0, len(st.Steps)).Draw(t, "at"))
		p := shownPast(at, st)
		if at < p.From || at > p.To || !p.Exists {
			t.Fatalf("around %d: from %d to %d", at, p.From, p.To)
		}
		now, next := p.Text, 0
		for id := p.From; id <= p.To; id++ {
			if next < len(p.Steps) && p.Steps[next].Edit == id {
				doc := text.OfString(now)
				cs, err := text.ParseCM(p.Steps[next].Changes, doc)
				if err != nil {
					t.Fatalf("edit %d of %q: %v", id, now, err)
				}
				after, err := cs.Apply(doc)
				if err != nil {
					t.Fatal(err)
				}
				now, next = after.String(), next+1
			}
			if want := shownAt(texts[id]); now != want {
				t.Fatalf("at %d, around %d: %q, want %q", id, at, now, want)
			}
		}
		joined, apart = joined+len(p.Steps), apart+len(st.Steps)-len(p.Steps)
	})
	if joined == 0 || apart == 0 {
		t.Errorf("%d steps were told, %d were not", joined, apart)
	}
}
