// Package transformer is the plain decoder-only transformer of the llama and qwen families:
// its shape, its weights, and a slow and obvious forward pass that is the reference of
// everything else. The wafer's kernels, the estimates and a runtime on this computer are
// compared with it, never it with them. It imports only the standard library and the 16-bit
// numbers of package half.
//
// # A model
//
// Config is the shape, with the names of GGUF's keys. Weights are tensors by their GGUF
// names, as float32. New joins the two to a Model, or returns everything that does not fit.
// A State is what a sequence of tokens leaves behind: its keys and values (the KV cache).
//
// # The forward pass of a token
//
//	x = row of token_embd                                 [embedding_length]
//	for each layer (blk.N):
//	    h = RMSNorm(x) * attn_norm
//	    q, k, v = attn_q h, attn_k h, attn_v h (+ their biases)
//	    q, k = RMSNorm(q), RMSNorm(k), head by head       if QKNorm
//	    q, k = rotated by the token's position            rope.go
//	    k, v are appended to the State
//	    a = for each head: softmax(q . keys / sqrt(key_length)) over values
//	    x = x + attn_output a
//	    h = RMSNorm(x) * ffn_norm
//	    x = x + ffn_down (SiLU(ffn_gate h) * ffn_up h)
//	logits = output (RMSNorm(x) * output_norm)            [vocab_size]
//
// Several query heads share one key and value head (grouped queries, arXiv 2305.13245):
// head i uses the keys of head i / Group. With a sliding window w, position p sees only
// positions q with p - q < w.
//
// Formulas: RMSNorm arXiv 1910.07467, rotary embedding arXiv 2104.09864, YaRN arXiv
// 2309.00071, SwiGLU arXiv 2002.05202, QK-norm arXiv 2302.05442. Details that the papers
// leave open (which numbers make a pair, where epsilon goes, how a file states its scaling)
// are as in llama.cpp, whose logits are the proof (engine/gguf/testdata/oracle).
//
// # The quick pass
//
// Quick computes the same for many positions and several sequences at once, by products of
// matrices on all processors (quick.go). The plain pass is its reference. Streamed is the quick pass of one
// sequence with one layer in memory at a time, for a model whose float32 weights would not fit there.
//
// # Numbers
//
// A number that is stored between two operations is rounded to its Storage: float32, or
// binary16 if a core of the wafer stores it. Inside an operation everything is float64, and
// a sum is rounded once. So the pass has no order of summation: the difference of another
// implementation is that implementation's own error.
package transformer
