package kernel

import (
	"slices"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// GEMMT is dist-GEMM-T (WaferLLM): the product of [M,K] and a transposed [N,K] on a P x P
// mesh, with both matrices tiled like any other. Attention needs it for Q K^T. The rows of
// cores divide K, so each core computes a part of a sum, and the parts of a row are added up
// in the core that stores that tile of the result:
//
//	step t, core (x, y):  A[y,x] B[j,x]^T,  added along x into core j = C[y,j]
//	                      j: t places after y in the ring
//
// Then B moves one place along its column. The chain of a row ends in another core in each
// step (see Line). All steps take:
//
//	P (clear + K (kovh + N (row + issue ceil(M / SIMD))) + s0' + store + W_B + W_C)
//	+ step(1) (3P - 4)
//
// where a tile of B has W_B wavelets, and a tile of sums W_C. The core that stores a sum is
// the last to begin the next step, and the others wait for it: its part travels over two
// cores to the core that computes the next sum, which has received the other side of the
// chain meanwhile. Rows also wait for each other's B, which makes it three cores a step; runs
// with several lengths of hops and ramps gave that number.
//
// Colors: 4 for the ring along Y, 4 for the line along X. SRAM: M K + 2 N K fp16 numbers,
// M N for the result, and a tile of M N sums.
type GEMMT struct {
	plan    *Plan
	m, k, n split
	line    *Line
	ring    *Ring
	a, c    tile.Buffer
	b       *Rotor
	sums    tile.Buffer
	local   localProduct                     // nil: all of both tiles
	place   func(at fabric.At, step int) int // position of the core of a row that stores a step's sums; nil: j
	scale   float32                          // factor of the stored sums; 0: none
}

// NewGEMMT allocates SRAM and colors for a product on a square mesh.
func (p *Plan) NewGEMMT(m, k, n int) (*GEMMT, error) {
	cores := p.Grid.Width
	g := &GEMMT{plan: p, m: split{m, cores}, k: split{k, cores}, n: split{n, cores}}
	var err error
	if g.line, err = p.NewLine(X, false); err != nil {
		return nil, err
	}
	if g.ring, err = p.NewRing(Y); err != nil {
		return nil, err
	}
	if g.b, err = p.NewRotor("B", g.n.part()*g.k.part()); err != nil {
		return nil, err
	}
	a := allocator{mem: p.Mem}
	tileC := g.m.part() * g.n.part()
	g.a, g.c, g.sums = a.half("A", g.m.part()*g.k.part()), a.half("C", tileC), a.take("sums", p.Sums(), tileC)
	return g, a.err
}

// Multiply emits the product.
func (g *GEMMT) Multiply() {
	g.plan.cores(func(at fabric.At) {
		for t := range g.ring.cores() {
			g.plan.Emit(at, g.step(at, t)...)
		}
	})
}

func (g *GEMMT) step(at fabric.At, t int) []tile.Instr {
	p, core := g.plan, g.plan.core(at)
	b, vec := g.b.here(core), g.sums.Vec()
	list := []tile.Instr{{Op: tile.Busy, N: 1, Cycles: int32(stepSoftware(&p.Grid.Machine))}}
	list = append(list, g.ring.exchange(at.Y, b, g.b.spare(core), 1)...)
	g.b.turn(core)
	list = append(list, p.vectorInstr(tile.Mov, g.sums.Len, vec, tile.Operand{Kind: g.sums.Kind}, tile.Operand{}))
	list = append(list, g.product(at, b)...)
	root := g.root(at, t)
	if g.line.cores > 1 {
		sides := g.line.reduce(tile.Add, g.sums, at.X, root)
		if at.X == root && t > 0 && g.root(at, t-1) > root {
			slices.Reverse(sides) // the last root's side comes late: that core had a sum to store
		}
		list = append(list, sides...)
	}
	if at.X == root {
		list = append(list, g.store())
	}
	return append(list, await(1, 2))
}

func (g *GEMMT) product(at fabric.At, b tile.Buffer) []tile.Instr {
	if g.local != nil {
		return g.local(at, g.a, b)
	}
	return []tile.Instr{g.plan.gemmInstr(g.sums.Vec(), g.a.Vec(), b.Vec(), g.m.part(), g.k.part(), g.n.part())}
}

func (g *GEMMT) root(at fabric.At, t int) int {
	if g.place != nil {
		return g.place(at, t)
	}
	return g.ring.ahead(at.Y, t)
}

func (g *GEMMT) store() tile.Instr {
	if g.scale == 0 {
		return g.plan.vectorInstr(tile.Mov, g.sums.Len, g.c.Vec(), g.sums.Vec(), tile.Operand{})
	}
	in := g.plan.vectorInstr(tile.Scale, g.sums.Len, g.c.Vec(), g.sums.Vec(), tile.Operand{})
	in.Imm = g.scale
	return in
}

// Cycles returns the time of Multiply.
func (g *GEMMT) Cycles() float64 {
	return GEMMTCycles(&g.plan.Grid.Machine, g.ring.cores(), g.m.part(), g.k.part(), g.n.part(), g.plan.Sums())
}

// GEMMTCycles returns the time of a product of tiles of m x k and n x k numbers.
func GEMMTCycles(m *machine.Machine, cores, mt, kt, nt int, sums tile.Kind) float64 {
	return reductionsCycles(m, cores, TileGEMMCycles(m, mt, kt, nt, sums), nt*kt, mt*nt, sums)
}

// reductionsCycles returns the time of a product whose local part takes local cycles a
// step, while tiles of b numbers circulate and n sums are reduced.
func reductionsCycles(m *machine.Machine, cores int, local float64, b, n int, sums tile.Kind) float64 {
	each := 2*VectorCycles(m, n, sums) + local + stepSoftware(m)
	if cores == 1 {
		return each
	}
	each += m.Timing.StepWavelet * (wavelets(b, tile.F16) + wavelets(n, sums))
	return float64(cores)*each + float64(3*cores-4)*step(m, 1)
}

// Job returns the product of two matrices, given by rows.
func (g *GEMMT) Job() Job {
	g.Multiply()
	return Job{g.plan, []Place{natural(g.m, g.k).in("A", g.a, everywhere),
		natural(g.n, g.k).in("B", g.b.pair[0], everywhere)}, natural(g.m, g.n).in("C", g.c, everywhere), g.Cycles()}
}
