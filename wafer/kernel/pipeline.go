package kernel

import (
	"fmt"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// Pipeline is a pipeline allreduce: a chain from the far end of a line to its first core,
// which broadcasts the sum. It is a baseline for Tree, with twice as many hops as necessary
// and every core in the chain.
//
//	(hop + 2 T_R + 1)(P-1) + W     the chain
//	1 + 2 T_R + hop (P-1) + W      the broadcast
//
// Luczynski et al. have B + (2 T_R + 2)(P-1) and B + P + 2 T_R, which is the same if a hop
// takes one cycle, except for the first cycle of each.
//
// Colors: 3. SRAM: the buffer.
type Pipeline struct {
	plan  *Plan
	axis  Axis
	cores int
	down  [2]fabric.Color
	back  fabric.Color
}

// NewPipeline routes the chain and the broadcast along an axis.
func (p *Plan) NewPipeline(axis Axis) (*Pipeline, error) {
	cores, _ := p.length(axis)
	l := &Pipeline{plan: p, axis: axis, cores: cores}
	for i, c := range []*fabric.Color{&l.down[0], &l.down[1], &l.back} {
		var err error
		if *c, err = p.Color(fmt.Sprintf("%v pipeline, %d", axis, i)); err != nil {
			return nil, err
		}
	}
	for i := 1; i < cores; i++ {
		if err := p.link(axis, l.down[i&1], i, i-1); err != nil {
			return nil, err
		}
	}
	return l, p.configureBroadcast(axis, l.back, 0)
}

// Allreduce replaces every buffer by the sum, or op's result, of the buffers of its line.
func (l *Pipeline) Allreduce(op tile.Op, buf tile.Buffer) {
	n := int32(buf.Len)
	l.plan.cores(func(at fabric.At) {
		i := place(l.axis, at)
		l.plan.Emit(at, tile.Instr{Op: tile.Busy, N: 1, Cycles: l.plan.launch})
		if l.cores == 1 {
			return
		}
		l.plan.Emit(at, chain(op, buf, l.down, l.down, i, 0, 0, l.cores-1)...)
		back := tile.Instr{Op: tile.Mov, N: n, Dst: buf.Vec(), A: tile.In(l.back, buf.Kind)}
		if i == 0 {
			back.Dst, back.A = tile.Out(l.back, buf.Kind), buf.Vec()
		}
		l.plan.Emit(at, back)
	})
}

// PipelineCycles returns the time of an allreduce of n numbers.
func PipelineCycles(m *machine.Machine, cores, n int, kind tile.Kind) float64 {
	launch := m.Timing.Allreduce
	if cores == 1 {
		return launch
	}
	w := wavelets(n, kind)
	return launch + step(m, 1)*float64(cores-1) + w + step(m, cores-1) + w
}
