package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// SUMMA is the matrix product [M,K] x [K,N] by broadcasts (van de Geijn and Watts), a
// baseline for MeshGEMM. K is divided into panels. In each step one column of cores
// broadcasts a panel of A along the rows, one row of cores broadcasts a panel of B along
// the columns, and every core multiplies what it received:
//
//	step t:  C[y,x] += A[y,t] B[t,x]
//
// Every column is the source once, and static routes with few colors cannot have that many
// sources. Therefore the cores relay the panels, which takes alpha + beta for each hop, and
// two wavelets over a ramp for each wavelet that a core keeps (see Line). A core relays only
// after its previous step, so panels from a distant source arrive late. They are equally
// late in every step, and steps overlap. The longest chain of dependencies goes from source
// to source across the mesh and back, with one more cycle for each core, because it relays
// both matrices:
//
//	L (product + s0' + 2 W) + (step(1) + 1) (2 W + 2 H - 9)
//
// The mesh may have any shape: W x H cores have L = lcm(W, H) panels.
//
// Colors: 4 for each axis. SRAM: M K/W + K N/H + M N fp16 numbers, a panel of each matrix,
// and M N fp32 numbers if sums are fp32.
type SUMMA struct {
	plan           *Plan
	m, n           split
	inner          int // K
	k, panels      int // K, padded; the number of panels
	x, y           *Line
	a, b           tile.Buffer
	panelA, panelB tile.Buffer
	sums, c        tile.Buffer
}

// NewSUMMA allocates SRAM and colors for a product.
func (p *Plan) NewSUMMA(m, k, n int) (*SUMMA, error) {
	width, height := p.Grid.Width, p.Grid.Height
	s := &SUMMA{plan: p, m: split{m, height}, n: split{n, width}, inner: k,
		panels: width / gcd(width, height) * height}
	s.k = ceil(k, s.panels) * s.panels
	var err error
	if s.x, err = p.NewLine(X, true); err != nil {
		return nil, err
	}
	if s.y, err = p.NewLine(Y, true); err != nil {
		return nil, err
	}
	a := allocator{mem: p.Mem}
	s.a, s.b = a.half("A", s.m.part()*s.k/width), a.half("B", s.k/height*s.n.part())
	s.panelA, s.panelB = a.half("panel of A", s.m.part()*s.thick()), a.half("panel of B", s.thick()*s.n.part())
	s.sums = a.take("sums", p.Sums(), s.m.part()*s.n.part())
	s.c = s.sums
	if p.Sums() == tile.F32 {
		s.c = a.half("C", s.sums.Len)
	}
	return s, a.err
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// thick returns the thickness of a panel: the length of its part of K.
func (s *SUMMA) thick() int { return s.k / s.panels }

// Multiply emits the product.
func (s *SUMMA) Multiply() {
	p := s.plan
	p.zero(s.sums)
	for t := range s.panels {
		p.cores(func(at fabric.At) { p.Emit(at, s.step(at, t)...) })
	}
	p.narrow(s.c, s.sums)
}

// step returns the instructions of a core for panel t.
func (s *SUMMA) step(at fabric.At, t int) []tile.Instr {
	p := s.plan
	column, inA := source(t, s.panels/p.Grid.Width)
	row, inB := source(t, s.panels/p.Grid.Height)
	a, b := s.panelA, s.panelB
	fromA, fromB := s.a.Slice(inA*a.Len, a.Len), s.b.Slice(inB*b.Len, b.Len)
	list := []tile.Instr{{Op: tile.Busy, N: 1, Cycles: int32(stepSoftware(&p.Grid.Machine))}}
	if s.x.cores == 1 {
		a = fromA
	} else {
		list = append(list, s.x.cast(fromA, a, at.X, column, 1)...)
	}
	if s.y.cores == 1 {
		b = fromB
	} else {
		list = append(list, s.y.cast(fromB, b, at.Y, row, 5)...)
	}
	return append(list, await(1, 8), p.gemmInstr(s.sums.Vec(), a.Vec(), b.Vec(), s.m.part(), s.thick(), s.n.part()))
}

// source returns the line that holds a panel, and the panel's number within the line.
func source(panel, each int) (line, nth int) { return panel / each, panel % each }

// Cycles returns the time of Multiply.
func (s *SUMMA) Cycles() float64 {
	g := s.plan.Grid
	return SUMMACycles(&g.Machine, g.Width, g.Height, s.m.part(), s.thick(), s.n.part(), s.plan.Sums())
}

// SUMMACycles returns the time of a product with panels of m x k and k x n numbers,
// including the clearing and rounding of the sums.
func SUMMACycles(m *machine.Machine, width, height, mt, kt, nt int, sums tile.Kind) float64 {
	panels := width / gcd(width, height) * height
	each := TileGEMMCycles(m, mt, kt, nt, sums) + stepSoftware(m)
	if width > 1 {
		each += 2 * wavelets(mt*kt, tile.F16)
	}
	if height > 1 {
		each += 2 * wavelets(kt*nt, tile.F16)
	}
	lag := float64(max(0, 2*width+2*height-9)) * (step(m, 1) + 1)
	return VectorCycles(m, mt*nt, sums) + float64(panels)*each + lag + narrowCycles(m, mt*nt, sums)
}

// Job returns the product of two matrices, given by rows.
func (s *SUMMA) Job() Job {
	s.Multiply()
	left := natural(s.m, split{s.k, s.plan.Grid.Width})
	right := natural(split{s.k, s.plan.Grid.Height}, s.n)
	right.byColumns = false
	a := left.in("A", s.a, everywhere).as(s.m.total*s.inner, func(i int) int {
		if row, column := i/s.k, i%s.k; column < s.inner {
			return row*s.inner + column
		}
		return -1
	})
	b := right.in("B", s.b, everywhere).as(s.inner*s.n.total, func(i int) int {
		if i < s.inner*s.n.total {
			return i
		}
		return -1
	})
	return Job{s.plan, []Place{a, b}, natural(s.m, s.n).in("C", s.c, everywhere), s.Cycles()}
}
