// Package gguf reads and writes model files: GGUF versions 2 and 3, as llama.cpp's
// ggml/include/gguf.h describes them. Model files are untrusted: the package checks every
// count, length, size and offset against the actual bytes before it allocates anything.
//
//	"GGUF", version, counts of tensors and of pairs
//	pairs:   key, type, value                    -> File.Metadata
//	tensors: name, sizes, type, offset           -> File.Tensors
//	padding to general.alignment
//	the tensors' data                            -> File.Floats
//
// Open reads only the bytes before the data, so a large file opens in milliseconds. Arrays
// (a vocabulary has 150,000 strings) stay bytes until a caller asks for their items. Floats
// converts a tensor of a type that engine/quant has to float32. The other types are known
// by name and size, which is enough to place such a model; Floats refuses them.
//
// File.Config and File.Weights convert a file to the types of wafer/transformer.
package gguf
