package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// The hop microbenchmark: n numbers go from the first core of a row to one
// some routers on, which stores them.
//
//	hop * distance + 2 T_R + 1 + W
//
// So a hop is the slope of cycles over distance. Published kernels are fitted
// with 1.51 (WSE-2) and 2.13 (WSE-3) cycles a hop where the router takes 1 and
// 2: what a program takes for a hop is more than its wavelets do. Event level:
// the router's; analytic level: the fitted ones.
//
// Colors: 1. SRAM: the numbers.

// HopJob returns a job that sends n numbers from the first core of each row to its last.
func (p *Plan) HopJob(n int) (Job, error) {
	buf, err := p.Mem.Alloc("numbers", tile.F16, n)
	if err != nil {
		return Job{}, err
	}
	far := p.Grid.Width - 1
	if far > 0 {
		if err := p.sendAcross(buf, far); err != nil {
			return Job{}, err
		}
	}
	column := func(x int) func(fabric.At) bool { return func(at fabric.At) bool { return at.X == x } }
	return Job{p, []Place{p.oneByOne("numbers", buf, column(0))}, p.oneByOne("numbers", buf, column(far)),
		HopCycles(&p.Grid.Machine, far, n)}, nil
}

// sendAcross emits the transfer of a buffer from each row's first core to core far.
func (p *Plan) sendAcross(buf tile.Buffer, far int) error {
	c, err := p.Color("x across")
	if err != nil {
		return err
	}
	if err := p.link(X, c, 0, far); err != nil {
		return err
	}
	for y := range p.Grid.Height {
		p.Emit(fabric.At{Y: y}, tile.Instr{Op: tile.Mov, N: int32(buf.Len), Dst: tile.Out(c, buf.Kind), A: buf.Vec()})
		p.Emit(fabric.At{X: far, Y: y}, tile.Instr{Op: tile.Mov, N: int32(buf.Len), Dst: buf.Vec(), A: tile.In(c, buf.Kind)})
	}
	return nil
}

// HopCycles returns the time until n fp16 numbers are stored in a core at a distance.
func HopCycles(m *machine.Machine, distance, n int) float64 {
	return ShiftCycles(m, distance, n, tile.F16)
}
