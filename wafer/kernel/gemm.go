package kernel

import (
	"math"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// GEMM is MeshGEMM (WaferLLM), the product [M,K] x [K,N] on a P x P mesh. Both matrices are
// divided along both axes. After an alignment (Skew), a core holds tiles of both with the
// same part of K. In each of P steps it multiplies them, and both move one place: the left
// tile around a ring along its row, the right tile around a ring along its column.
//
//	step t, core (x, y):  C[y,x] += A[y,k] B[k,x],  k = l(x) + l(y) + t mod P
//
// where l is a place in the ring. After P steps all tiles are back in their places, so that
// weights can be used again.
//
// The shift does not overlap the product: a core has one datapath, and microthreads run
// while the program waits. Each step takes:
//
//	K (kovh + N (row + issue ceil(M / SIMD))) + s0 + W
//
// with tiles of M x K and K x N numbers, which have W wavelets together. s0 is the software
// of a step and the flight of its first wavelet. The published fit has 0.9 W; here a core's
// ramp passes one wavelet a cycle.
//
// Colors: 4 for each axis. SRAM: 2 (M K + K N) + M N fp16 numbers and, if sums are fp32,
// M N of those.
type GEMM struct {
	plan    *Plan
	m, k, n split
	x, y    *Ring
	a, b    *Rotor
	sums, c tile.Buffer
	local   localProduct // nil: all of both tiles
}

// localProduct returns the instructions for a core's own product of the tiles that it
// holds in a step: dst += a * b.
type localProduct func(at fabric.At, a, b tile.Buffer) []tile.Instr

// NewGEMM allocates SRAM and colors for a product on a square mesh.
func (p *Plan) NewGEMM(m, k, n int) (*GEMM, error) { return p.newGEMM(m, k, n, p.NewRing) }

func (p *Plan) newGEMM(m, k, n int, ring func(Axis) (*Ring, error)) (*GEMM, error) {
	cores := p.Grid.Width
	g := &GEMM{plan: p, m: split{m, cores}, k: split{k, cores}, n: split{n, cores}}
	var err error
	if g.x, err = ring(X); err != nil {
		return nil, err
	}
	if g.y, err = ring(Y); err != nil {
		return nil, err
	}
	return g, g.allocate()
}

func (g *GEMM) allocate() (err error) {
	if g.a, err = g.plan.NewRotor("A", g.m.part()*g.k.part()); err != nil {
		return err
	}
	if g.b, err = g.plan.NewRotor("B", g.k.part()*g.n.part()); err != nil {
		return err
	}
	a := allocator{mem: g.plan.Mem}
	g.sums = a.take("sums", g.plan.Sums(), g.m.part()*g.n.part())
	g.c = g.sums
	if g.plan.Sums() == tile.F32 {
		g.c = a.half("C", g.sums.Len)
	}
	return a.err
}

// meet returns the part of K with which a core begins.
func (g *GEMM) meet(at fabric.At) int { return g.x.ahead(at.X, g.y.label[at.Y]) }

func (g *GEMM) left(skewed bool) tiling {
	t := natural(g.m, g.k)
	if skewed {
		t.block = func(at fabric.At) (int, int) { return at.Y, g.meet(at) }
	}
	return t
}

func (g *GEMM) right() tiling {
	return tiling{rows: g.k, cols: g.n, block: func(at fabric.At) (int, int) { return g.meet(at), at.X }}
}

// Multiply emits the product.
func (g *GEMM) Multiply() {
	p := g.plan
	p.zero(g.sums)
	p.cores(func(at fabric.At) {
		for range g.x.cores() {
			p.Emit(at, g.step(at)...)
		}
	})
	p.narrow(g.c, g.sums)
}

func (g *GEMM) step(at fabric.At) []tile.Instr {
	m, core := &g.plan.Grid.Machine, g.plan.core(at)
	a, b := g.a.here(core), g.b.here(core)
	list := []tile.Instr{{Op: tile.Busy, N: 1, Cycles: int32(stepSoftware(m))}}
	list = append(list, g.x.exchange(at.X, a, g.a.spare(core), 1)...)
	list = append(list, g.y.exchange(at.Y, b, g.b.spare(core), 3)...)
	g.a.turn(core)
	g.b.turn(core)
	return append(append(list, g.product(at, a, b)...), await(1, 4))
}

func (g *GEMM) product(at fabric.At, a, b tile.Buffer) []tile.Instr {
	if g.local != nil {
		return g.local(at, a, b)
	}
	return []tile.Instr{g.plan.gemmInstr(g.sums.Vec(), a.Vec(), b.Vec(), g.m.part(), g.k.part(), g.n.part())}
}

// Cycles returns the time of Multiply.
func (g *GEMM) Cycles() float64 {
	return GEMMCycles(&g.plan.Grid.Machine, g.x, g.m.part(), g.k.part(), g.n.part(), g.plan.Sums())
}

// GEMMCycles returns the time of a product of tiles of m x k and k x n numbers by
// shifts around rings, with clearing the sums and rounding them.
func GEMMCycles(m *machine.Machine, ring *Ring, mt, kt, nt int, sums tile.Kind) float64 {
	return gemmCycles(m, ring.cores(), ring.longest(), mt, kt, nt, sums)
}

func gemmCycles(m *machine.Machine, cores, longest, mt, kt, nt int, sums tile.Kind) float64 {
	local := TileGEMMCycles(m, mt, kt, nt, sums)
	return VectorCycles(m, mt*nt, sums) + roundsCycles(m, cores, longest, local, mt*kt, kt*nt) +
		narrowCycles(m, mt*nt, sums)
}

// MeshGEMMCost returns the cost of a product on cores x cores cores with interleaved rings,
// of tiles of mt x kt and kt x nt numbers: it clears the sums, and leaves them unrounded.
func MeshGEMMCost(m *machine.Machine, cores, mt, kt, nt int, sums tile.Kind) Cost {
	c := roundsCost(m, cores, TileGEMMCycles(m, mt, kt, nt, sums), mt*kt, kt*nt)
	c.Compute += VectorCycles(m, mt*nt, sums)
	c.MACs = math.Pow(float64(cores), 3) * float64(mt) * float64(kt) * float64(nt)
	return c
}

// roundsCost returns the cost of all steps of a product with interleaved rings; see
// roundsCycles.
func roundsCost(m *machine.Machine, cores int, local float64, a, b int) Cost {
	p := float64(cores)
	c := Cost{Compute: p * local, Launch: p * stepSoftware(m)}
	c.Communication = roundsCycles(m, cores, min(2, cores-1), local, a, b) - c.Compute - c.Launch
	c.Hops = circulated(cores, wavelets(a, tile.F16)+wavelets(b, tile.F16))
	return c
}

// circulated returns the hops of wavelets that each core passes on over two hops in each of
// as many steps as a line has cores.
func circulated(cores int, wavelets float64) float64 {
	if cores == 1 {
		return 0
	}
	return 2 * math.Pow(float64(cores), 3) * wavelets
}

// roundsCycles returns the time of all steps of a product whose local part takes local
// cycles a step, while tiles of a and b numbers circulate.
func roundsCycles(m *machine.Machine, cores, longest int, local float64, a, b int) float64 {
	each := local + stepSoftware(m)
	if cores > 1 {
		each += m.Timing.StepWavelet * (wavelets(a, tile.F16) + wavelets(b, tile.F16))
	}
	return float64(cores)*each + flights(m, cores, longest)
}

// stepSoftware returns s0 without the flight of the first wavelet over two hops.
func stepSoftware(m *machine.Machine) float64 {
	return max(0, whole(m.Timing.StepOverhead)-step(m, 2))
}

// TileGEMMCycles returns the time of a product of two tiles:
//
//	K (kovh + N (row + issue ceil(M / SIMD)))
func TileGEMMCycles(m *machine.Machine, mt, kt, nt int, sums tile.Kind) float64 {
	return whole(float64(kt) * (m.Timing.KOverhead + float64(nt)*rowCycles(m, mt, sums)))
}

// gemmInstr returns the instruction dst += a * b for tiles.
func (p *Plan) gemmInstr(dst, a, b tile.Operand, mt, kt, nt int) tile.Instr {
	return tile.Instr{Op: tile.GEMM, M: int32(mt), K: int32(kt), N: int32(nt), Dst: dst, A: a, B: b,
		Cycles: int32(TileGEMMCycles(&p.Grid.Machine, mt, kt, nt, dst.Kind))}
}

// Job returns the product of two matrices, given by rows. The right one is written
// aligned, as weights are placed once; so is the left one, unless the job is to include
// the skew that aligns it.
func (g *GEMM) Job(skew bool) (Job, error) {
	cycles := g.Cycles()
	if skew {
		before, err := g.align()
		if err != nil {
			return Job{}, err
		}
		cycles += before
	}
	g.Multiply()
	return Job{g.plan, []Place{g.left(!skew).in("A", g.a.pair[0], everywhere), g.right().in("B", g.b.pair[0], everywhere)},
		natural(g.m, g.n).in("C", g.c, everywhere), cycles}, nil
}

// align emits the skew of the left matrix and returns its time.
func (g *GEMM) align() (float64, error) {
	back, err := g.plan.NewRingBack(X)
	if err != nil {
		return 0, err
	}
	g.plan.Skew(g.a, g.x, back)
	return SkewCycles(&g.plan.Grid.Machine, g.x, back, g.a.pair[0].Len), nil
}
