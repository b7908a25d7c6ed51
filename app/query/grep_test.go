package query

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// naiveGrep searches every line by itself, as the comments of GrepQuery say.
func naiveGrep(q GrepQuery, body string) (out []string) {
	expr := q.Text
	if !q.Regex {
		expr = regexp.QuoteMeta(expr)
	}
	if !q.Case {
		expr = "(?i)" + expr
	}
	re := regexp.MustCompile(expr)
	for n, line := range strings.Split(body, "\n") {
		line = strings.TrimSuffix(line, "\r")
		for at := 0; at <= len(line); {
			m := re.FindStringIndex(line[at:])
			if m == nil {
				break
			}
			from, to := at+m[0], at+m[1]
			word := wholeWord([]byte(line), from, to)
			if from < to && (!q.Word || word) {
				out = append(out, fmt.Sprintf("%d:%d+%d %q", n+1, utf16Len(line[:from]), utf16Len(line[from:to]), line[from:to]))
			}
			switch {
			case from < to && (!q.Word || word || q.Regex):
				at = to
			default:
				at = from + 1
			}
		}
	}
	return out
}

func utf16Len(s string) int { return len(utf16.Encode([]rune(s))) }

func grepAll(t *rapid.T, q GrepQuery, body string) (out []string) {
	find, err := q.matcher()
	if err != nil {
		t.Fatal(err)
	}
	lines := lineReader{path: "a", b: []byte(body)}
	for from, to := range find([]byte(body)) {
		m := lines.match(from, to)
		out = append(out, fmt.Sprintf("%d:%d+%d %q", m.Line, m.Column, m.Length, body[from:to]))
		if got := string(utf16.Decode(utf16.Encode([]rune(m.Text))[m.Column-m.Offset:][:m.Length])); got != body[from:to] {
			t.Fatalf("the shown text has %q at the match, not %q", got, body[from:to])
		}
	}
	return out
}

func TestGrepFindsWhatLookingAtEveryLineFinds(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("aAb_é😀 .")), 1, 3, -1)
	rapid.Check(t, func(t *rapid.T) {
		q := GrepQuery{Case: rapid.Bool().Draw(t, "case"), Word: rapid.Bool().Draw(t, "word"), Text: word.Draw(t, "text")}
		body := rapid.StringOfN(rapid.RuneFrom([]rune("aAb_é😀 .\n\n\r")), 0, 60, -1).Draw(t, "body")
		if got, want := grepAll(t, q, body), naiveGrep(q, body); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestGrepForExpressionsFindsWhatLookingAtEveryLineFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := GrepQuery{Regex: true, Case: rapid.Bool().Draw(t, "case")}
		q.Text = rapid.SampledFrom([]string{"a+", "^a", "b$", "a|b", `\ba`, "[^a]", `^\s*$`, `\Aa`, `a\z`, "(?-m)^b",
			"é?b", "a.b", "x*"}).Draw(t, "expression")
		body := rapid.StringOfN(rapid.RuneFrom([]rune("aAbé \n\n\r")), 0, 60, -1).Draw(t, "body")
		var want []string // all matches of each line, by FindAll
		for n, line := range strings.Split(body, "\n") {
			line = strings.TrimSuffix(line, "\r")
			flags := "(?i)"
			if q.Case {
				flags = ""
			}
			for _, m := range regexp.MustCompile(flags+q.Text).FindAllStringIndex(line, -1) {
				if m[0] < m[1] {
					want = append(want, fmt.Sprintf("%d:%d+%d %q", n+1, utf16Len(line[:m[0]]),
						utf16Len(line[m[0]:m[1]]), line[m[0]:m[1]]))
				}
			}
		}
		if got := grepAll(t, q, body); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestGrepShowsTheMatchOfALongLine(t *testing.T) {
	line := strings.Repeat("é", 5000) + "needle" + strings.Repeat("ö", 5000)
	l := lineReader{b: []byte("first\n" + line)}
	at := strings.Index("first\n"+line, "needle")
	m := l.match(at, at+6)
	if len(m.Text) > maxMatchLine || m.Line != 2 || m.Column != 5000 || !strings.Contains(m.Text, "needle") {
		t.Fatalf("%+v", m)
	}
	if got := string([]rune(m.Text)[m.Column-m.Offset:][:6]); got != "needle" {
		t.Fatalf("the match is at %q", got)
	}
	bad := lineReader{b: []byte("a\xff\xfeneedle")}
	if m := bad.match(3, 9); m.Column != 3 || m.Text != "a\ufffd\ufffdneedle" {
		t.Fatalf("%+v", m)
	}
}
