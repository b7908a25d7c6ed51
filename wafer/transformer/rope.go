package transformer

import (
	"fmt"
	"math"
)

// Rope is the rotary embedding (arXiv 2104.09864): pairs of a head's numbers are rotated by
// an angle that grows with the position, so that the product of a query and a key depends
// only on their distance.
type Rope struct {
	FreqBase float64 // rope.freq_base
	Scaling  Scaling // rope.scaling.*
}

// Scaling is how angles change for contexts longer than those of the training. Factors of
// single pairs (llama 3) are in a tensor, rope_freqs.weight.
type Scaling struct {
	Type                  string  // type: none, linear or yarn; empty is linear
	Factor                float64 // factor: how much longer the context is; 0 is 1
	OriginalContextLength int     // original_context_length; 0 is context_length
	AttnFactor            float64 // attn_factor: a factor of cosines and sines; 0 is 1
	ExtFactor             float64 // yarn_ext_factor: share of the ramp; 0 is 1
	BetaFast              float64 // yarn_beta_fast: turns within the original context; 0 is 32
	BetaSlow              float64 // yarn_beta_slow; 0 is 1
}

// The types of scaling.
const (
	NoScaling = "none"
	Linear    = "linear"
	Yarn      = "yarn"
)

func (r Rope) wrong() []error {
	var wrong []error
	s := r.Scaling
	for _, v := range []float64{r.FreqBase, s.Factor, s.AttnFactor, s.ExtFactor, s.BetaFast, s.BetaSlow} {
		if !(v >= 0 && v < math.MaxFloat32) {
			wrong = append(wrong, fmt.Errorf("a parameter of its rotary embedding is %v; none can be negative or infinite", v))
		}
	}
	if s.OriginalContextLength < 0 {
		wrong = append(wrong, fmt.Errorf("the original context is %d positions", s.OriginalContextLength))
	}
	return wrong
}

// Halves reports which numbers of a head are a pair: i and i + n/2 ("neox"), or, if it is
// false, the adjacent 2i and 2i + 1 ("norm"), for which the converter of llama files has
// permuted the rows of Q and K.
func (c Config) Halves() bool { return c.Architecture == "qwen2" || c.Architecture == "qwen3" }

// Pair returns the two numbers of a head in pair i, of key_length / 2 pairs.
func (c Config) Pair(i int) (a, b int) {
	if c.Halves() {
		return i, i + c.KeyLength/2
	}
	return 2 * i, 2*i + 1
}

// Turn returns the cosine and the sine of the rotation of pair i of a head at a position:
//
//	angle = position * base^(-2i / key_length) / factor of the pair
//
// Linear scaling divides the angle by its factor. freqFactors is rope_freqs.weight, or nil.
func (c Config) Turn(i, position int, freqFactors []float32) (cos, sin float64) {
	angle := float64(position) * math.Pow(c.Rope.FreqBase, -2*float64(i)/float64(c.KeyLength))
	if freqFactors != nil {
		angle /= float64(freqFactors[i])
	}
	s := c.Rope.Scaling
	size := or(s.AttnFactor, 1)
	switch s.Type {
	case NoScaling:
	case Yarn:
		angle, size = c.yarn(angle, i), size*yarnSize(or(s.Factor, 1))
	default:
		angle /= or(s.Factor, 1)
	}
	return size * math.Cos(angle), size * math.Sin(angle)
}

// yarn leaves pairs that rotate fast unchanged, divides the angle of slow ones by the
// factor, and interpolates between them (arXiv 2309.00071, 3.2). A pair counts as fast or
// slow by its turns within the original context.
func (c Config) yarn(angle float64, i int) float64 {
	s := c.Rope.Scaling
	low := max(0, math.Floor(c.pairThatTurns(or(s.BetaFast, 32))))
	high := min(float64(c.KeyLength-1), math.Ceil(c.pairThatTurns(or(s.BetaSlow, 1))))
	slow := min(1, max(0, (float64(i)-low)/max(0.001, high-low)))
	kept := (1 - slow) * or(s.ExtFactor, 1)
	return angle/or(s.Factor, 1)*(1-kept) + angle*kept
}

// pairThatTurns returns the index of the pair, with a fraction, that makes so many turns
// within the original context: base^(-2i/n) * context = 2 pi turns.
func (c Config) pairThatTurns(turns float64) float64 {
	return float64(c.KeyLength) * math.Log(float64(c.original())/(turns*2*math.Pi)) / (2 * math.Log(c.Rope.FreqBase))
}

// yarnSize returns the factor of cosines and sines that keeps scores sharp (3.4).
func yarnSize(factor float64) float64 {
	if factor <= 1 {
		return 1
	}
	return 1 + 0.1*math.Log(factor)
}

func (c Config) original() int {
	if n := c.Rope.Scaling.OriginalContextLength; n > 0 {
		return n
	}
	return c.ContextLength
}

func or(v, otherwise float64) float64 {
	if v == 0 {
		return otherwise
	}
	return v
}
