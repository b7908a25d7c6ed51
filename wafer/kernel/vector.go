package kernel

import (
	"math"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// VectorCycles returns the time of one vector operation on n numbers in SRAM:
//
//	row + issue * ceil(n / SIMD)
//
// rounded up. fp16 operands are SIMD wide, fp32 ones go one by one (traces of
// the vendor's simulator; the SDK's table of SIMD operations has no fp32).
func VectorCycles(m *machine.Machine, n int, kind tile.Kind) float64 {
	wide := m.SIMD
	if kind == tile.F32 {
		wide = 1
	}
	return whole(m.Timing.Row + float64(m.IssueCycles*ceil(n, wide)))
}

// GEMVCycles returns the time of K vector operations on N numbers each, the local
// product of a vector and a matrix:
//
//	K * (row + issue * ceil(N / SIMD))
//
// With fp32 sums the multiply-add (@fmachs) is half as wide.
func GEMVCycles(m *machine.Machine, k, n int, sums tile.Kind) float64 {
	return whole(float64(k) * rowCycles(m, n, sums))
}

// rowCycles returns the time of a multiply-add of n fp16 numbers to sums of a kind, one
// of many in a mapped loop.
func rowCycles(m *machine.Machine, n int, sums tile.Kind) float64 {
	wide := m.SIMD
	if sums == tile.F32 {
		wide = max(1, wide/2)
	}
	issues := float64(ceil(n, wide))
	if m.Timing.TailOverlap {
		issues = float64(n) / float64(wide)
	}
	return m.Timing.Row + float64(m.IssueCycles)*issues
}

func whole(cycles float64) float64 { return math.Ceil(cycles - 1e-9) }

// vector emits a vector operation on SRAM for all cores.
func (p *Plan) vector(op tile.Op, n int, dst, a, b tile.Operand) {
	p.All(p.vectorInstr(op, n, dst, a, b))
}

func (p *Plan) vectorInstr(op tile.Op, n int, dst, a, b tile.Operand) tile.Instr {
	kind := max(dst.Kind, a.Kind, b.Kind)
	return tile.Instr{Op: op, N: int32(n), Dst: dst, A: a, B: b, Cycles: int32(VectorCycles(&p.Grid.Machine, n, kind))}
}

// elementwiseInstr returns the instruction for a function that is computed number by
// number.
func (p *Plan) elementwiseInstr(op tile.Op, n int, dst, a tile.Operand, each float64) tile.Instr {
	return tile.Instr{Op: op, N: int32(n), Dst: dst, A: a, Cycles: int32(Elementwise(n, each).Compute)}
}

// zero emits the clearing of a buffer.
func (p *Plan) zero(b tile.Buffer) {
	p.vector(tile.Mov, b.Len, b.Vec(), tile.Operand{Kind: b.Kind}, tile.Operand{})
}

// gemvInstr returns the instruction dst += a * b for K numbers of a and K x N of b.
func (p *Plan) gemvInstr(dst, a, b tile.Operand, k, n int) tile.Instr {
	return tile.Instr{Op: tile.GEMV, K: int32(k), N: int32(n), Dst: dst, A: a, B: b,
		Cycles: int32(GEMVCycles(&p.Grid.Machine, k, n, dst.Kind))}
}

// cores calls do for every core of the mesh.
func (p *Plan) cores(do func(at fabric.At)) {
	for y := range p.Grid.Height {
		for x := range p.Grid.Width {
			do(fabric.At{X: x, Y: y})
		}
	}
}
