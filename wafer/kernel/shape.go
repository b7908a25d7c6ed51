package kernel

import "fmt"

// Shape is the dimensions of a decoder-only transformer: RMSNorm, rotary
// embedding of adjacent pairs, grouped-query attention, SwiGLU.
type Shape struct {
	Layers   int
	Width    int // of the residual stream
	Heads    int
	KVHeads  int
	HeadSize int
	Feed     int // width of the feed-forward part
	Vocab    int
	Epsilon  float64 // of RMSNorm
	RopeBase float64
}

// Small is the model of the benchmark: 4 layers, 256 wide.
func Small() Shape {
	return Shape{Layers: 4, Width: 256, Heads: 4, KVHeads: 4, HeadSize: 64, Feed: 688, Vocab: 4096, Epsilon: 1e-5, RopeBase: 10000}
}

func (s Shape) check() error {
	for _, d := range []struct {
		name string
		n    int
	}{{"layers", s.Layers}, {"width", s.Width}, {"heads", s.Heads}, {"key and value heads", s.KVHeads},
		{"head size", s.HeadSize}, {"feed-forward width", s.Feed}, {"vocabulary", s.Vocab}} {
		if d.n < 1 {
			return fmt.Errorf("model shape: %d %s", d.n, d.name)
		}
	}
	switch {
	case s.Heads%s.KVHeads != 0:
		return fmt.Errorf("model shape: %d heads do not share %d key and value heads evenly", s.Heads, s.KVHeads)
	case s.HeadSize%2 != 0:
		return fmt.Errorf("model shape: a head of %d numbers has no pairs to rotate", s.HeadSize)
	}
	return nil
}

// group is how many heads share the keys and values of one.
func (s Shape) group() int { return s.Heads / s.KVHeads }

// split is a dimension cut over the cores of a line, padded at its end.
type split struct{ total, cores int }

// part is how many numbers a core has.
func (s split) part() int { return ceil(s.total, s.cores) }

// of is the indexes of a core's numbers; -1 is padding.
func (s split) of(core int) []int {
	list := make([]int, s.part())
	for i := range list {
		if list[i] = core*s.part() + i; list[i] >= s.total {
			list[i] = -1
		}
	}
	return list
}

// valid is how many of a core's numbers are not padding.
func (s split) valid(core int) int { return max(0, min(s.part(), s.total-core*s.part())) }

// heads cuts the keys and values of all heads over the cores of a row. The
// unit is a pair of numbers that are rotated together. The queries that meet
// these keys lie in the same core: of each head of the group the same pairs.
type heads struct {
	Shape
	cores int
}

// pairs is how many a core has, of the keys; it has as many of the values.
func (h heads) pairs() int { return ceil(h.KVHeads*h.HeadSize/2, h.cores) }

// size is how many numbers a core has of a key, a value, or one query of the group.
func (h heads) size() int { return 2 * h.pairs() }

// run is a stretch of a core's numbers that belongs to one key head.
type run struct {
	head     int // key head
	from, to int // of the core's numbers
	at       int // of the head's numbers
}

// headsOfColumn is what the column has whose numbers belong to most heads.
type headsOfColumn struct{ runs int }

// most looks at as many columns as it takes until heads begin at the same place of
// a column again.
func (h heads) most() headsOfColumn {
	most := 0
	for column := range h.period() {
		n := 0
		h.eachLength(column, func(int) { n++ })
		most = max(most, n)
	}
	return headsOfColumn{most}
}

// longest is the greatest sum over a column of what its numbers of each key head
// take.
func (h heads) longest(each func(numbers int) float64) float64 {
	most := 0.0
	for column := range h.period() {
		all := 0.0
		h.eachLength(column, func(n int) { all += each(n) })
		most = max(most, all)
	}
	return most
}

func (h heads) period() int { return min(h.cores, h.HeadSize/2/gcd(h.pairs(), h.HeadSize/2)) }

// eachLength calls do with how many numbers a column has of each of its key heads.
func (h heads) eachLength(column int, do func(numbers int)) {
	pairs, half := h.pairs(), h.HeadSize/2
	from, to := column*pairs, min((column+1)*pairs, h.KVHeads*half)
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
		head, at := pair/(h.HeadSize/2), 2*(pair%(h.HeadSize/2))
		switch n := len(list); {
		case head >= h.KVHeads:
		case n > 0 && list[n-1].head == head:
			list[n-1].to = 2*i + 2
		default:
			list = append(list, run{head, 2 * i, 2*i + 2, at})
		}
	}
	return list
}

// keys is the indexes, among the numbers of all key heads, of a core's numbers.
func (h heads) keys(core int) []int {
	list := fill(h.size(), -1)
	for _, r := range h.runs(core) {
		for i := r.from; i < r.to; i++ {
			list[i] = r.head*h.HeadSize + r.at + i - r.from
		}
	}
	return list
}

// queries is the indexes, among the numbers of all heads, of a core's numbers:
// first those of the first head of the group.
func (h heads) queries(core int) []int {
	var list []int
	for member := range h.group() {
		part := fill(h.size(), -1)
		for _, r := range h.runs(core) {
			for i := r.from; i < r.to; i++ {
				part[i] = (r.head*h.group()+member)*h.HeadSize + r.at + i - r.from
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
