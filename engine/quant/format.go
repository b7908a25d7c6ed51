package quant

import "fmt"

// The formats, by ggml's numbers.
const (
	F32  = 0
	F16  = 1
	Q4_0 = 2
	Q5_0 = 6
	Q5_1 = 7
	Q8_0 = 8
	Q4_K = 12
	Q5_K = 13
	Q6_K = 14
	BF16 = 30
)

// Format is one way to store numbers.
type Format struct {
	Name    string
	Numbers int // of a block
	Bytes   int // of a block

	decode func(dst []float32, raw []byte)    // of any number of blocks; nil if it is made of integers
	expand func(dst Integers, block []byte)   // nil if it is not
	encode func(block []byte, list []float32) // block is zeroed
}

// Integers are numbers as small integers: number i is Scale[i/16] * Q[i] - Min[i/32].
type Integers struct {
	Q          []int8
	Scale, Min []float32
}

// MakeIntegers returns room for n numbers, which is a multiple of 32.
func MakeIntegers(n int) Integers {
	return Integers{Q: make([]int8, n), Scale: make([]float32, n/16), Min: make([]float32, n/32)}
}

// from returns the integers from number i, a multiple of 32.
func (v Integers) from(i int) Integers {
	return Integers{Q: v.Q[i:], Scale: v.Scale[i/16:], Min: v.Min[i/32:]}
}

var formats = map[uint32]Format{
	F32:  {Name: "F32", Numbers: 1, Bytes: 4, decode: decodeF32, encode: encodeF32},
	F16:  {Name: "F16", Numbers: 1, Bytes: 2, decode: decodeF16, encode: encodeF16},
	BF16: {Name: "BF16", Numbers: 1, Bytes: 2, decode: decodeBF16, encode: encodeBF16},
	Q8_0: {Name: "Q8_0", Numbers: 32, Bytes: 34, expand: expandQ8, encode: encodeQ8},
	Q4_0: {Name: "Q4_0", Numbers: 32, Bytes: 18, expand: expandQ40, encode: encodeQ40},
	Q5_0: {Name: "Q5_0", Numbers: 32, Bytes: 22, expand: expandQ50, encode: encodeQ50},
	Q5_1: {Name: "Q5_1", Numbers: 32, Bytes: 24, expand: expandQ51, encode: encodeQ51},
	Q4_K: {Name: "Q4_K", Numbers: 256, Bytes: 144, expand: expandQ4K, encode: encodeQ4K},
	Q5_K: {Name: "Q5_K", Numbers: 256, Bytes: 176, expand: expandQ5K, encode: encodeQ5K},
	Q6_K: {Name: "Q6_K", Numbers: 256, Bytes: 210, expand: expandQ6K, encode: encodeQ6K},
}

// ByNumber returns the format with one of ggml's numbers, if this package has it.
func ByNumber(number uint32) (Format, bool) {
	f, ok := formats[number]
	return f, ok
}

// HasIntegers reports whether the format is made of integers.
func (f Format) HasIntegers() bool { return f.expand != nil }

// Room returns how many bytes hold n numbers, a multiple of f.Numbers.
func (f Format) Room(n int) int { return n / f.Numbers * f.Bytes }

// Integers expands whole blocks of an integer format. dst has room for them.
func (f Format) Integers(dst Integers, raw []byte) {
	for i, at := 0, 0; at < len(raw); i, at = i+f.Numbers, at+f.Bytes {
		f.expand(dst.from(i), raw[at:at+f.Bytes])
	}
}

// Decode returns the numbers of whole blocks in dst, which has room for them.
func (f Format) Decode(dst []float32, raw []byte) {
	if f.decode != nil {
		f.decode(dst, raw)
		return
	}
	block := MakeIntegers(f.Numbers)
	for i, at := 0, 0; at < len(raw); i, at = i+f.Numbers, at+f.Bytes {
		f.expand(block, raw[at:at+f.Bytes])
		block.numbers(dst[i : i+f.Numbers])
	}
}

// numbers computes the numbers. The conversion rounds the product, as a compiler may
// otherwise fuse it with the difference.
func (v Integers) numbers(dst []float32) {
	for i := range dst {
		dst[i] = float32(v.Scale[i/16]*float32(v.Q[i])) - v.Min[i/32]
	}
}

// Append appends numbers, which must be whole blocks.
func (f Format) Append(raw []byte, list []float32) ([]byte, error) {
	if len(list)%f.Numbers != 0 {
		return nil, fmt.Errorf("%d numbers are no whole blocks of %d as %s has them", len(list), f.Numbers, f.Name)
	}
	at := len(raw)
	raw = append(raw, make([]byte, f.Room(len(list)))...)
	for i := 0; i < len(list); i, at = i+f.Numbers, at+f.Bytes {
		f.encode(raw[at:at+f.Bytes], list[i:i+f.Numbers])
	}
	return raw, nil
}
