package transformer

import "math"

// block is some rows of a batch, and the numbers that they have at the moment.
type block struct {
	rows  []row
	x     pairs // residual stream
	h     pairs // normed
	wide  pairs // queries; keys and values; gates and ups
	inner pairs // what attention or SwiGLU makes

	query, out, scores []float32 // of one row
}

// newBlock returns a block with room for so many rows.
func (q *Quick) newBlock(rows []row, size int) *block {
	n := (size + 1) / 2
	return &block{rows: rows, x: newPairs(n, q.EmbeddingLength), h: newPairs(n, q.EmbeddingLength),
		wide:  newPairs(n, tripled(max(q.QueryWidth(), 2*q.KVWidth(), 2*q.FeedForwardLength, q.EmbeddingLength))),
		inner: newPairs(n, max(q.QueryWidth(), q.FeedForwardLength)),
		query: make([]float32, q.QueryWidth()), out: make([]float32, max(q.QueryWidth(), 2*q.KVWidth()))}
}

// keys norms the rows for the attention of layer i, and writes their keys and values.
func (q *Quick) keys(i int, k *block) {
	f, l := &q.fast[i], &q.layers[i]
	q.normed(k.h, k.x, l.AttnNorm)
	f.keyValue.times(&k.wide, k.h)
	list := k.out[:2*q.KVWidth()]
	for n, r := range k.rows {
		k.wide.copyRow(list, n)
		add(list, f.keyValueBias)
		key := r.state.Keys[i][r.position]
		copy(key, list)
		q.normHeads(key, l.KNorm)
		q.rotate(key, r.turns)
		copy(r.state.Values[i][r.position], list[len(key):])
	}
}

// rest is layer i behind its keys: the attention of the rows, and the feed-forward block.
func (q *Quick) rest(i int, k *block) {
	f, l := &q.fast[i], &q.layers[i]
	f.query.times(&k.wide, k.h)
	k.inner = k.inner.of(q.QueryWidth())
	for n, r := range k.rows {
		k.wide.copyRow(k.query, n)
		add(k.query, f.queryBias)
		q.normHeads(k.query, l.QNorm)
		q.rotate(k.query, r.turns)
		q.attend(k, r.state.Keys[i][:r.position+1], r.state.Values[i][:r.position+1])
		k.inner.set(n, k.out[:q.QueryWidth()])
	}
	f.output.times(&k.wide, k.inner)
	k.x.add(k.wide)
	q.normed(k.h, k.x, l.FFNNorm)
	f.gateUp.times(&k.wide, k.h)
	k.inner = k.inner.of(q.FeedForwardLength)
	k.inner.swiGLU(k.wide)
	f.down.times(&k.wide, k.inner)
	k.x.add(k.wide)
}

// normed is Norm of each row.
func (q *Quick) normed(to, x pairs, gain []float32) {
	epsilon := float64(float32(q.RMSEpsilon))
	for at := 0; at < len(x.data); at += x.width {
		in, out := x.data[at:at+x.width], to.data[at:at+x.width]
		var a, b float64
		for _, v := range in {
			a += float64(v[0]) * float64(v[0])
			b += float64(v[1]) * float64(v[1])
		}
		sa := float32(1 / math.Sqrt(a/float64(x.width)+epsilon))
		sb := float32(1 / math.Sqrt(b/float64(x.width)+epsilon))
		for i, v := range in {
			out[i] = [2]float32{v[0] * sa * gain[i], v[1] * sb * gain[i]}
		}
	}
}

// rotate is Rotate with the turns of a position.
func (q *Quick) rotate(list []float32, turns [][2]float32) {
	for at := 0; at < len(list); at += q.KeyLength {
		for i, t := range turns {
			first, second := q.Pair(i)
			a, b := list[at+first], list[at+second]
			list[at+first], list[at+second] = a*t[0]-b*t[1], a*t[1]+b*t[0]
		}
	}
}

// attend is Attend for the block's query, into its out. keys and values are those of all
// positions up to the query's own.
func (q *Quick) attend(k *block, keys, values [][]float32) {
	from := len(keys) - q.Sees(len(keys))
	keys, values = keys[from:], values[from:]
	if cap(k.scores) < len(keys) {
		k.scores = make([]float32, len(keys), 2*len(keys))
	}
	scores := k.scores[:len(keys)]
	scale := float32(1 / math.Sqrt(float64(q.KeyLength)))
	for head := range q.HeadCount {
		at, kv := head*q.KeyLength, head/q.Group()*q.KeyLength
		score(scores, k.query[at:at+q.KeyLength], keys, kv)
		shares(scores, scale)
		mix(k.out[at:at+q.KeyLength], scores, values, kv)
	}
}

// score writes a query's product with each key; at is where the keys' head begins.
func score(to, query []float32, keys [][]float32, at int) {
	n, width := 0, len(query)
	for ; n+4 <= len(keys); n += 4 {
		a, b := keys[n][at:][:width], keys[n+1][at:][:width]
		c, d := keys[n+2][at:][:width], keys[n+3][at:][:width]
		var sa, sb, sc, sd float32
		for i, v := range query {
			sa += v * a[i]
			sb += v * b[i]
			sc += v * c[i]
			sd += v * d[i]
		}
		to[n], to[n+1], to[n+2], to[n+3] = sa, sb, sc, sd
	}
	for ; n < len(keys); n++ {
		to[n] = dotQuick(query, keys[n][at:][:width])
	}
}

// shares is Softmax of scores times a scale, in place.
func shares(scores []float32, scale float32) {
	most, sum := scores[0], float32(0)
	for _, v := range scores {
		most = max(most, v)
	}
	for i, v := range scores {
		scores[i] = expQuick(scale * (v - most))
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}

// mix writes the sum of the values, each times its share; at is where the values' head begins.
func mix(to, shares []float32, values [][]float32, at int) {
	clear(to)
	n, width := 0, len(to)
	for ; n+4 <= len(values); n += 4 {
		a, b := values[n][at:][:width], values[n+1][at:][:width]
		c, d := values[n+2][at:][:width], values[n+3][at:][:width]
		sa, sb, sc, sd := shares[n], shares[n+1], shares[n+2], shares[n+3]
		for i, v := range to {
			to[i] = v + (sa*a[i] + sb*b[i]) + (sc*c[i] + sd*d[i])
		}
	}
	for ; n < len(values); n++ {
		a, sa := values[n][at:][:width], shares[n]
		for i := range to {
			to[i] += sa * a[i]
		}
	}
}

func expQuick(v float32) float32 { return float32(math.Exp(float64(v))) }

// add adds a bias, unless it is empty.
func add(list, bias []float32) {
	for i, v := range bias {
		list[i] += v
	}
}
