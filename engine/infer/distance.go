package infer

import (
	"math"
	"slices"

	"waferpair/wafer/transformer"
)

// MostRMS and MostKL are how far, at most, the logits of this package are from the float run of the same
// file: their relative RMS, and the mean KL divergence of the probabilities. Tests hold it to them.
const (
	MostRMS = 0.03
	MostKL  = 3e-4
)

// Distance is how far logits are from those of a reference, over the positions that were added.
type Distance struct {
	positions, same int
	off, size, sum  float64
}

// Add adds the logits of a position.
func (d *Distance) Add(got, want []float32) {
	p, q := logShares(want), logShares(got)
	for i, w := range want {
		apart := float64(got[i]) - float64(w)
		d.off += apart * apart
		d.size += float64(w) * float64(w)
		d.sum += math.Exp(p[i]) * (p[i] - q[i])
	}
	d.positions++
	if transformer.Argmax(got) == transformer.Argmax(want) {
		d.same++
	}
}

// Positions returns how many positions were added.
func (d *Distance) Positions() int { return d.positions }

// RMS returns the root mean square of the differences, relative to that of the reference.
func (d *Distance) RMS() float64 {
	if d.off == 0 {
		return 0
	}
	return math.Sqrt(d.off / d.size)
}

// KL returns the mean KL divergence of the probabilities, in nats.
func (d *Distance) KL() float64 { return d.sum / float64(max(1, d.positions)) }

// Same returns the share of positions whose most likely token is the reference's.
func (d *Distance) Same() float64 { return float64(d.same) / float64(max(1, d.positions)) }

// Surprise returns how unlikely logits find a token: the negative logarithm of its probability. The
// exponential of its mean over a text is the text's perplexity.
func Surprise(logits []float32, token int32) float64 { return -logShares(logits)[token] }

// logShares returns the logarithms of the probabilities.
func logShares(logits []float32) []float64 {
	most, total := float64(slices.Max(logits)), 0.0
	for _, v := range logits {
		total += math.Exp(float64(v) - most)
	}
	list, shift := make([]float64, len(logits)), most+math.Log(total)
	for i, v := range logits {
		list[i] = float64(v) - shift
	}
	return list
}
