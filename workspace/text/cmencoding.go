package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A page shows characters, a Text has the file's own bytes. The functions here convert
// between the two, for every Encoding: the shown text is the decoded text without its byte
// order mark. In UTF-16 a unit is two bytes, in Latin-1 it is one, so no table is needed;
// UTF-8 uses MarshalCM and ParseCM.

// Shown returns what a page shows of a document in this encoding. It is valid UTF-8: each
// stray byte becomes U+FFFD.
func (e Encoding) Shown(doc Text) string {
	s := e.Decode(doc.Slice(e.mark(doc), doc.Len()).Bytes())
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return s
}

// Hidden returns the document for the shown text s, with the byte order mark of doc if it
// has one, or an *EncodeError.
func (e Encoding) Hidden(s string, doc Text) (Text, error) {
	b, err := e.Encode(s)
	if err != nil {
		return Text{}, err
	}
	return doc.Slice(0, e.mark(doc)).Concat(Of(b)), nil
}

// ShownLen returns the length of Shown in UTF-16 units.
func (e Encoding) ShownLen(doc Text) UTF16 { return e.ToShown(doc, doc.Len()) }

// ToShown returns the offset in Shown of a byte of the document. A byte inside a character
// maps to the character's start, one inside the byte order mark to 0.
func (e Encoding) ToShown(doc Text, at Byte) UTF16 {
	mark := e.mark(doc)
	at = max(at, mark)
	switch e {
	case UTF16LE, UTF16BE:
		units := UTF16(at-mark) / 2
		if at == doc.Len() {
			units = UTF16(at-mark+1) / 2 // an odd last byte is shown as U+FFFD
		}
		return units
	case Latin1:
		return UTF16(at)
	}
	return doc.ToUTF16(at) - doc.ToUTF16(mark)
}

// FromShown returns the byte of the document at an offset in Shown, or an ErrPosition if
// that is beyond the end or inside a surrogate pair.
func (e Encoding) FromShown(doc Text, u UTF16) (Byte, error) {
	if u < 0 || u > e.ShownLen(doc) {
		return 0, fmt.Errorf("%w: UTF-16 offset %d of %d", ErrPosition, u, e.ShownLen(doc))
	}
	mark := e.mark(doc)
	switch e {
	case UTF16LE, UTF16BE:
		at := min(mark+2*Byte(u), doc.Len())
		if e.insidePair(doc, at) {
			return 0, fmt.Errorf("%w: UTF-16 offset %d is inside a surrogate pair", ErrPosition, u)
		}
		return at, nil
	case Latin1:
		return Byte(u), nil
	}
	return doc.FromUTF16(u + doc.ToUTF16(mark))
}

// MarshalShown is MarshalCM for Shown(doc). ErrUnits can also mean that the byte order mark
// changes.
func (c ChangeSet) MarshalShown(doc Text, e Encoding) ([]byte, error) {
	if c.Len() != doc.Len() {
		return nil, fmt.Errorf("marshal: %w (%d, not %d bytes)", ErrLength, c.Len(), doc.Len())
	}
	if e == UTF8 {
		return c.MarshalCM(doc)
	}
	inner, err := c.withoutMark(doc, e)
	if err != nil {
		return nil, err
	}
	shown := doc.Slice(e.mark(doc), doc.Len())
	if e == UTF8BOM {
		return inner.MarshalCM(shown)
	}
	return inner.marshalUnits(shown, e)
}

// withoutMark returns c for the document without its byte order mark.
func (c ChangeSet) withoutMark(doc Text, e Encoding) (ChangeSet, error) {
	after, err := c.Apply(doc)
	if err != nil {
		return c, err
	}
	mark := e.mark(doc)
	if from, _ := c.Touched(); !c.Empty() && from < mark || e.mark(after) != mark {
		return c, fmt.Errorf("marshal: %w: the byte order mark changes", ErrUnits)
	}
	var b builder
	for i, s := range c.secs {
		switch {
		case i == 0 && s.keep:
			b.keep(s.old - mark)
		case s.keep:
			b.keep(s.old)
		default:
			b.replace(s.old, s.ins)
		}
	}
	return b.done(), nil
}

// marshalUnits handles encodings whose units have a fixed size.
func (c ChangeSet) marshalUnits(doc Text, e Encoding) ([]byte, error) {
	if err := c.checkPairs(doc, e); err != nil {
		return nil, err
	}
	parts := make([]any, 0, len(c.secs))
	pos, units := Byte(0), UTF16(0)
	for _, s := range c.secs {
		pos += s.old
		next := e.unitsBefore(doc, pos)
		shown := section{keep: s.keep, ins: e.Decode([]byte(s.ins))}
		if again, err := e.Encode(shown.ins); err != nil || string(again) != s.ins {
			return nil, fmt.Errorf("marshal: %w: half a character is inserted at byte %d", ErrUnits, pos)
		}
		parts = append(parts, shown.cm(next-units))
		units = next
	}
	return marshalPlain(parts)
}

