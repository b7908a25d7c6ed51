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

func (l *PrefillLayout) takeLast(a *allocator) (w lastWork) {
	sums, width, cores := l.sums, l.width.part(), l.mesh*l.mesh
	w.normed, w.kept, w.squares = a.rotor("last token", width, cores), a.half("last token, kept", width),
		a.take("squares", sums, width)
	w.logits, w.best = a.take("logits", sums, l.vocab.part()), a.take("greatest", tile.F32, 2)
	w.top = &Rotor{pair: [2]tile.Buffer{a.take("greatest of a row", tile.F32, 2),
		a.take("greatest of a row, next", tile.F32, 2)}, now: make([]uint8, cores)}
	return w
}

// lastRow returns the row of the last token; lastToken, its place in that row.
func (f *Prefill) lastRow() int   { return (f.tokens.total - 1) / f.tokens.part() }
func (f *Prefill) lastToken() int { return (f.tokens.total - 1) % f.tokens.part() }

// prefillLast is what follows the layers.
var prefillLast = []prefillPart{
	{"head", func(f *Prefill, _ *prefillLayer) { f.makeLogits() }, (*PrefillLayout).headCost},
	{"sampling", func(f *Prefill, _ *prefillLayer) { f.sample() }, (*PrefillLayout).sampleCost},
}

// makeLogits emits the last token's norm, its round, and the product with the head.
func (f *Prefill) makeLogits() {
	p, w, width, vocab := f.plan, &f.last, f.width.part(), f.vocab.part()
	f.normLast()
	f.around(w.normed, func(at fabric.At, here tile.Buffer, row int) {
		if row == f.lastRow() {
			p.Emit(at, p.vectorInstr(tile.Mov, width, w.kept.Vec(), here.Vec(), tile.Operand{}))
		}
	})
	p.zero(w.logits)
	p.All(p.gemvInstr(w.logits.Vec(), w.kept.Vec(), f.head.Vec(), width, vocab))
	f.row.Allreduce(tile.Add, w.logits)
}

func (l *PrefillLayout) headCost() Cost {
	m, n, v, steps := l.machine, l.width.part(), l.vocab.part(), float64(l.mesh-1)
	logits := Cost{Compute: GEMVCycles(m, n, v, l.sums), MACs: float64(l.mesh*l.mesh) * float64(n*v)}
	round := Cost{Communication: steps * ShiftCycles(m, l.circle.longest(), n, tile.F16)}
	return Sum("", l.vectors(4, n), l.vectors(2, 1), l.allreduce(1), round, l.halves(1, n), l.vectors(1, v), logits,
		l.allreduce(v))
}

// sample emits the search for the maximum, in each row and around the rows.
func (f *Prefill) sample() {
	p, w := f.plan, &f.last
	f.top()
	f.around(w.top, func(at fabric.At, here tile.Buffer, row int) {
		in := p.vectorInstr(tile.ArgMax, 2, w.best.Vec(), w.best.Vec(), here.Vec())
		if row == at.Y {
			in = p.vectorInstr(tile.Mov, 2, w.best.Vec(), here.Vec(), tile.Operand{})
		}
		p.Emit(at, in)
	})
}

func (l *PrefillLayout) sampleCost() Cost {
	m, steps := l.machine, float64(l.mesh-1)
	pair := VectorCycles(m, 2, tile.F32)
	return Cost{Compute: l.topCycles() + pair + steps*pair,
		Communication: steps * ShiftCycles(m, l.circle.longest(), 2, tile.F32)}
}

// normLast emits rmsNorm for one token of each row.
func (f *Prefill) normLast() {
	p, w, n := f.plan, &f.last, f.width.part()
	x, total := f.residual.Strided(f.lastToken(), f.tokens.part()), f.total.Slice(0, 1)
	p.vector(tile.Mul, n, w.squares.Vec(), x, x)
	p.zero(total)
	p.vector(tile.Add, n, total.Each(0), total.Each(0), w.squares.Vec())
	f.row.Allreduce(tile.Add, total)
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
func (l *PrefillLayout) topCycles() float64 {
	return 2 * VectorCycles(l.machine, l.vocab.part(), l.sums)
}
