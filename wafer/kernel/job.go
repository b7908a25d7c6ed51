package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// Job is a kernel by itself, laid on a mesh and with its program written. It says
// where its inputs go and where its output comes out; who runs it puts the numbers
// there and knows what should come of them. See package run.
type Job struct {
	Plan   *Plan
	Inputs []Place
	Output Place
	Cycles float64 // by formula
}

// Place is where a vector, or a matrix by rows, lies on a mesh: in one buffer of
// each core.
type Place struct {
	Name   string
	Buffer tile.Buffer
	Len    int                   // of the whole
	Of     func(fabric.At) []int // index in the whole of each number of a core's; -1 is padding, an empty list none
}

// in is where a matrix lies, in the cores that hold says.
func (t tiling) in(name string, b tile.Buffer, holds func(fabric.At) bool) Place {
	return Place{name, b, t.rows.total * t.cols.total, func(at fabric.At) []int {
		if !holds(at) {
			return nil
		}
		list := make([]int, t.numbers())
		t.each(at, func(inTile, inMatrix int) { list[inTile] = inMatrix })
		return list
	}}
}

// oneByOne is where numbers lie of which every core that holds some has its own, core
// by core.
func (p *Plan) oneByOne(name string, b tile.Buffer, holds func(fabric.At) bool) Place {
	first, n := map[fabric.At]int{}, 0
	p.cores(func(at fabric.At) {
		if holds(at) {
			first[at] = n
			n += b.Len
		}
	})
	return Place{name, b, n, func(at fabric.At) []int {
		if !holds(at) {
			return nil
		}
		list := make([]int, b.Len)
		for i := range list {
			list[i] = first[at] + i
		}
		return list
	}}
}

// as is the same place of numbers of which there are n, with another index each.
func (p Place) as(n int, index func(int) int) Place {
	of := p.Of
	p.Len, p.Of = n, func(at fabric.At) []int {
		list := of(at)
		for i, v := range list {
			if v >= 0 {
				list[i] = index(v)
			}
		}
		return list
	}
	return p
}
