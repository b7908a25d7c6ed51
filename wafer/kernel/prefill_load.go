package kernel

import (
	"fmt"

	"waferpair/wafer/fabric"
)

// Load puts the weights into the cores, those of products aligned: a core has
// the rows that meet the columns of activations which come to it.
func (f *Prefill) Load(w Weights) error {
	for i, l := range w.Layers {
		if err := f.loadLayer(&f.layers[i], l); err != nil {
			return fmt.Errorf("load layer %d: %w", i, err)
		}
	}
	if err := f.plan.scatter(f.norm, w.Norm, once, f.columns(f.width), f.shape.Width); err != nil {
		return fmt.Errorf("load norm: %w", err)
	}
	rows := func(at fabric.At) []int { return f.vocab.of(at.Y) }
	if err := f.plan.scatter(f.head, w.Head, f.columns(f.width), rows, f.shape.Vocab); err != nil {
		return fmt.Errorf("load head: %w", err)
	}
	return nil
}

func (f *Prefill) loadLayer(b *prefillLayer, l LayerWeights) error {
	s := f.shape
	feed := func(at fabric.At) []int { return f.feed.of(at.X) }
	wide, fed := func(at fabric.At) []int { return f.width.of(f.meet(at)) }, func(at fabric.At) []int { return f.feed.of(f.meet(at)) }
	queries := func(at fabric.At) []int { return f.heads.queries(f.meet(at)) }
	qkv := beside(l.Q, l.K, s.Width)
	qkv = beside(qkv, l.V, s.Width)
	for _, err := range []error{
		f.plan.scatter(b.attentionNorm, l.AttentionNorm, once, f.columns(f.width), s.Width),
		f.plan.scatter(b.feedNorm, l.FeedNorm, once, f.columns(f.width), s.Width),
		f.plan.scatter(b.qkv, qkv, wide, f.projections, (s.Heads+2*s.KVHeads)*s.HeadSize),
		f.plan.scatter(b.o, l.O, queries, f.columns(f.width), s.Width),
		f.plan.scatter(b.upGate, beside(l.Up, l.Gate, s.Width), wide, func(at fabric.At) []int {
			return append(feed(at), moved(feed(at), s.Feed)...)
		}, 2*s.Feed),
		f.plan.scatter(b.down, l.Down, fed, f.columns(f.width), s.Width),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// columns is the numbers of a split over the columns.
func (f *Prefill) columns(s split) func(fabric.At) []int {
	return func(at fabric.At) []int { return s.of(at.X) }
}

// projections is a core's columns of Q | K | V.
func (f *Prefill) projections(at fabric.At) []int {
	keys, wide := f.heads.keys(at.X), f.shape.Heads*f.shape.HeadSize
	list := append(f.heads.queries(at.X), moved(keys, wide)...)
	return append(list, moved(keys, wide+f.shape.KVHeads*f.shape.HeadSize)...)
}

// moved is indexes in a matrix that lies so many columns to the right.
func moved(list []int, by int) []int {
	out := make([]int, len(list))
	for i, v := range list {
		if out[i] = v; v >= 0 {
			out[i] += by
		}
	}
	return out
}

// beside is the rows of two matrices one after the other.
func beside(a, b []float32, rows int) []float32 {
	var list []float32
	m, n := len(a)/rows, len(b)/rows
	for i := range rows {
		list = append(append(list, a[i*m:i*m+m]...), b[i*n:i*n+n]...)
	}
	return list
}

// write puts activations [token][number] into the cores, and the turns of each
// core's pairs at the positions of its tokens.
func (f *Prefill) write(x []float32) error {
	if err := f.plan.put(f.residual, f.stream(), x); err != nil {
		return err
	}
	if err := f.plan.write(f.cos, func(at fabric.At) []float32 { cos, _ := f.turns(at); return cos }); err != nil {
		return err
	}
	return f.plan.write(f.sin, func(at fabric.At) []float32 { _, sin := f.turns(at); return sin })
}

// stream is how the residual stream lies.
func (f *Prefill) stream() tiling { return natural(f.tokens, f.width) }

// turns is [pair][token] of a core.
func (f *Prefill) turns(at fabric.At) (cos, sin []float32) {
	keys, rows := f.heads.keys(at.X), f.tokens.part()
	for i := 0; i < len(keys); i += 2 {
		for token := range rows {
			c, s := turn(f.shape, keys[i], at.Y*rows+token)
			cos, sin = append(cos, c), append(sin, s)
		}
	}
	return cos, sin
}
