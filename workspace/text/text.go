package text

import (
	"bytes"
	"io"
)

// Byte is an offset in bytes from the start of a Text.
type Byte int

// Text is an immutable sequence of bytes. The zero value is empty. Copying a
// Text is cheap, and editing one shares everything the edit does not touch.
// The bytes are arbitrary: they need not be valid UTF-8.
type Text struct {
	b []byte
}

// Of returns a Text holding a copy of b.
func Of(b []byte) Text { return Text{bytes.Clone(b)} }

// OfString returns a Text holding s.
func OfString(s string) Text { return Text{[]byte(s)} }

// Len is the length in bytes.
func (t Text) Len() Byte { return Byte(len(t.b)) }

// Lines is the number of line breaks ('\n') plus one.
func (t Text) Lines() int { return bytes.Count(t.b, []byte{'\n'}) + 1 }

// Slice returns the bytes of [from, to), sharing storage. It panics when the range is invalid.
func (t Text) Slice(from, to Byte) Text { return Text{t.b[from:to:to]} }

// Bytes returns a copy of the whole text.
func (t Text) Bytes() []byte { return bytes.Clone(t.b) }

// String returns the whole text.
func (t Text) String() string { return string(t.b) }

// Concat returns t followed by u.
func (t Text) Concat(u Text) Text { return Text{append(bytes.Clone(t.b), u.b...)} }

// Equal reports whether both hold the same bytes.
func (t Text) Equal(u Text) bool { return bytes.Equal(t.b, u.b) }

// Chunks yields the bytes in order as read-only slices. Callers must not modify them.
func (t Text) Chunks(yield func([]byte) bool) {
	if len(t.b) > 0 {
		yield(t.b)
	}
}

// WriteTo writes the whole text to w.
func (t Text) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(t.b)
	return int64(n), err
}

// LineStart is the offset of the first byte of line n (from 0).
func (t Text) LineStart(n int) Byte {
	at := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(t.b[at:], '\n')
		if i < 0 {
			return Byte(len(t.b))
		}
		at += i + 1
	}
	return Byte(at)
}

// LineAt is the line (from 0) holding offset at.
func (t Text) LineAt(at Byte) int { return bytes.Count(t.b[:at], []byte{'\n'}) }
