package transformer

import (
	"fmt"
	"math"
)

// Step appends a token to the sequence and returns the logits of the next one. A prompt
// takes one step per token: computing it at once would give the same numbers.
func (m *Model) Step(s *State, token int) ([]float32, error) {
	x, err := m.Embed(token)
	if err != nil {
		return nil, err
	}
	for i := range m.layers {
		m.Layer(s, i, x)
	}
	return m.Logits(x), nil
}

// Embed returns a token's row of the table: the residual stream [embedding_length] before
// the first layer.
func (m *Model) Embed(token int) ([]float32, error) {
	if token < 0 || token >= m.VocabSize {
		return nil, fmt.Errorf("token %d is not in a vocabulary of %d: give one from 0 to %d", token,
			m.VocabSize, m.VocabSize-1)
	}
	return m.storage.all(append([]float32(nil), m.embed.Row(token)...)), nil
}

// Logits returns the logits [vocab_size] of the residual stream after the last layer.
func (m *Model) Logits(x []float32) []float32 { return Product(m.head, m.Norm(x, m.norm)) }

// Layer adds the output of layer i to the residual stream x, and appends the layer's keys
// and values to the sequence.
func (m *Model) Layer(s *State, i int, x []float32) {
	l := &m.layers[i]
	m.Add(x, Product(l.Output, m.attention(s, i, m.Norm(x, l.AttnNorm))))
	h := m.Norm(x, l.FFNNorm)
	m.Add(x, Product(l.FFNDown, m.SwiGLU(Product(l.FFNGate, h), Product(l.FFNUp, h))))
}

// attention is the attention block on a normed stream h, without attn_output.
func (m *Model) attention(s *State, i int, h []float32) []float32 {
	l := &m.layers[i]
	position := len(s.Keys[i])
	query, key := m.Project(l.Q, l.QBias, h), m.Project(l.K, l.KBias, h)
	m.normHeads(query, l.QNorm)
	m.normHeads(key, l.KNorm)
	m.Rotate(query, position)
	m.Rotate(key, position)
	s.Keys[i] = append(s.Keys[i], key)
	s.Values[i] = append(s.Values[i], m.Project(l.V, l.VBias, h))
	return m.Attend(s, i, query)
}

// Project returns a product plus a bias, if that is not nil.
func (m *Model) Project(w Tensor, bias, x []float32) []float32 {
	list := make([]float32, w.Rows)
	for r := range list {
		sum := dot(w.Row(r), x)
		if bias != nil {
			sum += float64(bias[r])
		}
		list[r] = m.storage.of(sum)
	}
	return list
}

// normHeads norms each head separately, with the same gains (QK-norm).
func (m *Model) normHeads(list, gain []float32) {
	if gain == nil {
		return
	}
	for at := 0; at < len(list); at += m.KeyLength {
		copy(list[at:], m.Norm(list[at:at+m.KeyLength], gain))
	}
}

// Attend returns the attention of the queries of all heads at the last position: for each
// head the sum of the values of the positions that it sees, each times its probability.
func (m *Model) Attend(s *State, layer int, query []float32) []float32 {
	out := make([]float32, m.QueryWidth())
	for head := range m.HeadCount {
		at, kv := head*m.KeyLength, head/m.Group()
		shares := m.Softmax(m.Scores(s, layer, kv, query[at:at+m.KeyLength]))
		first := len(s.Keys[layer]) - len(shares)
		for i := range m.KeyLength {
			sum := 0.0
			for p, share := range shares {
				sum += float64(share) * float64(s.Values[layer][first+p][kv*m.KeyLength+i])
			}
			out[at+i] = m.storage.of(sum)
		}
	}
	return out
}

// Scores returns one head's query times the keys of all positions that the last one sees,
// divided by sqrt(key_length). kv is the key head.
func (m *Model) Scores(s *State, layer, kv int, query []float32) []float64 {
	keys := s.Keys[layer]
	keys = keys[len(keys)-m.Sees(len(keys)):]
	scale := float64(float32(1 / math.Sqrt(float64(m.KeyLength))))
	list := make([]float64, len(keys))
	for p, key := range keys {
		list[p] = scale * dot(query, key[kv*m.KeyLength:][:m.KeyLength])
	}
	return list
}

// Softmax returns the probabilities of scores: exp of each, over the sum of all.
func (m *Model) Softmax(scores []float64) []float32 {
	most, sum := math.Inf(-1), 0.0
	for _, v := range scores {
		most = max(most, v)
	}
	for _, v := range scores {
		sum += math.Exp(v - most)
	}
	list := make([]float32, len(scores))
	for i, v := range scores {
		list[i] = m.storage.of(math.Exp(v-most) / sum)
	}
	return list
}

// Rotate rotates the pairs of each head by their angles at a position: a, b = a cos - b
// sin, a sin + b cos. Cosines, sines and products are rounded to the storage.
func (m *Model) Rotate(list []float32, position int) {
	kept := m.storage.of
	for i := range m.KeyLength / 2 {
		c, s := m.Turn(i, position)
		for at := 0; at < len(list); at += m.KeyLength {
			first, second := m.Pair(i)
			a, b := &list[at+first], &list[at+second]
			x, y := float64(*a), float64(*b)
			*a = kept(float64(kept(x*c)) - float64(kept(y*s)))
			*b = kept(float64(kept(x*s)) + float64(kept(y*c)))
		}
	}
}

// Turn returns the rounded cosine and sine of a pair at a position.
func (m *Model) Turn(i, position int) (cos, sin float64) {
	c, s := m.Config.Turn(i, position, m.freqs)
	return float64(m.storage.of(c)), float64(m.storage.of(s))
}

// Norm divides by the root of the mean square, and multiplies by gains.
func (m *Model) Norm(x, gain []float32) []float32 {
	scale := 1 / math.Sqrt(dot(x, x)/float64(len(x))+float64(float32(m.RMSEpsilon)))
	list := make([]float32, len(x))
	for i, v := range x {
		list[i] = m.storage.of(float64(v) * scale * float64(gain[i]))
	}
	return list
}

// SwiGLU returns SiLU(gate) * up, where SiLU(g) = g / (1 + exp(-g)).
func (m *Model) SwiGLU(gate, up []float32) []float32 {
	list := make([]float32, len(up))
	for i, u := range up {
		g := float64(gate[i])
		list[i] = m.storage.of(float64(u) * g / (1 + math.Exp(-g)))
	}
	return list
}

// Add adds more to the residual stream x.
func (m *Model) Add(x, more []float32) {
	for i := range x {
		x[i] = m.storage.of(float64(x[i]) + float64(more[i]))
	}
}

// Product returns a matrix times a vector.
func Product(w Tensor, x []float32) []float32 {
	list := make([]float32, w.Rows)
	for r := range list {
		list[r] = float32(dot(w.Row(r), x))
	}
	return list
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}

// Argmax returns the index of the greatest logit; of equal ones the lowest.
func Argmax(logits []float32) int {
	best := 0
	for i, v := range logits {
		if v > logits[best] {
			best = i
		}
	}
	return best
}
