package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// The norms of queries and keys (QK-norm, qwen3): each head is divided by the root of
// its mean square, and multiplied by gains. A head's numbers lie in several columns,
// so its squares are summed up along the rows, those of all heads in one allreduce:
//
//	squares   each column, of its numbers of each head; zero for the other heads
//	sums      allreduce (heads + KV heads, x)
//	scale     each column, its numbers by those of its heads
//
// It is an eleventh allreduce of a layer.

// normedHeads returns the number of sums: for each head of keys, those of the heads of
// queries that share it, then its own. The sums of a column lie side by side.
func (l *Layout) normedHeads() int {
	if !l.shape.QKNorm {
		return 0
	}
	return l.shape.HeadCount + l.shape.HeadCountKV
}

// sharing returns the number of sums for each head of keys: those of its group and its
// own.
func (l *Layout) sharing() int { return l.shape.Group() + 1 }

// normed returns how many numbers of queries and keys a core has.
func (l *Layout) normed() int { return l.sharing() * l.heads.size() }

// normHeads norms the queries and the key in place. Squares and what is scaled are
// kept as sums are, where the sums of the projection were.
func (d *Decoder) normHeads(l *layerBuffers) error {
	if !d.shape.QKNorm {
		return nil
	}
	p, w, n := d.plan, &d.work, d.normed()
	numbers, wide := w.qkv.Slice(0, n), w.qkvSums.Slice(0, n)
	p.vector(tile.Mul, n, wide.Vec(), numbers.Vec(), numbers.Vec())
	p.zero(w.headSums)
	d.eachNormed(func(at fabric.At, sum tile.Operand, from, n int) {
		p.Emit(at, p.vectorInstr(tile.Add, n, sum, sum, wide.Slice(from, n).Vec()))
	})
	d.x.Allreduce(tile.Add, w.headSums)
	p.cores(func(at fabric.At) {
		if runs := d.heads.runs(at.X); len(runs) > 0 {
			own := w.headSums.Slice(runs[0].head*d.sharing(), len(runs)*d.sharing())
			root := p.vectorInstr(tile.RSqrt, own.Len, own.Vec(), own.Vec(), tile.Operand{})
			root.Imm, root.Eps = float32(1/float64(d.shape.KeyLength)), float32(d.shape.RMSEpsilon)
			p.Emit(at, root)
		}
	})
	d.eachNormed(func(at fabric.At, scale tile.Operand, from, n int) {
		p.Emit(at, p.vectorInstr(tile.Mul, n, wide.Slice(from, n).Vec(), numbers.Slice(from, n).Vec(), scale))
	})
	p.vector(tile.Mul, n, numbers.Vec(), wide.Vec(), l.headGains.Vec())
	return nil
}

// eachNormed calls do for every core and head, of queries or keys, that it has numbers
// of: with the head's sum, and which of the core's numbers they are.
func (d *Decoder) eachNormed(do func(at fabric.At, sum tile.Operand, from, n int)) {
	d.plan.cores(func(at fabric.At) {
		for _, r := range d.heads.runs(at.X) {
			for member := range d.sharing() {
				do(at, d.work.headSums.Each(r.head*d.sharing()+member), member*d.heads.size()+r.from, r.to-r.from)
			}
		}
	})
}

// normHeadsCost: a column takes an operation for each of its heads, before and after
// the allreduce. A fitted constant for the operations of a layer is that of layers
// without these norms, so they are counted one by one beside it, too.
func (l *Layout) normHeadsCost() Cost {
	if !l.shape.QKNorm {
		return Cost{}
	}
	op := func(n int) float64 { return VectorCycles(l.machine, n, l.sums) }
	each := func(numbers int) float64 { return float64(l.sharing()) * op(numbers) }
	longest, last := l.heads.longest(each), 0.0
	l.heads.eachLength(l.heads.full(), func(n int) { last += each(n) })
	sums := l.normedHeads()
	return Sum("", Cost{Compute: 2*op(l.normed()) + op(sums) + op(l.heads.max()*l.sharing()) + longest},
		l.allreduceAfter(sums, l.columns(longest, last)))
}

// columns returns when columns begin a reduction: columns that are full of keys at full,
// the one with the remaining keys at rest, and those after it at once.
func (l *Layout) columns(full, rest float64) starts {
	var s starts
	n := l.heads.full()
	if n > 0 {
		s.add(0, full)
	}
	if n < l.mesh {
		s.add(n, rest)
		if n+1 < l.mesh {
			s.add(n+1, 0)
		}
	}
	return s
}
