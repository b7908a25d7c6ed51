package version

import (
	"encoding/binary"
	"errors"
	"fmt"

	"waferpair/workspace/text"
)

// A delta is the stored form of a text edit: places, removed bytes, inserted bytes.
//
//	byte      0 plain, 1 the rest is a zstd frame
//	uvarint   length of the document before
//	per change:
//	  uvarint bytes kept since the previous change
//	  uvarint length removed, uvarint length inserted
//	  removed bytes, inserted bytes
//
// The removed bytes could be computed from the version before. They are stored so that an
// inverse needs no other row, and so that a damaged keyframe can be bypassed.

const (
	deltaPlain = 0
	deltaZstd  = 1
	// Below this size a frame saves nothing.
	deltaZstdFrom = 200
)

// Hunk is one replaced range: offsets in the document before.
type Hunk struct {
	From, To          text.Byte
	Removed, Inserted string
}

// Delta is a change set together with the bytes that it removes.
type Delta struct {
	Len   text.Byte // of the document before
	Hunks []Hunk
}

var errDelta = errors.New("history: a stored delta is damaged")

// MakeDelta returns the delta of a change.
func MakeDelta(before text.Text, cs text.ChangeSet) Delta {
	d := Delta{Len: before.Len()}
	cs.Changes(func(c text.Change) bool {
		d.Hunks = append(d.Hunks, Hunk{c.From, c.To, before.Slice(c.From, c.To).String(), c.Insert})
		return true
	})
	return d
}

// Encode returns the stored form of the delta.
func (d Delta) Encode() []byte {
	size := 1 + binary.MaxVarintLen32
	for _, h := range d.Hunks {
		size += 3*binary.MaxVarintLen32 + len(h.Removed) + len(h.Inserted)
	}
	b := append(make([]byte, 0, size), deltaPlain)
	b = binary.AppendUvarint(b, uint64(d.Len))
	at := text.Byte(0)
	for _, h := range d.Hunks {
		b = binary.AppendUvarint(b, uint64(h.From-at))
		b = binary.AppendUvarint(b, uint64(h.To-h.From))
		b = binary.AppendUvarint(b, uint64(len(h.Inserted)))
		b = append(append(b, h.Removed...), h.Inserted...)
		at = h.To
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

// DecodeDelta decodes a stored delta.
func DecodeDelta(b []byte) (Delta, error) {
	if len(b) == 0 {
		return Delta{}, errDelta
	}
	r := deltaReader{b: b[1:]}
	if b[0] == deltaZstd {
		var err error
		if r.b, err = Unpack(nil, r.b); err != nil {
			return Delta{}, errDelta
		}
	}
	d := Delta{Len: text.Byte(r.uvarint())}
	at := text.Byte(0)
	for len(r.b) > 0 && !r.bad {
		from := at + text.Byte(r.uvarint())
		del, ins := r.uvarint(), r.uvarint()
		h := Hunk{From: from, Removed: string(r.bytes(del)), Inserted: string(r.bytes(ins))}
		h.To = from + text.Byte(len(h.Removed))
		d.Hunks = append(d.Hunks, h)
		at = h.To
	}
	if r.bad || at > d.Len {
		return Delta{}, errDelta
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

func (r *deltaReader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad = true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// Changes returns the delta as a change set of the document before.
func (d Delta) Changes() (text.ChangeSet, error) {
	cs := make([]text.Change, len(d.Hunks))
	for i, h := range d.Hunks {
		cs[i] = text.Change{From: h.From, To: h.To, Insert: h.Inserted}
	}
	return text.NewChangeSet(d.Len, cs...)
}

// ApplyDelta applies a stored delta to a text.
func ApplyDelta(t text.Text, raw []byte) (text.Text, error) {
	d, err := DecodeDelta(raw)
	if err != nil {
		return t, err
	}
	cs, err := d.Changes()
	if err != nil {
		return t, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	out, err := cs.Apply(t)
	if err != nil {
		return t, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return out, nil
}

// Inverse returns the change set that reverts the delta, on the document after.
func (d Delta) Inverse() (text.ChangeSet, error) {
	cs := make([]text.Change, len(d.Hunks))
	shift, n := text.Byte(0), d.Len
	for i, h := range d.Hunks {
		ins, rem := text.Byte(len(h.Inserted)), text.Byte(len(h.Removed))
		cs[i] = text.Change{From: h.From + shift, To: h.From + shift + ins, Insert: h.Removed}
		shift += ins - rem
		n += ins - rem
	}
	return text.NewChangeSet(n, cs...)
}

// KeptOf returns the parts of ranges of the document after that existed before, as ranges
// of the document before.
func (d Delta) KeptOf(ranges []text.Range) (out []text.Range) {
	at, shift := text.Byte(0), text.Byte(0) // the kept part begins at at; after = before + shift
	take := func(from, to text.Byte) {
		for _, r := range ranges {
			if a, b := max(from, r.From-shift), min(to, r.To-shift); a < b {
				out = append(out, text.Range{From: a, To: b})
			}
		}
	}
	for _, k := range d.Hunks {
		front, back := text.Same(k.Removed, k.Inserted)
		take(at, k.From+front)
		at, shift = k.To-back, shift+text.Byte(len(k.Inserted))-(k.To-k.From)
	}
	take(at, d.Len)
	return out
}
