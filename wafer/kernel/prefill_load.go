package kernel

import (
	"fmt"

	"waferpair/wafer/fabric"
	"waferpair/wafer/transformer"
)

// Load writes the weights into the cores. Those of products are aligned: a core holds
// the rows that meet the columns of activations in its first step.
func (f *Prefill) Load(w transformer.Weights) error {
	if err := w.Check(*f.shape); err != nil {
		return fmt.Errorf("load weights: %w", err)
	}
	f.freqs = w["rope_freqs.weight"].Data
	for i := range f.layers {
		if err := f.loadLayer(&f.layers[i], w.Block(i)); err != nil {
			return fmt.Errorf("load layer %d: %w", i, err)
		}
	}
	if err := f.plan.scatter(f.norm, vector(w["output_norm.weight"].Data), once, f.columns(f.width)); err != nil {
		return fmt.Errorf("load norm: %w", err)
	}
	rows := func(at fabric.At) []int { return f.vocab.of(at.Y) }
	if err := f.plan.scatter(f.head, product(headOf(w)), f.columns(f.width), rows); err != nil {
		return fmt.Errorf("load head: %w", err)
	}
	return nil
}

func (f *Prefill) loadLayer(b *prefillLayer, l transformer.Block) error {
	s := f.shape
	ffn := func(at fabric.At) []int { return f.ffn.of(at.X) }
	wide, fed := func(at fabric.At) []int { return f.width.of(f.meet(at)) }, func(at fabric.At) []int {
		return f.ffn.of(f.meet(at))
	}
	queries := func(at fabric.At) []int { return f.heads.queries(f.meet(at)) }
	for _, err := range []error{
		f.plan.scatter(b.attentionNorm, vector(l.AttnNorm), once, f.columns(f.width)),
		f.plan.scatter(b.ffnNorm, vector(l.FFNNorm), once, f.columns(f.width)),
		f.plan.scatter(b.qkv, product(beside(l.Q, l.K, l.V)), wide, f.projections),
		f.plan.scatter(b.o, product(l.Output), queries, f.columns(f.width)),
		f.plan.scatter(b.upGate, product(beside(l.FFNUp, l.FFNGate)), wide, func(at fabric.At) []int {
			return append(ffn(at), moved(ffn(at), s.FeedForwardLength)...)
		}),
		f.plan.scatter(b.down, product(l.FFNDown), fed, f.columns(f.width)),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// columns returns, for each core, its indexes of a split over the columns.
func (f *Prefill) columns(s split) func(fabric.At) []int {
	return func(at fabric.At) []int { return s.of(at.X) }
}

// projections returns a core's columns of Q | K | V.
func (f *Prefill) projections(at fabric.At) []int {
	keys, wide := f.heads.keys(at.X), f.shape.HeadCount*f.shape.KeyLength
	list := append(f.heads.queries(at.X), moved(keys, wide)...)
	return append(list, moved(keys, wide+f.shape.HeadCountKV*f.shape.KeyLength)...)
}

// moved returns indexes shifted by a number of columns; padding stays.
func moved(list []int, by int) []int {
	out := make([]int, len(list))
	for i, v := range list {
		if out[i] = v; v >= 0 {
			out[i] += by
		}
	}
	return out
}

// beside joins matrices that share their inputs; their outputs follow one another.
func beside(list ...transformer.Tensor) transformer.Tensor {
	all := transformer.Tensor{Cols: list[0].Cols}
	for _, t := range list {
		all.Rows, all.Data = all.Rows+t.Rows, append(all.Data, t.Data...)
	}
	return all
}

// writeTurns writes the rotations of each core's pairs, at the positions of its tokens,
// into the cores.
func (f *Prefill) writeTurns() error {
	if err := f.plan.write(f.cos, func(at fabric.At) []float32 { cos, _ := f.turns(at); return cos }); err != nil {
		return err
	}
	return f.plan.write(f.sin, func(at fabric.At) []float32 { _, sin := f.turns(at); return sin })
}

// stream returns the tiling of the residual stream.
func (f *Prefill) stream() tiling { return natural(f.tokens, f.width) }

// turns returns the cosines and sines of a core: [pair][token].
func (f *Prefill) turns(at fabric.At) (cos, sin []float32) {
	keys, rows := f.heads.keys(at.X), f.tokens.part()
	for i := 0; i < len(keys); i += 2 {
		for token := range rows {
			c, s := f.heads.turn(keys[i], at.Y*rows+token, f.freqs)
			cos, sin = append(cos, c), append(sin, s)
		}
	}
	return cos, sin
}
