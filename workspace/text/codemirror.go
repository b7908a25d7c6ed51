package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// CodeMirror writes a ChangeSet as an array with one element per section:
//
//	12                   keep 12
//	[3]                  delete 3
//	[3, "one", "two"]    replace 3 by "one\ntwo"
//	[0, "x"]             insert "x"
//
// It counts UTF-16 code units and we count bytes, so both directions need the document. The
// page must split its document at "\n" only (lineSeparator "\n"), as we do: a "\r" is part of
// its line.

// ErrUnits means that an edit cannot be expressed in UTF-16 units: it cuts a character, or
// joins bytes that were invalid UTF-8 to a character. The page then needs the whole
// document.
var ErrUnits = errors.New("text: the change set cannot be expressed in UTF-16 units")

// MarshalCM returns c, a change of doc, in the form of CodeMirror's ChangeSet.toJSON.
func (c ChangeSet) MarshalCM(doc Text) ([]byte, error) {
	if c.Len() != doc.Len() {
		return nil, fmt.Errorf("marshal: %w (%d, not %d bytes)", ErrLength, c.Len(), doc.Len())
	}
	parts := make([]any, 0, len(c.secs))
	pos, units := Byte(0), UTF16(0)
	for _, s := range c.secs {
		pos += s.old
		if doc.cutsAt(pos) {
			return nil, fmt.Errorf("marshal: %w: byte %d is inside a character", ErrUnits, pos)
		}
		next := doc.ToUTF16(pos)
		parts = append(parts, s.cm(next-units))
		units = next
	}
	if err := c.checkUnits(doc); err != nil {
		return nil, fmt.Errorf("marshal: %w", err)
	}
	return marshalPlain(parts)
}

// cm returns the section in CodeMirror's form; old counts UTF-16 units.
func (s section) cm(old UTF16) any {
	if s.keep {
		return old
	}
	part := []any{old}
	if s.ins != "" {
		for line := range strings.SplitSeq(s.ins, "\n") {
			part = append(part, line)
		}
	}
	return part
}

// marshalPlain is json.Marshal without the escapes for HTML, because code is full of < and
// &.
func marshalPlain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// checkUnits checks that c changes the UTF-16 length by the sum of its parts. It does not
// if the edit joins stray bytes to a character.
func (c ChangeSet) checkUnits(doc Text) error {
	changed, err := c.Apply(doc)
	if err != nil {
		return err
	}
	want := doc.UTF16Len()
	for p := range c.Pieces {
		want += unitsOf([]byte(p.Insert)) - (doc.ToUTF16(p.To) - doc.ToUTF16(p.From))
	}
	if got := changed.UTF16Len(); got != want {
		return fmt.Errorf("%w: %d units become %d", ErrUnits, want, got)
	}
	return nil
}

// cutsAt reports whether at is inside a character.
func (t Text) cutsAt(at Byte) bool {
	back, err := t.FromUTF16(t.ToUTF16(at))
	return err != nil || back != at
}

// ParseCM parses a ChangeSet for doc in the form of CodeMirror's ChangeSet.toJSON. The data
// may come from anywhere: data that does not fit doc is an error. Half a surrogate pair in
// inserted text becomes U+FFFD.
func ParseCM(data []byte, doc Text) (ChangeSet, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return ChangeSet{}, fmt.Errorf("text: parse a change set: %w", err)
	}
	p := cmParser{doc: doc}
	for i, part := range parts {
		if err := p.part(part); err != nil {
			return ChangeSet{}, fmt.Errorf("text: parse part %d of a change set: %w", i, err)
		}
	}
	if p.at != doc.Len() {
		return ChangeSet{}, fmt.Errorf("text: parse a change set: %w (%d, not %d units)", ErrLength, p.units, doc.UTF16Len())
	}
	c := p.out.done()
	if err := c.checkUnits(doc); err != nil {
		return ChangeSet{}, fmt.Errorf("text: parse a change set: %w", err)
	}
	return c, nil
}

type cmParser struct {
	doc   Text
	units UTF16
	at    Byte // the same place as units
	out   builder
}

func (p *cmParser) part(part json.RawMessage) error {
	if len(part) == 0 || part[0] != '[' {
		n, err := p.advance(part)
		p.out.keep(n)
		return err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(part, &items); err != nil {
		return err
	}
	if len(items) == 0 {
		return errors.New("an empty array")
	}
	n, err := p.advance(items[0])
	if err != nil {
		return err
	}
	lines := make([]string, len(items)-1)
	for i, item := range items[1:] {
		if item[0] != '"' {
			return fmt.Errorf("%.20s is not a line of text", item)
		}
		if err := json.Unmarshal(item, &lines[i]); err != nil {
			return err
		}
	}
	p.out.replace(n, strings.Join(lines, "\n"))
	return nil
}

// advance moves over a count of UTF-16 units and returns the bytes.
func (p *cmParser) advance(count json.RawMessage) (Byte, error) {
	var n UTF16
	if err := json.Unmarshal(count, &n); err != nil || string(count) == "null" {
		return 0, fmt.Errorf("%.20s is not a count", count)
	}
	if n < 0 || n > p.doc.UTF16Len()-p.units {
		return 0, fmt.Errorf("%w: %d more units after %d of %d", ErrLength, n, p.units, p.doc.UTF16Len())
	}
	to, err := p.doc.FromUTF16(p.units + n)
	if err != nil {
		return 0, err
	}
	bytes := to - p.at
	p.units, p.at = p.units+n, to
	return bytes, nil
}
