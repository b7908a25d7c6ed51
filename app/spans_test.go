package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"waferpair/app"
)

func (w *world) spans(p *app.Project, name, body string) string {
	w.Helper()
	list, err := p.Spans(w.Context(), name, []byte(body))
	w.ok(err)
	units := utf16.Encode([]rune(body))
	var b strings.Builder
	last := int32(0)
	for _, s := range list {
		if s.From < last || s.To <= s.From || int(s.To) > len(units) {
			w.Fatalf("span %+v is out of order", s)
		}
		last = s.To
		fmt.Fprintf(&b, "%s:%s ", s.Class, string(utf16.Decode(units[s.From:s.To])))
	}
	return strings.TrimSpace(b.String())
}

func TestSpansColourStaticText(t *testing.T) {
	w := newWorld(t, map[string]string{"a": ""})
	p := w.open()
	const src = "// 😀 é\r\nfunc main() { return \"x\", 12 }\r\n"
	want := "com:// 😀 é kw:func fn:main pun:() pun:{ kw:return str:\"x\" pun:, num:12 pun:}"
	w.is(strings.ReplaceAll(w.spans(p, "dir/a.go", src), "\r\n", ""), want)
	w.is(strings.ReplaceAll(w.spans(p, "go", src), "\r\n", ""), want)
	w.is(w.spans(p, "no/such.language", "if x"), "")
	w.is(w.spans(p, "", "if x"), "")
	w.is(w.spans(p, "a.py", strings.Repeat("x = 1\n", 1<<18)), "")
	for _, name := range []string{"a.md", "a.html", "a.ts", "a.diff", "Makefile", "a.json", "a.svelte", "a.rs"} {
		w.spans(p, name, "# <b>x</b> \xff\xfe `y` \"unclosed\n\x00\u202e")
	}
	list, err := p.Spans(t.Context(), "go", []byte("var"))
	w.ok(err)
	b, err := json.Marshal(list)
	w.ok(err)
	w.is(string(b), `[[0,3,"kw"]]`)
	again, err := p.Spans(t.Context(), "go", []byte("var"))
	w.ok(err)
	if !slices.Equal(again, list) {
		t.Fatal("the same text has other colours")
	}
}
