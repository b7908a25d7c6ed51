// Package quant has the number formats of model files, as llama.cpp stores them: blocks of
// numbers to float32 and back. It is the slow and obvious version; the kernels of
// engine/infer are compared with it. It imports only the 16-bit numbers of package half.
//
// Three formats hold each number by itself: F32, F16 and BF16. In the others a block is a
// few small integers q with a scale s, which 16 or 32 of them share, and perhaps a minimum m:
//
//	number = s * q - m
//
//	        numbers  bytes  q             scales and minimums of a block
//	Q8_0       32      34   8 bits        one scale
//	Q4_0       32      18   4 bits, -8    one scale
//	Q5_0       32      22   5 bits, -16   one scale
//	Q5_1       32      24   5 bits        one scale and one minimum
//	Q4_K      256     144   4 bits        8 scales and minimums of 6 bits, and two factors of them
//	Q5_K      256     176   5 bits        as Q4_K
//	Q6_K      256     210   6 bits, -32   16 scales of 8 bits, and a factor of them
//
// Format.Integers returns these integers, with scales for every 16 numbers and minimums for
// every 32; that is the form in which a runtime multiplies. Format.Decode computes the
// numbers from it, and gives the very bits that llama.cpp gives. Format.Append writes F32,
// F16, BF16, Q8_0, Q4_0, Q5_0 and Q5_1 with llama.cpp's bits, too. Blocks of 256 it rounds
// to the nearest, without llama.cpp's search for better scales.
//
// The layouts are described in llama.cpp's ggml/src/ggml-common.h.
package quant
