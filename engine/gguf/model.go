package gguf

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"waferpair/wafer/transformer"
)

// Config returns the shape of the model in the file, from its metadata and its tensors. A
// shape that can be placed on a wafer may still have an unknown forward pass;
// transformer.Config.Runnable checks that.
func (f *File) Config() (transformer.Config, error) {
	c, err := f.config()
	if err != nil {
		return transformer.Config{}, f.named(err)
	}
	if c.Name == "" {
		c.Name = strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path))
	}
	return c, nil
}

func (f *File) config() (transformer.Config, error) {
	if n, ok := f.Metadata["split.count"]; ok && asInteger(n) > 1 {
		return transformer.Config{},
			fmt.Errorf("it is one of %v files that the model was cut into: join them with llama-gguf-split --merge", n)
	}
	table, ok := f.Tensor("token_embd.weight")
	if !ok || len(table.Sizes) != 2 {
		return transformer.Config{},
			fmt.Errorf("it has no table token_embd.weight: it is a vocabulary or a part of a model, not a language model")
	}
	metadata := map[string]any{}
	for key, v := range f.Metadata {
		if list, ok := v.(Array); ok {
			numbers, isNumbers := list.Numbers()
			if !isNumbers || strings.HasPrefix(key, "tokenizer.") {
				continue
			}
			v = numbers
		}
		metadata[key] = v
	}
	c, err := transformer.ConfigOf(metadata, int(table.Sizes[1]))
	if err != nil {
		return transformer.Config{}, err
	}
	has := func(name string) bool { _, ok := f.Tensor(name); return ok }
	c.TieWordEmbeddings = !has("output.weight")
	c.QKVBias = has(transformer.Layer(0, "attn_q.bias"))
	c.QKNorm = has(transformer.Layer(0, "attn_q_norm.weight"))
	c.BitsPerWeight, c.ExpertBits = f.bitsPerWeight()
	if err := c.Check(); err != nil {
		return c, err
	}
	return c, f.checkTensors(c)
}

// checkTensors fails when the file lacks a tensor of its shape. It checks only the families
// of models whose tensors are all known.
func (f *File) checkTensors(c transformer.Config) error {
	if c.ExpertCount > 0 || !slices.Contains(transformer.Families, c.Architecture) {
		return nil
	}
	if c.BlockCount > len(f.Tensors) { // checked before the list of all their names is made
		return fmt.Errorf("it says that it has %d layers, and has %d tensors", c.BlockCount, len(f.Tensors))
	}
	sizes := map[string]transformer.Size{}
	for _, t := range f.Tensors {
		size := transformer.Size{Rows: 1, Cols: int(t.Sizes[0])}
		if len(t.Sizes) > 1 {
			size.Rows = int(t.Sizes[1])
		}
		sizes[t.Name] = size
	}
	return c.CheckSizes(sizes)
}

func asInteger(v any) int64 {
	switch v.(type) {
	case string, Array:
		return 0
	}
	return int64(asNumber(v))
}

// bitsPerWeight returns the average bits for each element of a matrix, scales included: of
// the dense matrices and of the experts, or 0 where there are none.
func (f *File) bitsPerWeight() (dense, experts float64) {
	var bytes, numbers [2]int64
	for _, t := range f.Tensors {
		if len(t.Sizes) < 2 {
			continue
		}
		kind := 0
		if strings.Contains(t.Name, "_exps.") {
			kind = 1
		}
		bytes[kind] += t.Bytes
		numbers[kind] += t.Numbers()
	}
	of := func(kind int) float64 {
		if numbers[kind] == 0 {
			return 0
		}
		return 8 * float64(bytes[kind]) / float64(numbers[kind])
	}
	return of(0), of(1)
}

// Weights returns the file's tensors as float32: four bytes for each element.
func (f *File) Weights() (transformer.Weights, error) {
	w := transformer.Weights{}
	for _, t := range f.Tensors {
		if len(t.Sizes) > 2 {
			return nil, f.named(fmt.Errorf("tensor %q has %d dimensions; only vectors and matrices are run",
				t.Name, len(t.Sizes)))
		}
		numbers, err := f.Floats(t)
		if err != nil {
			return nil, err
		}
		rows := 1
		if len(t.Sizes) == 2 {
			rows = int(t.Sizes[1])
		}
		w[t.Name] = transformer.Tensor{Rows: rows, Cols: int(t.Sizes[0]), Data: numbers}
	}
	return w, nil
}

