package gguf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Pair is a key of the metadata and its value: a number or bool of Go's sized types, a
// string, or a []string, []float32, []int32, []uint32.
type Pair struct {
	Key   string
	Value any
}

// Source is a tensor to write.
type Source struct {
	Name    string
	Sizes   []int64 // fastest first
	Type    Type
	Numbers []float32
	Raw     []byte // instead of Numbers: as the file has them
}

// Write writes a model file of version 3. It returns an error, before the first byte, for
// everything that it cannot write or that Read would refuse.
func Write(to io.Writer, pairs []Pair, tensors []Source) error {
	front := append([]byte(magic), 3, 0, 0, 0)
	le := binary.LittleEndian
	front = le.AppendUint64(front, uint64(len(tensors)))
	front = le.AppendUint64(front, uint64(len(pairs)))
	f := &File{Metadata: map[string]any{}}
	for _, p := range pairs {
		v, err := appendValue(nil, p.Value)
		if err != nil {
			return fmt.Errorf("write model file: %s: %w", p.Key, err)
		}
		front = append(appendText(front, p.Key), v...)
		f.Metadata[p.Key] = p.Value
	}
	alignment, err := f.alignment()
	if err != nil {
		return fmt.Errorf("write model file: %w", err)
	}
	data := make([][]byte, len(tensors))
	offset := int64(0)
	for i, s := range tensors {
		t := Tensor{Name: s.Name, Sizes: s.Sizes, Type: s.Type, Offset: offset}
		if data[i], err = s.encoded(&t); err != nil {
			return fmt.Errorf("write model file: tensor %q: %w", s.Name, err)
		}
		front = t.append(front)
		offset = padded(offset+t.Bytes, alignment)
	}
	return writeAll(to, front, data, alignment)
}

// encoded returns a tensor's bytes after the checks that Read makes.
func (s Source) encoded(t *Tensor) (raw []byte, err error) {
	if len(s.Sizes) < 1 || len(s.Sizes) > maxSizes || s.Name == "" || len(s.Name) > maxName {
		return nil, fmt.Errorf("it has %d dimensions and a name of %d bytes; it has to have 1 to %d, and 1 to %d",
			len(s.Sizes), len(s.Name), maxSizes, maxName)
	}
	if t.Bytes, err = t.room(); err != nil {
		return nil, err
	}
	if s.Raw != nil {
		if int64(len(s.Raw)) != t.Bytes {
			return nil, fmt.Errorf("it has %d bytes, and its sizes %v as %s take %d", len(s.Raw), s.Sizes, s.Type, t.Bytes)
		}
		return s.Raw, nil
	}
	if t.Numbers() != int64(len(s.Numbers)) {
		return nil, fmt.Errorf("it has %d numbers, and its sizes %v are of %d", len(s.Numbers), s.Sizes, t.Numbers())
	}
	return Encode(s.Type, s.Numbers)
}

func (t Tensor) append(front []byte) []byte {
	le := binary.LittleEndian
	front = le.AppendUint32(appendText(front, t.Name), uint32(len(t.Sizes)))
	for _, size := range t.Sizes {
		front = le.AppendUint64(front, uint64(size))
	}
	return le.AppendUint64(le.AppendUint32(front, uint32(t.Type)), uint64(t.Offset))
}

func writeAll(to io.Writer, front []byte, data [][]byte, alignment int64) error {
	out := bufio.NewWriter(to)
	for _, part := range append([][]byte{front}, data...) {
		zeros := make([]byte, padded(int64(len(part)), alignment)-int64(len(part)))
		for _, b := range [][]byte{part, zeros} {
			if _, err := out.Write(b); err != nil {
				return fmt.Errorf("write model file: %w", err)
			}
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write model file: %w", err)
	}
	return nil
}

func padded(n, alignment int64) int64 { return (n + alignment - 1) / alignment * alignment }

func appendText(b []byte, text string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(text))), text...)
}

// appendValue appends a value's type and the value.
func appendValue(b []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return appendText(appendKind(b, valueString), v), nil
	case []string:
		b = binary.LittleEndian.AppendUint64(appendKind(appendKind(b, valueArray), valueString), uint64(len(v)))
		for _, text := range v {
			b = appendText(b, text)
		}
		return b, nil
	case []float32:
		return appendArray(b, valueFloat32, v), nil
	case []int32:
		return appendArray(b, valueInt32, v), nil
	case []uint32:
		return appendArray(b, valueUint32, v), nil
	}
	kind, raw, ok := appendScalar(nil, value)
	if !ok {
		return nil, fmt.Errorf("values of type %T are not written", value)
	}
	return append(appendKind(b, kind), raw...), nil
}

func appendKind(b []byte, kind valueType) []byte {
	return binary.LittleEndian.AppendUint32(b, uint32(kind))
}

func appendArray[T any](b []byte, kind valueType, list []T) []byte {
	b = binary.LittleEndian.AppendUint64(appendKind(appendKind(b, valueArray), kind), uint64(len(list)))
	for _, v := range list {
		_, b, _ = appendScalar(b, v)
	}
	return b
}

func appendScalar(b []byte, value any) (valueType, []byte, bool) {
	le := binary.LittleEndian
	switch v := value.(type) {
	case uint8:
		return valueUint8, append(b, v), true
	case int8:
		return valueInt8, append(b, byte(v)), true
	case uint16:
		return valueUint16, le.AppendUint16(b, v), true
	case int16:
		return valueInt16, le.AppendUint16(b, uint16(v)), true
	case uint32:
		return valueUint32, le.AppendUint32(b, v), true
	case int32:
		return valueInt32, le.AppendUint32(b, uint32(v)), true
	case float32:
		return valueFloat32, le.AppendUint32(b, math.Float32bits(v)), true
	case bool:
		if v {
			return valueBool, append(b, 1), true
		}
		return valueBool, append(b, 0), true
	case uint64:
		return valueUint64, le.AppendUint64(b, v), true
	case int64:
		return valueInt64, le.AppendUint64(b, uint64(v)), true
	case float64:
		return valueFloat64, le.AppendUint64(b, math.Float64bits(v)), true
	}
	return 0, b, false
}
