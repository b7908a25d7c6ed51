package infer

import (
	"math"
	"sync/atomic"
	"unsafe"

	"waferpair/engine/infer/kernel"
	"waferpair/engine/quant"
	"waferpair/wafer/half"
)

// plain is the backend in Go alone: what the kernels do, slow and obvious. Weights stay in
// memory as the file has them.
type plain struct {
	spec        kernel.Spec
	layers      []plainLayer
	table, head *matrix
	room        int // head size as a multiple of 16
}

type plainLayer [7]matrix // by kernel.Name

func newPlain(spec kernel.Spec) *plain {
	b := &plain{spec: spec, layers: make([]plainLayer, len(spec.Layers)), room: (spec.Dim + 15) / 16 * 16}
	for i, l := range spec.Layers {
		for name, m := range []kernel.Matrix{l.Q, l.K, l.V, l.Out, l.Gate, l.Up, l.Down} {
			b.layers[i][name] = newMatrix(m, spec.Threads)
		}
	}
	table := newMatrix(spec.Table, spec.Threads)
	b.table, b.head = &table, &table
	if spec.Head.Type != kernel.Tied {
		head := newMatrix(spec.Head, spec.Threads)
		b.head = &head
	}
	return b
}

func newMatrix(m kernel.Matrix, threads int) matrix {
	format, _ := quant.ByNumber(m.Type)
	row := format.Room(m.Cols)
	return matrix{format: format, rows: m.Rows, cols: m.Cols, row: row, raw: make([]byte, m.Rows*row), threads: threads}
}

func (b *plain) at(w kernel.Which) *matrix {
	switch w.Name {
	case kernel.Table:
		return b.table
	case kernel.Head:
		return b.head
	}
	return &b.layers[w.Layer][w.Name]
}

func (b *plain) fill(which kernel.Which, first, _ int, raw []byte) {
	m := b.at(which)
	copy(m.raw[first*m.row:], raw)
}

func (b *plain) bytes() int64 {
	sum := len(b.table.raw)
	if b.head != b.table {
		sum += len(b.head.raw)
	}
	for i := range b.layers {
		for _, m := range b.layers[i] {
			sum += len(m.raw)
		}
	}
	return int64(sum)
}

func (b *plain) close() { b.layers, b.table, b.head = nil, nil, nil }

func (b *plain) halves() int {
	return len(b.spec.Layers) * b.spec.KVHeads * 2 * b.room * kernel.Positions
}

func (b *plain) newBlock() (*uint16, error) { return unsafe.SliceData(make([]uint16, b.halves())), nil }
func (b *plain) freeBlock(*uint16)          {}

// run runs a pass: pass.h of the kernels draws its steps.
func (b *plain) run(p kernel.Pass) bool {
	x := make([][]float32, len(p.Tokens))
	for t, token := range p.Tokens {
		x[t] = b.table.numbers(int(token))
	}
	for i := range b.layers {
		if atomic.LoadUint32(p.Stop) != 0 {
			return false
		}
		b.layer(p, i, x)
	}
	rows := len(p.Logits) / b.spec.Vocab
	if rows > 0 {
		for t, list := range b.head.times(b.norms(x[len(x)-rows:], b.spec.Norm)) {
			copy(p.Logits[t*b.spec.Vocab:], list)
		}
	}
	return true
}

func (b *plain) layer(p kernel.Pass, i int, x [][]float32) {
	s, l := &b.spec.Layers[i], &b.layers[i]
	in := b.norms(x, s.AttnNorm)
	q, k, v := l[kernel.Q].times(in), l[kernel.K].times(in), l[kernel.V].times(in)
	cache := cacheOf(b, p, i)
	for t := range x {
		turns := p.Turns[t*b.spec.Dim : (t+1)*b.spec.Dim]
		b.finish(q[t], s.QBias, s.QNorm, turns)
		b.finish(k[t], s.KBias, s.KNorm, turns)
		b.finish(v[t], s.VBias, nil, nil)
		cache.keep(p.First+t, k[t], v[t])
	}
	b.add(x, l[kernel.Out].times(cache.attend(p.First, q)))
	in = b.norms(x, s.FFNNorm)
	gate, up := l[kernel.Gate].times(in), l[kernel.Up].times(in)
	for t := range gate {
		for j, g := range gate[t] {
			gate[t][j] = up[t][j] * g / (1 + float32(math.Exp(float64(-g))))
		}
	}
	b.add(x, l[kernel.Down].times(gate))
}