// LoadConfig returns the shape of the model in a file.
func LoadConfig(path string) (transformer.Config, error) {
	f, err := Open(path)
	if err != nil {
		return transformer.Config{}, err
	}
	c, err := f.Config()
	return c, join(err, f.Close())
}

// Load returns the shape and the weights of the model in a file. It fails when the forward
// pass is unknown.
func Load(path string) (transformer.Config, transformer.Weights, error) {
	f, err := Open(path)
	if err != nil {
		return transformer.Config{}, nil, err
	}
	c, w, err := f.Load()
	return c, w, join(err, f.Close())
}

// Load returns the shape and the weights of the model in the file.
func (f *File) Load() (transformer.Config, transformer.Weights, error) {
	c, err := f.Config()
	if err != nil {
		return c, nil, err
	}
	// Check before gigabytes are read.
	if err := c.Runnable(); err != nil {
		return c, nil, f.named(err)
	}
	w, err := f.Weights()
	if err != nil {
		return c, nil, err
	}
	if err := w.Check(c); err != nil {
		return c, nil, f.named(err)
	}
	return c, w, nil
}

func join(err, closed error) error {
	if err != nil {
		return err
	}
	return closed
}

// Sources returns a model's shape and weights in the form that Write takes: matrices of the
// given type, vectors as F32, as llama.cpp stores them.
func Sources(c transformer.Config, w transformer.Weights, matrices Type) ([]Pair, []Source) {
	var list []Source
	for _, s := range c.Tensors() {
		t, ok := w[s.Name]
		if !ok {
			continue
		}
		kind, sizes := F32, []int64{int64(t.Cols)}
		if t.Rows > 1 {
			kind, sizes = matrices, append(sizes, int64(t.Rows))
		}
		list = append(list, Source{Name: s.Name, Sizes: sizes, Type: kind, Numbers: t.Data})
	}
	return Metadata(c), list
}

// Metadata returns a shape's parameters as a file stores them. It omits the defaults of
// GGUF.
func Metadata(c transformer.Config) []Pair {
	a := c.Architecture
	if a == "" {
		a = "llama"
	}
	list := []Pair{{"general.architecture", a}}
	if c.Name != "" {
		list = append(list, Pair{"general.name", c.Name})
	}
	number := func(key string, n int, always bool) {
		if n != 0 || always {
			list = append(list, Pair{a + "." + key, uint32(n)})
		}
	}
	real := func(key string, v float64) {
		if v != 0 {
			list = append(list, Pair{a + "." + key, float32(v)})
		}
	}
	number("block_count", c.BlockCount, true)
	number("context_length", c.ContextLength, true)
	number("embedding_length", c.EmbeddingLength, true)
	number("feed_forward_length", c.FeedForwardLength, true)
	number("vocab_size", c.VocabSize, true)
	number("attention.head_count", c.HeadCount, true)
	number("attention.head_count_kv", c.HeadCountKV, true)
	number("attention.key_length", c.KeyLength, true)
	number("attention.value_length", c.KeyLength, true)
	number("rope.dimension_count", c.KeyLength, true)
	number("attention.sliding_window", c.SlidingWindow, false)
	list = append(list, Pair{a + ".attention.layer_norm_rms_epsilon", float32(c.RMSEpsilon)})
	s := c.Rope.Scaling
	real("rope.freq_base", c.Rope.FreqBase)
	if s.Type != "" {
		list = append(list, Pair{a + ".rope.scaling.type", s.Type})
	}
	real("rope.scaling.factor", s.Factor)
	number("rope.scaling.original_context_length", s.OriginalContextLength, false)
	real("rope.scaling.attn_factor", s.AttnFactor)
	real("rope.scaling.yarn_ext_factor", s.ExtFactor)
	real("rope.scaling.yarn_beta_fast", s.BetaFast)
	real("rope.scaling.yarn_beta_slow", s.BetaSlow)
	return list
}
