package transformer

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"waferpair/wafer/half"
)

// Tensor is a matrix in row-major order; a vector is one row. A matrix that maps inputs to
// outputs has one row per output: GGUF's [input, output], fastest first.
type Tensor struct {
	Rows, Cols int
	Data       []float32 // row r is Data[r*Cols : r*Cols+Cols]
}

// Row returns one of the tensor's rows.
func (t Tensor) Row(r int) []float32 { return t.Data[r*t.Cols : r*t.Cols+t.Cols] }

// Weights are a model's tensors by their GGUF names, such as "blk.0.attn_q.weight".
type Weights map[string]Tensor

// Spec is a tensor that a shape requires or allows.
type Spec struct {
	Name       string
	Rows, Cols int
	Optional   bool
}

// Layer returns the name of a tensor of a layer: Layer(0, "attn_q.weight").
func Layer(i int, name string) string { return fmt.Sprintf("blk.%d.%s", i, name) }

// Tensors returns all tensors that a dense model of this shape has, and may have.
func (c Config) Tensors() []Spec {
	list := []Spec{{Name: "token_embd.weight", Rows: c.VocabSize, Cols: c.EmbeddingLength}}
	for i := range c.BlockCount {
		list = append(list, c.layerTensors(i)...)
	}
	list = append(list, Spec{Name: "output_norm.weight", Rows: 1, Cols: c.EmbeddingLength})
	if !c.TieWordEmbeddings {
		list = append(list, Spec{Name: "output.weight", Rows: c.VocabSize, Cols: c.EmbeddingLength})
	}
	if !c.Halves() {
		list = append(list, Spec{Name: "rope_freqs.weight", Rows: 1, Cols: c.KeyLength / 2, Optional: true})
	}
	return list
}

func (c Config) layerTensors(i int) []Spec {
	d, q, kv, f := c.EmbeddingLength, c.QueryWidth(), c.KVWidth(), c.FeedForwardLength
	at := func(name string) string { return Layer(i, name) }
	list := []Spec{{Name: at("attn_norm.weight"), Rows: 1, Cols: d},
		{Name: at("attn_q.weight"), Rows: q, Cols: d}, {Name: at("attn_k.weight"), Rows: kv, Cols: d},
		{Name: at("attn_v.weight"), Rows: kv, Cols: d}, {Name: at("attn_output.weight"), Rows: d, Cols: q},
		{Name: at("ffn_norm.weight"), Rows: 1, Cols: d}, {Name: at("ffn_gate.weight"), Rows: f, Cols: d},
		{Name: at("ffn_up.weight"), Rows: f, Cols: d}, {Name: at("ffn_down.weight"), Rows: d, Cols: f}}
	if c.QKVBias {
		list = append(list, Spec{Name: at("attn_q.bias"), Rows: 1, Cols: q}, Spec{Name: at("attn_k.bias"), Rows: 1, Cols: kv},
			Spec{Name: at("attn_v.bias"), Rows: 1, Cols: kv})
	}
	if c.QKNorm {
		list = append(list, Spec{Name: at("attn_q_norm.weight"), Rows: 1, Cols: c.KeyLength},
			Spec{Name: at("attn_k_norm.weight"), Rows: 1, Cols: c.KeyLength})
	}
	return list
}

// Check compares the tensors with those of a shape: one that is missing, has another size,
// or is not used would give wrong results later.
func (w Weights) Check(c Config) error {
	sizes := map[string]Size{}
	for name, t := range w {
		sizes[name] = Size{t.Rows, t.Cols}
	}
	asked := map[string]bool{}
	for _, s := range c.Tensors() {
		asked[s.Name] = true
	}
	wrong := c.unlike(sizes)
	for _, name := range w.names() {
		t := w[name]
		if !asked[name] {
			wrong = append(wrong, fmt.Errorf("tensor %s has no place in a dense model of architecture %q", name, c.Architecture))
		} else if len(t.Data) != t.Rows*t.Cols {
			wrong = append(wrong, fmt.Errorf("tensor %s is %d x %d and has %d numbers", name, t.Rows, t.Cols, len(t.Data)))
		}
	}
	return few(wrong)
}

// Size is the number of rows and columns of a tensor.
type Size struct{ Rows, Cols int }

// CheckSizes returns an error with the tensors of a shape that are missing or have another
// size. It serves before their numbers are read.
func (c Config) CheckSizes(sizes map[string]Size) error { return few(c.unlike(sizes)) }

func (c Config) unlike(sizes map[string]Size) (wrong []error) {
	for _, s := range c.Tensors() {
		t, ok := sizes[s.Name]
		switch {
		case !ok && !s.Optional:
			wrong = append(wrong, fmt.Errorf("tensor %s is missing", s.Name))
		case ok && (t != Size{s.Rows, s.Cols}):
			wrong = append(wrong, fmt.Errorf("tensor %s is %d x %d; the shape asks for %d x %d", s.Name, t.Rows,
				t.Cols, s.Rows, s.Cols))
		}
	}
	return wrong
}

func (w Weights) names() []string {
	var list []string
	for name := range w {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// few joins the first errors: a model of another shape has hundreds of them.
func few(wrong []error) error {
	const most = 8
	if len(wrong) > most {
		wrong = append(wrong[:most:most], fmt.Errorf("and %d more", len(wrong)-most))
	}
	return errors.Join(wrong...)
}

// Random returns weights of a model without knowledge, with well-behaved numbers: every
// product keeps the size of its input. They are exact in binary16. Equal seeds give equal
// weights.
func Random(c Config, seed uint64) Weights {
	r := rand.New(rand.NewPCG(seed, 17))
	w := Weights{}
	for _, s := range c.Tensors() {
		if s.Optional {
			continue
		}
		middle, spread := 0.0, 1/math.Sqrt(float64(s.Cols))
		switch {
		case s.Name == "token_embd.weight" && !c.TieWordEmbeddings:
			spread = 1
		case s.Rows == 1:
			spread = 0.125
			if isGain(s.Name) {
				middle = 1
			}
		}
		data := make([]float32, s.Rows*s.Cols)
		for i := range data {
			data[i] = half.Round(float32(middle + float64(spread*r.NormFloat64()))) // rounds the product alone
		}
		w[s.Name] = Tensor{Rows: s.Rows, Cols: s.Cols, Data: data}
	}
	return w
}
