package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// Job is a kernel by itself, placed on a mesh, with its program emitted. It states where
// its inputs belong and where its output will be. It does not know how it is run:
// package run writes the inputs, runs the program and checks the output.
type Job struct {
	Plan   *Plan
	Inputs []Place
	Output Place
	Cycles float64 // by formula
}

// Place locates a vector, or a matrix by rows, on a mesh: in the same buffer of each
// core.
type Place struct {
	Name   string
	Buffer tile.Buffer
	Len    int                   // of the whole vector or matrix
	Of     func(fabric.At) []int // a core's numbers as indexes in the whole; -1 pads
}

// in returns the place of a matrix in the cores for which holds is true. Other cores
// have no numbers of it.
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

// oneByOne returns the place of buffers one after the other, core by core, of the cores
// for which holds is true.
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

// as returns a copy of the place with n numbers, whose indexes are mapped by index.
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
