package kernel

import (
	"math"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// layer is the program of a decode layer. What it stores is fp16; sums are of
// the plan's kind until they have been reduced.
func (d *Decoder) layer(i int) error {
	l, w, p := &d.layers[i], &d.work, d.plan
	p.All(tile.Instr{Op: tile.Busy, N: 1, Cycles: int32(d.softwareCycles())})
	for _, part := range []struct {
		kernel string
		emit   func()
	}{
		{"rmsnorm", func() { d.rmsNorm(l.attentionNorm) }},
		{"qkv", func() { d.project(l) }},
		{"rotary", func() { d.rotate() }},
		{"shift", func() { p.shiftCache(&d.cache, l.keys, l.values, d.key(), d.value()) }},
		{"attention", func() { d.attend(l) }},
		{"softmax", func() { d.softmax() }},
		{"attention", func() { d.weigh(l) }},
		{"output", func() { d.into(w.sums, w.out, l.o, d.x, w.x) }},
		{"rmsnorm", func() { d.rmsNorm(l.feedNorm) }},
		{"up-gate", func() { d.feedIn(l) }},
		{"swiglu", func() { d.swiglu() }},
		{"down", func() { d.into(w.sums, w.gated, l.down, d.x, w.x) }},
	} {
		if err := p.Kernel(part.kernel); err != nil {
			return err
		}
		part.emit()
	}
	return nil
}

// softwareCycles is what a layer takes beside its kernels.
func (d *Decoder) softwareCycles() int {
	t := d.machine().Timing
	return whole(t.LayerOperations + t.Reconfigure)
}

func (d *Decoder) machine() machine.Machine { return d.plan.Grid.Machine }

// LayerCycles is the time of a decode layer at the next position.
func (d *Decoder) LayerCycles() int {
	m := d.machine()
	return d.softwareCycles() + 2*d.rmsNormCycles() + d.projectCycles() + d.rotateCycles() +
		shiftCycles(m, &d.cache, d.heads.size()) + d.attendCycles() + d.softmaxCycles() + d.weighCycles() +
		d.intoCycles(d.work.out.Len, d.width.part(), d.x) + d.feedInCycles() + d.swigluCycles() +
		d.intoCycles(d.feed.part(), d.width.part(), d.x)
}

// rmsNorm makes normed = x / sqrt(mean of x^2 + epsilon) * gain.
func (d *Decoder) rmsNorm(gain tile.Buffer) {
	p, w, n := d.plan, &d.work, d.width.part()
	p.vector(tile.Mul, n, w.square.Vec(), w.x.Vec(), w.x.Vec())
	p.zero(w.scale)
	p.vector(tile.Add, n, w.scale.Each(0), w.scale.Each(0), w.square.Vec())
	d.y.Allreduce(tile.Add, w.scale)
	root := p.vectorInstr(tile.RSqrt, 1, w.scale.Vec(), w.scale.Vec(), tile.Operand{})
	root.Imm, root.Eps = float32(1/float64(d.shape.Width)), float32(d.shape.Epsilon)
	p.All(root)
	p.vector(tile.Mul, n, w.square.Vec(), w.x.Vec(), w.scale.Each(0))
	p.vector(tile.Mul, n, w.normed.Vec(), w.square.Vec(), gain.Vec())
}

// rmsNormCycles: 4 vector operations of the part, 2 of one number, T_ar(1).
func (d *Decoder) rmsNormCycles() int {
	return 4*d.vec(d.width.part()) + 2*d.vec(1) + d.y.cycles(1)
}

// vec is a vector operation on n sums.
func (d *Decoder) vec(n int) int { return VectorCycles(d.machine(), n, d.plan.Sums()) }

// half is a vector operation on n numbers of fp16.
func (d *Decoder) half(n int) int { return VectorCycles(d.machine(), n, tile.F16) }

func (t *Tree) cycles(n int) int {
	return AllreduceCycles(t.plan.Grid.Machine, t.shape, n, t.plan.Sums())
}

// project makes the query, key and value: one product of the normed part each,
// one allreduce for all three.
func (d *Decoder) project(l *layerBuffers) {
	p, w := d.plan, &d.work
	n, q, kv := d.width.part(), d.queries(), d.heads.size()
	p.zero(w.qkvSums)
	p.All(p.gemvInstr(w.qkvSums.Slice(0, q).Vec(), w.normed.Vec(), l.q.Vec(), n, q),
		p.gemvInstr(w.qkvSums.Slice(q, kv).Vec(), w.normed.Vec(), l.k.Vec(), n, kv),
		p.gemvInstr(w.qkvSums.Slice(q+kv, kv).Vec(), w.normed.Vec(), l.v.Vec(), n, kv))
	d.y.Allreduce(tile.Add, w.qkvSums)
	p.vector(tile.Mov, q+2*kv, w.qkv.Vec(), w.qkvSums.Vec(), tile.Operand{})
}

func (d *Decoder) projectCycles() int {
	m, n, q, kv, sums := d.machine(), d.width.part(), d.queries(), d.heads.size(), d.plan.Sums()
	return 2*d.vec(q+2*kv) + GEMVCycles(m, n, q, sums) + 2*GEMVCycles(m, n, kv, sums) + d.y.cycles(q+2*kv)
}

func (d *Decoder) queries() int { return d.shape.group() * d.heads.size() }

// key and value are where those of the present position are.
func (d *Decoder) key() tile.Buffer { return d.work.qkv.Slice(d.queries(), d.heads.size()) }
func (d *Decoder) value() tile.Buffer {
	return d.work.qkv.Slice(d.queries()+d.heads.size(), d.heads.size())
}

// rotate turns each pair of the query and the key by its angle:
// a, b = a cos - b sin, a sin + b cos.
func (d *Decoder) rotate() {
	p, w, n := d.plan, &d.work, d.work.cos.Len
	even, odd := w.qkv.Strided(0, 2), w.qkv.Strided(1, 2)
	p.vector(tile.Mul, n, w.turned[0].Vec(), even, w.cos.Vec())
	p.vector(tile.Mul, n, w.turned[1].Vec(), odd, w.sin.Vec())
	p.vector(tile.Mul, n, w.turned[2].Vec(), even, w.sin.Vec())
	p.vector(tile.Mul, n, w.turned[3].Vec(), odd, w.cos.Vec())
	p.vector(tile.Sub, n, even, w.turned[0].Vec(), w.turned[1].Vec())
	p.vector(tile.Add, n, odd, w.turned[2].Vec(), w.turned[3].Vec())
}

func (d *Decoder) rotateCycles() int { return 6 * d.half(d.work.cos.Len) }

// turns is the cosines and sines of a column's pairs at a position: of the
// queries of each head of the group, then of the key.
func (d *Decoder) turns(column, position int) (cos, sin []float32) {
	keys := d.heads.keys(column)
	for range d.shape.group() + 1 {
		for i := 0; i < len(keys); i += 2 {
			c, s := turn(d.shape, keys[i], position)
			cos, sin = append(cos, c), append(sin, s)
		}
	}
	return cos, sin
}

// turn is the cosine and sine for number i of the keys, rounded to fp16:
// angle = position * base^(-i / size) for the even i of a head.
func turn(s Shape, i, position int) (cos, sin float32) {
	if i < 0 {
		return 0, 0
	}
	in := i % s.HeadSize &^ 1
	angle := float64(position) * math.Pow(s.RopeBase, -float64(in)/float64(s.HeadSize))
	return round(float32(math.Cos(angle))), round(float32(math.Sin(angle)))
}

// attend makes the scores of all heads at the row's positions: each column has
// some numbers of the heads' queries and keys, and gives zero for other heads.
func (d *Decoder) attend(l *layerBuffers) {
	p, w := d.plan, &d.work
	p.zero(w.scores)
	p.cores(func(at fabric.At) {
		held := d.cache.load(at.Y, d.cache.held+1)
		d.eachHead(at.X, func(head int, query int, r run) {
			in := p.gemvInstr(w.scores.Slice(head*d.cache.depth, held).Vec(), w.qkv.Slice(query+r.from, r.to-r.from).Vec(),
				l.keys.Strided(r.from*d.cache.depth, 1), r.to-r.from, held)
			in.M = int32(d.cache.depth)
			p.Emit(at, in)
		})
	})
	d.x.Allreduce(tile.Add, w.scores)
	scaled := p.vectorInstr(tile.Scale, w.scores.Len, w.scores.Vec(), w.scores.Vec(), tile.Operand{})
	scaled.Imm = float32(1 / math.Sqrt(float64(d.shape.HeadSize)))
	p.All(scaled)
}

// eachHead calls do for every head that a column has numbers of: with the head,
// where its queries begin, and which of the column's numbers they are.
func (d *Decoder) eachHead(column int, do func(head, query int, r run)) {
	for _, r := range d.heads.runs(column) {
		for member := range d.shape.group() {
			do(r.head*d.shape.group()+member, member*d.heads.size(), r)
		}
	}
}

// columnCycles is the time of a column for each of its heads' numbers.
func (d *Decoder) columnCycles(column int, each func(run) int) int {
	sum := 0
	d.eachHead(column, func(_, _ int, r run) { sum += each(r) })
	return sum
}

// positions is the most that a row holds once the next one is there.
func (d *Decoder) positions() int { return d.cache.load(0, d.cache.held+1) }

func (d *Decoder) attendCycles() int {
	n, m, sums := d.work.scores.Len, d.machine(), d.plan.Sums()
	begin := func(column int) int {
		return d.columnCycles(column, func(r run) int { return GEMVCycles(m, r.to-r.from, d.positions(), sums) })
	}
	return 2*d.vec(n) + ReduceFromCycles(m, d.x.shape, n, sums, begin) + BroadcastCycles(m, d.x.shape, n, sums)
}

// lowest is below every score.
const lowest = -65504

// softmax makes of each head's scores their exponentials over their sum, over
// the positions of all rows.
func (d *Decoder) softmax() {
	p, w := d.plan, &d.work
	p.cores(func(at fabric.At) {
		held := d.cache.load(at.Y, d.cache.held+1)
		for head := range d.shape.Heads {
			scores, most := w.scores.Slice(head*d.cache.depth, held), w.most.Slice(head, 1)
			first := p.vectorInstr(tile.Fill, 1, most.Vec(), tile.Operand{}, tile.Operand{})
			first.Imm = lowest
			p.Emit(at, first, p.vectorInstr(tile.Max, held, most.Each(0), most.Each(0), scores.Vec()))
		}
	})
	d.y.Allreduce(tile.Max, w.most)
	p.cores(func(at fabric.At) {
		held := d.cache.load(at.Y, d.cache.held+1)
		for head := range d.shape.Heads {
			scores, most := w.scores.Slice(head*d.cache.depth, held), w.most.Slice(head, 1)
			p.Emit(at, p.vectorInstr(tile.Sub, held, scores.Vec(), scores.Vec(), most.Each(0)),
				tile.Instr{Op: tile.Exp, N: int32(held), Dst: scores.Vec(), A: scores.Vec(), Cycles: int32(whole(float64(held) * d.machine().Timing.Exp))},
				p.vectorInstr(tile.Mov, 1, most.Vec(), tile.Operand{Kind: most.Kind}, tile.Operand{}),
				p.vectorInstr(tile.Add, held, most.Each(0), most.Each(0), scores.Vec()))
		}
	})
	d.y.Allreduce(tile.Add, w.most)
	p.vector(tile.Recip, w.most.Len, w.most.Vec(), w.most.Vec(), tile.Operand{})
	p.cores(func(at fabric.At) {
		held := d.cache.load(at.Y, d.cache.held+1)
		for head := range d.shape.Heads {
			scores, chances := w.scores.Slice(head*d.cache.depth, held), w.chances.Slice(head*d.cache.depth, held)
			p.Emit(at, p.vectorInstr(tile.Mul, held, chances.Vec(), scores.Vec(), w.most.Each(head)))
		}
	})
}

// softmaxCycles: two allreduces of a number for each head, each after the
// operations of a row on its positions.
func (d *Decoder) softmaxCycles() int {
	m, heads, sums := d.machine(), d.shape.Heads, d.plan.Sums()
	reduce := func(each func(held int) int) int {
		return BroadcastCycles(m, d.y.shape, heads, sums) + ReduceFromCycles(m, d.y.shape, heads, sums, func(row int) int {
			return heads * each(d.cache.load(row, d.cache.held+1))
		})
	}
	vec := func(n int) int { return min(n, 1) * d.vec(n) } // nothing takes no time
	most := reduce(func(held int) int { return d.vec(1) + vec(held) })
	sum := reduce(func(held int) int { return 2*vec(held) + d.vec(1) + whole(float64(held)*m.Timing.Exp) })
	return most + sum + d.vec(heads) + heads*d.vec(d.positions())
}

// weigh makes the sum of the values, each times its share.
func (d *Decoder) weigh(l *layerBuffers) {
	p, w := d.plan, &d.work
	p.zero(w.outSums)
	p.cores(func(at fabric.At) {
		held := d.cache.load(at.Y, d.cache.held+1)
		d.eachHead(at.X, func(head, query int, r run) {
			in := p.gemvInstr(w.outSums.Slice(query+r.from, r.to-r.from).Vec(), w.chances.Slice(head*d.cache.depth, held).Vec(),
				l.values.Strided(r.from, 1), held, r.to-r.from)
			in.M = int32(d.heads.size())
			p.Emit(at, in)
		})
	})
	d.y.Allreduce(tile.Add, w.outSums)
	p.vector(tile.Mov, w.out.Len, w.out.Vec(), w.outSums.Vec(), tile.Operand{})
}

func (d *Decoder) weighCycles() int {
	m, n, sums, most := d.machine(), d.work.out.Len, d.plan.Sums(), 0
	for column := range d.mesh {
		most = max(most, ReduceFromCycles(m, d.y.shape, n, sums, func(row int) int {
			held := d.cache.load(row, d.cache.held+1)
			return d.columnCycles(column, func(r run) int { return GEMVCycles(m, held, r.to-r.from, sums) })
		}))
	}
	return 2*d.vec(n) + most + BroadcastCycles(m, d.y.shape, n, sums)
}

// into adds the product of from and weights to the residual stream.
func (d *Decoder) into(sums, from, weights tile.Buffer, along *Tree, stream tile.Buffer) {
	p := d.plan
	p.zero(sums)
	p.All(p.gemvInstr(sums.Vec(), from.Vec(), weights.Vec(), from.Len, sums.Len))
	along.Allreduce(tile.Add, sums)
	p.vector(tile.Add, sums.Len, stream.Vec(), stream.Vec(), sums.Vec())
}

func (d *Decoder) intoCycles(from, to int, along *Tree) int {
	return 2*d.vec(to) + GEMVCycles(d.machine(), from, to, d.plan.Sums()) + along.cycles(to)
}

// feedIn makes up and gate, with one allreduce.
func (d *Decoder) feedIn(l *layerBuffers) {
	p, w, n, f := d.plan, &d.work, d.width.part(), d.feed.part()
	p.zero(w.feedSums)
	p.All(p.gemvInstr(w.feedSums.Slice(0, f).Vec(), w.normed.Vec(), l.up.Vec(), n, f),
		p.gemvInstr(w.feedSums.Slice(f, f).Vec(), w.normed.Vec(), l.gate.Vec(), n, f))
	d.y.Allreduce(tile.Add, w.feedSums)
}

func (d *Decoder) feedInCycles() int {
	n, f := d.width.part(), d.feed.part()
	return d.vec(2*f) + 2*GEMVCycles(d.machine(), n, f, d.plan.Sums()) + d.y.cycles(2*f)
}

// swiglu makes up * silu(gate).
func (d *Decoder) swiglu() {
	p, w, f := d.plan, &d.work, d.feed.part()
	up, gate := w.feedSums.Slice(0, f), w.feedSums.Slice(f, f)
	p.elementwise(tile.Silu, f, gate.Vec(), gate.Vec(), d.machine().Timing.Silu)
	p.vector(tile.Mul, f, w.gated.Vec(), up.Vec(), gate.Vec())
}

func (d *Decoder) swigluCycles() int {
	f := d.feed.part()
	return whole(float64(f)*d.machine().Timing.Silu) + d.vec(f)
}
