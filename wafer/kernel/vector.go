package kernel

import (
	"math"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// VectorCycles is the time of one vector operation on n numbers in SRAM:
//
//	row + issue * ceil(n / SIMD)
//
// rounded up. fp16 operands are SIMD wide, fp32 ones go one by one (traces of
// the vendor's simulator; the SDK's table of SIMD operations has no fp32).
func VectorCycles(m machine.Machine, n int, kind tile.Kind) int {
	return whole(m.Timing.Row + float64(issue(m, n, kind)))
}

// GEMVCycles is the time of K vector operations on N numbers each, the local
// product of a vector and a matrix:
//
//	K * (row + issue * ceil(N / SIMD))
//
// With fp32 sums the multiply-add (@fmachs) is half as wide.
func GEMVCycles(m machine.Machine, k, n int, sums tile.Kind) int {
	return whole(float64(k) * (m.Timing.Row + float64(mixed(m, n, sums))))
}

// mixed is the cycles of a multiply-add of n fp16 numbers to sums of a kind.
func mixed(m machine.Machine, n int, sums tile.Kind) int {
	if sums == tile.F32 {
		return m.IssueCycles * ceil(n, max(1, m.SIMD/2))
	}
	return m.IssueCycles * ceil(n, m.SIMD)
}

func whole(cycles float64) int { return int(math.Ceil(cycles - 1e-9)) }

// vector adds a vector operation on SRAM to all cores.
func (p *Plan) vector(op tile.Op, n int, dst, a, b tile.Operand) {
	p.All(p.vectorInstr(op, n, dst, a, b))
}

func (p *Plan) vectorInstr(op tile.Op, n int, dst, a, b tile.Operand) tile.Instr {
	kind := max(dst.Kind, a.Kind, b.Kind)
	return tile.Instr{Op: op, N: int32(n), Dst: dst, A: a, B: b, Cycles: int32(VectorCycles(p.Grid.Machine, n, kind))}
}

// elementwise adds a function that is computed number by number.
func (p *Plan) elementwise(op tile.Op, n int, dst, a tile.Operand, each float64) {
	p.All(tile.Instr{Op: op, N: int32(n), Dst: dst, A: a, Cycles: int32(whole(float64(n) * each))})
}

// zero clears a buffer.
func (p *Plan) zero(b tile.Buffer) {
	p.vector(tile.Mov, b.Len, b.Vec(), tile.Operand{Kind: b.Kind}, tile.Operand{})
}

// gemvInstr is dst += a * b: K numbers of a, K x N of b.
func (p *Plan) gemvInstr(dst, a, b tile.Operand, k, n int) tile.Instr {
	return tile.Instr{Op: tile.GEMV, K: int32(k), N: int32(n), Dst: dst, A: a, B: b,
		Cycles: int32(GEMVCycles(p.Grid.Machine, k, n, dst.Kind))}
}

// cores calls do for every core of the mesh.
func (p *Plan) cores(do func(at fabric.At)) {
	for y := range p.Grid.Height {
		for x := range p.Grid.Width {
			do(fabric.At{X: x, Y: y})
		}
	}
}
