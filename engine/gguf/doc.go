// Package gguf reads and writes model files: GGUF versions 2 and 3, as
// llama.cpp's ggml/include/gguf.h describes them. A model file comes from a
// stranger: every count, length, size and offset is compared with the bytes that
// are there before anything is made of it.
//
//	"GGUF", version, counts of tensors and of pairs
//	pairs:   key, type, value                    -> File.Metadata
//	tensors: name, sizes, type, offset           -> File.Tensors
//	padding to general.alignment
//	the tensors' data                            -> File.Floats
//
// Open reads what comes before the data, so that a large file opens in
// milliseconds; arrays (a vocabulary has 150,000 strings) stay bytes until
// somebody asks for them. Floats makes float32 of a tensor of type F32, F16, BF16
// or Q8_0. The other types are known by name and size, which is enough to place
// such a model, and refused when their numbers are asked for.
//
// Model joins a file to wafer/transformer: its Config and Weights.
package gguf
