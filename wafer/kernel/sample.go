package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// lookUp fetches the token's embedding: the column that has its row sends it
// along, which is a sum with the zeros of all others.
func (d *Decoder) lookUp(*layerBuffers) error {
	p, w, n := d.plan, &d.work, d.width.part()
	if err := d.rows.full(); err != nil {
		return err
	}
	p.cores(func(at fabric.At) {
		p.Emit(at, tile.Instr{Op: tile.Gather, K: int32(d.vocab.part()), N: int32(n), Imm: float32(at.X * d.vocab.part()),
			Dst: w.sums.Vec(), A: w.token.Each(1), B: d.embed.Vec(), Cycles: int32(VectorCycles(d.machine, n, d.sums))})
	})
	d.x.Allreduce(tile.Add, w.sums)
	p.vector(tile.Mov, n, w.x.Vec(), w.sums.Vec(), tile.Operand{})
	return nil
}

func (l *Layout) lookUpCost() Cost {
	n := l.width.part()
	return Sum("", Cost{Compute: VectorCycles(l.machine, n, l.sums)}, l.vectors(1, n), l.allreduce(n))
}

// makeLogits emits the norm and the product with the head.
func (d *Decoder) makeLogits(*layerBuffers) error {
	p, w, n, v := d.plan, &d.work, d.width.part(), d.vocab.part()
	d.rmsNorm(d.norm)
	p.zero(w.logits)
	p.All(p.gemvInstr(w.logits.Vec(), w.normed.Vec(), d.head.Vec(), n, v))
	d.y.Allreduce(tile.Add, w.logits)
	return nil
}

func (l *Layout) headCost() Cost {
	n, v := l.width.part(), l.vocab.part()
	return Sum("", l.normCost(), l.vectors(1, v), l.gemv(n, v), l.allreduce(v))
}

// sample emits the search for the largest logit (greedy sampling): each core among its
// own, then all of a row. The value and the id end in every core.
func (d *Decoder) sample(*layerBuffers) error {
	p, w, v := d.plan, &d.work, d.vocab.part()
	p.cores(func(at fabric.At) {
		if own := d.vocab.valid(at.X); own > 0 {
			p.Emit(at, tile.Instr{Op: tile.Top, N: int32(own), Imm: float32(at.X * v), Dst: w.token.Vec(), A: w.logits.Vec(),
				Cycles: int32(d.topCycles())})
			return
		}
		lowest := p.vectorInstr(tile.Fill, 2, w.token.Vec(), tile.Operand{}, tile.Operand{})
		lowest.Imm = -3e38
		p.Emit(at, lowest)
	})
	d.x.Allreduce(tile.ArgMax, w.token)
	return nil
}

// topCycles returns the time of a core's search: a maximum, and a second pass for its
// index. An assumption: no measurement of it is published.
func (l *Layout) topCycles() float64 { return 2 * VectorCycles(l.machine, l.vocab.part(), l.sums) }

func (l *Layout) sampleCost() Cost {
	return Sum("", Cost{Compute: l.topCycles()}, AllreduceCost(l.machine, l.tree, 2, tile.F32))
}
