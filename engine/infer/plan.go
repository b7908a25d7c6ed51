package infer

import (
	"errors"
	"fmt"

	"waferpair/engine/gguf"
	"waferpair/engine/infer/kernel"
	"waferpair/engine/quant"
	"waferpair/wafer/transformer"
)

// plan is what a model file has, checked, before its matrices are read.
type plan struct {
	config transformer.Config
	spec   kernel.Spec
	freqs  []float32 // of pairs of the rotation, or nil
	list   []source
}

// source is where a matrix comes from.
type source struct {
	which  kernel.Which
	tensor gguf.Tensor
	rows   int
	pairs  bool // its rows are heads whose pairs are adjacent: they are sorted into halves
}

// PassRoom is how much memory a model takes beside its weights, at most: what a pass works with.
const PassRoom = 96 << 20

const (
	largestMatrix = 1 << 24 // rows or columns
	mostTokens    = 512     // of a pass
)

func planOf(f *gguf.File) (*plan, error) {
	c, err := f.Config()
	if err != nil {
		return nil, err
	}
	if err := c.Runnable(); err != nil {
		return nil, err
	}
	p := &plan{config: c}
	if err := p.checkTensors(f); err != nil {
		return nil, err
	}
	p.spec = kernel.Spec{Width: c.EmbeddingLength, Feed: c.FeedForwardLength, Heads: c.HeadCount, KVHeads: c.HeadCountKV,
		Dim: c.KeyLength, Vocab: c.VocabSize, Window: c.SlidingWindow, Epsilon: float32(c.RMSEpsilon), Tokens: tokensOf(c),
		Layers: make([]kernel.Layer, c.BlockCount)}
	for i := range p.spec.Layers {
		if err := p.layer(f, i); err != nil {
			return nil, err
		}
	}
	return p, p.ends(f)
}

// tokensOf returns how many tokens a pass takes at most, so that its work takes no more
// than PassRoom.
func tokensOf(c transformer.Config) int {
	token := 16*c.EmbeddingLength + 16*c.QueryWidth() + 8*c.KVWidth() + 8*c.FeedForwardLength
	return max(4, min(mostTokens, PassRoom/token))
}

// checkTensors refuses what the pass would not read, or not understand.
func (p *plan) checkTensors(f *gguf.File) error {
	known := map[string]bool{}
	for _, s := range p.config.Tensors() {
		known[s.Name] = true
	}
	var wrong []error
	for _, t := range f.Tensors {
		_, readable := quant.ByNumber(uint32(t.Type))
		switch {
		case !known[t.Name]:
			wrong = append(wrong,
				fmt.Errorf(
					"tensor %q is not one of those that %q models are known to have: without it, another model would be computed",
					t.Name, p.config.Architecture))
		case !readable:
			wrong = append(wrong,
				fmt.Errorf("tensor %q is stored as %s, which is not run: get the model as Q4_K_M, Q8_0 or another common type",
					t.Name, t.Type))
		case len(t.Sizes) > 2 || t.Numbers()/t.Sizes[0] > largestMatrix || t.Sizes[0] > largestMatrix:
			wrong = append(wrong, fmt.Errorf("tensor %q is of sizes %v, and at most %d rows and columns are run", t.Name,
				t.Sizes, largestMatrix))
		}
		if len(wrong) == 8 {
			return errors.Join(append(wrong, errors.New("and there may be more"))...)
		}
	}
	return errors.Join(wrong...)
}

func (p *plan) layer(f *gguf.File, i int) error {
	c, l := p.config, &p.spec.Layers[i]
	for _, m := range []struct {
		to   *kernel.Matrix
		name kernel.Name
		file string
	}{{&l.Q, kernel.Q, "attn_q"}, {&l.K, kernel.K, "attn_k"}, {&l.V, kernel.V, "attn_v"},
		{&l.Out, kernel.Out, "attn_output"}, {&l.Gate, kernel.Gate, "ffn_gate"}, {&l.Up, kernel.Up, "ffn_up"},
		{&l.Down, kernel.Down, "ffn_down"}} {
		pairs := !c.Halves() && (m.name == kernel.Q || m.name == kernel.K)
		*m.to = p.matrix(f, transformer.Layer(i, m.file+".weight"), kernel.Which{Layer: i, Name: m.name}, pairs)
	}
	var err error
	for _, v := range []struct {
		to    *[]float32
		file  string
		pairs bool
	}{{&l.AttnNorm, "attn_norm.weight", false}, {&l.FFNNorm, "ffn_norm.weight", false}, {&l.QBias, "attn_q.bias", true},
		{&l.KBias, "attn_k.bias", true}, {&l.VBias, "attn_v.bias", false}, {&l.QNorm, "attn_q_norm.weight", true},
		{&l.KNorm, "attn_k_norm.weight", true}} {
		if *v.to, err = p.vector(f, transformer.Layer(i, v.file)); err != nil {
			return err
		}
		if v.pairs && !c.Halves() {
			*v.to = halved(*v.to, c.KeyLength, 1)
		}
	}
	return nil
}

// ends plans what comes before the first layer and after the last.
func (p *plan) ends(f *gguf.File) (err error) {
	p.spec.Table = p.matrix(f, "token_embd.weight", kernel.Which{Layer: -1, Name: kernel.Table}, false)
	p.spec.Head = kernel.Matrix{Type: kernel.Tied, Rows: p.spec.Table.Rows, Cols: p.spec.Table.Cols}
	if !p.config.TieWordEmbeddings {
		p.spec.Head = p.matrix(f, "output.weight", kernel.Which{Layer: -1, Name: kernel.Head}, false)
	}
	if p.spec.Norm, err = p.vector(f, "output_norm.weight"); err != nil {
		return err
	}
	p.freqs, err = p.vector(f, "rope_freqs.weight")
	return err
}

// matrix plans a matrix, which is there: gguf.File.Config has checked all sizes.
func (p *plan) matrix(f *gguf.File, name string, which kernel.Which, pairs bool) kernel.Matrix {
	t, _ := f.Tensor(name)
	rows := int(t.Numbers() / t.Sizes[0])
	p.list = append(p.list, source{which, t, rows, pairs})
	return kernel.Matrix{Type: uint32(t.Type), Rows: rows, Cols: int(t.Sizes[0])}
}

// vector reads a vector, or returns nil where the file has none.
func (p *plan) vector(f *gguf.File, name string) ([]float32, error) {
	t, ok := f.Tensor(name)
	if !ok {
		return nil, nil
	}
	return f.Floats(t)
}

// bytes returns about how much memory the model will take.
func (p *plan) bytes() int64 {
	sum := int64(PassRoom)
	for _, s := range p.list {
		sum += s.tensor.Bytes
	}
	return sum
}

// halved sorts the adjacent pairs of each head (2i, 2i+1) into halves (i, i + n/2), which
// changes no product of a query and a key: the kernels then rotate one kind of pair.
func halved[T any](list []T, head, unit int) []T {
	if list == nil {
		return nil
	}
	sorted := make([]T, len(list))
	for r := range len(list) / unit {
		to := r - r%head + r%head/2 + r%2*(head/2)
		copy(sorted[to*unit:(to+1)*unit], list[r*unit:])
	}
	return sorted
}
