package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"waferpair/wafer/half"
)

// Floats returns the elements of a tensor in the order of the file.
func (f *File) Floats(t Tensor) ([]float32, error) {
	decode, ok := decoders[t.Type]
	if !ok {
		return nil, f.named(fmt.Errorf("tensor %q is stored as %s, whose numbers are not read yet: get the model as Q8_0, F16, BF16 or F32, or make it so with llama-quantize", t.Name, t.Type))
	}
	b := blocks[t.Type]
	list := make([]float32, t.Numbers())
	raw, part := f.Raw(t), make([]byte, min(t.Bytes, b.bytes*4096))
	for done := int64(0); done < t.Bytes; {
		now := part[:min(int64(len(part)), t.Bytes-done)]
		if _, err := io.ReadFull(raw, now); err != nil {
			return nil, f.named(fmt.Errorf("read tensor %q at byte %d of its %d: %w", t.Name, done, t.Bytes, shortOr(err)))
		}
		decode(list[done/b.bytes*b.numbers:], now)
		done += int64(len(now))
	}
	return list, nil
}

var decoders = map[Type]func(dst []float32, raw []byte){F32: decodeF32, F16: decodeF16,
	BF16: decodeBF16, Q8_0: decodeQ8}

func decodeF32(dst []float32, raw []byte) {
	for i := 0; i < len(raw); i += 4 {
		dst[i/4] = math.Float32frombits(binary.LittleEndian.Uint32(raw[i:]))
	}
}

func decodeF16(dst []float32, raw []byte) {
	for i := 0; i < len(raw); i += 2 {
		dst[i/2] = half.Float(binary.LittleEndian.Uint16(raw[i:]))
	}
}

// decodeBF16 decodes numbers that are the upper half of a float32.
func decodeBF16(dst []float32, raw []byte) {
	for i := 0; i < len(raw); i += 2 {
		dst[i/2] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[i:])) << 16)
	}
}

// decodeQ8 decodes blocks of a scale as binary16 and 32 signed bytes to multiply by it.
func decodeQ8(dst []float32, raw []byte) {
	for i := 0; i < len(raw); i += 34 {
		d := half.Float(binary.LittleEndian.Uint16(raw[i:]))
		for j, q := range raw[i+2 : i+34] {
			dst[i/34*32+j] = d * float32(int8(q))
		}
	}
}

// Encode encodes numbers as a type; Q8_0 requires whole blocks of 32. It rounds exactly as
// ggml does.
func Encode(kind Type, list []float32) ([]byte, error) {
	b, known := blocks[kind]
	if _, ok := decoders[kind]; !ok || !known {
		return nil, fmt.Errorf("numbers are not written as %s: F32, F16, BF16 and Q8_0 are", kind)
	}
	if int64(len(list))%b.numbers != 0 {
		return nil, fmt.Errorf("%d numbers are no whole blocks of %d as %s has them", len(list), b.numbers, kind)
	}
	var raw []byte
	if kind == Q8_0 {
		for i := 0; i < len(list); i += 32 {
			raw = appendQ8(raw, list[i:i+32])
		}
		return raw, nil
	}
	for _, v := range list {
		switch kind {
		case F32:
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		case F16:
			raw = binary.LittleEndian.AppendUint16(raw, half.ToHalf(v))
		default:
			raw = binary.LittleEndian.AppendUint16(raw, toBF16(v))
		}
	}
	return raw, nil
}

// toBF16 rounds to the nearest, ties to even; a NaN stays a NaN.
func toBF16(v float32) uint16 {
	b := math.Float32bits(v)
	if v != v {
		return uint16(b>>16) | 64
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// appendQ8 encodes a block so that its largest absolute value becomes 127. It divides by
// the scale before it rounds the scale.
func appendQ8(raw []byte, list []float32) []byte {
	largest := float32(0)
	for _, v := range list {
		largest = max(largest, float32(math.Abs(float64(v))))
	}
	d, inverse := largest/127, float32(0)
	if d != 0 {
		inverse = 1 / d
	}
	raw = binary.LittleEndian.AppendUint16(raw, half.ToHalf(d))
	for _, v := range list {
		raw = append(raw, byte(int8(math.Round(float64(v*inverse)))))
	}
	return raw
}
