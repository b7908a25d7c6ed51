package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/workspace/text"
)

// TestPlaces checks that the places together make the change, that each is one run of
// lines, and that their line counts add up.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "\n", "c c\n", "é🙂\n", "d\r\n"})
		before := strings.Join(rapid.SliceOfN(line, 0, 60).Draw(t, "before"), "") +
			rapid.SampledFrom([]string{"", "end"}).Draw(t, "end")
		after := before
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			lines := strings.SplitAfter(after, "\n")
			at := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
			to := min(len(lines), at+rapid.IntRange(0, 3).Draw(t, "n"))
			lines = slices.Replace(lines, at, to, rapid.SliceOfN(line, 0, 3).Draw(t, "new")...)
			after = strings.Join(lines, "")
		}
		from, to := text.OfString(before), text.OfString(after)
		if rapid.Bool().Draw(t, "UTF-16") {
			from, to = wide(before), wide(after)
		}
		places, err := Places(from, text.Diff(from, to))
		if err != nil {
			t.Fatal(err)
		}
		now, grown := from, 0
		for i, at := range places {
			last := -1
			for c := range at.Changes.Changes {
				at, end := text.LineOf(now, c.From), text.LineOf(now, c.To)
				if last >= 0 && at-last > hunkGap {
					t.Fatalf("place %d: %d lines between two changes", i, at-last)
				}
				if last < 0 && at+1 != places[i].Line {
					t.Fatalf("place %d begins in line %d, not %d", i, at+1, places[i].Line)
				}
				last = end
			}
			if first := at.Pieces[0]; first.Line < at.Line {
				t.Fatalf("place %d is in line %d, and its lines begin at %d", i, at.Line, first.Line)
			}
			if now, err = at.Changes.Apply(now); err != nil {
				t.Fatal(err)
			}
			grown += at.Added - at.Removed
		}
		if !now.Equal(to) {
			t.Fatalf("%q", now)
		}
		if want := len(splitLines(text.Plain(to).String())) - len(splitLines(text.Plain(from).String())); grown != want {
			t.Fatalf("%d lines more, not %d", grown, want)
		}
	})
}

// wide returns a text in UTF-16 with its byte order mark.
func wide(s string) text.Text {
	b := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return text.Of(b)
}

func TestLinesOfAPlace(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a\nb\nc\n", "a\nB\nc\n", "2 +1 -1 2:b/>B/"},
		{"a\nb\nc\n", "a\nb\nnew\nc\n", "3 +1 -0 3:>new/"},
		{"a\nb\nc\n", "a\nc\n", "2 +0 -1 2:b/>"},
		{"a\nb", "a\nb\n", "2 +1 -1 2:b>b/"},
		{"", "a\nb\n", "1 +2 -0 1:>a/b/"},
		{"a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n", "1 +1 -1 1:a/>A/, 8 +1 -1 8:b/>B/"},
		{"a\n1\n2\n3\n4\n5\nb\n", "A\n1\n2\n3\n4\n5\nB\n", "1 +2 -2 1:a/>A/ 7:b/>B/"},
	} {
		from := text.OfString(c.before)
		places, err := Places(from, text.Diff(from, text.OfString(c.after)))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range places {
			at := fmt.Sprintf("%d +%d -%d", p.Line, p.Added, p.Removed)
			for _, piece := range p.Pieces {
				at += fmt.Sprintf(" %d:%s>%s", piece.Line, strings.ReplaceAll(piece.Removed, "\n", "/"),
					strings.ReplaceAll(piece.Inserted, "\n", "/"))
			}
			got = append(got, at)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%q -> %q: %s, want %s", c.before, c.after, s, c.want)
		}
	}
}
