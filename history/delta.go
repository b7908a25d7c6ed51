package history

import (
	"encoding/binary"
	"errors"

	"waferpair/workspace/text"
)

// A delta is what a text edit stores: where, what was removed, what was inserted.
//
//	byte      0 plain, 1 the rest is a zstd frame
//	uvarint   length of the document before
//	per change:
//	  uvarint bytes kept since the change before
//	  uvarint length removed, uvarint length inserted
//	  removed bytes, inserted bytes
//
// The removed bytes could be rebuilt from the version before. They are stored so
// that an inverse needs no other row, and a damaged keyframe can be got around.

const (
	deltaPlain = 0
	deltaZstd  = 1
	// Below this size the frame's overhead eats the gain.
	deltaZstdFrom = 200
)

// hunk is one replaced range: offsets in the document before.
type hunk struct {
	from, to          text.Byte
	removed, inserted string
}

// delta is a change set that carries what it removes.
type delta struct {
	len   text.Byte // of the document before
	hunks []hunk
}

var errDelta = errors.New("history: a stored delta is damaged")

func makeDelta(before text.Text, cs text.ChangeSet) delta {
	d := delta{len: before.Len()}
	cs.Changes(func(c text.Change) bool {
		d.hunks = append(d.hunks, hunk{c.From, c.To, before.Slice(c.From, c.To).String(), c.Insert})
		return true
	})
	return d
}

func (d delta) encode() []byte {
	size := 1 + binary.MaxVarintLen32
	for _, h := range d.hunks {
		size += 3*binary.MaxVarintLen32 + len(h.removed) + len(h.inserted)
	}
	b := append(make([]byte, 0, size), deltaPlain)
	b = binary.AppendUvarint(b, uint64(d.len))
	at := text.Byte(0)
	for _, h := range d.hunks {
		b = binary.AppendUvarint(b, uint64(h.from-at))
		b = binary.AppendUvarint(b, uint64(h.to-h.from))
		b = binary.AppendUvarint(b, uint64(len(h.inserted)))
		b = append(append(b, h.removed...), h.inserted...)
		at = h.to
	}
	return shrink(b)
}

func shrink(b []byte) []byte {
	if len(b) < deltaZstdFrom {
		return b
	}
	z := encoder().EncodeAll(b[1:], []byte{deltaZstd})
	if len(z) < len(b) {
		return z
	}
	return b
}

func decodeDelta(b []byte) (delta, error) {
	if len(b) == 0 {
		return delta{}, errDelta
	}
	body := b[1:]
	if b[0] == deltaZstd {
		var err error
		if body, err = decompress(body); err != nil {
			return delta{}, errDelta
		}
	}
	r := deltaReader{b: body}
	d := delta{len: text.Byte(r.uvarint())}
	at := text.Byte(0)
	for len(r.b) > 0 && !r.bad {
		from := at + text.Byte(r.uvarint())
		del, ins := r.uvarint(), r.uvarint()
		h := hunk{from: from, removed: r.bytes(del), inserted: r.bytes(ins)}
		h.to = from + text.Byte(len(h.removed))
		d.hunks = append(d.hunks, h)
		at = h.to
	}
	if r.bad || at > d.len {
		return delta{}, errDelta
	}
	return d, nil
}

type deltaReader struct {
	b   []byte
	bad bool
}

func (r *deltaReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > 1<<40 {
		r.bad = true
		r.b = nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *deltaReader) bytes(n uint64) string {
	if n > uint64(len(r.b)) {
		r.bad = true
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

// changes returns the delta as a change set of the document before.
func (d delta) changes() (text.ChangeSet, error) {
	cs := make([]text.Change, len(d.hunks))
	for i, h := range d.hunks {
		cs[i] = text.Change{From: h.from, To: h.to, Insert: h.inserted}
	}
	return text.NewChangeSet(d.len, cs...)
}

// inverse returns the change set of the document after that undoes the delta.
func (d delta) inverse() (text.ChangeSet, error) {
	cs := make([]text.Change, len(d.hunks))
	shift, n := text.Byte(0), d.len
	for i, h := range d.hunks {
		ins, rem := text.Byte(len(h.inserted)), text.Byte(len(h.removed))
		cs[i] = text.Change{From: h.from + shift, To: h.from + shift + ins, Insert: h.removed}
		shift += ins - rem
		n += ins - rem
	}
	return text.NewChangeSet(n, cs...)
}