// checkPairs checks that c cuts no character of doc and joins no halves.
func (c ChangeSet) checkPairs(doc Text, e Encoding) error {
	if e == Latin1 {
		return nil
	}
	after, err := c.Apply(doc)
	if err != nil {
		return err
	}
	pos, next := Byte(0), Byte(0)
	for _, s := range c.secs {
		odd := pos%2 != 0 || next%2 != 0 // only the end may be odd, and nothing follows it
		if odd || e.insidePair(doc, pos) || e.insidePair(after, next) {
			return fmt.Errorf("marshal: %w: byte %d is inside a character", ErrUnits, pos)
		}
		pos, next = pos+s.old, next+s.newLen()
	}
	return nil
}

// ParseShown is ParseCM for Shown(doc). It returns an *EncodeError if the encoding lacks an
// inserted character.
func ParseShown(data []byte, doc Text, e Encoding) (ChangeSet, error) {
	mark := e.mark(doc)
	shown := doc.Slice(mark, doc.Len())
	var c ChangeSet
	var err error
	if e == UTF8 || e == UTF8BOM {
		c, err = ParseCM(data, shown)
	} else {
		c, err = parseUnits(data, shown, e)
	}
	if err != nil || mark == 0 && e.BOM() == nil {
		return c, err
	}
	var b builder
	b.keep(mark)
	for _, s := range c.secs {
		if s.keep {
			b.keep(s.old)
		} else {
			b.replace(s.old, s.ins)
		}
	}
	c = b.done()
	if after, err := c.Apply(doc); err != nil {
		return c, err
	} else if e.mark(after) != mark {
		return c, fmt.Errorf("text: parse a change set: %w: it makes a byte order mark", ErrUnits)
	}
	return c, nil
}

func parseUnits(data []byte, doc Text, e Encoding) (ChangeSet, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return ChangeSet{}, fmt.Errorf("text: parse a change set: %w", err)
	}
	var b builder
	at, units, total := Byte(0), UTF16(0), e.unitsBefore(doc, doc.Len())
	for i, raw := range parts {
		part, err := parsePart(raw)
		if err != nil {
			return ChangeSet{}, fmt.Errorf("text: parse part %d of a change set: %w", i, err)
		}
		if part.units < 0 || part.units > total-units {
			return ChangeSet{}, fmt.Errorf("text: parse part %d of a change set: %w: %d more units after %d of %d", i, ErrLength,
				part.units, units, total)
		}
		units += part.units
		to := e.byteAt(doc, units)
		if err := part.add(&b, to-at, e); err != nil {
			return ChangeSet{}, err
		}
		at = to
	}
	if units != total {
		return ChangeSet{}, fmt.Errorf("text: parse a change set: %w (%d, not %d units)", ErrLength, units, total)
	}
	c := b.done()
	return c, c.checkPairs(doc, e)
}

// cmPart is one element of CodeMirror's form.
type cmPart struct {
	units  UTF16
	keep   bool
	insert string
}

func parsePart(raw json.RawMessage) (cmPart, error) {
	if len(raw) == 0 || raw[0] != '[' {
		n, err := parseCount(raw)
		return cmPart{units: n, keep: true}, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || len(items) == 0 {
		return cmPart{}, fmt.Errorf("%.20s is not a part of a change", raw)
	}
	n, err := parseCount(items[0])
	if err != nil {
		return cmPart{}, err
	}
	lines := make([]string, len(items)-1)
	for i, item := range items[1:] {
		if err := json.Unmarshal(item, &lines[i]); err != nil || item[0] != '"' {
			return cmPart{}, fmt.Errorf("%.20s is not a line of text", item)
		}
	}
	return cmPart{units: n, insert: strings.Join(lines, "\n")}, nil
}

func parseCount(raw json.RawMessage) (n UTF16, err error) {
	if err := json.Unmarshal(raw, &n); err != nil || string(raw) == "null" {
		return 0, fmt.Errorf("%.20s is not a count", raw)
	}
	return n, nil
}

// add appends the part to b, where it covers size bytes.
func (p cmPart) add(b *builder, size Byte, e Encoding) error {
	if p.keep {
		b.keep(size)
		return nil
	}
	ins, err := e.Encode(p.insert)
	if err == nil {
		b.replace(size, string(ins))
	}
	return err
}

// mark returns the length of the byte order mark that the document starts with.
func (e Encoding) mark(doc Text) Byte {
	bom := e.BOM()
	n := Byte(len(bom))
	if n == 0 || doc.Len() < n || !bytes.Equal(doc.Slice(0, n).Bytes(), bom) {
		return 0
	}
	return n
}

// unitsBefore and byteAt convert offsets in a document without a byte order mark, in an
// encoding of fixed units.
func (e Encoding) unitsBefore(doc Text, at Byte) UTF16 {
	if e == Latin1 {
		return UTF16(at)
	}
	if at == doc.Len() {
		at++
	}
	return UTF16(at) / 2
}

func (e Encoding) byteAt(doc Text, u UTF16) Byte {
	if e == Latin1 {
		return Byte(u)
	}
	return min(2*Byte(u), doc.Len())
}

// insidePair reports whether at is between the halves of a surrogate pair.
func (e Encoding) insidePair(doc Text, at Byte) bool {
	if e.order() == nil || at < 2 || at+2 > doc.Len() {
		return false
	}
	var b [4]byte
	_, _ = doc.ReadAt(b[:], int64(at-2)) // all four bytes are in the text
	high, low := e.order().Uint16(b[:]), e.order().Uint16(b[2:])
	return utf16.DecodeRune(rune(high), rune(low)) != '\uFFFD'
}
