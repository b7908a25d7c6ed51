package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// twoTexts is the slow, obvious net: every byte that ever existed, in order, and whether it
// is in the accepted base and in the file.
type twoTexts []struct {
	b         byte
	base, now bool
}

func (t twoTexts) texts() (base, now string) {
	for _, x := range t {
		if x.base {
			base += string(x.b)
		}
		if x.now {
			now += string(x.b)
		}
	}
	return base, now
}

// replace changes the file, and the base too if both is set.
func (t *twoTexts) replace(h version.Hunk, both bool) {
	at, pos := 0, text.Byte(0) // at: behind the bytes of the file before pos
	for pos < h.To || pos < h.From {
		x := &(*t)[at]
		if x.now {
			if pos >= h.From {
				x.now, x.base = false, x.base && !both
			}
			pos++
		}
		at++
	}
	more := make(twoTexts, len(h.Inserted))
	for i := range more {
		more[i].b, more[i].base, more[i].now = h.Inserted[i], both, true
	}
	*t = slices.Insert(*t, at, more...)
}

// netChecks checks what must be true after every edit.
func netChecks(t *rapid.T, n *net, now string) {
	end := text.Byte(0)
	for _, h := range n.hunks {
		if h.at < end || h.end() > text.Byte(len(now)) || now[h.at:h.end()] != h.inserted || h.removed == h.inserted {
			t.Fatalf("%+v is not in order, not in %q, or no difference", n.hunks, now)
		}
		end = h.end()
	}
}

// hunkAt replaces the removed text at an offset.
func hunkAt(at int, removed, inserted string) version.Hunk {
	from := text.Byte(at)
	return version.Hunk{From: from, To: from + text.Byte(len(removed)), Removed: removed, Inserted: inserted}
}

func drawHunk(t *rapid.T, now, insert string) version.Hunk {
	from := rapid.IntRange(0, len(now)).Draw(t, "from")
	to := rapid.IntRange(from, min(len(now), from+6)).Draw(t, "to")
	return hunkAt(from, now[from:to], insert)
}

// TestNetIsTheDifferenceToTheAcceptedBase compares the net with the slow one. No byte is
// inserted twice, so that no text is equal by coincidence. Whether text typed at the place
// of removed text goes before or after it is undefined; all other bytes of the base have
// their order from the file.
func TestNetIsTheDifferenceToTheAcceptedBase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		next := byte(0)
		fresh := func(n int) string {
			b := make([]byte, min(n, 255-int(next)))
			for i := range b {
				next++
				if next == '\n' {
					next++
				}
				b[i] = next
			}
			return string(b)
		}
		var slow twoTexts
		var n net
		slow.replace(version.Hunk{Inserted: fresh(12)}, true)
		for range rapid.IntRange(1, 14).Draw(t, "edits") {
			_, now := slow.texts()
			h := drawHunk(t, now, fresh(rapid.IntRange(0, 6).Draw(t, "insert")))
			if h.From == h.To && h.Inserted == "" {
				continue
			}
			model := rapid.Bool().Draw(t, "model")
			slow.replace(h, !model)
			if model {
				n.change([]version.Hunk{h}, n.newEdit())
			} else {
				n.changeBoth([]version.Hunk{h})
			}
			base, now := slow.texts()
			netChecks(t, &n, now)
			if got := n.base(text.OfString(now)).String(); sorted(got) != sorted(base) {
				t.Fatalf("the base is %q, want %q; now %q, %+v", got, base, now, n.hunks)
			}
		}
	})
}

func sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

