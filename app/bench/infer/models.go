// Package infer makes models of real shapes with random weights, and times engine/infer and
// llama.cpp on the same files. The speed of neither depends on the values. The benchmark
// "infer" of waferbench reports the ratios.
package infer

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"waferpair/engine/gguf"
	"waferpair/engine/quant"
	"waferpair/wafer/transformer"
)

// Shapes are the sizes that are measured.
var Shapes = map[string]transformer.Config{
	"4M":   shape("llama", 6, 256, 512, 4, 2, 64, 8192),
	"15M":  shape("llama", 8, 384, 1024, 6, 2, 64, 8192),
	"60M":  shape("llama", 12, 512, 2560, 8, 2, 64, 8192),
	"0.5B": shape("qwen2", 24, 896, 4864, 14, 2, 64, 151936), // Qwen2.5-0.5B
	"1.5B": shape("qwen2", 28, 1536, 8960, 12, 2, 128, 151936),
}

func shape(architecture string, layers, width, feed, heads, kvHeads, head, vocabulary int) transformer.Config {
	c := transformer.Defaults(architecture)
	c.Name, c.ContextLength = "random", 32768
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = layers, width, feed, vocabulary
	c.HeadCount, c.HeadCountKV, c.KeyLength = heads, kvHeads, head
	c.TieWordEmbeddings = true
	return c
}

// Write writes a model of a shape. kind is "Q4_K_M" or the name of a type; the table of
// 4-bit models is Q8_0, as llama-quantize makes it.
func Write(path, size, kind string) error {
	c, ok := Shapes[size]
	if !ok {
		return fmt.Errorf("no shape is called %q", size)
	}
	var tensors []gguf.Source
	made := patterns{}
	for _, s := range c.Tensors() {
		if s.Optional {
			continue
		}
		t := gguf.Source{Name: s.Name, Sizes: []int64{int64(s.Cols)}, Type: gguf.F32}
		if s.Rows > 1 {
			t.Sizes = append(t.Sizes, int64(s.Rows))
			t.Type = typeOf(c, s, kind)
		}
		var err error
		if t.Raw, err = made.bytes(t, s.Rows*s.Cols); err != nil {
			return err
		}
		tensors = append(tensors, t)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	err = gguf.Write(out, append(gguf.Metadata(c), gguf.Pair{Key: "tokenizer.ggml.model", Value: "none"}), tensors)
	for _, end := range []func() error{out.Flush, file.Close} {
		if e := end(); err == nil {
			err = e
		}
	}
	return err
}

// typeOf returns a matrix's type. Q4_K_M is a mixture, and falls back to blocks of 32 where
// rows are no whole blocks of 256 (llama.cpp's src/llama-quant.cpp).
func typeOf(c transformer.Config, s transformer.Spec, kind string) gguf.Type {
	if kind != "Q4_K_M" {
		if s.Name == "token_embd.weight" && kind == "Q4_0" {
			return gguf.Q8_0
		}
		for number := range gguf.Type(32) {
			if number.String() == kind {
				return number
			}
		}
	}
	t := gguf.Q4_K
	if s.Name == "token_embd.weight" || moreBits(c, s.Name) {
		t = gguf.Q6_K
	}
	if s.Cols%256 == 0 {
		return t
	}
	return map[gguf.Type]gguf.Type{gguf.Q4_K: gguf.Q5_0, gguf.Q6_K: gguf.Q8_0}[t]
}

// moreBits reports whether Q4_K_M stores a matrix as Q6_K.
func moreBits(c transformer.Config, name string) bool {
	if !strings.Contains(name, "attn_v") && !strings.Contains(name, "ffn_down") {
		return false
	}
	var i int
	if _, err := fmt.Sscanf(name, "blk.%d.", &i); err != nil {
		return false
	}
	n := c.BlockCount
	return i < n/8 || i >= 7*n/8 || (i-n/8)%3 == 2
}

// patterns are a million random numbers of each type and width, which fill whole tensors.
type patterns map[string][]byte

func (p patterns) bytes(t gguf.Source, numbers int) ([]byte, error) {
	format, ok := quant.ByNumber(uint32(t.Type))
	if !ok {
		return nil, fmt.Errorf("%s is not written", t.Type)
	}
	key := fmt.Sprint(t.Type, t.Sizes[0], len(t.Sizes))
	if p[key] == nil {
		raw, err := format.Append(nil, pattern(t))
		if err != nil {
			return nil, err
		}
		p[key] = raw
	}
	need := format.Room(numbers)
	return slices.Repeat(p[key], (need+len(p[key])-1)/len(p[key]))[:need], nil
}

func pattern(t gguf.Source) []float32 {
	r := rand.New(rand.NewPCG(uint64(t.Type), uint64(t.Sizes[0])))
	list := make([]float32, 1<<20)
	middle, spread := 0.0, 1/math.Sqrt(float64(t.Sizes[0]))
	if len(t.Sizes) == 1 {
		list, middle, spread = list[:1<<12], 1, 0.1
		if strings.HasSuffix(t.Name, "bias") {
			middle = 0
		}
	}
	for i := range list {
		list[i] = float32(middle + spread*r.NormFloat64())
	}
	return list
}
