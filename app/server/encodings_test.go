package server_test

import (
	"testing"
	"unicode/utf16"

	"waferpair/app/server"
	"waferpair/workspace/text"
)

func utf16le(s string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}

// TestTypingInEveryEncoding checks that a page shows the characters of a file, that saves
// write its encoding, and that every byte that was not typed over stays the same.
func TestTypingInEveryEncoding(t *testing.T) {
	for _, c := range []struct{ name, encoding, disk, shown, after string }{
		{"utf8.txt", "UTF-8", "caf\u00e9 \U0001F600\n", "caf\u00e9 \U0001F600\n", "caf\u00e9! \U0001F600\n"},
		{"bom.txt", "UTF-8 with BOM", "\ufeffcaf\u00e9\r\n", "caf\u00e9\r\n", "\ufeffcaf\u00e9!\r\n"},
		{"wide.txt", "UTF-16 LE", utf16le("caf\u00e9 \U0001F600\n"), "caf\u00e9 \U0001F600\n",
			utf16le("caf\u00e9! \U0001F600\n")},
		{"latin.txt", "Latin-1", "caf\xe9 \xff\n", "caf\u00e9 \u00ff\n", "caf\xe9! \xff\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{c.name: c.disk})
			s := w.serve()
			a, b := dial(t, s), dial(t, s)
			var doc server.Doc
			a.must("open", map[string]any{"path": c.name}, &doc)
			if doc.Encoding != c.encoding || doc.Text != c.shown {
				t.Errorf("shown as %s: %q", doc.Encoding, doc.Text)
			}
			a.open(c.name)
			b.open(c.name)
			a.typeAt(c.name, func(t text.Text) (text.ChangeSet, error) {
				end := t.Index("\u00e9", 0) + 2
				return text.NewChangeSet(t.Len(), text.Change{From: end, To: end, Insert: "!"})
			})
			a.settle(c.name)
			want := a.text(c.name)
			b.wait("the other page has it", func() bool { return b.docs[c.name].shown().String() == want })
			a.must("save", map[string]any{"path": c.name}, nil)
			w.onDisk(c.name, c.after)
		})
	}
}

func TestACharacterThatTheEncodingLacks(t *testing.T) {
	w := newWorld(t, map[string]string{"latin.txt": "caf\xe9\n"})
	a := dial(t, w.serve())
	var doc server.Doc
	a.must("open", map[string]any{"path": "latin.txt"}, &doc)
	f := a.call("push", map[string]any{"path": "latin.txt", "doc": doc.Doc, "base": doc.Version,
		"changes": []any{5, []any{0, "\u20ac"}}}, nil)
	if f == nil || f.Code != "usage" {
		t.Errorf("a euro sign: %+v", f)
	}
	a.must("push", map[string]any{"path": "latin.txt", "doc": doc.Doc, "base": doc.Version,
		"changes": []any{5, []any{0, "\u00fc"}}}, nil)
	a.must("save", map[string]any{"path": "latin.txt"}, nil)
	w.onDisk("latin.txt", "caf\xe9\n\xfc")
}
