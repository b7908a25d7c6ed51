package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// The end of a prefill: the logits of the last token. It is in one row of cores,
// whose norm goes around the columns to all rows; then row y makes part y of the
// logits. The greatest of the rows are compared around the same ring.

// lastWork is the buffers of the end.
type lastWork struct {
	normed  *Rotor      // goes around
	kept    tile.Buffer // the last token's
	squares tile.Buffer
	logits  tile.Buffer
	top     *Rotor // a value and its id, that go around
	best    tile.Buffer
}

func (f *Prefill) takeLast(a *allocator) {
	w, sums, width, cores := &f.last, f.plan.Sums(), f.width.part(), len(f.plan.bodies)
	w.normed, w.kept, w.squares = a.rotor("last token", width, cores), a.half("last token, kept", width),
		a.take("squares", sums, width)
	w.logits, w.best = a.take("logits", sums, f.vocab.part()), a.take("greatest", tile.F32, 2)
	w.top = &Rotor{pair: [2]tile.Buffer{a.take("greatest of a row", tile.F32, 2),
		a.take("greatest of a row, next", tile.F32, 2)}, now: make([]uint8, cores)}
}

// lastRow returns the row of the last token; lastToken, its place in that row.
func (f *Prefill) lastRow() int   { return (f.tokens.total - 1) / f.tokens.part() }
func (f *Prefill) lastToken() int { return (f.tokens.total - 1) % f.tokens.part() }

// sample emits the logits and the search for their maximum.
func (f *Prefill) sample() error {
	p, w, width, vocab := f.plan, &f.last, f.width.part(), f.vocab.part()
	if err := p.Kernel("head"); err != nil {
		return err
	}
	f.normLast()
	f.around(w.normed, func(at fabric.At, here tile.Buffer, row int) {
		if row == f.lastRow() {
			p.Emit(at, p.vectorInstr(tile.Mov, width, w.kept.Vec(), here.Vec(), tile.Operand{}))
		}
	})
	p.zero(w.logits)
	p.All(p.gemvInstr(w.logits.Vec(), w.kept.Vec(), f.head.Vec(), width, vocab))
	f.tree.Allreduce(tile.Add, w.logits)
	if err := p.Kernel("sample"); err != nil {
		return err
	}
	f.top()
	f.around(w.top, func(at fabric.At, here tile.Buffer, row int) {
		in := p.vectorInstr(tile.ArgMax, 2, w.best.Vec(), w.best.Vec(), here.Vec())
		if row == at.Y {
			in = p.vectorInstr(tile.Mov, 2, w.best.Vec(), here.Vec(), tile.Operand{})
		}
		p.Emit(at, in)
	})
	return nil
}

// normLast emits rmsNorm for one token of each row.
func (f *Prefill) normLast() {
	p, w, n := f.plan, &f.last, f.width.part()
	x, total := f.residual.Strided(f.lastToken(), f.tokens.part()), f.total.Slice(0, 1)
	p.vector(tile.Mul, n, w.squares.Vec(), x, x)
	p.zero(total)
	p.vector(tile.Add, n, total.Each(0), total.Each(0), w.squares.Vec())
	f.tree.Allreduce(tile.Add, total)
	f.root(1)
	p.vector(tile.Mul, n, w.squares.Vec(), x, total.Each(0))
	clear(w.normed.now)
	p.vector(tile.Mul, n, w.normed.pair[0].Vec(), w.squares.Vec(), f.norm.Vec())
}

// around brings what the cores of a column have to each of them, in the order of
// the ring; see says what to do with a row's.
func (f *Prefill) around(r *Rotor, see func(at fabric.At, here tile.Buffer, row int)) {
	p, cores := f.plan, f.y.cores()
	p.cores(func(at fabric.At) {
		for s := range cores {
			if s > 0 {
				p.shift(at, f.y, r)
			}
			see(at, r.here(p.core(at)), f.y.ahead(at.Y, s))
		}
	})
}

// top emits the search for the maximum of a row's logits.
func (f *Prefill) top() {
	p, w := f.plan, &f.last
	clear(w.top.now)
	p.cores(func(at fabric.At) {
		if own := f.vocab.valid(at.Y); own > 0 {
			p.Emit(at, tile.Instr{Op: tile.Top, N: int32(own), Imm: float32(at.Y * f.vocab.part()), Dst: w.top.pair[0].Vec(),
				A: w.logits.Vec(), Cycles: int32(f.topCycles())})
			return
		}
		none := p.vectorInstr(tile.Fill, 2, w.top.pair[0].Vec(), tile.Operand{}, tile.Operand{})
		none.Imm = -3e38
		p.Emit(at, none)
	})
}

// topCycles returns the time of a search for the maximum and of one for its index.
func (f *Prefill) topCycles() float64 { return 2 * f.vec(f.vocab.part()) }

// sampleCycles returns the time of the norm, a round of the token, the logits, the
// maximum, and a round of the maximum.
func (f *Prefill) sampleCycles() float64 {
	m, n, v, steps := f.machine(), f.width.part(), f.vocab.part(), float64(f.y.cores()-1)
	norm := 4*f.vec(n) + 2*f.vec(1) + f.tree.cycles(1)
	logits := f.vec(v) + GEMVCycles(m, n, v, f.plan.Sums()) + f.tree.cycles(v)
	pair := VectorCycles(m, 2, tile.F32)
	return norm + steps*ShiftCycles(m, f.y.longest(), n, tile.F16) + f.half(n) + logits +
		f.topCycles() + pair + steps*(ShiftCycles(m, f.y.longest(), 2, tile.F32)+pair)
}
