package kernel

import (
	"context"

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

// NewGEMV takes SRAM and colors for a product.
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

// Load puts x, of K numbers, and the weights, K rows of N, into the cores.
func (g *GEMV) Load(x, w []float32) error {
	one := split{1, 1}
	err := g.plan.put(g.x, tiling{rows: one, cols: g.k, block: func(at fabric.At) (int, int) {
		return 0,
			place(g.axis, at)
	}}, x)
	if err != nil {
		return err
	}
	return g.plan.put(g.w, tiling{rows: g.k, cols: g.n,
		block: func(at fabric.At) (int, int) { return place(g.axis, at), place(g.axis.Other(), at) }}, w)
}

// Multiply adds the product to the program; with cast, all cores along the axis
// have the result, else only those at the tree's root.
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

// Cycles is the time of Multiply.
func (g *GEMV) Cycles(cast bool) float64 {
	m, sums, n := &g.plan.Grid.Machine, g.plan.Sums(), g.n.part()
	reduce := ReduceCycles
	if cast {
		reduce = AllreduceCycles
	}
	return VectorCycles(m, n, sums) + GEMVCycles(m, g.k.part(), n, sums) +
		reduce(m, g.tree.shape, n, sums) + narrowCycles(m, n, sums)
}

// Result is the product.
func (g *GEMV) Result() []float32 {
	root := g.tree.shape.Root()
	return g.plan.get(g.result, tiling{rows: split{1, 1}, cols: g.n, block: func(at fabric.At) (int, int) {
		return 0, place(g.axis.Other(), at)
	}},
		func(at fabric.At) bool { return place(g.axis, at) == root })
}

// narrow rounds sums to fp16, where they are not.
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

func runGEMV(name string, cast bool) func(context.Context, Options) (Outcome, error) {
	return func(ctx context.Context, o Options) (Outcome, error) {
		p, err := o.plan()
		if err != nil {
			return Outcome{}, err
		}
		o.M = 1
		g, err := p.NewGEMV(Y, o.K, o.N, o.Groups)
		if err != nil {
			return Outcome{}, err
		}
		x, w := o.numbers(o.K, 1), o.numbers(o.K*o.N, 2)
		if err := g.Load(x, w); err != nil {
			return Outcome{}, err
		}
		g.Multiply(cast)
		return p.finish(ctx, o, name, g.Cycles(cast), g.Result, Product(x, w, 1, o.K, o.N))
	}
}
