package quant

import (
	"encoding/binary"
	"math"

	"waferpair/wafer/half"
)

var le = binary.LittleEndian

func decodeF32(dst []float32, raw []byte) {
	for i := 0; i < len(raw); i += 4 {
		dst[i/4] = math.Float32frombits(le.Uint32(raw[i:]))
	}
}

func encodeF32(block []byte, list []float32) { le.PutUint32(block, math.Float32bits(list[0])) }

func decodeF16(dst []float32, raw []byte) {
	for i := 0; i < len(raw); i += 2 {
		dst[i/2] = half.Float(le.Uint16(raw[i:]))
	}
}

func encodeF16(block []byte, list []float32) { le.PutUint16(block, half.ToHalf(list[0])) }

// decodeBF16 decodes numbers that are the upper half of a float32.
func decodeBF16(dst []float32, raw []byte) {
	for i := 0; i < len(raw); i += 2 {
		dst[i/2] = math.Float32frombits(uint32(le.Uint16(raw[i:])) << 16)
	}
}

// encodeBF16 rounds to the nearest, ties to even; a NaN stays a NaN.
func encodeBF16(block []byte, list []float32) {
	b := math.Float32bits(list[0])
	if list[0] != list[0] {
		le.PutUint16(block, uint16(b>>16)|64)
		return
	}
	le.PutUint16(block, uint16((b+0x7fff+b>>16&1)>>16))
}

func scaleAt(block []byte, at int) float32 { return half.Float(le.Uint16(block[at:])) }

func putScale(block []byte, at int, v float32) { le.PutUint16(block[at:], half.ToHalf(v)) }
