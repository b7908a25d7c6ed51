package sample

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Options are how tokens are chosen. The zero value takes the most likely one.
type Options struct {
	Temperature float64 // 0: always the most likely token
	TopK        int     // only so many tokens, the most likely ones; 0: all
	TopP        float64 // only the most likely tokens that have so much probability together; 0 or 1: all
	MinP        float64 // only tokens with so much of the most likely one's probability; 0: all
	Seed        uint64
	Logprobs    int // report so many tokens with their log-probabilities; 0: none
}

// MaxLogprobs is the largest number of log-probabilities, that of the Responses API.
const MaxLogprobs = 20

// Check returns an error for options that mean nothing.
func (o Options) Check() error {
	switch {
	case !(o.Temperature >= 0) || math.IsInf(o.Temperature, 0):
		return fmt.Errorf("sampling: the temperature is %v; it has to be 0 or more", o.Temperature)
	case o.TopK < 0:
		return fmt.Errorf("sampling: top-k is %d; it has to be 0 (all) or more", o.TopK)
	case !(o.TopP >= 0 && o.TopP <= 1):
		return fmt.Errorf("sampling: top-p is %v; it has to be between 0 and 1", o.TopP)
	case !(o.MinP >= 0 && o.MinP <= 1):
		return fmt.Errorf("sampling: min-p is %v; it has to be between 0 and 1", o.MinP)
	case o.Logprobs < 0 || o.Logprobs > MaxLogprobs:
		return fmt.Errorf("sampling: %d log-probabilities; 0 to %d can be reported", o.Logprobs, MaxLogprobs)
	}
	return nil
}

// Sampler chooses the tokens of one answer. It is for one goroutine.
type Sampler struct {
	o       Options
	random  *rand.Rand
	list    []candidate // scratch
	weights []float64
}

// Choice is a chosen token.
type Choice struct {
	ID      int32
	Logprob float64   // natural logarithm, over all tokens before any cut; 0 unless asked for
	Top     []Logprob // the most likely tokens, the best first; nil unless asked for
}

// Logprob is the log-probability of a token.
type Logprob struct {
	ID      int32
	Logprob float64
}

// New returns a sampler at the beginning of its seed.
func New(o Options) (*Sampler, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	return &Sampler{o: o, random: rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15))}, nil
}

var errNoLogits = errors.New(
	"sampling: no token has a finite logit: the model's weights, or the numbers computed from them, are broken")

// Next chooses a token by the logits of all tokens. A NaN is never chosen.
func (s *Sampler) Next(logits []float32) (Choice, error) {
	best := Argmax(logits)
	if best < 0 || math.IsInf(float64(logits[best]), -1) {
		return Choice{}, errNoLogits
	}
	c := Choice{ID: best}
	if s.o.Temperature > 0 && !math.IsInf(float64(logits[best]), 1) {
		c.ID = s.draw(logits, logits[best])
	}
	if s.o.Logprobs > 0 {
		c.Logprob, c.Top = s.logprobs(logits, logits[best], c.ID)
	}
	return c, nil
}

// depth is how far under the best logit a token may be to be drawn, at temperatures up to 1.
const depth = 16

// draw draws a token.
func (s *Sampler) draw(logits []float32, best float32) int32 {
	floor := best - depth*float32(max(1, s.o.Temperature))
	s.list = s.list[:0]
	if s.o.TopK > 0 {
		s.list = largest(s.list, logits, min(s.o.TopK, len(logits)), floor)
		sortCandidates(s.list)
	} else {
		s.list = above(s.list, logits, floor)
	}
	switch {
	case s.o.TopP > 0 && s.o.TopP < 1:
		s.list = topP(s.list, best, s.o.TopP)
	case s.o.TopK == 0:
		sortCandidates(s.list)
	}
	if s.o.MinP > 0 {
		s.list = cutBelow(s.list, best+float32(math.Log(s.o.MinP)))
	}
	return s.list[s.pick(best)].id
}

// topP keeps the most likely candidates, in order, that reach the wanted share of all. It takes them out
// of a heap, best first, and stops there: of a hundred thousand candidates few hundred may be enough.
func topP(list []candidate, best float32, share float64) []candidate {
	wanted, sum := 0.0, 0.0
	for _, c := range list {
		wanted += share * float64(exp(c.logit-best))
	}
	queue(list)
	rest := len(list)
	for rest > 0 && (sum < wanted || rest == len(list)) {
		c := pop(list[:rest])
		rest--
		list[rest] = c // the heap has become shorter by this place
		sum += float64(exp(c.logit - best))
	}
	list = list[rest:]
	slices.Reverse(list)
	return list
}

// cutBelow keeps the candidates, which are in order, that are not under a logit, and at least one.
func cutBelow(list []candidate, logit float32) []candidate {
	n := len(list)
	for n > 1 && list[n-1].logit < logit {
		n--
	}
	return list[:n]
}

// pick draws one of the candidates under the temperature.
func (s *Sampler) pick(best float32) int {
	total := 0.0
	s.weights = s.weights[:0]
	for _, c := range s.list {
		total += math.Exp(float64(c.logit-best) / s.o.Temperature)
		s.weights = append(s.weights, total)
	}
	at := s.random.Float64() * total
	for i, sum := range s.weights {
		if at < sum {
			return i
		}
	}
	return len(s.weights) - 1
}

// logprobs returns the log-probability of a token and the most likely tokens.
func (s *Sampler) logprobs(logits []float32, best float32, id int32) (of float64, top []Logprob) {
	norm := float64(best)
	if !math.IsInf(norm, 1) {
		norm += math.Log(sumExp(logits, best))
	}
	at := func(id int32) float64 {
		if l := float64(logits[id]); !math.IsInf(l, 1) {
			return l - norm
		}
		return 0
	}
	s.list = largest(s.list[:0], logits, min(s.o.Logprobs, len(logits)), float32(math.Inf(-1)))
	sortCandidates(s.list)
	for _, c := range s.list {
		top = append(top, Logprob{c.id, at(c.id)})
	}
	return at(id), top
}
