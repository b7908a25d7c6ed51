package gguf

import (
	"fmt"

	"waferpair/engine/quant"
)

// Type is the encoding of a tensor's elements, by ggml's number.
type Type uint32

// The types whose numbers are read and written.
const (
	F32  Type = quant.F32
	F16  Type = quant.F16
	Q4_0 Type = quant.Q4_0
	Q5_0 Type = quant.Q5_0
	Q5_1 Type = quant.Q5_1
	Q8_0 Type = quant.Q8_0
	Q4_K Type = quant.Q4_K
	Q5_K Type = quant.Q5_K
	Q6_K Type = quant.Q6_K
	BF16 Type = quant.BF16
)

// block is a type's unit: so many numbers in so many bytes. Rows are whole blocks.
type block struct {
	name           string
	numbers, bytes int64
}

// blocks are ggml's types, from ggml.h and ggml-common.h, except those that were removed
// from the format.
var blocks = map[Type]block{
	F32: {"F32", 1, 4}, F16: {"F16", 1, 2}, BF16: {"BF16", 1, 2}, Q8_0: {"Q8_0", 32, 34},
	2: {"Q4_0", 32, 18}, 3: {"Q4_1", 32, 20}, 6: {"Q5_0", 32, 22}, 7: {"Q5_1", 32, 24}, 9: {"Q8_1", 32, 36},
	10: {"Q2_K", 256, 84}, 11: {"Q3_K", 256, 110}, 12: {"Q4_K", 256, 144}, 13: {"Q5_K", 256, 176}, 14: {"Q6_K", 256, 210},
	15: {"Q8_K", 256, 292}, 16: {"IQ2_XXS", 256, 66}, 17: {"IQ2_XS", 256, 74}, 18: {"IQ3_XXS", 256, 98},
	19: {"IQ1_S", 256, 50}, 20: {"IQ4_NL", 32, 18}, 21: {"IQ3_S", 256, 110}, 22: {"IQ2_S", 256, 82},
	23: {"IQ4_XS", 256, 136}, 29: {"IQ1_M", 256, 56}, 24: {"I8", 1, 1}, 25: {"I16", 1, 2}, 26: {"I32", 1, 4},
	27: {"I64", 1, 8}, 28: {"F64", 1, 8}, 34: {"TQ1_0", 256, 54}, 35: {"TQ2_0", 256, 66}, 39: {"MXFP4", 32, 17},
	40: {"NVFP4", 64, 36}, 41: {"Q1_0", 128, 18}, 42: {"Q2_0", 64, 18},
}

// removed are the names of types that were removed from the format.
var removed = map[Type]string{4: "Q4_2", 5: "Q4_3", 31: "Q4_0_4_4", 32: "Q4_0_4_8", 33: "Q4_0_8_8", 36: "IQ4_NL_4_4",
	37: "IQ4_NL_4_8", 38: "IQ4_NL_8_8"}

func (t Type) String() string {
	if b, ok := blocks[t]; ok {
		return b.name
	}
	if name, ok := removed[t]; ok {
		return name
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// HasIntegers reports whether numbers of the type are small integers with common scales.
func (t Type) HasIntegers() bool {
	format, is := quant.ByNumber(uint32(t))
	return is && format.HasIntegers()
}

// valueType is the type of a metadata value.
type valueType uint32

const (
	valueUint8 valueType = iota
	valueInt8
	valueUint16
	valueInt16
	valueUint32
	valueInt32
	valueFloat32
	valueBool
	valueString
	valueArray
	valueUint64
	valueInt64
	valueFloat64
)

// sizes are the sizes of values in bytes; 0 where the size varies.
var sizes = [...]int64{valueUint8: 1, valueInt8: 1, valueUint16: 2, valueInt16: 2, valueUint32: 4, valueInt32: 4,
	valueFloat32: 4, valueBool: 1, valueString: 0, valueArray: 0, valueUint64: 8, valueInt64: 8, valueFloat64: 8}
