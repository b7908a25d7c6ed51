// Package kernel runs passes of a transformer on x86 processors, in C: AVX-512 with VNNI, or
// AVX2 with F16C. It knows nothing of files and families: a Spec gives sizes and types of
// matrices, Fill their rows as a file has them, and Run computes.
//
//	New(spec)     one arena for all weights, on huge pages; one thread for each core
//	Fill          rows of a file -> tiles of 32 rows x 32 columns     pack_linux_amd64.c
//	Run           one call from Go for a whole pass                   pass.h
//	                products of tiles and tokens                      product.h, tile512.h, tile256.h
//	                norms, rotation, bytes with a scale               ops.h
//	                attention in blocks of 256 positions              attention.h
//	                threads and barriers                              team_linux_amd64.c
//
// pass.h and what it includes are compiled twice, over vec512.h and over vec256.h. A
// "#pragma GCC target" holds for the functions of one file, so that no other code of the
// program may use instructions that the processor lacks; Levels asks the processor, and the
// system whether it saves the registers.
//
// # Numbers
//
// Inputs of integer matrices are signed bytes with a float32 scale for each 32; products of
// integers are exact, sums of blocks are float32. Matrices of floats are multiplied in
// float32. Keys and values are binary16, everything else is float32.
//
// # Why it is fast
//
// A tile is one stretch of memory in the order of its use, weights first, then their scales:
// a token reads each matrix as one stream at the speed of the memory. One load feeds 16 rows,
// which end in 16 lanes, so no sum goes across a register. Rows of gate and up alternate,
// so that SwiGLU and the bytes for the next product are made where their rows were.
// A pass allocates nothing and does not return to Go before it ends. A single token of a light
// model is computed by one thread: five meetings a layer would take longer than the other one saves.
package kernel
