package version

import (
	"fmt"

	"waferpair/workspace/text"
)

// maxFlat is the size up to which a version is rebuilt by copying it for each delta. For
// most files that costs less than a rope, because deltas then need no memory of their own,
// however many there are.
const (
	maxFlat  = 32 << 10
	flatRoom = 1 << 10 // how much a file may grow before it needs another buffer
)

// replay applies stored deltas, which are newest first, to a content.
func replay(b []byte, raw [][]byte) (text.Text, error) {
	f := flat{now: b}
	n := len(raw)
	for ; n > 0 && len(f.now) <= maxFlat; n-- {
		if err := f.apply(raw[n-1]); err != nil {
			return text.Text{}, err
		}
	}
	t := text.Of(f.now)
	for ; n > 0; n-- {
		var err error
		if t, err = ApplyDelta(t, raw[n-1]); err != nil {
			return text.Text{}, err
		}
	}
	return t, nil
}

// flat is a document in one piece. Deltas are applied from one buffer to the other, in
// turns; the first content belongs to the caller and is not changed.
type flat struct {
	now      []byte
	to       [2][]byte // the first one is used next
	unpacked []byte    // the last uncompressed delta; its memory is reused
}

// apply is ApplyDelta.
func (f *flat) apply(raw []byte) error {
	if len(raw) == 0 {
		return errDelta
	}
	r := deltaReader{b: raw[1:]}
	if raw[0] == deltaZstd {
		var err error
		if f.unpacked, err = Unpack(f.unpacked[:0], r.b); err != nil {
			return errDelta
		}
		r.b = f.unpacked
	}
	if n := r.uvarint(); n != uint64(len(f.now)) {
		return fmt.Errorf("%w: the delta is for a version of %d bytes, but this one has %d", ErrDamaged, n, len(f.now))
	}
	if f.to[0] == nil {
		f.to[0] = make([]byte, 0, len(f.now)+flatRoom)
	}
	out, rest := f.to[0][:0], f.now
	for len(r.b) > 0 && !r.bad {
		kept, del, ins := r.uvarint(), r.uvarint(), r.uvarint()
		r.bytes(del)
		if r.bad || kept > uint64(len(rest)) || del > uint64(len(rest))-kept {
			return errDelta
		}
		out = append(append(out, rest[:kept]...), r.bytes(ins)...)
		rest = rest[kept+del:]
	}
	if r.bad {
		return errDelta
	}
	f.now = append(out, rest...)
	f.to = [2][]byte{f.to[1], f.now}
	return nil
}
