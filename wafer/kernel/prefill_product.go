package kernel

import "waferpair/wafer/tile"

// The parts of a prefill layer that work on whole tiles of activations: norms,
// products with weights, the feed-forward part.

// forwardWork is the buffers of the feed-forward part.
type forwardWork struct {
	normed, gated          *Rotor
	spareUpGate, spareDown tile.Buffer
	upGate, sums           tile.Buffer
}

func (l *PrefillLayout) takeForward(a *allocator) (w forwardWork) {
	rows, width, ffn, cores := l.tokens.part(), l.width.part(), l.ffn.part(), l.mesh*l.mesh
	w.gated = a.rotor("gated", ffn*rows, cores)
	mark := a.mem.Mark()
	w.normed = a.rotor("normed", width*rows, cores)
	w.spareUpGate, w.upGate = a.half("up, gate, next", 2*width*ffn), a.take("up, gate sums", l.sums, 2*ffn*rows)
	a.mem.Release(mark)
	w.spareDown, w.sums = a.half("down, next", ffn*width), a.take("down sums", l.sums, width*rows)
	return w
}

// rotorOf returns a rotor that begins in a buffer with a place of its own.
func (f *Prefill) rotorOf(home, spare tile.Buffer) *Rotor {
	return &Rotor{pair: [2]tile.Buffer{home, spare}, now: make([]uint8, len(f.plan.bodies))}
}

// home brings a tile that has gone around back to its own buffer: after an odd
// number of steps it is in the other one.
func (f *Prefill) home(r *Rotor) {
	if n := f.y.cores(); n > 1 && n%2 == 1 {
		f.plan.vector(tile.Mov, r.pair[0].Len, r.pair[0].Vec(), r.pair[1].Vec(), tile.Operand{})
	}
	clear(r.now)
}

func (l *PrefillLayout) homeCost(n int) Cost {
	if l.mesh == 1 || l.mesh%2 == 0 {
		return Cost{}
	}
	return l.halves(1, n)
}

// columnOf returns column i of a tile: one number for each of the core's tokens.
func (f *Prefill) columnOf(b tile.Buffer, i int) tile.Buffer {
	return b.Slice(i*f.tokens.part(), f.tokens.part())
}

// rmsNorm makes normed = x / sqrt(mean of x^2 + epsilon) * gain, of each token:
// squares are summed over the core's columns, then along the row.
func (f *Prefill) rmsNorm(normed *Rotor, gain tile.Buffer) {
	p, n, width := f.plan, f.tokens.part(), f.width.part()
	p.zero(f.total)
	for i := range width {
		x := f.columnOf(f.residual, i).Vec()
		p.vector(tile.MulAdd, n, f.total.Vec(), x, x)
	}
	f.row.Allreduce(tile.Add, f.total)
	f.root(n)
	clear(normed.now)
	for i := range width {
		p.vector(tile.Mul, n, f.column.Vec(), f.columnOf(f.residual, i).Vec(), f.total.Vec())
		p.vector(tile.Mul, n, f.columnOf(normed.pair[0], i).Vec(), f.column.Vec(), gain.Each(i))
	}
}

// root makes 1 / sqrt(mean + epsilon) of n sums of squares.
func (f *Prefill) root(n int) {
	root := f.plan.vectorInstr(tile.RSqrt, n, f.total.Vec(), f.total.Vec(), tile.Operand{})
	root.Imm, root.Eps = float32(1/float64(f.shape.EmbeddingLength)), float32(f.shape.RMSEpsilon)
	f.plan.All(root)
}

// normCost: 3 vector operations a column, 2 more, T_ar(tokens of a core).
func (l *PrefillLayout) normCost() Cost {
	n := l.tokens.part()
	return Sum("", l.vectors(2+3*l.width.part(), n), l.allreduce(n))
}

// multiply makes sums = a times weights, [tokens, in] x [in, out]: it aligns a
// along the rows; weights lie aligned and are there again in the end.
func (f *Prefill) multiply(a *Rotor, weights, spare, sums tile.Buffer, in, out int) {
	cores := f.x.cores()
	of := func(part int) split { return split{part * cores, cores} }
	b := f.rotorOf(weights, spare)
	f.plan.Skew(a, f.x, f.back)
	g := GEMM{plan: f.plan, m: f.tokens, k: of(in), n: of(out), x: f.x, y: f.y, a: a, b: b, sums: sums, c: sums}
	g.Multiply()
	f.home(b)
}

