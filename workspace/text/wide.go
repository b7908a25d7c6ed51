package text

import "bytes"

// In UTF-16 a byte 0x0A need not be a line break, and a line break is two bytes. Code that
// counts or compares lines works on UTF-8, to which these functions convert; text in every
// other encoding they return unchanged.

// sniffLen is how much of a text is read to see that it is not UTF-16.
const sniffLen = 64

// wideEncoding returns the text's encoding if that is UTF-16, and false otherwise.
func wideEncoding(t Text) (Encoding, bool) {
	var first [sniffLen]byte
	n, _ := t.ReadAt(first[:], 0)
	head := first[:n]
	if bytes.IndexByte(head, 0) < 0 && !bytes.HasPrefix(head, UTF16LE.BOM()) && !bytes.HasPrefix(head, UTF16BE.BOM()) {
		return 0, false
	}
	e := DetectEncoding(t.Slice(0, min(t.Len(), sampleLen)).Bytes())
	return e, e.order() != nil
}

// IsUTF16 reports whether the text is UTF-16.
func IsUTF16(t Text) bool {
	_, wide := wideEncoding(t)
	return wide
}

// Plain returns the text in a form in which every byte 0x0A ends a line.
func Plain(t Text) Text {
	if e, wide := wideEncoding(t); wide {
		return OfString(e.Decode(t.Bytes()))
	}
	return t
}

// PlainChange is Plain for a change and the texts before and after it.
func PlainChange(before Text, c ChangeSet, after Text) (Text, ChangeSet, Text) {
	e, wide := wideEncoding(before)
	f, also := wideEncoding(after)
	if !wide && !also {
		return before, c, after
	}
	b, a := Plain(before), Plain(after)
	if wide && also && e == f {
		p := c.decoded(before, e)
		if made, err := p.Apply(b); err == nil && made.Equal(a) {
			return b, p, a
		}
	}
	return b, Diff(b, a), a // from or to another encoding, or it cuts characters
}

// decoded returns c for the decoded document, if it cuts no character.
func (c ChangeSet) decoded(doc Text, e Encoding) ChangeSet {
	var b builder
	pos := Byte(0)
	for _, s := range c.secs {
		old := Byte(len(e.Decode(doc.Slice(pos, pos+s.old).Bytes())))
		if s.keep {
			b.keep(old)
		} else {
			b.replace(old, e.Decode([]byte(s.ins)))
		}
		pos += s.old
	}
	return b.done()
}

// encoded is the inverse of decoded: c is for doc, which e encodes. It returns false if
// that fails.
func (c ChangeSet) encoded(doc Text, e Encoding) (ChangeSet, bool) {
	var b builder
	pos := Byte(0)
	for _, s := range c.secs {
		old, err := e.Encode(doc.Slice(pos, pos+s.old).String())
		ins, also := e.Encode(s.ins)
		if err != nil || also != nil {
			return c, false
		}
		if s.keep {
			b.keep(Byte(len(old)))
		} else {
			b.replace(Byte(len(old)), string(ins))
		}
		pos += s.old
	}
	return b.done(), true
}

// diffWide is Diff for two texts in UTF-16; false if one is not, or has half characters.
func diffWide(a, b Text) (ChangeSet, bool) {
	e, wide := wideEncoding(a)
	f, also := wideEncoding(b)
	if !wide || !also || e != f {
		return ChangeSet{}, false
	}
	plain := OfString(e.Decode(a.Bytes()))
	c, ok := diffBytes(plain, OfString(e.Decode(b.Bytes()))).encoded(plain, e)
	if !ok || c.Len() != a.Len() {
		return c, false
	}
	made, err := c.Apply(a)
	return c, err == nil && made.Equal(b) // otherwise there are half characters
}

// LineOf returns the line, counted from 0, of a byte of the text.
func LineOf(t Text, at Byte) int {
	if e, wide := wideEncoding(t); wide {
		return OfString(e.Decode(t.Slice(0, at).Bytes())).Lines() - 1
	}
	return t.LineAt(at)
}
