package editstream

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// drawChanges draws changes of a text: of whole lines, and of any bytes.
func drawChanges(t *rapid.T, doc string) []text.Change {
	var out []text.Change
	for pos := 0; pos < len(doc) && len(out) < 4; {
		from := rapid.IntRange(pos, len(doc)).Draw(t, "from")
		to := rapid.IntRange(from, min(len(doc), from+40)).Draw(t, "to")
		ins := strings.Join(drawLines(t, "ins", 3), rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "ins eol"))
		if rapid.Bool().Draw(t, "whole lines") {
			from, to = strings.LastIndexByte(doc[:from], '\n')+1, strings.LastIndexByte(doc[:to], '\n')+1
			if ins != "" {
				ins += "\n"
			}
		}
		if from < pos || to < from {
			break
		}
		out = append(out, text.Change{From: text.Byte(from), To: text.Byte(to), Insert: ins})
		pos = to + 1
	}
	return out
}

// inEncoding turns a text and its changes into those of a file in an encoding.
func inEncoding(enc text.Encoding, doc string, changes []text.Change) (text.Text, []text.Change, bool) {
	e := encoding{enc}
	whole, err := e.encode(doc)
	var out []text.Change
	bom := text.Byte(len(enc.BOM()))
	for _, c := range changes {
		head, err1 := e.encode(doc[:c.From])
		mid, err2 := e.encode(doc[c.From:c.To])
		ins, err3 := e.encode(c.Insert)
		if err1 != nil || err2 != nil || err3 != nil {
			return text.Text{}, nil, false
		}
		from := bom + text.Byte(len(head))
		out = append(out, text.Change{From: from, To: from + text.Byte(len(mid)), Insert: ins})
	}
	return text.OfString(string(enc.BOM()) + whole), out, err == nil
}

func TestRenderRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDoc(t)
		enc := rapid.SampledFrom([]text.Encoding{text.UTF8, text.UTF8, text.UTF8BOM, text.UTF16LE,
			text.UTF16BE, text.Latin1}).Draw(t, "encoding")
		before, changes, ok := inEncoding(enc, doc, drawChanges(t, doc))
		if !ok {
			t.Skip("not in this encoding")
		}
		cs, err := text.NewChangeSet(before.Len(), changes...)
		if err != nil {
			t.Skip("overlap")
		}
		after, err := cs.Apply(before)
		if err != nil {
			t.Fatal(err)
		}
		if after.Equal(before) {
			t.Skip("no change")
		}
		checkRoundTrip(t, FileChange{Path: "f", Before: before, Encoding: enc, Changes: changes}, after)
	})
}

func checkRoundTrip(t *rapid.T, c FileChange, after text.Text) {
	patch, err := RenderV4A([]FileChange{c})
	if err != nil {
		t.Fatalf("%v\nbefore %q\nafter  %q", err, c.Before.String(), after.String())
	}
	made, err := c.planned(patch)
	if err != nil {
		t.Fatalf("%v\n%s", err, patch)
	}
	if c.plain(c.Before, after) && !made.Equal(after) {
		t.Fatalf("got %q, want %q from\n%s", made.String(), after.String(), patch)
	}
	after = made // RenderV4A has checked its lines
	// A stream has the same result, hunk by hunk.
	m := memFiles{}
	if !c.Create {
		m[c.Path] = Doc{Text: c.Before, Encoding: c.Encoding}
	}
	r := newReplica2(t, m)
	stream(NewAuto(), NewPlacer(m, Options{}), "Text.\n"+patch, rapid.IntRange(1, 50).Draw(t, "chunk"), r.take)
	if r.String(c.Path) != after.String() {
		t.Fatalf("streamed: got %q, want %q", r.String(c.Path), after.String())
	}
}

func TestRenderCreate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDoc(t)
		checkRoundTrip(t, FileChange{Path: "f", Create: true, Changes: []text.Change{{Insert: doc}}}, text.OfString(doc))
	})
}

func TestRenderLooksNatural(t *testing.T) {
	lines := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(string(rune('a'+i)) + "\n")
		}
		return b.String()
	}
	at := func(doc, s string) text.Byte { return text.Byte(strings.Index(doc, s)) }
	twins := "func a() {\n\tx := 1\n\treturn x\n}\n\nfunc b() {\n\tx := 1\n\treturn x\n}\n"
	for _, c := range []struct {
		name, doc string
		change    text.Change
		want      string
	}{
		{"in the middle", lines(9), text.Change{From: 8, To: 9, Insert: "E"}, "@@\n b\n c\n d\n-e\n+E\n f\n g\n h\n"},
		{"at the end", lines(5), text.Change{From: 10, To: 10, Insert: "f\n"}, "@@\n c\n d\n e\n+f\n"},
		{"at the start", lines(5), text.Change{Insert: "x\n"}, "@@\n+x\n a\n b\n c\n"},
		{"no final newline", "a\nb", text.Change{From: 3, To: 3, Insert: "\nc"}, "@@\n a\n-b\n+b\n+c\n"},
		{"twins", strings.Repeat("x\n", 9), text.Change{From: 8, To: 9, Insert: "y"},
			"@@\n x\n x\n x\n x\n-x\n+y\n x\n x\n x\n x\n"},
		{"needs a header", strings.ReplaceAll(twins, "\n}", "\n\t// 1\n\t// 2\n\t// 3\n}") + "end\n",
			text.Change{From: at(twins, "1"), To: at(twins, "1") + 1, Insert: "2"},
			"@@\n func a() {\n-\tx := 1\n+\tx := 2\n \treturn x\n \t// 1\n \t// 2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := RenderV4A([]FileChange{{Path: "f", Before: text.OfString(c.doc), Changes: []text.Change{c.change}}})
			if err != nil {
				t.Fatal(err)
			}
			if want := upf + c.want + ep; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestRenderRefuses(t *testing.T) {
	for name, c := range map[string]FileChange{
		"byte order mark": {Path: "f", Before: text.OfString("\uFEFFa\n"), Changes: []text.Change{{From: 0, To: 3}}},
		"no change":       {Path: "f", Before: text.OfString("a\n")},
		"path":            {Path: "f\ng", Before: text.OfString("a\n"), Delete: true},
	} {
		if s, err := RenderV4A([]FileChange{c}); err == nil {
			t.Errorf("%s: no error, but %q", name, s)
		}
	}
}
