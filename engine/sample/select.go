package sample

import (
	"math"
	"slices"
)

// Argmax returns the token with the largest logit, the first one of equals; -1 when there is none
// but NaNs. It goes in four lanes, which do not wait for each other.
func Argmax(logits []float32) int32 {
	least := float32(math.Inf(-1))
	a, b, c, d := least, least, least, least
	n := len(logits) &^ 3
	for i := 0; i < n; i += 4 {
		four := logits[i : i+4 : i+4]
		if four[0] > a {
			a = four[0]
		}
		if four[1] > b {
			b = four[1]
		}
		if four[2] > c {
			c = four[2]
		}
		if four[3] > d {
			d = four[3]
		}
	}
	for _, l := range logits[n:] {
		if l > a {
			a = l
		}
	}
	best := max(a, b, c, d)
	return int32(slices.Index(logits, best))
}

// candidate is a token that may be drawn.
type candidate struct {
	logit float32
	id    int32
}

// before is the order of candidates: falling logits, equal ones by their ids.
func (c candidate) before(d candidate) bool {
	return c.logit > d.logit || c.logit == d.logit && c.id < d.id
}

func sortCandidates(list []candidate) {
	slices.SortFunc(list, func(a, b candidate) int {
		switch {
		case a.before(b):
			return -1
		case b.before(a):
			return 1
		}
		return 0
	})
}

// above appends the tokens whose logits are not under the floor.
func above(list []candidate, logits []float32, floor float32) []candidate {
	for id, l := range logits {
		if l >= floor {
			list = append(list, candidate{l, int32(id)})
		}
	}
	return list
}

// largest appends the first k tokens, in the order of candidates, whose logits are not under the
// floor. They are a heap with the last one on top, so most tokens cost one comparison.
func largest(list []candidate, logits []float32, k int, floor float32) []candidate {
	id := 0
	for ; id < len(logits) && len(list) < k; id++ {
		if logits[id] >= floor {
			list = append(list, candidate{logits[id], int32(id)})
		}
	}
	if len(list) < k || k == 0 {
		return list
	}
	for i := len(list)/2 - 1; i >= 0; i-- {
		sink(list, i, last)
	}
	least := list[0].logit
	for ; id < len(logits); id++ {
		if l := logits[id]; l > least { // an equal one has a larger id, and comes after all that are here
			list[0] = candidate{l, int32(id)}
			sink(list, 0, last)
			least = list[0].logit
		}
	}
	return list
}

// The two orders of heaps: which of two candidates is nearer to the top.
func first(a, b candidate) bool { return a.before(b) }
func last(a, b candidate) bool  { return b.before(a) }

// queue makes a heap of a list, with the first candidate on top.
func queue(list []candidate) {
	for i := len(list)/2 - 1; i >= 0; i-- {
		sink(list, i, first)
	}
}

// pop returns the first candidate of a heap. The place at the end of the list is free after it.
func pop(list []candidate) candidate {
	top, n := list[0], len(list)-1
	list[0] = list[n]
	sink(list[:n], 0, first)
	return top
}

// sink moves a candidate down to its place in a heap.
func sink(list []candidate, at int, above func(a, b candidate) bool) {
	for {
		below := 2*at + 1
		if below >= len(list) {
			return
		}
		if below+1 < len(list) && above(list[below+1], list[below]) {
			below++
		}
		if !above(list[below], list[at]) {
			return
		}
		list[at], list[below] = list[below], list[at]
		at = below
	}
}

// sumExp returns the sum of exp(logit - best) over all tokens.
func sumExp(logits []float32, best float32) float64 {
	sum := 0.0
	for _, l := range logits {
		if x := l - best; x > -87 { // under it, exp is no normal float32
			sum += float64(exp(x))
		}
	}
	return sum
}

// exp is e^x for x up to 0 (under -87 as for -87) with a relative error under 4e-6, several times as fast as math.Exp:
// 2 to the whole part by its bits, 2 to the rest, which is within half a unit, by the Taylor polynomial of degree
// 6.
func exp(x float32) float32 {
	x = max(x, -87)
	t := x * math.Log2E
	whole := int32(t - 0.5)
	f := (t - float32(whole)) * math.Ln2
	p := 1 + f*(1+f*(1./2+f*(1./6+f*(1./24+f*(1./120+f*(1./720))))))
	return p * math.Float32frombits(uint32(whole+127)<<23)
}
