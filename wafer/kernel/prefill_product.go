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

func (f *Prefill) takeForward(a *allocator) {
	w, rows, width, ffn, cores := &f.forward, f.tokens.part(), f.width.part(), f.ffn.part(), f.x.cores()
	w.gated = a.rotor("gated", ffn*rows, cores*cores)
	mark := a.mem.Mark()
	w.normed = a.rotor("normed", width*rows, cores*cores)
	w.spareUpGate, w.upGate = a.half("up, gate, next", 2*width*ffn), a.take("up, gate sums", f.plan.Sums(), 2*ffn*rows)
	a.mem.Release(mark)
	w.spareDown, w.sums = a.half("down, next", ffn*width), a.take("down sums", f.plan.Sums(), width*rows)
}

// rotor allocates both buffers of a rotor.
func (a *allocator) rotor(name string, n, cores int) *Rotor {
	return &Rotor{pair: [2]tile.Buffer{a.half(name, n), a.half(name+", next", n)}, now: make([]uint8, cores)}
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

func (f *Prefill) homeCycles(n int) float64 {
	if cores := f.y.cores(); cores == 1 || cores%2 == 0 {
		return 0
	}
	return f.half(n)
}

// vec returns the time of a vector operation on n sums; half, on n fp16 numbers.
func (f *Prefill) vec(n int) float64  { return VectorCycles(f.machine(), n, f.plan.Sums()) }
func (f *Prefill) half(n int) float64 { return VectorCycles(f.machine(), n, tile.F16) }

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
	f.tree.Allreduce(tile.Add, f.total)
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

// rmsNormCycles: 3 vector operations a column, 2 more, T_ar(tokens of a core).
func (f *Prefill) rmsNormCycles() float64 {
	n := f.tokens.part()
	return float64(2+3*f.width.part())*f.vec(n) + f.tree.cycles(n)
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

func (f *Prefill) multiplyCycles(in, out int) float64 {
	m, rows := f.machine(), f.tokens.part()
	local := TileGEMMCycles(m, rows, in, out, f.plan.Sums())
	return SkewCycles(m, f.x, f.back, in*rows) + f.vec(out*rows) + roundsCycles(m, f.x.cores(), f.x.longest(),
		local, in*rows, in*out) + f.homeCycles(in*out)
}

// into emits the product of a and weights and its sum with the residual stream.
func (f *Prefill) into(a *Rotor, weights, spare, sums tile.Buffer) {
	width := f.width.part()
	f.multiply(a, weights, spare, sums, weights.Len/width, width)
	f.plan.vector(tile.Add, sums.Len, f.residual.Vec(), f.residual.Vec(), sums.Vec())
}

func (f *Prefill) intoCycles(in int) float64 {
	width := f.width.part()
	return f.multiplyCycles(in, width) + f.vec(width*f.tokens.part())
}

// ffnIn emits up and gate as one product.
func (f *Prefill) ffnIn(l *prefillLayer) {
	w := &f.forward
	f.multiply(w.normed, l.upGate, w.spareUpGate, w.upGate, f.width.part(), 2*f.ffn.part())
}

func (f *Prefill) ffnInCycles() float64 { return f.multiplyCycles(f.width.part(), 2*f.ffn.part()) }

// swiglu emits up * silu(gate).
func (f *Prefill) swiglu() {
	w, n := &f.forward, f.ffn.part()*f.tokens.part()
	up, gate := w.upGate.Slice(0, n), w.upGate.Slice(n, n)
	f.plan.All(f.plan.elementwiseInstr(tile.Silu, n, gate.Vec(), gate.Vec(), f.machine().Timing.Silu))
	clear(w.gated.now)
	f.plan.vector(tile.Mul, n, w.gated.pair[0].Vec(), up.Vec(), gate.Vec())
}

func (f *Prefill) swigluCycles() float64 {
	n := f.ffn.part() * f.tokens.part()
	return Elementwise(n, f.machine().Timing.Silu).Compute + f.vec(n)
}
