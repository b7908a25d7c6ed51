package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// Star is a star reduction: every core of a line sends directly to the first one, the
// nearest core first. It is a baseline that needs one color and no additions on the way, but
// everything goes over one ramp.
//
//	0 <- 1    2    3      a router sends what its core has, then a control
//	0 <- - <- 2    3      wavelet, which switches it to pass on what comes
//	0 <- - <- - <- 3      from those behind
//
//	(P-1)(W+1) + hop + 2 T_R + 1
//
// Luczynski et al. have B(P-1) + 2 T_R + 1. Here the control wavelets pass the ramp, too,
// and the first hop counts. Switches do not move back, so a Star can be used once.
//
// Colors: 1, with switches. SRAM: the buffer and one wavelet.
type Star struct {
	plan  *Plan
	axis  Axis
	cores int
	color fabric.Color
	drop  tile.Buffer // control wavelets
}

// NewStar routes the star along an axis.
func (p *Plan) NewStar(axis Axis) (*Star, error) {
	cores, _ := p.length(axis)
	s := &Star{plan: p, axis: axis, cores: cores}
	var err error
	if s.color, err = p.Color(axis.String() + " star"); err != nil {
		return nil, err
	}
	if s.drop, err = p.Mem.Alloc("control", tile.F32, 1); err != nil || cores == 1 {
		return s, err
	}
	return s, s.configureRoutes()
}

func (s *Star) configureRoutes() error {
	in, out := s.axis.up(), s.axis.down()
	own := fabric.Route{Rx: fabric.Of(fabric.Ramp), Tx: fabric.Of(out)}
	pass := fabric.Route{Rx: fabric.Of(in), Tx: fabric.Of(out)}
	if err := s.plan.configureSwitch(s.axis, 0, s.color,
		fabric.Route{Rx: fabric.Of(in), Tx: fabric.Of(fabric.Ramp)}); err != nil {
		return err
	}
	for i := 1; i < s.cores-1; i++ {
		if err := s.plan.configureSwitch(s.axis, i, s.color, own, pass); err != nil {
			return err
		}
	}
	return s.plan.configureSwitch(s.axis, s.cores-1, s.color, own)
}

// Reduce replaces the buffer of each line's first core by the sum, or op's result, of all.
func (s *Star) Reduce(op tile.Op, buf tile.Buffer) {
	n, vec := int32(buf.Len), buf.Vec()
	s.plan.cores(func(at fabric.At) {
		if place(s.axis, at) > 0 {
			s.plan.Emit(at, tile.Instr{Op: tile.Mov, N: n, Dst: tile.Out(s.color, buf.Kind), A: vec},
				tile.Instr{Op: tile.Switch, N: 1, Dst: tile.Out(s.color, buf.Kind)})
			return
		}
		for range s.cores - 1 {
			s.plan.Emit(at, tile.Instr{Op: op, N: n, Dst: vec, A: tile.In(s.color, buf.Kind), B: vec},
				tile.Instr{Op: tile.Mov, N: 1, Dst: s.drop.Vec(), A: tile.In(s.color, tile.F32)})
		}
	})
}

// StarCycles returns the time of a reduction of n numbers.
func StarCycles(m *machine.Machine, cores, n int, kind tile.Kind) float64 {
	if cores == 1 {
		return 0
	}
	return step(m, 1) + float64(cores-1)*(wavelets(n, kind)+1)
}
