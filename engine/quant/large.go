package quant

import "math"

// Blocks of 256 numbers, whose scales are integers themselves.
//
//	Q4_K  d, factor of minimums, 12 bytes of scales, 128 bytes: 32 of them hold the numbers 64i to 64i+31 in
//	      their lower halves, and 64i+32 to 64i+63 in their upper ones
//	Q5_K  the same, with 32 bytes of fifth bits before the 128: bit j of byte i belongs to number 32j + i
//	Q6_K  128 bytes of lower halves, 64 bytes of two higher bits, 16 signed scales, d. Each half of 128 numbers
//	      has 64 and 32 of those bytes.

// expandQ4K expands a block of Q4_K.
func expandQ4K(dst Integers, block []byte) {
	expandScales(dst, block)
	for i := range 128 {
		b, at := block[16+i], i/32*64+i%32
		dst.Q[at], dst.Q[at+32] = int8(b&15), int8(b>>4)
	}
}

func expandQ5K(dst Integers, block []byte) {
	expandScales(dst, block)
	for i := range 128 {
		b, at := block[48+i], i/32*64+i%32
		high := block[16+i%32] >> (i / 32 * 2)
		dst.Q[at], dst.Q[at+32] = int8(b&15|high&1<<4), int8(b>>4|high>>1&1<<4)
	}
}

// expandScales expands the 8 scales and minimums of Q4_K and Q5_K.
func expandScales(dst Integers, block []byte) {
	d, least := scaleAt(block, 0), scaleAt(block, 2)
	for i := range 8 {
		s, m := packed6(block[4:16], i)
		dst.from(32*i).share(d*float32(s), least*float32(m))
	}
}

// packed6 returns scale and minimum i of 8, six bits each: of the first four, the lower six
// bits of a byte; of the others, four bits of a byte and two that the first four left free.
func packed6(s []byte, i int) (scale, least byte) {
	if i < 4 {
		return s[i] & 63, s[i+4] & 63
	}
	return s[i+4]&15 | s[i-4]>>6<<4, s[i+4]>>4 | s[i]>>6<<4
}

func put6(s []byte, i int, scale, least byte) {
	if i < 4 {
		s[i], s[i+4] = s[i]|scale, s[i+4]|least
		return
	}
	s[i+4] = scale&15 | least&15<<4
	s[i-4] |= scale >> 4 << 6
	s[i] |= least >> 4 << 6
}

func expandQ6K(dst Integers, block []byte) {
	d := scaleAt(block, 208)
	for i := range 16 {
		dst.Scale[i] = d * float32(int8(block[192+i]))
	}
	clear(dst.Min[:8])
	for i := range 256 {
		low, high := places6(i)
		dst.Q[i] = int8(block[low.at]>>low.shift&15|block[high.at]>>high.shift&3<<4) - 32
	}
}

// place is where bits of a number are in a block.
type place struct{ at, shift int }

// places6 returns where Q6_K has the lower four and the higher two bits of number i.
func places6(i int) (low, high place) {
	half, quarter, at := i/128, i%128/32, i%32
	return place{half*64 + quarter%2*32 + at, quarter / 2 * 4}, place{128 + half*32 + at, quarter * 2}
}

func encodeQ4K(block []byte, list []float32) {
	for i, q := range encodeScales(block, list, 15) {
		block[16+i/64*32+i%32] |= q << (i / 32 % 2 * 4)
	}
}

func encodeQ5K(block []byte, list []float32) {
	for i, q := range encodeScales(block, list, 31) {
		block[48+i/64*32+i%32] |= q & 15 << (i / 32 % 2 * 4)
		block[16+i%32] |= q >> 4 << (i / 32)
	}
}

// encodeScales writes the scales and minimums of Q4_K or Q5_K, and returns the integers.
func encodeScales(block []byte, list []float32, highest byte) (q [256]byte) {
	var scales, mins [8]float32
	for i := range 8 {
		low, high := float32(0), float32(0)
		for _, v := range list[32*i : 32*i+32] {
			low, high = min(low, v), max(high, v)
		}
		scales[i], mins[i] = (high-low)/float32(highest), -low
	}
	d, least := furthest(scales[:])/63, furthest(mins[:])/63
	putScale(block, 0, d)
	putScale(block, 2, least)
	for i := range 8 {
		put6(block[4:16], i, level(scales[i]*inverseOf(d)+0.5, 63), level(mins[i]*inverseOf(least)+0.5, 63))
	}
	stored := MakeIntegers(256)
	expandScales(stored, block)
	for i, v := range list {
		q[i] = level((v+stored.Min[i/32])*inverseOf(stored.Scale[i/16])+0.5, highest)
	}
	return q
}

func encodeQ6K(block []byte, list []float32) {
	var scales [16]float32
	for i := range scales {
		scales[i] = furthest(list[16*i:16*i+16]) / -32
	}
	d := furthest(scales[:]) / -128
	putScale(block, 208, d)
	d = scaleAt(block, 208)
	for i, v := range scales {
		block[192+i] = byte(int8(max(-128, min(127, math.Round(float64(v*inverseOf(d)))))))
	}
	for i, v := range list {
		scale := d * float32(int8(block[192+i/16]))
		q := level(v*inverseOf(scale)+32.5, 63)
		low, high := places6(i)
		block[low.at] |= q & 15 << low.shift
		block[high.at] |= q >> 4 << high.shift
	}
}