// multiply returns the cost of a product of rows of tokens in a core with weights.
func (l *PrefillLayout) multiply(rows, in, out int) Cost {
	return Sum("", l.skewCost(rows*in, true), MeshGEMMCost(l.machine, l.mesh, rows, in, out, l.sums),
		l.homeCost(in*out))
}

// skewCost returns the cost of aligning tiles of n numbers, also the shorter way around if
// there is a ring back.
func (l *PrefillLayout) skewCost(n int, back bool) Cost {
	if l.lumped() {
		return Cost{}
	}
	c := Cost{Communication: l.circle.skewCycles(l.machine, back, n)}
	for line := range l.mesh {
		steps, _ := l.circle.skewing(line, back)
		c.Hops += 2 * float64(steps*l.mesh) * wavelets(n, tile.F16)
	}
	return c
}

// into emits the product of a and weights and its sum with the residual stream.
func (f *Prefill) into(a *Rotor, weights, spare, sums tile.Buffer) {
	width := f.width.part()
	f.multiply(a, weights, spare, sums, weights.Len/width, width)
	f.plan.vector(tile.Add, sums.Len, f.residual.Vec(), f.residual.Vec(), sums.Vec())
}

func (f *Prefill) putOut(l *prefillLayer) {
	f.into(f.attention.out, l.o, f.attention.spareO, f.attention.sums)
}

func (l *PrefillLayout) outCost() Cost {
	rows, width := l.tokens.part(), l.width.part()
	return Sum("", l.multiply(rows, l.queries(), width), l.vectors(1, width*rows))
}

func (f *Prefill) ffnOut(l *prefillLayer) {
	f.into(f.forward.gated, l.down, f.forward.spareDown, f.forward.sums)
}

func (l *PrefillLayout) ffnOutCost() Cost {
	count, rows := l.experts()
	width := l.width.part()
	return Sum("", l.multiply(rows, l.ffn.part(), width).Times(float64(count)), l.vectors(count, width*rows))
}

// routeCost returns the cost of choosing the experts of each token; see Layout.routeCost.
func (l *PrefillLayout) routeCost() Cost {
	all, rows := l.shape.ExpertCount, l.tokens.part()
	if all == 0 {
		return Cost{}
	}
	pick := Cost{Compute: float64(rows*l.shape.ExpertUsedCount) * VectorCycles(l.machine, all, l.sums)}
	return Sum("", l.multiply(rows, l.width.part(), ceil(all, l.mesh)), l.allreduce(rows*all), pick)
}

// ffnIn emits up and gate as one product.
func (f *Prefill) ffnIn(l *prefillLayer) {
	w := &f.forward
	f.multiply(w.normed, l.upGate, w.spareUpGate, w.upGate, f.width.part(), 2*f.ffn.part())
}

func (l *PrefillLayout) ffnInCost() Cost {
	count, rows := l.experts()
	n, f := l.width.part(), l.ffn.part()
	if l.apart {
		return l.multiply(rows, n, f).Times(float64(2 * count))
	}
	return l.multiply(rows, n, 2*f).Times(float64(count))
}

// swiglu emits up * silu(gate).
func (f *Prefill) swiglu() {
	w, n := &f.forward, f.ffn.part()*f.tokens.part()
	up, gate := w.upGate.Slice(0, n), w.upGate.Slice(n, n)
	f.plan.All(f.plan.elementwiseInstr(tile.Silu, n, gate.Vec(), gate.Vec(), f.machine.Timing.Silu))
	clear(w.gated.now)
	f.plan.vector(tile.Mul, n, w.gated.pair[0].Vec(), up.Vec(), gate.Vec())
}

func (l *PrefillLayout) swigluCost() Cost {
	count, rows := l.experts()
	return Sum("", Elementwise(rows*l.silu*count, l.machine.Timing.Silu), l.vectors(count, l.ffn.part()*rows))
}
