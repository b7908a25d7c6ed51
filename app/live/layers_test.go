package live

import (
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// chunk is a piece of text with its author. A list of chunks, which keeps removed text, is
// the plain reference of a document with several authors.
type chunk struct {
	s  string
	by byte // '0' recorded, 'm' the model, 'u' the user
}

// TestLayersReplay checks, for any order of changes and recordings, that the recorded
// changes lead from the first text to the last, and that head, model and typed always add
// up to live.
func TestLayersReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := text.OfString(rapid.StringMatching(`[a-d\n]{0,20}`).Draw(t, "first"))
		l := At(first)
		recorded := first
		record := func(cs text.ChangeSet, after Layers) {
			var err error
			if recorded, err = cs.Apply(recorded); err != nil {
				t.Fatal(err)
			}
			if l = after; !recorded.Equal(l.head) {
				t.Fatalf("recorded %q, head %q", recorded, l.head)
			}
		}
		commitModel := func() {
			cs, after, err := l.CommitHunk()
			if err != nil {
				t.Fatal(err)
			}
			record(cs, after)
		}
		commitTyped := func() {
			cs, after, ok, err := l.CommitTyped()
			if err == nil && !ok {
				commitModel()
				cs, after, ok, err = l.CommitTyped()
			}
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			record(cs, after)
		}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				commitModel()
			case 1:
				commitTyped()
			case 2, 3, 4, 5:
				cs, after := drawChange(t, l.live, "u")
				if err := l.Type(cs, after); err != nil {
					t.Fatal(err)
				}
			default:
				cs, after := drawChange(t, l.live, "M")
				if l.TouchesTyped(cs) {
					commitTyped()
				}
				if err := l.Write(cs, after); err != nil {
					t.Fatal(err)
				}
			}
			addsUp(t, &l)
		}
		commitTyped()
		commitModel()
		if !recorded.Equal(l.live) || !l.Settled() {
			t.Fatalf("recorded %q, live %q", recorded, l.live)
		}
	})
}

// addsUp checks that head, model and typed lead to live.
func addsUp(t *rapid.T, l *Layers) {
	hunk, err := l.Hunk()
	if err != nil {
		t.Fatal(err)
	}
	mid, err := hunk.Apply(l.head)
	if err != nil {
		t.Fatal(err)
	}
	back, err := l.back.Apply(l.live)
	if err != nil || !back.Equal(mid) {
		t.Fatalf("from head %q, from live %q (%v)", mid, back, err)
	}
}

func drawChange(t *rapid.T, now text.Text, letter string) (text.ChangeSet, text.Text) {
	from := rapid.IntRange(0, int(now.Len())).Draw(t, "from")
	to := rapid.IntRange(from, min(from+4, int(now.Len()))).Draw(t, "to")
	n := rapid.IntRange(0, 3).Draw(t, "n")
	ins := ""
	for range n {
		ins += letter
	}
	cs, err := text.NewChangeSet(now.Len(), text.Change{From: text.Byte(from), To: text.Byte(to), Insert: ins})
	if err != nil {
		t.Fatal(err)
	}
	after, err := cs.Apply(now)
	if err != nil {
		t.Fatal(err)
	}
	return cs, after
}

// TestLayersKeepAuthorsApart inserts text of the model and the user in any order. Each
// recorded edit must hold only its author's letters, and the text must be that of a plain
// list of chunks.
func TestLayersKeepAuthorsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := At(text.OfString("0000"))
		plain := []chunk{{"0", '0'}, {"0", '0'}, {"0", '0'}, {"0", '0'}}
		only := func(cs text.ChangeSet, by byte) {
			for c := range cs.Changes {
				for i := range len(c.Insert) {
					if c.Insert[i] != by || c.From != c.To {
						t.Fatalf("an edit of %c is %+v", by, c)
					}
				}
			}
		}
		record := func(who byte) {
			if who == 'm' {
				cs, after, err := l.CommitHunk()
				if err != nil {
					t.Fatal(err)
				}
				only(cs, 'm')
				l = after
				return
			}
			cs, after, ok, err := l.CommitTyped()
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				only(cs, 'u')
				l = after
			}
		}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			who := rapid.SampledFrom([]byte("um")).Draw(t, "who")
			if rapid.IntRange(0, 4).Draw(t, "record") == 0 {
				record(who)
				continue
			}
			at := rapid.IntRange(0, len(plain)).Draw(t, "at")
			cs, err := text.NewChangeSet(l.live.Len(), text.Change{From: text.Byte(at), To: text.Byte(at), Insert: string(who)})
			if err != nil {
				t.Fatal(err)
			}
			if who == 'm' && l.TouchesTyped(cs) {
				continue // recorded first; TestLayersReplay covers it
			}
			after, err := cs.Apply(l.live)
			if err != nil {
				t.Fatal(err)
			}
			if who == 'm' {
				err = l.Write(cs, after)
			} else {
				err = l.Type(cs, after)
			}
			if err != nil {
				t.Fatal(err)
			}
			plain = append(plain[:at:at], append([]chunk{{string(who), who}}, plain[at:]...)...)
			want := ""
			for _, c := range plain {
				want += c.s
			}
			if l.live.String() != want {
				t.Fatalf("live is %q, want %q", l.live, want)
			}
			hunk, err := l.Hunk()
			if err != nil {
				t.Fatal(err)
			}
			only(hunk, 'm')
			typed, err := l.back.Invert(l.live)
			if err != nil {
				t.Fatal(err)
			}
			only(typed, 'u')
		}
	})
}
