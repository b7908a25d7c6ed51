package kernel

import (
	"errors"
	"fmt"

	"waferpair/wafer/transformer"
)

// Small returns the model of the benchmark: 4 layers, 256 wide.
func Small() transformer.Config {
	c := transformer.Defaults("llama")
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = 4, 256, 688, 4096
	c.HeadCount, c.HeadCountKV, c.KeyLength = 4, 4, 64
	return c
}

// Prefillable returns an error when a shape needs something that the kernels of a prefill
// do not have.
func Prefillable(c transformer.Config) error {
	if err := c.Runnable(); err != nil {
		return err
	}
	switch {
	case c.QKNorm:
		return errors.New("the wafer's prefill has no norms of queries and keys (blk.N.attn_q_norm), as qwen3 has them")
	case c.SlidingWindow > 0:
		return fmt.Errorf("the wafer's prefill has no sliding window (attention.sliding_window is %d)", c.SlidingWindow)
	case c.QKVBias:
		return errors.New(
			"the wafer's prefill has no biases of queries, keys and values (blk.N.attn_q.bias), as qwen2 has them")
	}
	return nil
}

// split is a dimension cut over the cores of a line, padded at its end.
type split struct{ total, cores int }

// part returns the number of a core's numbers, with padding.
func (s split) part() int { return ceil(s.total, s.cores) }

// of returns the indexes of a core's numbers; -1 is padding.
func (s split) of(core int) []int {
	list := make([]int, s.part())
	for i := range list {
		if list[i] = core*s.part() + i; list[i] >= s.total {
			list[i] = -1
		}
	}
	return list
}

// valid returns the number of a core's numbers without padding.
func (s split) valid(core int) int { return max(0, min(s.part(), s.total-core*s.part())) }

// heads cuts the keys and values of all heads over the cores of a row. The
// unit is a pair of numbers that are rotated together. The queries that meet
// these keys lie in the same core: of each head of the group the same pairs.
type heads struct {
	*transformer.Config
	cores int
}

// pairs returns the number of pairs of keys in a core; it has as many of values.
func (h heads) pairs() int { return ceil(h.HeadCountKV*h.KeyLength/2, h.cores) }

// size returns the number of a core's numbers of a key, a value, or one query of the
// group.
func (h heads) size() int { return 2 * h.pairs() }

// full returns the number of cores without padding; the core after them has the rest of
// the numbers.
func (h heads) full() int { return h.KVWidth() / h.size() }

// run is a stretch of a core's numbers that belongs to one key head.
type run struct {
	head     int // key head
	from, to int // of the core's numbers
	at       int // of the head's numbers
}

// max returns the number of key heads that the numbers of a column can belong to: of
// all places in a head where a column can begin, the last one counts.
func (h heads) max() int {
	half := h.KeyLength / 2
	last := half - gcd(h.pairs(), half)
	return min(h.HeadCountKV, ceil(last+h.pairs(), half))
}

// longest returns the time of the slowest column: the sum of each over its key heads.
// After some columns, heads begin at the same places of a column again.
func (h heads) longest(each func(numbers int) float64) float64 {
	most, half := 0.0, h.KeyLength/2
	for column := range min(h.cores, half/gcd(h.pairs(), half)) {
		most = max(most, h.sum(column, each))
	}
	return most
}

// sum returns the time of a column: the sum of each over its key heads.
func (h heads) sum(column int, each func(numbers int) float64) float64 {
	all := 0.0
	h.eachLength(column, func(n int) { all += each(n) })
	return all
}

// eachLength calls do with how many numbers a column has of each of its key heads.
func (h heads) eachLength(column int, do func(numbers int)) {
	pairs, half := h.pairs(), h.KeyLength/2
	from, to := column*pairs, min((column+1)*pairs, h.HeadCountKV*half)
	for from < to {
		next := min(to, (from/half+1)*half)
		do(2 * (next - from))
		from = next
	}
}

// runs lists a core's numbers by key head, without padding.
func (h heads) runs(core int) []run {
	var list []run
	for i := range h.pairs() {
		pair := core*h.pairs() + i
		head, at := pair/(h.KeyLength/2), 2*(pair%(h.KeyLength/2))
		switch n := len(list); {
		case head >= h.HeadCountKV:
		case n > 0 && list[n-1].head == head:
			list[n-1].to = 2*i + 2
		default:
			list = append(list, run{head, 2 * i, 2*i + 2, at})
		}
	}
	return list
}

// number returns the index in a head of the number that is stored at a place: pairs lie
// side by side, whichever numbers the model rotates together.
func (h heads) number(at int) int {
	a, b := h.Pair(at / 2)
	if at%2 == 0 {
		return a
	}
	return b
}

// pairOf returns the index in its head of the pair that begins with a number.
func (h heads) pairOf(number int) int {
	if h.Halves() {
		return number % h.KeyLength
	}
	return number % h.KeyLength / 2
}

// keys returns the indexes, among the numbers of all key heads, of a core's numbers.
func (h heads) keys(core int) []int {
	list := fill(h.size(), -1)
	for _, r := range h.runs(core) {
		for i := r.from; i < r.to; i++ {
			list[i] = r.head*h.KeyLength + h.number(r.at+i-r.from)
		}
	}
	return list
}

// queries returns the indexes, among the numbers of all heads, of a core's numbers:
// first those of the first head of the group.
func (h heads) queries(core int) []int {
	var list []int
	for member := range h.Group() {
		part := fill(h.size(), -1)
		for _, r := range h.runs(core) {
			for i := r.from; i < r.to; i++ {
				part[i] = (r.head*h.Group()+member)*h.KeyLength + h.number(r.at+i-r.from)
			}
		}
		list = append(list, part...)
	}
	return list
}

func fill(n, v int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = v
	}
	return list
}
