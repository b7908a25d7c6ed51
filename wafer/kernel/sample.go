package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// lookUp fetches the token's embedding: the column that has its row sends it
// along, which is a sum with the zeros of all others.
func (d *Decoder) lookUp() error {
	p, w, n := d.plan, &d.work, d.width.part()
	if err := d.cache.full(); err != nil {
		return err
	}
	if err := p.Kernel("embedding"); err != nil {
		return err
	}
	p.cores(func(at fabric.At) {
		p.Emit(at, tile.Instr{Op: tile.Gather, K: int32(d.vocab.part()), N: int32(n), Imm: float32(at.X * d.vocab.part()),
			Dst: w.sums.Vec(), A: w.token.Each(1), B: d.embed.Vec(), Cycles: int32(d.vec(n))})
	})
	d.x.Allreduce(tile.Add, w.sums)
	p.vector(tile.Mov, n, w.x.Vec(), w.sums.Vec(), tile.Operand{})
	return nil
}

func (d *Decoder) lookUpCycles() int {
	n := d.width.part()
	return 2*d.vec(n) + d.x.cycles(n)
}

// sample makes the logits and finds the greatest (greedy sampling): each core
// among its own, then all of a row. The value and the id end in every core.
func (d *Decoder) sample() error {
	p, w, n, v := d.plan, &d.work, d.width.part(), d.vocab.part()
	if err := p.Kernel("head"); err != nil {
		return err
	}
	d.rmsNorm(d.norm)
	p.zero(w.logits)
	p.All(p.gemvInstr(w.logits.Vec(), w.normed.Vec(), d.head.Vec(), n, v))
	d.y.Allreduce(tile.Add, w.logits)
	if err := p.Kernel("sample"); err != nil {
		return err
	}
	p.cores(func(at fabric.At) {
		if own := d.vocab.valid(at.X); own > 0 {
			p.Emit(at, tile.Instr{Op: tile.Top, N: int32(own), Imm: float32(at.X * v), Dst: w.token.Vec(), A: w.logits.Vec(), Cycles: int32(d.topCycles())})
			return
		}
		lowest := p.vectorInstr(tile.Fill, 2, w.token.Vec(), tile.Operand{}, tile.Operand{})
		lowest.Imm = -3e38
		p.Emit(at, lowest)
	})
	d.x.Allreduce(tile.ArgMax, w.token)
	return nil
}

// topCycles is the search of a core: a maximum, and a second pass for its
// index. An assumption: no measurement of it is published.
func (d *Decoder) topCycles() int { return 2 * d.vec(d.vocab.part()) }

func (d *Decoder) sampleCycles() int {
	n, v := d.width.part(), d.vocab.part()
	return d.rmsNormCycles() + d.vec(v) + GEMVCycles(d.machine(), n, v, d.plan.Sums()) + d.y.cycles(v) + d.topCycles() +
		AllreduceCycles(d.machine(), d.x.shape, 2, tile.F32)
}
