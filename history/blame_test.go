package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/workspace/text"
)

// naiveText is a text in which every byte knows its origin in the text before, and every
// line its edit.
type naiveText struct {
	bytes  string
	origin []int // the offset of each byte in the text before; -1: inserted
	lines  []EditID
}

type naiveLine struct{ from, to int } // without the line break

func naiveLines(s string) (out []naiveLine) {
	at := 0
	for _, l := range strings.SplitAfter(s, "\n") {
		out = append(out, naiveLine{at, at + len(strings.TrimSuffix(l, "\n"))})
		at += len(l)
	}
	return out
}

func (n naiveText) change(cs []text.Change, by EditID) naiveText {
	var out naiveText
	at := 0
	keep := func(to int) {
		for ; at < to; at++ {
			out.bytes += n.bytes[at : at+1]
			out.origin = append(out.origin, at)
		}
	}
	for _, c := range cs {
		keep(int(c.From))
		out.bytes += c.Insert
		for range c.Insert {
			out.origin = append(out.origin, -1)
		}
		at = int(c.To)
	}
	keep(len(n.bytes))
	for _, l := range naiveLines(out.bytes) {
		out.lines = append(out.lines, n.editOf(out, l, by))
	}
	return out
}

// editOf returns the edit of a line of the new text: that of the old line with exactly the
// same bytes, or by. An empty line is the old one with the same line break.
func (n naiveText) editOf(out naiveText, l naiveLine, by EditID) EditID {
	from, to := l.from, l.to
	if from == to {
		to++ // its line break
	}
	if to > len(out.origin) {
		return by
	}
	start := out.origin[from]
	for i := from; i < to; i++ {
		if out.origin[i] < 0 || out.origin[i] != start+i-from {
			return by
		}
	}
	for k, old := range naiveLines(n.bytes) {
		if old.from == start && old.to == start+(l.to-l.from) {
			return n.lines[k]
		}
	}
	return by
}

// drawChanges draws changes of a text in order, with at least one byte between two of them.
func drawChanges(t *rapid.T, s string) (out []text.Change) {
	at := 0
	for range rapid.IntRange(1, 3).Draw(t, "changes") {
		if at > len(s) {
			break
		}
		from := rapid.IntRange(at, len(s)).Draw(t, "from")
		to := rapid.IntRange(from, min(len(s), from+6)).Draw(t, "to")
		ins := rapid.StringOfN(rapid.RuneFrom([]rune("ab\n\n")), 0, 6, -1).Draw(t, "insert")
		if from == to && ins == "" {
			continue
		}
		out = append(out, text.Change{From: text.Byte(from), To: text.Byte(to), Insert: ins})
		at = to + 1
	}
	return out
}

func TestTouchedLinesAgreeWithFollowingEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.StringOfN(rapid.RuneFrom([]rune("abc\n\n")), 0, 30, -1).Draw(t, "text")
		now := text.OfString(start)
		naive := naiveText{bytes: start, lines: make([]EditID, now.Lines())}
		lines := make([]EditID, now.Lines())
		for id := EditID(1); id <= 6; id++ {
			changes := drawChanges(t, now.String())
			cs, err := text.NewChangeSet(now.Len(), changes...)
			if err != nil {
				t.Fatal(err)
			}
			after, err := cs.Apply(now)
			if err != nil {
				t.Fatal(err)
			}
			naive = naive.change(changes, id)
			lines = splice(lines, touchedLines(now, cs, after), id)
			now = after
			real := len(lines) // the empty line after the last line break does not count
			if now.LineStart(real-1) == now.Len() {
				real--
			}
			if len(lines) != now.Lines() || !slices.Equal(lines[:real], naive.lines[:real]) {
				t.Fatalf("after %v of edit %d: %q has %v, want %v", changes, id, now.String(), lines[:real], naive.lines[:real])
			}
		}
	})
}

func blameString(t testing.TB, s *Store, path, now string) string {
	t.Helper()
	var b strings.Builder
	for _, r := range must[[]BlameRun](t)(s.Blame(context.Background(), path, text.OfString(now))) {
		fmt.Fprintf(&b, "%d+%d:%d%.1s ", r.From, r.Lines, r.Edit, r.Author)
	}
	return strings.TrimSpace(b.String())
}

func TestBlameFollowsRenamesForksAndWhatIsNotRecorded(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "one\ntwo\nthree\n"})
	want(t, blameString(t, s, "a", "one\ntwo\nthree\n"), "1+3:0")
	e1 := do(t, s, Model, replace(t, s, "a", "two", "TWO"))
	want(t, blameString(t, s, "a", "one\nTWO\nthree\n"), "1+1:0 2+1:1m 3+1:0")
	do(t, s, User, NewEdit{Path: "a", Kind: Rename, To: "b"})
	e3 := do(t, s, User, replace(t, s, "b", "three\n", "three\nfour\n"))
	want(t, blameString(t, s, "b", "one\nTWO\nthree\nfour\n"), "1+1:0 2+1:1m 3+1:0 4+1:3u")
	want(t, blameString(t, s, "b", "one\nTWO\nnew\nthree\nfour\n"), "1+1:0 2+1:1m 3+1:-1 4+1:0 5+1:3u")
	must[Branch](t)(s.Fork(ctx, "side", e1))
	must[Plan](t)(s.Switch(ctx, "side"))
	if err := s.SetBranch(ctx, "side"); err != nil {
		t.Fatal(err)
	}
	want(t, blameString(t, s, "a", "one\nTWO\nthree\n"), "1+1:0 2+1:1m 3+1:0")
	if err := s.SetBranch(ctx, "main"); err != nil {
		t.Fatal(err)
	}
	do(t, s, User, NewEdit{Path: "b", Kind: Delete})
	want(t, blameString(t, s, "b", ""), "")
	do(t, s, Model, NewEdit{Path: "b", Kind: Create, Content: []byte("x\ny\n")})
	want(t, blameString(t, s, "b", "x\ny\n"), fmt.Sprintf("1+2:%dm", e3+2))
}

// TestBlameGoesOnWhereItWas calls Blame now and then between edits, and compares the result
// with a replay from the start.
func TestBlameGoesOnWhereItWas(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	now := text.OfString(strings.Repeat("line\n", 200))
	baseline(t, s, map[string]string{"a": now.String()})
	for i := range 230 { // past two keyframes
		at := text.Byte(i * 7 % 900)
		cs := must[text.ChangeSet](t)(text.NewChangeSet(now.Len(), text.Change{From: at, To: at + text.Byte(i%4),
			Insert: strings.Repeat("n\n", i%3) + "k"}))
		if _, err := s.Append(ctx,
			Op{Author: Model, Edits: []NewEdit{{Path: "a", Kind: Text, Before: now, Changes: cs}}}); err != nil {
			t.Fatal(err)
		}
		now = must[text.Text](t)(cs.Apply(now))
		if i%17 == 0 {
			step := blameString(t, s, "a", now.String())
			if i%34 == 0 {
				s.traces = traces{}
				want(t, step, blameString(t, s, "a", now.String()))
			}
		}
	}
}