func (b *plain) add(x, more [][]float32) {
	for t := range x {
		for i, v := range more[t] {
			x[t][i] += v
		}
	}
}

func (b *plain) norms(x [][]float32, gain []float32) [][]float32 {
	out := make([][]float32, len(x))
	for t := range x {
		out[t] = b.norm(append([]float32(nil), x[t]...), gain)
	}
	return out
}

// norm is RMSNorm, in place.
func (b *plain) norm(x, gain []float32) []float32 {
	squares := float32(0)
	for _, v := range x {
		squares += v * v
	}
	scale := 1 / float32(math.Sqrt(float64(squares/float32(len(x))+b.spec.Epsilon)))
	for i := range x {
		x[i] *= scale * gain[i]
	}
	return x
}

// finish adds the bias, norms each head, and rotates its pairs i, i + n/2.
func (b *plain) finish(list, bias, gain, turns []float32) {
	for i, v := range bias {
		list[i] += v
	}
	for at := 0; at < len(list); at += b.spec.Dim {
		head := list[at : at+b.spec.Dim]
		if gain != nil {
			b.norm(head, gain)
		}
		if turns == nil {
			continue
		}
		n := len(head) / 2
		for i := range n {
			x, y, c, s := head[i], head[i+n], turns[i], turns[i+n]
			head[i], head[i+n] = x*c-y*s, x*s+y*c
		}
	}
}

// cache is the keys and values of one layer; the kernels' attention.h draws its blocks.
type cache struct {
	spec   *kernel.Spec
	room   int
	blocks [][]uint16 // from this layer on
}

func cacheOf(b *plain, p kernel.Pass, layer int) cache {
	c := cache{spec: &b.spec, room: b.room}
	for _, block := range p.Blocks {
		whole := unsafe.Slice(block, b.halves())
		c.blocks = append(c.blocks, whole[layer*b.halves()/len(b.layers):])
	}
	return c
}

// key returns where number 0 of a head's key is, the next being 16 further; value where its
// value is.
func (c cache) key(head, position int) []uint16 {
	at := position % kernel.Positions
	return c.blocks[position/kernel.Positions][head*2*c.room*kernel.Positions+at/16*16*c.room+at%16:]
}

func (c cache) value(head, position int) []uint16 {
	at := (2*head+1)*kernel.Positions + position%kernel.Positions
	return c.blocks[position/kernel.Positions][at*c.room:]
}

func (c cache) keep(position int, k, v []float32) {
	for i := range k {
		head, at := i/c.spec.Dim, i%c.spec.Dim
		c.key(head, position)[at*16] = half.ToHalf(k[i])
		c.value(head, position)[at] = half.ToHalf(v[i])
	}
}

// attend returns the attention of each token's queries.
func (c cache) attend(first int, queries [][]float32) [][]float32 {
	out := make([][]float32, len(queries))
	for t := range out {
		out[t] = make([]float32, len(queries[t]))
	}
	shared(c.spec.Heads*len(queries), 1, c.spec.Threads, func(from, to int) {
		var scores []float32
		for i := from; i < to; i++ {
			t, head := i/c.spec.Heads, i%c.spec.Heads
			at := head * c.spec.Dim
			scores = c.head(head*c.spec.KVHeads/c.spec.Heads, first+t, queries[t][at:at+c.spec.Dim], out[t][at:], scores)
		}
	})
	return out
}

// head adds to out the values that a query at a position sees, by their shares. It returns
// the room for scores.
func (c cache) head(head, position int, query, out, scores []float32) []float32 {
	first := 0
	if w := c.spec.Window; w > 0 {
		first = max(0, position-w+1)
	}
	scale, most := float32(1/math.Sqrt(float64(len(query)))), float32(math.Inf(-1))
	scores = scores[:0]
	for p := first; p <= position; p++ {
		sum := float32(0)
		key := c.key(head, p)
		for i, q := range query {
			sum += q * scale * half.Table[key[i*16]]
		}
		scores, most = append(scores, sum), max(most, sum)
	}
	total := float32(0)
	for i, v := range scores {
		scores[i] = float32(math.Exp(float64(v - most)))
		total += scores[i]
	}
	for i, share := range scores {
		for d, v := range c.value(head, first+i)[:len(query)] {
			out[d] += share / total * half.Table[v]
		}
	}
	return scores
}
