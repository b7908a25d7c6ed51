package infer

import (
	"waferpair/engine/infer/kernel"
	"waferpair/wafer/transformer"
)

// turns are the cosines and sines of the rotary embedding: for each position those of the
// pairs of a head, cosines first. They are computed once for each block of positions.
type turns struct {
	config transformer.Config
	freqs  []float32
	blocks [][]float32 // nil: not yet computed
	part   []float32
}

// of returns the turns of n positions; they are valid until the next call.
func (t *turns) of(first, n int) []float32 {
	head := t.config.KeyLength
	t.part = t.part[:0]
	for p := first; p < first+n; {
		b, at := t.block(p/kernel.Positions), p%kernel.Positions
		rows := min(first+n-p, kernel.Positions-at)
		t.part = append(t.part, b[at*head:(at+rows)*head]...)
		p += rows
	}
	return t.part
}

func (t *turns) block(i int) []float32 {
	for len(t.blocks) <= i {
		t.blocks = append(t.blocks, nil)
	}
	if t.blocks[i] == nil {
		t.blocks[i] = t.compute(i * kernel.Positions)
	}
	return t.blocks[i]
}

// compute returns the turns of a block. The first of each pair is exact; each of the others
// is the one before it, turned by one position. 255 steps of float64 stay far below float32.
func (t *turns) compute(first int) []float32 {
	head, half := t.config.KeyLength, t.config.KeyLength/2
	list := make([]float32, kernel.Positions*head)
	for i := range half {
		size, _ := t.config.Turn(i, 0, t.freqs)
		c, s := t.config.Turn(i, first, t.freqs)
		stepC, stepS := t.config.Turn(i, 1, t.freqs)
		if size != 0 {
			stepC, stepS = stepC/size, stepS/size
		}
		for p := range kernel.Positions {
			list[p*head+i], list[p*head+half+i] = float32(c), float32(s)
			c, s = c*stepC-s*stepS, c*stepS+s*stepC
		}
	}
	return list
}
