package tile

import "waferpair/wafer/half"

// Half is a number as a core stores it: IEEE 754 binary16, as its bits.
type Half = half.Half

var halves = half.Table

// Float returns the exact value of a half.
func Float(h Half) float32 { return half.Float(h) }

// ToHalf rounds to the nearest half, ties to even; beyond 65,504 is infinite.
func ToHalf(f float32) Half { return half.ToHalf(f) }