// TestNetOfTheModelAloneLeadsBack uses texts with many equal parts, by lines and by
// coincidence: however the difference is reduced, the base is the first text, and there is
// no hunk when the file equals it.
func TestNetOfTheModelAloneLeadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n", "\n"}), 0, 12)
		base := strings.Join(lines.Draw(t, "base"), "")
		now := base
		var n net
		for range rapid.IntRange(1, 10).Draw(t, "edits") {
			h := drawHunk(t, now, strings.Join(lines.Draw(t, "insert"), ""))
			if rapid.IntRange(0, 3).Draw(t, "all") == 0 {
				h = hunkAt(0, now, rapid.SampledFrom([]string{base, h.Inserted}).Draw(t, "whole"))
			}
			n.change([]version.Hunk{h}, n.newEdit())
			now = now[:h.From] + h.Inserted + now[h.To:]
			settled := net{slices.Clone(n.hunks), slices.Clone(n.parent)}
			settled.settle()
			if settled.balanced() {
				settled.settleWith(text.OfString(now))
			}
			for _, n := range []*net{&n, &settled} {
				netChecks(t, n, now)
				if got := n.base(text.OfString(now)).String(); got != base {
					t.Fatalf("the base is %q, want %q; now %q, %+v", got, base, now, n.hunks)
				}
			}
			if now == base && len(settled.hunks) > 0 {
				t.Fatalf("nothing differs in %q, and yet %+v", now, settled.hunks)
			}
		}
	})
}

// netString shows hunks as removed>inserted.
func netString(n *net) string {
	n.settle()
	var b strings.Builder
	for _, h := range n.hunks {
		fmt.Fprintf(&b, "%d:%q>%q ", h.at, h.removed, h.inserted)
	}
	return strings.TrimSpace(b.String())
}

func TestNetOfEditsOnTopOfEachOther(t *testing.T) {
	model := func(n *net, at int, removed, inserted string) {
		n.change([]version.Hunk{hunkAt(at, removed, inserted)}, n.newEdit())
	}
	user := func(n *net, at int, removed, inserted string) {
		n.changeBoth([]version.Hunk{hunkAt(at, removed, inserted)})
	}
	for _, c := range []struct {
		name  string
		edits func(*net)
		want  string
	}{
		{"two renames of one name", func(n *net) { model(n, 5, "one", "two"); model(n, 5, "two", "three") },
			`5:"one">"three"`},
		{"a rename there and back", func(n *net) { model(n, 5, "one", "two"); model(n, 5, "two", "one") }, ``},
		{"lines side by side stay apart", func(n *net) { model(n, 0, "a\n", "A\n"); model(n, 2, "b\n", "B\n") },
			`0:"a\n">"A\n" 2:"b\n">"B\n"`},
		{"a line is written anew, with others as they were",
			func(n *net) { model(n, 0, "a\nb\nc\n", "a\nB\nc\n") }, `2:"b\n">"B\n"`},
		{"a line is put before itself, and deleted behind", func(n *net) { model(n, 0, "", "a\n"); model(n, 2, "a\n", "") },
			``},
		{"the user changes what the model wrote", func(n *net) {
			model(n, 0, "one", "two")
			user(n,
				0, "two", "mine")
		}, `0:"one">""`},
		{"the user puts back what it was", func(n *net) { model(n, 0, "one", "two"); user(n, 0, "two", "one") }, ``},
		{"the user puts back what was deleted", func(n *net) { model(n, 2, "one\n", ""); user(n, 2, "", "one\n") }, ``},
		{"the user types into what the model wrote", func(n *net) { model(n, 0, "", "a\nb\n"); user(n, 2, "", "mine\n") },
			`0:"">"a\n" 7:"">"b\n"`},
		{"the user goes on with a line of the model's",
			func(n *net) { model(n, 0, "one\n", "two\n"); user(n, 3, "", " more") }, `0:"one">"two"`},
		{"the user goes on with a line in CRLF", func(n *net) { model(n, 0, "one\r\n", "two\r\n"); user(n, 3, "", " more") },
			`0:"one">"two"`},
		{"the user goes on with the last new line", func(n *net) { model(n, 0, "", "a\nb\n"); user(n, 3, "", " more") },
			`0:"">"a\nb"`},
		{"the user changes the end of a line of the model's", func(n *net) {
			model(n, 0, "one\n", "two\n")
			user(n,
				2, "o", "e more")
		}, `0:"one">"tw"`},
		{"model, user, model in one line",
			func(n *net) { model(n, 0, "1", "2"); user(n, 0, "2", "3"); model(n, 0, "3", "4") }, `0:"13">"4"`},
		{"the model goes back over what the user did not touch",
			func(n *net) { model(n, 0, "a", "b"); user(n, 1, "", "!"); model(n, 0, "b", "a") }, ``},
	} {
		n := &net{}
		c.edits(n)
		if got := netString(n); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
