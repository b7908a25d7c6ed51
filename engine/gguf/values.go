package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
)

// Array is a metadata value with several items. They stay bytes of the file until a caller
// asks for them.
type Array struct {
	Len        int
	kind       valueType
	front      *cursor
	begin, end int64 // of its items in the front: checked to be Len of them
}

func (a Array) raw() []byte { return a.front.buffer[a.begin:a.end] }

// Strings returns the items of an array of strings.
func (a Array) Strings() ([]string, bool) {
	if a.kind != valueString {
		return nil, false
	}
	list, raw := make([]string, 0, a.Len), a.raw()
	for range a.Len {
		n := binary.LittleEndian.Uint64(raw)
		list, raw = append(list, string(raw[8:8+n])), raw[8+n:]
	}
	return list, true
}

// Texts yields the items of an array of strings with their indices, without a copy: callers must not change
// them. It reports whether it is such an array.
func (a Array) Texts() (iter.Seq2[int, []byte], bool) {
	return func(yield func(int, []byte) bool) {
		raw := a.raw()
		for i := range a.Len {
			n := binary.LittleEndian.Uint64(raw)
			if !yield(i, raw[8:8+n:8+n]) {
				return
			}
			raw = raw[8+n:]
		}
	}, a.kind == valueString
}

// Numbers returns the items of an array of numbers or bools.
func (a Array) Numbers() ([]float64, bool) {
	if a.kind == valueString {
		return nil, false
	}
	list, size, raw := make([]float64, a.Len), int(sizes[a.kind]), a.raw()
	for i := range list {
		list[i] = asNumber(scalar(a.kind, raw[i*size:i*size+size]))
	}
	return list, true
}

// value reads a value of a type.
func (c *cursor) value(kind valueType) (any, error) {
	switch {
	case kind == valueString:
		return c.text()
	case kind == valueArray:
		return c.array()
	case int(kind) >= len(sizes):
		return nil, fmt.Errorf("at byte %d: there is no type %d of values", c.at-4, kind)
	}
	b, err := c.next(sizes[kind])
	if err != nil {
		return nil, err
	}
	if kind == valueBool && b[0] > 1 {
		return nil, fmt.Errorf("at byte %d: a bool is %d; it has to be 0 or 1", c.at-1, b[0])
	}
	return scalar(kind, b), nil
}

// array reads an array. It refuses arrays of arrays, as llama.cpp does: no key of the
// format has one, and nesting would let a hostile file make the reader recurse.
func (c *cursor) array() (Array, error) {
	number, err := c.uint32()
	if err != nil {
		return Array{}, err
	}
	kind := valueType(number)
	if kind == valueArray {
		return Array{}, errors.New("it is an array of arrays, which no model file needs")
	}
	if int(kind) >= len(sizes) {
		return Array{}, fmt.Errorf("at byte %d: there is no type %d of values", c.at-4, kind)
	}
	least := sizes[kind]
	if kind == valueString {
		least = 8 // the length of a string
	}
	n, err := c.count("items", least)
	if err != nil {
		return Array{}, err
	}
	begin := c.at
	if kind == valueString {
		err = c.skipTexts(n)
	} else {
		_, err = c.next(n * least)
	}
	if err != nil {
		return Array{}, err
	}
	return Array{Len: int(n), kind: kind, front: c, begin: begin, end: c.at}, nil
}

// skipTexts skips n strings and checks that they are complete.
func (c *cursor) skipTexts(n int64) error {
	for range n {
		length, err := c.count("bytes of text", 1)
		if err != nil {
			return err
		}
		if _, err := c.next(length); err != nil {
			return err
		}
	}
	return nil
}

func scalar(kind valueType, b []byte) any {
	le := binary.LittleEndian
	switch kind {
	case valueUint8:
		return b[0]
	case valueInt8:
		return int8(b[0])
	case valueUint16:
		return le.Uint16(b)
	case valueInt16:
		return int16(le.Uint16(b))
	case valueUint32:
		return le.Uint32(b)
	case valueInt32:
		return int32(le.Uint32(b))
	case valueFloat32:
		return math.Float32frombits(le.Uint32(b))
	case valueBool:
		return b[0] != 0
	case valueUint64:
		return le.Uint64(b)
	case valueInt64:
		return int64(le.Uint64(b))
	}
	return math.Float64frombits(le.Uint64(b))
}

func asNumber(v any) float64 {
	switch v := v.(type) {
	case uint8:
		return float64(v)
	case int8:
		return float64(v)
	case uint16:
		return float64(v)
	case int16:
		return float64(v)
	case uint32:
		return float64(v)
	case int32:
		return float64(v)
	case uint64:
		return float64(v)
	case int64:
		return float64(v)
	case float32:
		return float64(v)
	case bool:
		if v {
			return 1
		}
		return 0
	}
	return v.(float64)
}
