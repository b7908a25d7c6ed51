package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// GEMV is MeshGEMV, [1,K] x [K,N]. The vector is cut along one axis and is the
// same along the other; the matrix is cut along both:
//
//	          part of N ->
//	x[0]   W[0,0]  W[0,1]  W[0,2]         every core: y = x[k] * W[k,n]
//	x[1]   W[1,0]  W[1,1]  W[1,2]         along the vector's axis: allreduce of y
//	x[2]   W[2,0]  W[2,1]  W[2,2]         (or a reduce to the tree's root)
//
// The result is cut along the other axis, so the next product needs no
// transposition: it sums along that one. Any mesh.
//
// Colors: those of a Tree, 5 or 9. SRAM: K N/(W H) + K/L + N/L' numbers of fp16
// and, when sums are fp32, N/L' of those.
type GEMV struct {
	plan   *Plan
	tree   *Tree
	axis   Axis // along which the vector is cut, and sums are made
	k, n   split
	x, w   tile.Buffer
	sums   tile.Buffer
	result tile.Buffer // sums, where these are fp16
}

// NewGEMV allocates SRAM and colors for a product.
func (p *Plan) NewGEMV(axis Axis, k, n, groups int) (*GEMV, error) {
	along, across := p.length(axis)
	g := &GEMV{plan: p, axis: axis, k: split{k, along}, n: split{n, across}}
	a := allocator{mem: p.Mem}
	g.x, g.w = a.half("x", g.k.part()), a.half("weights", g.k.part()*g.n.part())
	g.sums = a.take("sums", p.Sums(), g.n.part())
	g.result = g.sums
	if p.Sums() == tile.F32 {
		g.result = a.half("y", g.n.part())
	}
	if a.err != nil {
		return nil, a.err
	}
	var err error
	g.tree, err = p.NewTree(axis, groups, g.n.part())
	return g, err
}

// Multiply emits the product. With cast, all cores along the axis get the result;
// otherwise only those at the tree's root do.
func (g *GEMV) Multiply(cast bool) {
	p := g.plan
	p.zero(g.sums)
	p.All(p.gemvInstr(g.sums.Vec(), g.x.Vec(), g.w.Vec(), g.k.part(), g.n.part()))
	if cast {
		g.tree.Allreduce(tile.Add, g.sums)
	} else {
		g.tree.Reduce(tile.Add, g.sums)
	}
	p.narrow(g.result, g.sums)
}

// Cycles returns the time of Multiply.
func (g *GEMV) Cycles(cast bool) float64 {
	m, sums, n := &g.plan.Grid.Machine, g.plan.Sums(), g.n.part()
	reduce := ReduceCycles
	if cast {
		reduce = AllreduceCycles
	}
	return VectorCycles(m, n, sums) + GEMVCycles(m, g.k.part(), n, sums) +
		reduce(m, g.tree.shape, n, sums) + narrowCycles(m, n, sums)
}

// Job returns the product of a vector and a matrix, which is given by rows. For cast,
// see Multiply.
func (g *GEMV) Job(cast bool) Job {
	g.Multiply(cast)
	along := func(at fabric.At) int { return place(g.axis, at) }
	across := func(at fabric.At) int { return place(g.axis.Other(), at) }
	one, root := split{1, 1}, g.tree.shape.Root()
	x := tiling{rows: one, cols: g.k, block: func(at fabric.At) (int, int) { return 0, along(at) }}
	w := tiling{rows: g.k, cols: g.n, block: func(at fabric.At) (int, int) { return along(at), across(at) }}
	y := tiling{rows: one, cols: g.n, block: func(at fabric.At) (int, int) { return 0, across(at) }}
	return Job{g.plan, []Place{x.in("x", g.x, everywhere), w.in("weights", g.w, everywhere)},
		y.in("y", g.result, func(at fabric.At) bool { return along(at) == root }), g.Cycles(cast)}
}

// narrow rounds sums to fp16, unless they are fp16 already.
func (p *Plan) narrow(to, from tile.Buffer) {
	if to.Addr != from.Addr {
		p.vector(tile.Mov, from.Len, to.Vec(), from.Vec(), tile.Operand{})
	}
}

func narrowCycles(m *machine.Machine, n int, sums tile.Kind) float64 {
	if sums == tile.F16 {
		return 0
	}
	return VectorCycles(m, n, sums)
}
