package kernel

import (
	"math"

	"waferpair/wafer/tile"
)

// Reference is a model computed without a mesh, one plain loop after the
// other. It rounds to fp16 what a Decoder stores as fp16, and keeps sums in
// float64: the order of a sum is what a mesh may do otherwise.
type Reference struct {
	w            Weights
	keys, values [][][]float64 // [layer][position][number]
}

// NewReference is a model that has seen no token.
func NewReference(w Weights) *Reference {
	return &Reference{w: w, keys: make([][][]float64, w.Shape.Layers), values: make([][][]float64, w.Shape.Layers)}
}

// Step is the logits after one more token.
func (r *Reference) Step(token int) []float64 {
	s := r.w.Shape
	x := widen(r.w.Embedding[token*s.Width:][:s.Width])
	for i := range r.w.Layers {
		r.layer(i, x)
	}
	return product(norm(x, r.w.Norm, s.Epsilon), r.w.Head)
}

// layer adds to x what a layer makes of it.
func (r *Reference) layer(i int, x []float64) {
	l, epsilon := r.w.Layers[i], r.w.Shape.Epsilon
	addTo(x, product(r.attention(i, norm(x, l.AttentionNorm, epsilon), l), l.O))
	normed := norm(x, l.FeedNorm, epsilon)
	addTo(x, product(gated(product(normed, l.Up), product(normed, l.Gate)), l.Down))
}

func (r *Reference) attention(layer int, x []float64, l LayerWeights) []float64 {
	s := r.w.Shape
	position := len(r.keys[layer])
	query, key := halves(product(x, l.Q)), halves(product(x, l.K))
	rotate(s, query, position)
	rotate(s, key, position)
	r.keys[layer] = append(r.keys[layer], key)
	r.values[layer] = append(r.values[layer], halves(product(x, l.V)))
	return r.attend(layer, query)
}

// attend is the attention of a query over all positions.
func (r *Reference) attend(layer int, query []float64) []float64 {
	s := r.w.Shape
	out := make([]float64, s.Heads*s.HeadSize)
	for head := range s.Heads {
		at := head / s.group() * s.HeadSize
		shares := softmax(r.scores(layer, query[head*s.HeadSize:][:s.HeadSize], at))
		for p, share := range shares {
			for i, v := range r.values[layer][p][at : at+s.HeadSize] {
				out[head*s.HeadSize+i] += share * v
			}
		}
	}
	return halves(out)
}

// scores is a head's query times the keys of all positions.
func (r *Reference) scores(layer int, query []float64, at int) []float64 {
	list := make([]float64, len(r.keys[layer]))
	for p, key := range r.keys[layer] {
		for i, q := range query {
			list[p] += q * key[at+i]
		}
		list[p] *= float64(float32(1 / math.Sqrt(float64(len(query)))))
	}
	return list
}

// softmax is the shares, rounded to fp16.
func softmax(scores []float64) []float64 {
	most, sum := math.Inf(-1), 0.0
	for _, v := range scores {
		most = max(most, v)
	}
	list := make([]float64, len(scores))
	for i, v := range scores {
		list[i] = math.Exp(v - most)
		sum += list[i]
	}
	for i := range list {
		list[i] = half(list[i] / sum)
	}
	return list
}

// rotate turns adjacent pairs of each head; products are rounded to fp16 first.
func rotate(s Shape, list []float64, position int) {
	for i := 0; i < len(list); i += 2 {
		c, sn := turn(s, i, position)
		a, b := list[i], list[i+1]
		list[i] = half(half(a*float64(c)) - half(b*float64(sn)))
		list[i+1] = half(half(a*float64(sn)) + half(b*float64(c)))
	}
}

func norm(x []float64, gain []float32, epsilon float64) []float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	scale := 1 / math.Sqrt(sum/float64(len(x))+float64(float32(epsilon)))
	list := make([]float64, len(x))
	for i, v := range x {
		list[i] = half(v * scale * float64(gain[i]))
	}
	return list
}

// product is x times a matrix of len(x) rows.
func product(x []float64, matrix []float32) []float64 {
	n := len(matrix) / len(x)
	list := make([]float64, n)
	for k, v := range x {
		for i, m := range matrix[k*n : k*n+n] {
			list[i] += v * float64(m)
		}
	}
	return list
}

func gated(up, gate []float64) []float64 {
	list := make([]float64, len(up))
	for i := range up {
		list[i] = half(up[i] * gate[i] / (1 + math.Exp(-gate[i])))
	}
	return list
}

func addTo(x, more []float64) {
	for i := range x {
		x[i] = half(x[i] + more[i])
	}
}

func halves(list []float64) []float64 {
	for i, v := range list {
		list[i] = half(v)
	}
	return list
}

func half(v float64) float64 { return float64(tile.Float(tile.ToHalf(float32(v)))) }

func widen(list []float32) []float64 {
	wide := make([]float64, len(list))
	for i, v := range list {
		wide[i] = float64(v)
	}
	return wide
}
