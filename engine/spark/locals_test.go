package spark

import (
	"regexp"
	"strings"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/link"
)

func TestDeclares(t *testing.T) {
	for line, want := range map[string]string{
		"\tn := len(s)":                   "n",
		"\ta, n := f()":                   "a",
		"  const secs = ms / 1000;":       "secs",
		"  let total: number = 0;":        "total",
		"    net = stmt.total":            "net",
		"    for k in items:":             "k",
		"  for (const item of items) {":   "item",
		"\tfor i, v := range list {":      "i",
		"    LocalDateTime end = now();":  "end",
		"    final List<String> x = f();": "x",
		"\tif err := f(); err != nil {":   "err",
		"    self.net = 3":                "",
		"\treturn n == 3":                 "",
		"    f(timeout=3)":                "",
		"  x => x + 1":                    "",
	} {
		got := ""
		if m := declaresAny.FindStringSubmatch(line); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%q declares %q, want %q", line, got, want)
		}
	}
	if !declares(regexp.QuoteMeta("b")).MatchString("\ta, b := f()") {
		t.Error("the second of two is not found")
	}
}

func TestLocals(t *testing.T) {
	src := heardSource{files: map[string]string{"a.go": strings.Join([]string{"package a", "",
		"func F() int {", "\tk := 1", "\treturn k", "}", "", "func G() int {", "\tk := 2", "\treturn k", "}", ""}, "\n")}}
	table := link.NewTable([]link.Symbol{{Name: "F", Kind: link.Func, File: "a.go", Line: 3, EndLine: 6},
		{Name: "G", Kind: link.Func, File: "a.go", Line: 8, EndLine: 11}}, []string{"a.go"})
	for _, c := range []struct {
		request string
		at      refactor.Target
		want    string
	}{
		{"k -> key in G", refactor.Target{}, "G.k:9"},
		{"k -> key", refactor.Target{}, ""},
		{"k -> key", refactor.Target{File: "a.go"}, "F.k:4 G.k:9"},
		{"inline this", refactor.Target{File: "a.go", From: 9, To: 9}, "G.k:9"},
		{"inline this", refactor.Target{File: "a.go", From: 10, To: 10}, ""},
	} {
		var got []string
		for _, s := range locals(src, table, c.request, c.at) {
			got = append(got, s.Qualified()+":"+string(rune('0'+s.Line)))
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%q at %v: %q, want %q", c.request, c.at, g, c.want)
		}
	}
}
