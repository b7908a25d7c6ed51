// Package half has the 16-bit numbers that the wafer's cores and model files store: IEEE
// 754 binary16. It is a leaf.
package half

import "math"

// Half is a binary16 number as its bits.
type Half = uint16

// Table has the value of every half, for loops over many of them.
var Table = func() *[1 << 16]float32 {
	var table [1 << 16]float32
	for i := range table {
		table[i] = widen(Half(i))
	}
	return &table
}()

// Float returns the exact value of a half.
func Float(h Half) float32 { return Table[h] }

// Round returns the value of the half nearest to f.
func Round(f float32) float32 { return Table[ToHalf(f)] }

func widen(h Half) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&0x3ff
	switch {
	case exp == 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case exp == 0:
		f := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(f))
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// ToHalf rounds to the nearest half, ties to even; beyond 65,504 is infinite.
func ToHalf(f float32) Half {
	b := math.Float32bits(f)
	sign := Half(b>>16) & 0x8000
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00
	case b >= 0x47800000: // 65,536 and above; the sum below handles smaller numbers that round up to it
		return sign | 0x7c00
	case b < 0x38800000: // below the smallest normal half: units of 2^-24
		return sign | Half(math.RoundToEven(float64(math.Float32frombits(b))*(1<<24)))
	}
	b += 0xfff + b>>13&1
	return sign | Half((b-0x38000000)>>13)
}

// Ulps is the greatest difference in units of the last place of the number
// wanted, of one not below 1/16: where terms about 1 cancel, fp32 sums are no
// more exact than that.
func Ulps(got, want []float32) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	most := 0.0
	for i := range got {
		_, exp := math.Frexp(max(1.0/16, math.Abs(float64(want[i]))))
		d := math.Abs(float64(got[i])-float64(want[i])) / math.Ldexp(1, exp-11)
		if d != d {
			return math.Inf(1)
		}
		most = max(most, d)
	}
	return most
}
