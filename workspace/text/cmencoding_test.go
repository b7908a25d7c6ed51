package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// genEncoded draws the bytes of a file: mostly real text in the encoding, with and without
// a mark, sometimes with stray bytes.
func genEncoded(e Encoding) *rapid.Generator[Text] {
	return rapid.Custom(func(t *rapid.T) Text {
		var doc []byte
		if rapid.Bool().Draw(t, "mark") {
			doc = append(doc, e.BOM()...)
		}
		for range rapid.IntRange(0, 4).Draw(t, "pieces") {
			doc = append(doc, genPiece(e).Draw(t, "piece")...)
		}
		return Of(doc)
	})
}

func genPiece(e Encoding) *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		s := rapid.SampledFrom([]string{"", "a", "\n", "line\r\n", "é", "😀", "x😀y"}).Draw(t, "s")
		if b, err := e.Encode(s); err == nil && rapid.IntRange(0, 9).Draw(t, "stray") > 0 {
			return b
		}
		return rapid.SliceOfN(rapid.SampledFrom([]byte{0, 'a', 0xd8, 0xdc, 0x3d, 0xfe, 0xff, 0xef, 0xbb, 0xbf}), 0, 4).
			Draw(t, "bytes")
	})
}

func genEncodedChange(doc Text, e Encoding) *rapid.Generator[ChangeSet] {
	return rapid.Custom(func(t *rapid.T) ChangeSet {
		n := int(doc.Len())
		cuts := []int{rapid.IntRange(0, n).Draw(t, "a"), rapid.IntRange(0, n).Draw(t, "b"), rapid.IntRange(0, n).Draw(t, "c"),
			rapid.IntRange(0, n).Draw(t, "d")}
		slices.Sort(cuts)
		c, err := NewChangeSet(doc.Len(),
			Change{Byte(cuts[0]), Byte(cuts[1]), string(genPiece(e).Draw(t, "ins"))},
			Change{Byte(cuts[2]), Byte(cuts[3]), string(genPiece(e).Draw(t, "ins"))})
		if err != nil {
			return Retain(doc.Len())
		}
		return c
	})
}

// onUnits applies a change in CodeMirror's form to a string of UTF-16 units, as
// a page does.
func onUnits(t *rapid.T, shown []uint16, data []byte) []uint16 {
	var parts []any
	if err := json.Unmarshal(data, &parts); err != nil {
		t.Fatal(err)
	}
	var out []uint16
	for _, p := range parts {
		switch p := p.(type) {
		case float64:
			out, shown = append(out, shown[:int(p)]...), shown[int(p):]
		case []any:
			var lines []string
			for _, line := range p[1:] {
				lines = append(lines, line.(string))
			}
			out = append(out, utf16.Encode([]rune(strings.Join(lines, "\n")))...)
			shown = shown[int(p[0].(float64)):]
		}
	}
	return append(out, shown...)
}

func TestAPageFollowsADocumentInAnyEncoding(t *testing.T) {
	smallLeaves(t)
	told := map[Encoding]int{}
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(allEncodings).Draw(t, "e")
		doc := genEncoded(e).Draw(t, "doc")
		c := genEncodedChange(doc, e).Draw(t, "c")
		data, err := c.MarshalShown(doc, e)
		if errors.Is(err, ErrUnits) {
			return
		}
		must(t, data, err)
		after, err := c.Apply(doc)
		must(t, after, err)
		page := utf16.Encode([]rune(e.Shown(doc)))
		if got := onUnits(t, page, data); !slices.Equal(got, utf16.Encode([]rune(e.Shown(after)))) {
			t.Fatalf("%v: %x becomes %x; the page has %q, not %q (%s)", e, doc.Bytes(), after.Bytes(), string(utf16.Decode(got)),
				e.Shown(after), data)
		}
		told[e]++
	})
	for _, e := range allEncodings {
		if told[e] == 0 {
			t.Errorf("no change of a %v document could be told", e)
		}
	}
}

func TestTypingInAnyEncodingChangesNothingElse(t *testing.T) {
	smallLeaves(t)
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(allEncodings).Draw(t, "e")
		doc := genEncoded(e).Draw(t, "doc")
		page := utf16.Encode([]rune(e.Shown(doc)))
		if int(e.ShownLen(doc)) != len(page) {
			t.Fatalf("%v: %x is %d units long, not %d", e, doc.Bytes(), len(page), e.ShownLen(doc))
		}
		from := rapid.IntRange(0, len(page)).Draw(t, "from")
		to := rapid.IntRange(from, len(page)).Draw(t, "to")
		ins := rapid.SampledFrom([]string{"", "k", "é", "\n", "😀"}).Draw(t, "ins")
		data, err := json.Marshal([]any{from, append([]any{to - from}, anyLines(ins)...), len(page) - to})
		must(t, data, err)
		c, err := ParseShown(data, doc, e)
		if err != nil || c.Empty() {
			return // inside a character, or one that the encoding lacks
		}
		after, err := c.Apply(doc)
		must(t, after, err)
		want := string(utf16.Decode(slices.Concat(page[:from], utf16.Encode([]rune(ins)), page[to:])))
		if got := e.Shown(after); got != want {
			t.Fatalf("%v: %s makes %q of %q, want %q", e, data, got, e.Shown(doc), want)
		}
		keptAt, err := e.FromShown(doc, UTF16(from))
		must(t, keptAt, err)
		if !bytes.HasPrefix(after.Bytes(), doc.Slice(0, keptAt).Bytes()) {
			t.Fatalf("%v: bytes before the change differ", e)
		}
	})
}

func anyLines(s string) []any {
	if s == "" {
		return nil
	}
	var out []any
	for line := range strings.SplitSeq(s, "\n") {
		out = append(out, line)
	}
	return out
}

func TestShownPositionsRoundTrip(t *testing.T) {
	smallLeaves(t)
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(allEncodings).Draw(t, "e")
		doc := genEncoded(e).Draw(t, "doc")
		for u := range e.ShownLen(doc) + 1 {
			at, err := e.FromShown(doc, u)
			if errors.Is(err, ErrPosition) {
				continue // inside a pair
			}
			if must(t, at, err); e.ToShown(doc, at) != u {
				t.Fatalf("%v: unit %d of %x is byte %d, which is unit %d", e, u, doc.Bytes(), at, e.ToShown(doc, at))
			}
		}
	})
}

func TestParseShownRefuses(t *testing.T) {
	wide := Of([]byte("\xff\xfea\x00\x3d\xd8\x00\xde")) // a😀
	for _, c := range []struct {
		doc  Text
		e    Encoding
		data string
	}{
		{OfString("caf\xe9"), Latin1, `[4,[0,"€"]]`},
		{OfString("caf\xe9"), Latin1, `[5]`},
		{wide, UTF16LE, `[2,[1]]`},
		{wide, UTF16LE, `[9,[0,"x"]]`},
		{wide, UTF16LE, `[-1,4]`},
		{wide, UTF16LE, `{"a":1}`},
		{wide, UTF16LE, `[[]]`},
		{wide, UTF16LE, `[3,[0,7]]`},
		{wide, UTF16LE, `["x"]`},
		{wide, UTF16LE, `[null]`},
	} {
		if got, err := ParseShown([]byte(c.data), c.doc, c.e); err == nil {
			t.Errorf("%v %s: taken as %v", c.e, c.data, got)
		}
	}
}
