package kernel

import (
	"math"
	"slices"

	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// part is a kernel of a decode step: its program, and its cost by formula.
type part struct {
	name string
	emit func(d *Decoder, b *layerBuffers) error
	cost func(l *Layout) Cost
}

// layerParts is what a token goes through in a layer. This is where it is
// composed: the event level runs the programs, the analytic level sums up the
// costs. What they store is fp16; sums are of the layout's kind until they have
// been reduced. Ten allreduces, on the axis that the vector is spread over, and an
// eleventh where heads are normed:
//
//	norm(1,y)  qkv(q+2kv,y)  [head norms(heads,x)]  scores(s,x)  max(1,y) sum(1,y)
//	values(q,y)  output(d,x)  norm(1,y)  up+gate(2f,y)  down(d,x)
var layerParts = []part{
	{"attention norm", func(d *Decoder, b *layerBuffers) error { d.rmsNorm(b.attentionNorm); return nil },
		(*Layout).normCost},
	{"query, key, value", (*Decoder).project, (*Layout).projectCost},
	{"query, key norm", (*Decoder).normHeads, (*Layout).normHeadsCost},
	{"rotary", (*Decoder).rotate, (*Layout).rotateCost},
	{"cache shift", (*Decoder).shift, (*Layout).shiftCost},
	{"scores", (*Decoder).attend, (*Layout).attendCost},
	{"softmax", (*Decoder).softmax, (*Layout).softmaxCost},
	{"values", (*Decoder).weigh, (*Layout).weighCost},
	{"output", (*Decoder).putOut, (*Layout).outCost},
	{"feed-forward norm", func(d *Decoder, b *layerBuffers) error { d.rmsNorm(b.ffnNorm); return nil },
		(*Layout).normCost},
	{"router", nil, (*Layout).routeCost},
	{"up, gate", (*Decoder).ffnIn, (*Layout).ffnInCost},
	{"silu", (*Decoder).swiglu, (*Layout).swigluCost},
	{"down", (*Decoder).ffnOut, (*Layout).ffnOutCost},
	{"vector operations", nil, (*Layout).operationsCost},
	{"route reconfiguration", nil, (*Layout).reconfigureCost},
}

// partsNamed returns the parts of a layer with the given names.
func partsNamed(names ...string) []part {
	return slices.DeleteFunc(slices.Clone(layerParts), func(p part) bool { return !slices.Contains(names, p.name) })
}

// layer emits the program of a decode layer.
func (d *Decoder) layer(i int) error { return d.run(layerParts, &d.layers[i]) }

// run emits parts, each booked on its name.
func (d *Decoder) run(parts []part, b *layerBuffers) error {
	for _, p := range parts {
		if p.emit == nil {
			continue
		}
		if err := d.plan.Kernel(p.name); err != nil {
			return err
		}
		if err := p.emit(d, b); err != nil {
			return err
		}
	}
	return nil
}

// LayerCosts appends the costs of a layer's kernels to list and returns it. Kernels that
// a layout does not have are left out.
func (l *Layout) LayerCosts(list []Cost) []Cost { return l.costs(list, layerParts) }

func (l *Layout) costs(list []Cost, parts []part) []Cost {
	for _, p := range parts {
		if c := p.cost(l); c.Cycles() > 0 {
			c.Kernel = p.name
			list = append(list, c)
		}
	}
	return list
}

// Fitted timings of whole layers have one constant for all vector operations
// beside products (machine.Timing.LayerOperations); otherwise they are counted
// one by one, as the event level runs them.
func (l *Layout) lumped() bool { return l.machine.Timing.LayerOperations > 0 }

// vectors returns the cost of vector operations on n sums; halves, on n fp16 numbers.
func (l *Layout) vectors(times, n int) Cost { return l.vectorsOf(times, n, l.sums) }
func (l *Layout) halves(times, n int) Cost  { return l.vectorsOf(times, n, tile.F16) }

func (l *Layout) vectorsOf(times, n int, kind tile.Kind) Cost {
	if l.lumped() || n == 0 {
		return Cost{}
	}
	return Cost{Compute: float64(times) * VectorCycles(l.machine, n, kind)}
}

// gemv returns the cost of the local part of a product: tiles of k x n.
func (l *Layout) gemv(k, n int) Cost {
	return Cost{Compute: GEMVCycles(l.machine, k, n, l.sums),
		MACs: float64(l.mesh) * float64(l.mesh) * float64(k) * float64(n)}
}

// Elementwise returns the cost of a function that is computed number by number.
func Elementwise(n int, each float64) Cost { return Cost{Compute: whole(float64(n) * each)} }

// allreduce returns the cost of an allreduce of n sums over all lines of an axis.
func (l *Layout) allreduce(n int) Cost { return AllreduceCost(l.machine, l.tree, n, l.sums) }

// allreduceAfter returns the cost of an allreduce that each core begins at its own time.
func (l *Layout) allreduceAfter(n int, begin starts) Cost {
	c := AllreduceCost(l.machine, l.tree, n, l.sums)
	c.Compute = begin.latest()
	late := reduceFrom(l.machine, l.tree, n, l.sums, begin) + BroadcastCycles(l.machine, l.tree, n, l.sums)
	c.Communication = late - c.Compute - c.Launch
	return c
}

// operationsCost and reconfigureCost return the constants of fitted timings.
func (l *Layout) operationsCost() Cost  { return Cost{Compute: l.machine.Timing.LayerOperations} }
func (l *Layout) reconfigureCost() Cost { return Cost{Launch: l.machine.Timing.Reconfigure} }

// rmsNorm emits normed = x / sqrt(mean of x^2 + epsilon) * gain.
func (d *Decoder) rmsNorm(gain tile.Buffer) {
	p, w, n := d.plan, &d.work, d.width.part()
	p.vector(tile.Mul, n, w.square.Vec(), w.x.Vec(), w.x.Vec())
	p.zero(w.scale)
	p.vector(tile.Add, n, w.scale.Each(0), w.scale.Each(0), w.square.Vec())
	d.y.Allreduce(tile.Add, w.scale)
	root := p.vectorInstr(tile.RSqrt, 1, w.scale.Vec(), w.scale.Vec(), tile.Operand{})
	root.Imm, root.Eps = float32(1/float64(d.shape.EmbeddingLength)), float32(d.shape.RMSEpsilon)
	p.All(root)
	p.vector(tile.Mul, n, w.square.Vec(), w.x.Vec(), w.scale.Each(0))
	p.vector(tile.Mul, n, w.normed.Vec(), w.square.Vec(), gain.Vec())
}

// normCost: 4 vector operations of the part, 2 of one number, T_ar(1).
func (l *Layout) normCost() Cost {
	return Sum("", l.vectors(4, l.width.part()), l.vectors(2, 1), l.allreduce(1))
}

// project makes the query, key and value: one product of the normed part each,
// one allreduce for all three.
func (d *Decoder) project(l *layerBuffers) error {
	p, w := d.plan, &d.work
	n, q, kv := d.width.part(), d.queries(), d.heads.size()
	p.zero(w.qkvSums)
	p.All(p.gemvInstr(w.qkvSums.Slice(0, q).Vec(), w.normed.Vec(), l.q.Vec(), n, q),
		p.gemvInstr(w.qkvSums.Slice(q, kv).Vec(), w.normed.Vec(), l.k.Vec(), n, kv),
		p.gemvInstr(w.qkvSums.Slice(q+kv, kv).Vec(), w.normed.Vec(), l.v.Vec(), n, kv))
	d.y.Allreduce(tile.Add, w.qkvSums)
	if d.shape.QKVBias {
		p.vector(tile.Add, q+2*kv, w.qkv.Vec(), w.qkvSums.Vec(), l.bias.Vec())
	} else {
		p.vector(tile.Mov, q+2*kv, w.qkv.Vec(), w.qkvSums.Vec(), tile.Operand{})
	}
	return nil
}

// projectCost: a bias is added as the sums are stored, which takes no longer.
func (l *Layout) projectCost() Cost {
	n, q, kv := l.width.part(), l.queries(), l.heads.size()
	return Sum("", l.vectors(2, q+2*kv), l.gemv(n, q), l.gemv(n, kv).Times(2), l.allreduce(q+2*kv))
}

// key and value return the buffers with the key and value of the current position.
func (d *Decoder) key() tile.Buffer { return d.work.qkv.Slice(d.queries(), d.heads.size()) }
func (d *Decoder) value() tile.Buffer {
	return d.work.qkv.Slice(d.queries()+d.heads.size(), d.heads.size())
}

// rotate turns each pair of the query and the key by its angle:
// a, b = a cos - b sin, a sin + b cos.
func (d *Decoder) rotate(*layerBuffers) error {
	p, w, n := d.plan, &d.work, d.work.cos.Len
	even, odd := w.qkv.Strided(0, 2), w.qkv.Strided(1, 2)
	p.vector(tile.Mul, n, w.turned[0].Vec(), even, w.cos.Vec())
	p.vector(tile.Mul, n, w.turned[1].Vec(), odd, w.sin.Vec())
	p.vector(tile.Mul, n, w.turned[2].Vec(), even, w.sin.Vec())
	p.vector(tile.Mul, n, w.turned[3].Vec(), odd, w.cos.Vec())
	p.vector(tile.Sub, n, even, w.turned[0].Vec(), w.turned[1].Vec())
	p.vector(tile.Add, n, odd, w.turned[2].Vec(), w.turned[3].Vec())
	return nil
}

func (l *Layout) rotateCost() Cost { return l.halves(6, (l.shape.Group()+1)*l.heads.pairs()) }

// shift adds the token's key and value to the cache.
func (d *Decoder) shift(l *layerBuffers) error {
	d.plan.shiftCache(&d.cache, l.keys, l.values, d.key(), d.value())
	return nil
}

// turns returns the cosines and sines for a column's pairs at a position: for the
// queries of each head of the group, then for the key.
func (d *Decoder) turns(column, position int) (cos, sin []float32) {
	keys := d.heads.keys(column)
	for range d.shape.Group() + 1 {
		for i := 0; i < len(keys); i += 2 {
			c, s := d.heads.turn(keys[i], position, d.freqs)
			cos, sin = append(cos, c), append(sin, s)
		}
	}
	return cos, sin
}

// turn returns the cosine and sine for the pair whose first number is i of the keys,
// rounded to fp16. -1 is padding.
func (h heads) turn(i, position int, freqs []float32) (cos, sin float32) {
	if i < 0 {
		return 0, 0
	}
	c, s := h.Turn(h.pairOf(i), position, freqs)
	return round(float32(c)), round(float32(s))
}

// attend emits the scores of all heads at the row's positions. Each column holds some
// numbers of some heads' queries and keys, and contributes zero to the other heads.
func (d *Decoder) attend(l *layerBuffers) error {
	p, w := d.plan, &d.work
	p.zero(w.scores)
	p.cores(func(at fabric.At) {
		held := d.positions(at.Y)
		d.eachHead(at.X, func(head int, query int, r run) {
			in := p.gemvInstr(w.scores.Slice(head*d.rows.depth, held).Vec(), w.qkv.Slice(query+r.from, r.to-r.from).Vec(),
				l.keys.Strided(r.from*d.rows.depth, 1), r.to-r.from, held)
			in.M = int32(d.rows.depth)
			p.Emit(at, in)
		})
	})
	d.x.Allreduce(tile.Add, w.scores)
	scaled := p.vectorInstr(tile.Scale, w.scores.Len, w.scores.Vec(), w.scores.Vec(), tile.Operand{})
	scaled.Imm = float32(1 / math.Sqrt(float64(d.shape.KeyLength)))
	p.All(scaled)
	return nil
}

// eachHead calls do for every head of which a column has numbers, with the head, the
// start of its queries, and the run of the column's numbers.
func (d *Decoder) eachHead(column int, do func(head, query int, r run)) {
	for _, r := range d.heads.runs(column) {
		for member := range d.shape.Group() {
			do(r.head*d.shape.Group()+member, member*d.heads.size(), r)
		}
	}
}

// positions returns the number of positions in a row once the token's own is stored.
func (d *Decoder) positions(row int) int { return d.rows.load(row, d.rows.held+1) }

// attendCost: a column multiplies all its numbers of keys with those of each
// query of the group, at the positions of the fullest row.
func (l *Layout) attendCost() Cost {
	local := func(numbers int) float64 {
		return float64(l.shape.Group()) * GEMVCycles(l.machine, numbers, l.rows.max(), l.sums)
	}
	size, n := l.heads.size(), l.shape.HeadCount*l.rows.depth
	c := l.allreduceAfter(n, l.columns(local(size), local(l.shape.KVWidth()-l.heads.full()*size)))
	c.MACs = l.gemv(l.queries(), l.rows.max()).MACs
	return Sum("", l.vectors(2, n), c)
}

// lowest is below every score.
const lowest = -65504

// softmax makes of the scores their exponentials over their sum, over the
// positions of all rows: in each column of those heads that it has numbers of.
func (d *Decoder) softmax(*layerBuffers) error {
	p, w := d.plan, &d.work
	d.eachScores(func(at fabric.At, scores, most, _ tile.Buffer) {
		first := p.vectorInstr(tile.Fill, 1, most.Vec(), tile.Operand{}, tile.Operand{})
		first.Imm = lowest
		p.Emit(at, first, p.vectorInstr(tile.Max, scores.Len, most.Each(0), most.Each(0), scores.Vec()))
	})
	d.y.Allreduce(tile.Max, w.max)
	d.eachScores(func(at fabric.At, scores, most, _ tile.Buffer) {
		p.Emit(at, p.vectorInstr(tile.Sub, scores.Len, scores.Vec(), scores.Vec(), most.Each(0)),
			p.elementwiseInstr(tile.Exp, scores.Len, scores.Vec(), scores.Vec(), d.machine.Timing.Exp),
			p.vectorInstr(tile.Mov, 1, most.Vec(), tile.Operand{Kind: most.Kind}, tile.Operand{}),
			p.vectorInstr(tile.Add, scores.Len, most.Each(0), most.Each(0), scores.Vec()))
	})
	d.y.Allreduce(tile.Add, w.max)
	p.vector(tile.Recip, w.max.Len, w.max.Vec(), w.max.Vec(), tile.Operand{})
	d.eachScores(func(at fabric.At, scores, most, shares tile.Buffer) {
		p.Emit(at, p.vectorInstr(tile.Mul, scores.Len, shares.Vec(), scores.Vec(), most.Each(0)))
	})
	return nil
}

// eachScores calls do for every core and head that it has numbers of: with the
// scores of the row's positions, the place of what there is one of for the head,
// and that of the shares.
func (d *Decoder) eachScores(do func(at fabric.At, scores, most, shares tile.Buffer)) {
	w, depth := &d.work, d.rows.depth
	d.plan.cores(func(at fabric.At) {
		local, held := 0, d.positions(at.Y)
		d.eachHead(at.X, func(head, _ int, _ run) {
			do(at, w.scores.Slice(head*depth, held), w.max.Slice(local, 1), w.probs.Slice(local*depth, held))
			local++
		})
	})
}

// softmaxCost: two allreduces of a number for each head of a column, each after
// the operations of a row on its positions.
func (l *Layout) softmaxCost() Cost {
	heads := l.localHeads()
	one := float64(heads) * l.vectors(1, 1).Compute
	vec := func(n int) float64 { return float64(heads) * l.vectors(1, n).Compute }
	most := l.allreduceAfter(heads, l.rows.starts(func(held int) float64 { return one + vec(held) }))
	sum := l.allreduceAfter(heads, l.rows.starts(func(held int) float64 {
		return 2*vec(held) + one + float64(heads)*Elementwise(held, l.machine.Timing.Exp).Compute
	}))
	return Sum("", most, sum, l.vectors(1, heads), l.vectors(heads, l.rows.max()))
}

// weigh makes the sum of the values, each times its share.
func (d *Decoder) weigh(l *layerBuffers) error {
	p, w := d.plan, &d.work
	p.zero(w.outSums)
	p.cores(func(at fabric.At) {
		local, held := 0, d.positions(at.Y)
		d.eachHead(at.X, func(_, query int, r run) {
			in := p.gemvInstr(w.outSums.Slice(query+r.from, r.to-r.from).Vec(), w.probs.Slice(local*d.rows.depth, held).Vec(),
				l.values.Strided(r.from, 1), held, r.to-r.from)
			in.M = int32(d.heads.size())
			p.Emit(at, in)
			local++
		})
	})
	d.y.Allreduce(tile.Add, w.outSums)
	p.vector(tile.Mov, w.out.Len, w.out.Vec(), w.outSums.Vec(), tile.Operand{})
	return nil
}

// weighCost: a row's positions times what the column whose numbers belong to
// most heads takes for each.
func (l *Layout) weighCost() Cost {
	n := l.queries()
	row := float64(l.shape.Group()) * l.heads.longest(func(numbers int) float64 {
		return rowCycles(l.machine, numbers, l.sums)
	})
	c := l.allreduceAfter(n, l.rows.starts(func(held int) float64 { return whole(float64(held) * row) }))
	c.MACs = l.gemv(l.rows.max(), n).MACs
	return Sum("", l.vectors(2, n), c)
}

// into emits the product of from and weights and its sum with the residual stream.
func (d *Decoder) into(sums, from, weights tile.Buffer, along *Tree, stream tile.Buffer) {
	p := d.plan
	p.zero(sums)
	p.All(p.gemvInstr(sums.Vec(), from.Vec(), weights.Vec(), from.Len, sums.Len))
	along.Allreduce(tile.Add, sums)
	p.vector(tile.Add, sums.Len, stream.Vec(), stream.Vec(), sums.Vec())
}

// intoCost returns the cost of a product, of whose input a core has from numbers, and
// of adding it to the residual stream.
func (l *Layout) intoCost(from int, times float64) Cost {
	n := l.width.part()
	return Sum("", l.vectors(2, n), l.gemv(from, n).Times(times), l.allreduce(n))
}

func (d *Decoder) putOut(l *layerBuffers) error {
	d.into(d.work.sums, d.work.out, l.o, d.x, d.work.x)
	return nil
}

func (l *Layout) outCost() Cost { return l.intoCost(l.queries(), 1) }

func (d *Decoder) ffnOut(l *layerBuffers) error {
	d.into(d.work.sums, d.work.gated, l.down, d.x, d.work.x)
	return nil
}

func (l *Layout) ffnOutCost() Cost { return l.intoCost(l.ffn.part(), float64(l.shape.Active())) }

// ffnIn makes up and gate, with one allreduce.
func (d *Decoder) ffnIn(l *layerBuffers) error {
	p, w, n, f := d.plan, &d.work, d.width.part(), d.ffn.part()
	p.zero(w.ffnSums)
	p.All(p.gemvInstr(w.ffnSums.Slice(0, f).Vec(), w.normed.Vec(), l.up.Vec(), n, f),
		p.gemvInstr(w.ffnSums.Slice(f, f).Vec(), w.normed.Vec(), l.gate.Vec(), n, f))
	d.y.Allreduce(tile.Add, w.ffnSums)
	return nil
}

// ffnInCost has the products of a token's experts one after the other. Every
// expert is tiled over the whole mesh, so no token travels to its experts.
func (l *Layout) ffnInCost() Cost {
	n, f, active := l.width.part(), l.ffn.part(), l.shape.Active()
	return Sum("", l.vectors(1, 2*f*active), l.gemv(n, f).Times(float64(2*active)), l.allreduce(2*f*active))
}

// routeCost returns the cost of choosing experts: their scores, all of which every core
// gets, and the largest ones, each found by a pass over the scores. The event level has
// no experts.
func (l *Layout) routeCost() Cost {
	all := l.shape.ExpertCount
	if all == 0 {
		return Cost{}
	}
	pick := Cost{Compute: float64(l.shape.ExpertUsedCount) * VectorCycles(l.machine, all, l.sums)}
	return Sum("", l.gemv(l.width.part(), ceil(all, l.mesh)), l.allreduce(all), pick)
}

// swiglu makes up * silu(gate).
func (d *Decoder) swiglu(*layerBuffers) error {
	p, w, f := d.plan, &d.work, d.ffn.part()
	up, gate := w.ffnSums.Slice(0, f), w.ffnSums.Slice(f, f)
	p.All(p.elementwiseInstr(tile.Silu, f, gate.Vec(), gate.Vec(), d.machine.Timing.Silu))
	p.vector(tile.Mul, f, w.gated.Vec(), up.Vec(), gate.Vec())
	return nil
}

func (l *Layout) swigluCost() Cost {
	f := l.ffn.part() * l.shape.Active()
	silu := l.silu
	if silu == 0 {
		silu = f
	}
	return Sum("", Elementwise(silu, l.machine.Timing.Silu), l.vectors(1, f))
}
