package text

import (
	"testing"

	"pgregory.net/rapid"
)

// wideRunes include some whose UTF-16 has a byte 0x0A that is not a line break, two that
// share half of a pair, and Latin ones.
var wideRunes = []rune("ab é\n\n\r\u010a\u4e0a\u0a0a\U0001F600\U0001F601")

func wideText(t *rapid.T, e Encoding, label string) (Text, string) {
	s := "text " + rapid.StringOfN(rapid.RuneFrom(wideRunes), 0, 30, -1).Draw(t, label)
	b, err := e.Encode("\ufeff" + s)
	return Of(must(t, b, err)), "\ufeff" + s
}

// TestDiffOfUTF16: the diff leads from one to the other, cuts no character, and is as short
// as that of the same characters in UTF-8.
func TestDiffOfUTF16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom([]Encoding{UTF16LE, UTF16BE}).Draw(t, "encoding")
		a, plainA := wideText(t, e, "a")
		b, plainB := wideText(t, e, "b")
		c := Diff(a, b)
		if got, err := c.Apply(a); err != nil || !got.Equal(b) {
			t.Fatalf("%q to %q: %v makes %q, %v", plainA, plainB, c, e.Decode(got.Bytes()), err)
		}
		if err := c.checkPairs(a, e); err != nil {
			t.Fatalf("%q to %q: %v: %v", plainA, plainB, c, err)
		}
		want := Diff(OfString(plainA), OfString(plainB))
		if before, plain, after := PlainChange(a, c, b); before.String() != plainA || after.String() != plainB ||
			!plain.Equal(want) {
			t.Fatalf("%q to %q: %v, want %v", plainA, plainB, plain, want)
		}
	})
}

func TestLinesOfUTF16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom([]Encoding{UTF16LE, UTF16BE}).Draw(t, "encoding")
		doc, plain := wideText(t, e, "doc")
		at := rapid.IntRange(0, len([]rune(plain))).Draw(t, "at")
		head := string([]rune(plain)[:at])
		b, err := e.Encode(head)
		if got, want := LineOf(doc, Byte(len(must(t, b, err)))), OfString(head).Lines()-1; got != want {
			t.Fatalf("%q: after %q it is line %d, want %d", plain, head, got, want)
		}
	})
}

func TestPlainChangeOfHalfCharacters(t *testing.T) {
	a, b := Of([]byte("\xff\xfet\x00\xe9\x00\n\x00")), Of([]byte("\xff\xfet\x00\xe9\x01\n\x00"))
	c, err := NewChangeSet(a.Len(), Change{From: 5, To: 6, Insert: "\x01"})
	if err != nil {
		t.Fatal(err)
	}
	before, plain, after := PlainChange(a, c, b)
	if got, err := plain.Apply(before); err != nil || !got.Equal(after) || after.String() != "\ufefft\u01e9\n" {
		t.Errorf("%q to %q by %v: %q, %v", before, after, plain, got, err)
	}
}
