package window

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTitle(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "Waferpair",
		"  \u202e ":               "Waferpair",
		"shop — Waferpair":        "shop — Waferpair",
		"a\nb\x1b[31m\u200bc":     "a b[31mc",
		strings.Repeat("ä", 1500): strings.Repeat("ä", 1000) + "…",
	} {
		if got := title(in); got != want {
			t.Errorf("title(%.40q) = %.60q", in, got)
		}
	}
}

func TestWordsStayWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		got := cut(plain(strings.Repeat(s, 1+rapid.IntRange(0, 300).Draw(t, "n"))))
		if !utf8.ValidString(got) || len(got) > mostText+len("…") || strings.ContainsAny(got, "\n\x00\x1b\u202e\u200b") {
			t.Fatalf("%q", got)
		}
	})
}
