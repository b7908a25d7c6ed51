package kernel

import (
	"context"
	"fmt"

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

// HopSample is one measurement.
type HopSample struct {
	Distance int
	Cycles   int
}

// MeasureHop measures distances up to longest, and answers the slope between
// the ends.
func MeasureHop(ctx context.Context, m machine.Machine, longest, n int) (samples []HopSample,
	slope float64, err error) {
	if longest < 2 {
		return nil, 0, fmt.Errorf("hops up to %d; a slope needs two distances", longest)
	}
	for d := 1; d <= longest; d++ {
		out, err := runHop(ctx, Options{Machine: m, Width: d + 1, Height: 1, N: n})
		if err != nil {
			return nil, 0, err
		}
		samples = append(samples, HopSample{d, int(out.Cycles)})
	}
	return samples, float64(samples[longest-1].Cycles-samples[0].Cycles) / float64(longest-1), nil
}

func runHop(ctx context.Context, o Options) (Outcome, error) {
	o.M, o.K = 1, 1
	p, err := o.plan()
	if err != nil {
		return Outcome{}, err
	}
	buf, err := p.Mem.Alloc("numbers", tile.F16, o.N)
	if err != nil {
		return Outcome{}, err
	}
	numbers := o.numbers(o.N*o.Height, 1)
	far := o.Width - 1
	if err := p.write(buf, func(at fabric.At) []float32 {
		if at.X > 0 {
			return nil
		}
		return numbers[at.Y*o.N:][:o.N]
	}); err != nil {
		return Outcome{}, err
	}
	if far > 0 {
		if err := p.sendAcross(buf, far); err != nil {
			return Outcome{}, err
		}
	}
	return p.finish(ctx, o, "hop", HopCycles(&o.Machine, far, o.N),
		func() []float32 { return p.rounded(buf, atColumn(far)) }, numbers)
}

// sendAcross sends the buffer of each row's first core to one further on.
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

// HopCycles is the time until n fp16 numbers lie in a core that is so far away.
func HopCycles(m *machine.Machine, distance, n int) float64 {
	return ShiftCycles(m, distance, n, tile.F16)
}
