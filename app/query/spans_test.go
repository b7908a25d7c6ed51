package query_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"waferpair/app/query"
)

func spans(t *testing.T, r *query.Reader, name, body string) string {
	t.Helper()
	list, err := r.Spans(t.Context(), name, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	units := utf16.Encode([]rune(body))
	var b strings.Builder
	last := int32(0)
	for _, s := range list {
		if s.From < last || s.To <= s.From || int(s.To) > len(units) {
			t.Fatalf("span %+v is out of order", s)
		}
		last = s.To
		fmt.Fprintf(&b, "%s:%s ", s.Class, string(utf16.Decode(units[s.From:s.To])))
	}
	return strings.TrimSpace(b.String())
}

func TestSpansColourStaticText(t *testing.T) {
	r := query.New(query.Core{})
	is := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	const src = "// 😀 é\r\nfunc main() { return \"x\", 12 }\r\n"
	want := "com:// 😀 é kw:func fn:main pun:() pun:{ kw:return str:\"x\" pun:, num:12 pun:}"
	is(strings.ReplaceAll(spans(t, r, "dir/a.go", src), "\r\n", ""), want)
	is(strings.ReplaceAll(spans(t, r, "go", src), "\r\n", ""), want)
	is(spans(t, r, "no/such.language", "if x"), "")
	is(spans(t, r, "", "if x"), "")
	is(spans(t, r, "a.py", strings.Repeat("x = 1\n", 1<<18)), "")
	for _, name := range []string{"a.md", "a.html", "a.ts", "a.diff", "Makefile", "a.json", "a.svelte", "a.rs"} {
		spans(t, r, name, "# <b>x</b> \xff\xfe `y` \"unclosed\n\x00\u202e")
	}
	list, err := r.Spans(t.Context(), "go", []byte("var"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	is(string(b), `[[0,3,"kw"]]`)
	again, err := r.Spans(t.Context(), "go", []byte("var"))
	if err != nil || !slices.Equal(again, list) {
		t.Fatal("the same text has other colours", err)
	}
}
