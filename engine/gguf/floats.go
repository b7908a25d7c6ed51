package gguf

import (
	"fmt"
	"io"

	"waferpair/engine/quant"
)

// Floats returns the elements of a tensor in the order of the file.
func (f *File) Floats(t Tensor) ([]float32, error) {
	return f.FloatRows(t, 0, int(t.Numbers()/t.Sizes[0]))
}

// FloatRows returns the elements of some rows of a tensor, from row first on. A vector is one row.
func (f *File) FloatRows(t Tensor, first, rows int) ([]float32, error) {
	format, ok := quant.ByNumber(uint32(t.Type))
	if !ok {
		return nil, f.named(fmt.Errorf("tensor %q is stored as %s, whose numbers are not read: get the model as Q4_K_M, Q8_0, F16 or another common type, or make it so with llama-quantize", t.Name, t.Type))
	}
	numbers, bytes := int64(format.Numbers), int64(format.Bytes)
	list := make([]float32, int64(rows)*t.Sizes[0])
	from, size := t.Sizes[0]/numbers*bytes*int64(first), t.Sizes[0]/numbers*bytes*int64(rows)
	raw, part := io.NewSectionReader(f.Raw(t), from, size), make([]byte, min(size, bytes*4096))
	for done := int64(0); done < size; {
		now := part[:min(int64(len(part)), size-done)]
		if _, err := io.ReadFull(raw, now); err != nil {
			return nil, f.named(fmt.Errorf("read tensor %q at byte %d of its %d: %w", t.Name, from+done, t.Bytes, shortOr(err)))
		}
		format.Decode(list[done/bytes*numbers:], now)
		done += int64(len(now))
	}
	return list, nil
}

// Encode encodes numbers as a type, in whole blocks. It rounds exactly as ggml does, but
// for the types with blocks of 256.
func Encode(kind Type, list []float32) ([]byte, error) {
	format, ok := quant.ByNumber(uint32(kind))
	if !ok {
		return nil,
			fmt.Errorf("numbers are not written as %s: F32, F16, BF16, Q4_0, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K are", kind)
	}
	return format.Append(nil, list)
}
