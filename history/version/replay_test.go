package version

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// TestReplayIsApplyingOneByOne: the fast way gives the result of the obvious one, also for
// damaged deltas and for files that outgrow it, and does not change the first content.
func TestReplayIsApplyingOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := aText().Draw(t, "first")
		if rapid.IntRange(0, 9).Draw(t, "large") == 0 {
			first += string(bytes.Repeat([]byte("large\n"), maxFlat/6))
		}
		now := text.OfString(first)
		var raw [][]byte // newest first
		for range rapid.IntRange(0, 12).Draw(t, "deltas") {
			at := text.Byte(rapid.IntRange(0, int(now.Len())).Draw(t, "at"))
			to := at + text.Byte(rapid.IntRange(0, min(300, int(now.Len()-at))).Draw(t, "removed"))
			changes := []text.Change{{From: at, To: to, Insert: aText().Draw(t, "inserted")}}
			if to < now.Len() {
				changes = append(changes, text.Change{From: now.Len(), To: now.Len(), Insert: aText().Draw(t, "added")})
			}
			cs, err := text.NewChangeSet(now.Len(), changes...)
			if err != nil {
				t.Fatal(err)
			}
			raw = append([][]byte{MakeDelta(now, cs).Encode()}, raw...)
			if now, err = cs.Apply(now); err != nil {
				t.Fatal(err)
			}
		}
		same(t, first, raw)
		if len(raw) == 0 {
			return
		}
		i := rapid.IntRange(0, len(raw)-1).Draw(t, "damaged")
		bad := bytes.Clone(raw[i])
		switch n := rapid.IntRange(0, len(bad)-1).Draw(t, "byte"); rapid.IntRange(0, 2).Draw(t, "damage") {
		case 0:
			bad = bad[:n]
		case 1:
			bad[n] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 2:
			bad = append(bad, bad[n:]...)
		}
		raw[i] = bad
		same(t, first, raw)
	})
}

// same compares replay with the text that one delta after the other makes.
func same(t *rapid.T, first string, raw [][]byte) {
	t.Helper()
	b := []byte(first)
	got, err := replay(b, raw)
	if string(b) != first {
		t.Fatal("the content was written over")
	}
	want, wrong := text.OfString(first), error(nil)
	for i := len(raw) - 1; i >= 0 && wrong == nil; i-- {
		want, wrong = ApplyDelta(want, raw[i])
	}
	if (err == nil) != (wrong == nil) || err == nil && !got.Equal(want) {
		t.Fatalf("%q and %v, not %q and %v", got, err, want, wrong)
	}
	if err != nil && !errors.Is(err, errDelta) && !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
}
