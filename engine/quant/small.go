package quant

import "math"

// Blocks of 32 numbers. An encoder divides by the scale before it rounds the scale to
// binary16, as llama.cpp does.

// expandQ8: scale, 32 signed bytes.
func expandQ8(dst Integers, block []byte) {
	dst.share(scaleAt(block, 0), 0)
	q := (*[32]int8)(dst.Q)
	for i, b := range (*[32]byte)(block[2:]) {
		q[i] = int8(b)
	}
}

// encodeQ8 makes the largest absolute value 127.
func encodeQ8(block []byte, list []float32) {
	d := float32(math.Abs(float64(furthest(list)))) / 127
	putScale(block, 0, d)
	inverse := inverseOf(d)
	for i, v := range list {
		block[2+i] = byte(int8(math.Round(float64(v * inverse))))
	}
}

// expandQ40: scale, 16 bytes with the numbers 0 to 15 in their lower halves and 16 to 31
// in their upper ones.
func expandQ40(dst Integers, block []byte) {
	dst.share(scaleAt(block, 0), 0)
	q := (*[32]int8)(dst.Q)
	for i, b := range (*[16]byte)(block[2:]) {
		q[i], q[i+16] = int8(b&15)-8, int8(b>>4)-8
	}
}

// encodeQ40 makes the number that is furthest from zero -8.
func encodeQ40(block []byte, list []float32) {
	d := furthest(list) / -8
	putScale(block, 0, d)
	inverse := inverseOf(d)
	for i, v := range list {
		put4(block[2:], i, level(float32(v*inverse)+8.5, 15))
	}
}

// expandQ50: as Q4_0, with bit i of the 32 after the scale as bit 4 of number i.
func expandQ50(dst Integers, block []byte) {
	dst.share(scaleAt(block, 0), 0)
	expand5((*[32]int8)(dst.Q), block[2:], 16)
}

func encodeQ50(block []byte, list []float32) {
	d := furthest(list) / -16
	putScale(block, 0, d)
	inverse := inverseOf(d)
	for i, v := range list {
		put5(block[2:], i, level(float32(v*inverse)+16.5, 31))
	}
}

// expandQ51: as Q5_0, with the lowest number after the scale, to be added.
func expandQ51(dst Integers, block []byte) {
	dst.share(scaleAt(block, 0), -scaleAt(block, 2))
	expand5((*[32]int8)(dst.Q), block[4:], 0)
}

func encodeQ51(block []byte, list []float32) {
	low, high := list[0], list[0]
	for _, v := range list {
		low, high = min(low, v), max(high, v)
	}
	d := (high - low) / 31
	putScale(block, 0, d)
	putScale(block, 2, low)
	inverse := inverseOf(d)
	for i, v := range list {
		put5(block[4:], i, level(float32((v-low)*inverse)+0.5, 31))
	}
}

// share sets the scale and the minimum of 32 numbers.
func (v Integers) share(scale, least float32) {
	v.Scale[0], v.Scale[1], v.Min[0] = scale, scale, least
}

// expand5 expands 32 bits, then 16 bytes of two numbers each.
func expand5(q *[32]int8, raw []byte, excess int8) {
	high := le.Uint32(raw)
	for i, b := range (*[16]byte)(raw[4:]) {
		q[i] = int8(b&15|byte(high>>i&1)<<4) - excess
		q[i+16] = int8(b>>4|byte(high>>(i+16)&1)<<4) - excess
	}
}

func put5(raw []byte, i int, q byte) {
	le.PutUint32(raw, le.Uint32(raw)|uint32(q>>4)<<i)
	put4(raw[4:], i, q&15)
}

func put4(raw []byte, i int, q byte) { raw[i%16] |= q << (i / 16 * 4) }

// level truncates to an integer from 0 to the highest. A NaN becomes 0.
func level(v float32, highest byte) byte {
	if !(v > 0) {
		return 0
	}
	return byte(min(v, float32(highest)))
}

// furthest returns the first of the numbers with the greatest absolute value.
func furthest(list []float32) float32 {
	most, at := float32(0), float32(0)
	for _, v := range list {
		if a := float32(math.Abs(float64(v))); a > most {
			most, at = a, v
		}
	}
	return at
}

func inverseOf(d float32) float32 {
	if d == 0 {
		return 0
	}
	return 1 / d
}
