package kernel

import (
	"math"

	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// Attention of all tokens of a prompt to those before them. Heads lie one after
// the other over the columns, so that a core has numbers of some heads only.

// attentionWork is the buffers of the attention part.
type attentionWork struct {
	query         tile.Buffer // [number][token]
	normed, out   *Rotor
	spareQKV, qkv tile.Buffer
	turned        [4]tile.Buffer
	scores        tile.Buffer // [head][position][token]
	spareKeys     tile.Buffer
	scoreSums     tile.Buffer
	max           tile.Buffer // [head][token]
	probs, values *Rotor      // [head][position][token]; values by heads
	outSums       tile.Buffer
	spareO, sums  tile.Buffer
}

func (l *PrefillLayout) takeAttention(a *allocator) (w attentionWork) {
	sums, cores := l.sums, l.mesh*l.mesh
	rows, width, kv, tiles := l.tokens.part(), l.width.part(), l.heads.size(), l.tiles()
	w.out, w.query = a.rotor("attention", l.queries()*rows, cores), a.half("query", l.queries()*rows)
	begin := a.mem.Mark()
	w.normed, w.spareQKV = a.rotor("normed", width*rows, cores), a.half("Q, K, V, next", width*l.projected())
	w.qkv = a.take("q, k, v sums", sums, l.projected()*rows)
	for i := range w.turned {
		w.turned[i] = a.half("rotation", rows)
	}
	a.mem.Release(begin)
	w.scores = a.take("scores", sums, tiles)
	scored := a.mem.Mark()
	w.spareKeys, w.scoreSums = a.half("keys, next", kv*rows), a.take("score sums", sums, tiles)
	a.mem.Release(scored)
	w.max, w.probs, w.values = a.take("greatest scores", sums, l.shape.HeadCount*rows), a.rotor("softmax", tiles, cores),
		a.rotor("values", rows*kv, cores)
	w.outSums = a.take("attention sums", sums, l.queries()*rows)
	a.mem.Release(begin)
	w.spareO, w.sums = a.half("O, next", l.queries()*width), a.take("output sums", sums, width*rows)
	return w
}

// project makes queries, keys and values in one product: x is aligned once.
func (f *Prefill) project(l *prefillLayer) {
	p, w, rows, q, kv := f.plan, &f.attention, f.tokens.part(), f.queries(), f.heads.size()
	f.multiply(w.normed, l.qkv, w.spareQKV, w.qkv, f.width.part(), f.projected())
	p.vector(tile.Mov, q*rows, w.query.Vec(), w.qkv.Slice(0, q*rows).Vec(), tile.Operand{})
	p.vector(tile.Mov, kv*rows, l.keys.Vec(), w.qkv.Slice(q*rows, kv*rows).Vec(), tile.Operand{})
	f.narrowValues(l)
}

// narrowValues stores those of each of a core's heads by rows, one head after
// the other, as the right tile of a product lies.
func (f *Prefill) narrowValues(l *prefillLayer) {
	p, rows := f.plan, f.tokens.part()
	p.cores(func(at fabric.At) {
		for _, r := range f.heads.runs(at.X) {
			for i := r.from; i < r.to; i++ {
				from := f.columnOf(f.attention.qkv, f.queries()+f.heads.size()+i)
				p.Emit(at, p.vectorInstr(tile.Mov, rows, l.values.Strided(rows*r.from+i-r.from, r.to-r.from),
					from.Vec(), tile.Operand{}))
			}
		}
	})
}

// projectCost: one product, or three; copies of queries and keys, and of each column of values.
func (l *PrefillLayout) projectCost() Cost {
	rows, n, q, kv := l.tokens.part(), l.width.part(), l.queries(), l.heads.size()
	if l.apart {
		return Sum("", l.multiply(rows, n, q), l.multiply(rows, n, kv).Times(2))
	}
	return Sum("", l.multiply(rows, n, l.projected()), l.vectors(1, q*rows), l.vectors(1, kv*rows), l.vectors(kv, rows))
}

// normHeadsCost returns the cost of the sums of squares of all queries and keys, if heads are
// normed.
func (l *PrefillLayout) normHeadsCost() Cost {
	if !l.shape.QKNorm {
		return Cost{}
	}
	return l.allreduce(l.tokens.part() * (l.shape.HeadCount + l.shape.HeadCountKV))
}

// rotate turns each pair of the queries and keys by its angle:
// a, b = a cos - b sin, a sin + b cos.
func (f *Prefill) rotate(l *prefillLayer) {
	for i := range f.queries() / 2 {
		f.rotatePair(f.attention.query, i)
	}
	for i := range f.heads.pairs() {
		f.rotatePair(l.keys, i)
	}
}

func (f *Prefill) rotatePair(b tile.Buffer, i int) {
	p, t, n := f.plan, &f.attention.turned, f.tokens.part()
	even, odd := f.columnOf(b, 2*i).Vec(), f.columnOf(b, 2*i+1).Vec()
	cos, sin := f.columnOf(f.cos, i%f.heads.pairs()).Vec(), f.columnOf(f.sin, i%f.heads.pairs()).Vec()
	p.vector(tile.Mul, n, t[0].Vec(), even, cos)
	p.vector(tile.Mul, n, t[1].Vec(), odd, sin)
	p.vector(tile.Mul, n, t[2].Vec(), even, sin)
	p.vector(tile.Mul, n, t[3].Vec(), odd, cos)
	p.vector(tile.Sub, n, even, t[0].Vec(), t[1].Vec())
	p.vector(tile.Add, n, odd, t[2].Vec(), t[3].Vec())
}

func (l *PrefillLayout) rotateCost() Cost {
	return l.halves(6*(l.shape.Group()+1)*l.heads.pairs(), l.tokens.part())
}

// score makes Q K^T of all heads, scaled. The keys go around once: in a step a
// core multiplies what it has of each head, and the tiles of all heads are
// summed along the row as one vector, with zeros from cores that have nothing
// of a head. They are summed where the product with the values will want them:
//
//	step t: positions l(j) = l(y) + t, into core l(x) = t, so l(j) = l(x) + l(y)
func (f *Prefill) score(l *prefillLayer) {
	w, keys := &f.attention, f.rotorOf(l.keys, f.attention.spareKeys)
	g := GEMMT{plan: f.plan, line: f.line, ring: f.y, a: w.query, b: keys, c: w.scores, sums: w.scoreSums,
		local: f.scoreLocal, place: func(_ fabric.At, t int) int { return f.x.order[t] },
		scale: float32(1 / math.Sqrt(float64(f.shape.KeyLength)))}
	g.Multiply()
	f.home(keys)
}

func (f *Prefill) scoreLocal(at fabric.At, query, keys tile.Buffer) (list []tile.Instr) {
	n := f.tokens.part()
	f.eachHead(at.X, func(head, from int, r run) {
		k := r.to - r.from
		list = append(list, f.plan.gemmInstr(f.tileOf(f.attention.scoreSums, head).Vec(),
			query.Slice(from*n, k*n).Vec(), keys.Slice(r.from*n, k*n).Vec(), n, k, n))
	})
	return list
}

// eachHead calls do for every head that a column has numbers of: with the head,
// where its queries begin, and which numbers of the keys meet them.
func (f *Prefill) eachHead(column int, do func(head, from int, r run)) {
	for _, r := range f.heads.runs(column) {
		for member := range f.shape.Group() {
			do(r.head*f.shape.Group()+member, member*f.heads.size()+r.from, r)
		}
	}
}

// tileOf returns a head's tile of scores.
func (f *Prefill) tileOf(b tile.Buffer, head int) tile.Buffer {
	n := f.tokens.part() * f.tokens.part()
	return b.Slice(head*n, n)
}

// scoreCost follows the core r that stores a sum: it is the last to begin the
// next step, in which its part goes over the d cores to the one that stores
// then; the other side of the chain is there already. Cores with numbers of
// most heads take part in each step, though. The keys go on meanwhile. A step:
//
//	s0' + clear + W_C + max(K_r (kovh + N (row + issue ceil(M / SIMD))) + store + step(1) d, most of the former)
//
// The first has a chain over the whole row.
func (l *PrefillLayout) scoreCost() Cost {
	m, n, cores, rows := l.machine, l.tiles(), l.mesh, l.tokens.part()
	local := func(numbers int) float64 { return TileGEMMCycles(m, rows, numbers, l.positions, l.sums) }
	store, most, p := VectorCycles(m, n, l.sums), l.slowest(local), float64(cores)
	c := Cost{Compute: p * (most + 2*store), Launch: p * stepSoftware(m), MACs: l.attentionMACs()}
	if cores == 1 {
		return c
	}
	cycles := float64(cores-1) * step(m, 1)
	for t := range cores - 1 {
		root, next := l.circle.order[t], l.circle.order[t+1]
		after := float64(l.shape.Group())*l.heads.sum(root, local) + step(m, 1)*float64(max(root-next, next-root))
		cycles += max(after-most, -store)
	}
	c.Communication = p*m.Timing.StepWavelet*wavelets(n, l.sums) + cycles
	c.Hops = circulated(cores, wavelets(l.keys(), tile.F16)+wavelets(n, l.sums))
	return Sum("", c, l.homeCost(l.keys()))
}

// keys returns the number of a core's numbers of keys, or of values.
func (l *PrefillLayout) keys() int { return l.heads.size() * l.positions }

// attentionMACs returns the multiply-adds of the scores, or of the weighted values.
func (l *PrefillLayout) attentionMACs() float64 {
	return math.Pow(float64(l.mesh), 3) * float64(l.tokens.part()) * float64(l.queries()) * float64(l.positions)
}

// mask makes the scores of later positions so low that they count for nothing.
// Of a tile's column, the position, these are the first tokens.
func (f *Prefill) mask() {
	p, n := f.plan, f.tokens.part()
	hide := func(at fabric.At, b tile.Buffer) {
		in := p.vectorInstr(tile.Fill, b.Len, b.Vec(), tile.Operand{}, tile.Operand{})
		in.Imm = lowest
		p.Emit(at, in)
	}
	p.cores(func(at fabric.At) {
		block := f.meet(at)
		if block > at.Y {
			hide(at, f.attention.scores)
		}
		for head := 0; block == at.Y && head < f.shape.HeadCount; head++ {
			for i := 1; i < n; i++ {
				hide(at, f.columnOf(f.tileOf(f.attention.scores, head), i).Slice(0, i))
			}
		}
	})
}

// maskCost returns the time of the slowest core: one on the diagonal, or right of it.
func (l *PrefillLayout) maskCost() Cost {
	triangle, rows := Cost{}, l.tokens.part()
	for i := 1; i < rows; i++ {
		triangle = Sum("", triangle, l.vectors(l.shape.HeadCount, i))
	}
	whole := l.vectors(1, l.shape.HeadCount*rows*rows)
	if l.mesh == 1 || triangle.Compute > whole.Compute {
		return triangle
	}
	return whole
}

// softmax makes of each token's and head's scores their exponentials over their
// sum: positions are those of a core's tile, and of its row.
func (f *Prefill) softmax() {
	p, w, n := f.plan, &f.attention, f.tokens.part()
	heads, rows := w.max.Len, f.shape.HeadCount
	first := p.vectorInstr(tile.Fill, heads, w.max.Vec(), tile.Operand{}, tile.Operand{})
	first.Imm = lowest
	p.All(first)
	each := func(do func(most, scores, shares tile.Operand)) {
		for head := range rows {
			for i := range n {
				do(f.columnOf(w.max, head).Vec(), f.columnOf(w.scores, head*n+i).Vec(), f.columnOf(w.probs.pair[0], head*n+i).Vec())
			}
		}
	}
	each(func(most, scores, _ tile.Operand) { p.vector(tile.Max, n, most, most, scores) })
	f.row.Allreduce(tile.Max, w.max)
	each(func(most, scores, _ tile.Operand) { p.vector(tile.Sub, n, scores, scores, most) })
	p.All(p.elementwiseInstr(tile.Exp, w.scores.Len, w.scores.Vec(), w.scores.Vec(), f.machine.Timing.Exp))
	p.zero(w.max)
	each(func(most, scores, _ tile.Operand) { p.vector(tile.Add, n, most, most, scores) })
	f.row.Allreduce(tile.Add, w.max)
	p.vector(tile.Recip, heads, w.max.Vec(), w.max.Vec(), tile.Operand{})
	clear(w.probs.now)
	each(func(most, scores, shares tile.Operand) { p.vector(tile.Mul, n, shares, scores, most) })
}

// softmaxCost: the mask; 4 vector operations a column of each head, 3 on what there is one
// of for each head and token, the exponentials, and two allreduces.
func (l *PrefillLayout) softmaxCost() Cost {
	columns, heads := l.shape.HeadCount*l.positions, l.shape.HeadCount*l.tokens.part()
	return Sum("", l.maskCost(), l.vectors(4*columns, l.tokens.part()), l.vectors(3, heads), l.allreduce(heads).Times(2),
		Elementwise(l.tiles(), l.machine.Timing.Exp))
}

// weigh makes the sum of the values, each times its share, of all heads in one
// round. Shares are aligned already; values go up their column first.
func (f *Prefill) weigh(l *prefillLayer) {
	p, w, cores := f.plan, &f.attention, f.x.cores()
	clear(w.values.now)
	p.vector(tile.Mov, l.values.Len, w.values.pair[0].Vec(), l.values.Vec(), tile.Operand{})
	p.Skew(w.values, f.y, nil)
	clear(w.out.now)
	g := GEMM{plan: p, m: f.tokens, k: f.tokens, n: split{f.queries() * cores, cores}, x: f.x, y: f.y,
		a: w.probs, b: w.values, sums: w.outSums, c: w.outSums, local: f.weighLocal}
	g.Multiply()
	p.vector(tile.Mov, w.outSums.Len, w.out.pair[0].Vec(), w.outSums.Vec(), tile.Operand{})
}

func (f *Prefill) weighLocal(at fabric.At, shares, values tile.Buffer) (list []tile.Instr) {
	n := f.tokens.part()
	f.eachHead(at.X, func(head, from int, r run) {
		width := r.to - r.from
		list = append(list, f.plan.gemmInstr(f.attention.outSums.Slice(from*n, width*n).Vec(),
			f.tileOf(shares, head).Vec(), values.Slice(r.from*n, width*n).Vec(), n, n, width))
	})
	return list
}

// weighCost returns the cost of a product with the tiles of all heads, and of a skew of the
// values before it. Where most columns have no numbers of any head, their neighbours do not
// wait for them, and it takes a few flights less.
func (l *PrefillLayout) weighCost() Cost {
	m, rows, n := l.machine, l.tokens.part(), l.queries()*l.tokens.part()
	local := l.slowest(func(numbers int) float64 { return TileGEMMCycles(m, rows, l.positions, numbers, l.sums) })
	c := roundsCost(m, l.mesh, local, l.tiles(), l.keys())
	c.Compute += VectorCycles(m, n, l.sums)
	c.MACs = l.attentionMACs()
	return Sum("", l.halves(1, l.keys()), l.skewCost(l.keys(), false), c, l.vectors(1, n))
}
