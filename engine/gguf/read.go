package gguf

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
)

const (
	magic            = "GGUF"
	defaultAlignment = 32
	maxName          = 63 // bytes of a tensor's name: ggml has 64 with the terminator
	maxSizes         = 4
)

// Read reads a model file of that size up to its tensors' data.
func Read(from io.ReaderAt, size int64) (*File, error) {
	c := &cursor{from: from, size: size}
	f := &File{Metadata: map[string]any{}, index: map[string]int{}, from: from}
	tensors, pairs, err := c.header(f)
	if err != nil {
		return nil, err
	}
	for i := range pairs {
		if err := c.pair(f); err != nil {
			return nil, fmt.Errorf("metadata %d of %d: %w", i+1, pairs, err)
		}
	}
	for i := range tensors {
		if err := c.tensor(f); err != nil {
			return nil, fmt.Errorf("tensor %d of %d: %w", i+1, tensors, err)
		}
	}
	return f, f.place(c.at, size)
}

func (c *cursor) header(f *File) (tensors, pairs int64, err error) {
	first, err := c.next(min(4, c.size))
	if err != nil {
		return 0, 0, err
	}
	if !bytes.Equal(first, []byte(magic)) {
		return 0, 0, fmt.Errorf("it begins with %q and not with %q: it is no GGUF file; models in other formats are converted with llama.cpp's convert_hf_to_gguf.py", first, magic)
	}
	if f.Version, err = c.uint32(); err != nil {
		return 0, 0, err
	}
	switch {
	case f.Version == 2 || f.Version == 3:
	case bits.ReverseBytes32(f.Version) <= 3:
		return 0, 0,
			errors.New(
				"it is a big-endian GGUF file; get the little-endian one, or convert it with gguf-py's gguf_convert_endian.py")
	default:
		return 0, 0,
			fmt.Errorf("it is GGUF version %d; versions 2 and 3 are read: convert the model again with a current llama.cpp",
				f.Version)
	}
	// The minimum size of a tensor and a pair: lengths, a name, sizes, type, offset.
	if tensors, err = c.count("tensors", 8+1+4+8+4+8); err != nil {
		return 0, 0, err
	}
	pairs, err = c.count("pairs of metadata", 8+1+4+1)
	return tensors, pairs, err
}

func (c *cursor) pair(f *File) error {
	key, err := c.text()
	if err != nil {
		return err
	}
	if key == "" {
		return errors.New("its key is empty")
	}
	if _, twice := f.Metadata[key]; twice {
		return fmt.Errorf("the key %q is there twice", shortened(key))
	}
	kind, err := c.uint32()
	if err != nil {
		return fmt.Errorf("the type of %q: %w", shortened(key), err)
	}
	v, err := c.value(valueType(kind))
	if err != nil {
		return fmt.Errorf("the value of %q: %w", shortened(key), err)
	}
	f.Metadata[key] = v
	return nil
}

func (c *cursor) tensor(f *File) error {
	name, err := c.text()
	if err != nil {
		return err
	}
	if name == "" || len(name) > maxName {
		return fmt.Errorf("its name %q has %d bytes; it has to have 1 to %d", shortened(name), len(name), maxName)
	}
	if _, twice := f.index[name]; twice {
		return fmt.Errorf("the name %q is there twice", name)
	}
	t := Tensor{Name: name}
	if err := c.shape(&t); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	f.index[name] = len(f.Tensors)
	f.Tensors = append(f.Tensors, t)
	return nil
}

// shape reads a tensor's sizes, type and offset.
func (c *cursor) shape(t *Tensor) error {
	n, err := c.uint32()
	if err != nil {
		return err
	}
	if n < 1 || n > maxSizes {
		return fmt.Errorf("it has %d dimensions; it has to have 1 to %d", n, maxSizes)
	}
	for range n {
		size, err := c.uint64()
		if err != nil {
			return err
		}
		if size < 1 || size > math.MaxInt64 {
			return fmt.Errorf("a dimension of it is %d", size)
		}
		t.Sizes = append(t.Sizes, int64(size))
	}
	kind, err := c.uint32()
	if err != nil {
		return err
	}
	offset, err := c.uint64()
	if err != nil {
		return err
	}
	t.Type, t.Offset = Type(kind), int64(min(offset, math.MaxInt64))
	t.Bytes, err = t.room()
	return err
}

// room returns the number of bytes of the tensor's data.
func (t Tensor) room() (int64, error) {
	b, ok := blocks[t.Type]
	if !ok {
		if name := removed[t.Type]; name != "" {
			return 0, fmt.Errorf("it is stored as %s, which was taken out of GGUF: get the model in another quantisation", name)
		}
		return 0,
			fmt.Errorf("it is stored as type %d, which is not known: a newer program made it; get the model as Q8_0 or F16",
				uint32(t.Type))
	}
	if t.Sizes[0]%b.numbers != 0 {
		return 0, fmt.Errorf("its rows have %d numbers, which are no whole blocks of %d as %s has them", t.Sizes[0],
			b.numbers, b.name)
	}
	n := t.Sizes[0] / b.numbers
	for _, size := range append(slices.Clone(t.Sizes[1:]), b.bytes) {
		high, low := bits.Mul64(uint64(n), uint64(size))
		if high != 0 || low > math.MaxInt64 {
			return 0, fmt.Errorf("its sizes %v make more bytes than there can be", t.Sizes)
		}
		n = int64(low)
	}
	return n, nil
}

// place finds the beginning of the data and checks that every tensor lies in the file and
// that none overlap.
func (f *File) place(front, size int64) error {
	alignment, err := f.alignment()
	if err != nil {
		return err
	}
	f.data = (front + alignment - 1) / alignment * alignment
	order := slices.Clone(f.Tensors)
	slices.SortFunc(order, func(a, b Tensor) int { return cmp.Compare(a.Offset, b.Offset) })
	end, before := int64(0), ""
	for _, t := range order {
		switch room := size - f.data; {
		case t.Offset%alignment != 0:
			return fmt.Errorf("tensor %q begins at byte %d of the data, which is no multiple of the alignment %d", t.Name,
				t.Offset, alignment)
		case t.Offset < end:
			return fmt.Errorf("tensor %q begins at byte %d of the data, inside tensor %q", t.Name, t.Offset, before)
		case t.Bytes > room || t.Offset > room-t.Bytes:
			return fmt.Errorf("tensor %q takes %d bytes from byte %d of the data, and the data have %d: %w", t.Name, t.Bytes,
				t.Offset, max(0, room), errEnds)
		}
		end, before = t.Offset+t.Bytes, t.Name
	}
	return nil
}

func (f *File) alignment() (int64, error) {
	v, ok := f.Metadata["general.alignment"]
	if !ok {
		return defaultAlignment, nil
	}
	n, ok := v.(uint32)
	if !ok || n == 0 || n&(n-1) != 0 {
		return 0, fmt.Errorf("general.alignment is %v; it has to be a power of two", v)
	}
	return int64(n), nil
}

// shortened shortens a text of the file for an error message.
func shortened(text string) string {
	if len(text) > 80 {
		return text[:80] + "..."
	}
	return text
}
