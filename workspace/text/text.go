package text

import (
	"bytes"
	"fmt"
	"io"
)

// Byte is an offset in bytes from the start of a Text.
type Byte int

// Text is an immutable sequence of bytes. The zero value is empty. Copying a Text is cheap,
// and an edited copy shares everything that the edit does not touch. The bytes are
// arbitrary: they need not be valid UTF-8.
//
// Do not compare texts with ==, which compares storage, not content.
type Text struct {
	root *node
}

// Of returns a Text with a copy of b.
func Of(b []byte) Text { return Text{build(b)} }

// OfString returns a Text with the bytes of s.
func OfString(s string) Text { return Text{build([]byte(s))} }

// Len returns the length in bytes.
func (t Text) Len() Byte { return t.root.len() }

// Lines returns the number of line breaks ('\n') plus one.
func (t Text) Lines() int {
	if t.root == nil {
		return 1
	}
	return t.root.breaks + 1
}

// Slice returns the bytes of [from, to), sharing storage. It panics if the range is
// invalid.
func (t Text) Slice(from, to Byte) Text {
	t.check(from, to)
	return Text{t.root.slice(from, to)}
}

// Replace returns t with [from, to) replaced by ins. It panics if the range is invalid.
func (t Text) Replace(from, to Byte, ins string) Text {
	t.check(from, to)
	return Text{t.root.replace(from, to, []byte(ins))}
}

// check panics if [from, to) is not a range of t, which is a bug of the caller, who can ask
// for the text's length.
func (t Text) check(from, to Byte) {
	if from < 0 || from > to || to > t.Len() {
		panic(fmt.Sprintf("text: range %d-%d is outside the text of %d bytes", from, to, t.Len()))
	}
}

// Bytes returns a copy of the whole text.
func (t Text) Bytes() []byte {
	return t.root.appendTo(make([]byte, 0, t.Len()), 0, t.Len())
}

// String returns the whole text.
func (t Text) String() string { return string(t.Bytes()) }

// Concat returns t followed by u, sharing the storage of both.
func (t Text) Concat(u Text) Text { return Text{join(t.root, u.root)} }

// Equal reports whether both have the same bytes.
func (t Text) Equal(u Text) bool {
	if t.root == u.root {
		return true
	}
	if t.Len() != u.Len() {
		return false
	}
	a, b := t.leaves(), u.leaves()
	x, y := a.next(), b.next()
	for len(x) > 0 && len(y) > 0 {
		n := min(len(x), len(y))
		if !bytes.Equal(x[:n], y[:n]) {
			return false
		}
		if x = x[n:]; len(x) == 0 {
			x = a.next()
		}
		if y = y[n:]; len(y) == 0 {
			y = b.next()
		}
	}
	return true
}

// Chunks yields the bytes in order as read-only slices. Callers must not modify them.
func (t Text) Chunks(yield func([]byte) bool) { t.root.chunks(0, t.Len(), yield) }

// WriteTo writes the whole text to w.
func (t Text) WriteTo(w io.Writer) (int64, error) {
	total := int64(0)
	for chunk := range t.Chunks {
		n, err := w.Write(chunk)
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
