package kernel

import (
	"fmt"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// Line is a network in which every core of a line can send to its neighbours. Chains may
// begin or end at any core, one chain after the other, without reconfiguring routes.
//
//	reduce to 2:      0 -> 1 -> 2 <- 3 <- 4      cores add their numbers on the way
//	broadcast of 2:   0 <- 1 <- 2 -> 3 -> 4      cores relay what they receive
//
// Cores relay wavelets in software, so a step of a chain takes hop + 2 T_R + 1 cycles: the
// beta of WaferLLM's cost model. With relays, what a core sends also comes back to it over
// the ramp; that is how it keeps a copy.
//
// Colors: 4, by direction and parity of the sender.
type Line struct {
	plan     *Plan
	axis     Axis
	cores    int
	up, down [2]fabric.Color
}

// NewLine routes a line network for reductions or, with relays, for broadcasts.
func (p *Plan) NewLine(axis Axis, relays bool) (*Line, error) {
	cores, _ := p.length(axis)
	l := &Line{plan: p, axis: axis, cores: cores}
	for i, c := range []*fabric.Color{&l.up[0], &l.up[1], &l.down[0], &l.down[1]} {
		var err error
		if *c, err = p.Color(fmt.Sprintf("%v line, senders %d", axis, i)); err != nil {
			return nil, err
		}
	}
	for i := range cores {
		if err := l.configure(i, i+1, l.up[i&1], relays); err != nil {
			return nil, err
		}
		if err := l.configure(i, i-1, l.down[i&1], relays); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// configure routes a color from core i to its neighbour j, if there is one.
func (l *Line) configure(i, j int, c fabric.Color, relays bool) error {
	if j < 0 || j >= l.cores {
		return nil
	}
	if err := l.plan.link(l.axis, c, i, j); err != nil || !relays {
		return err
	}
	out := l.axis.up()
	if j < i {
		out = l.axis.down()
	}
	return l.plan.configure(l.axis, i, c, fabric.Of(fabric.Ramp), fabric.Of(out, fabric.Ramp))
}

// reduce returns the instructions of core i for a sum of the line's buffers in the
// root's buffer; the others keep theirs.
func (l *Line) reduce(op tile.Op, buf tile.Buffer, i, root int) []tile.Instr {
	return chain(op, buf, l.up, l.down, i, 0, root, l.cores-1)
}

// cast returns the instructions of core i, in microthreads from thread on, that copy the
// root's from into every core's to. Numbers from SRAM go two wavelets a cycle; relayed
// ones go one by one, so that none waits for a second.
func (l *Line) cast(from, to tile.Buffer, i, root int, thread uint8) []tile.Instr {
	n, kind := int32(from.Len), from.Kind
	var list []tile.Instr
	move := func(dst, src tile.Operand, wide bool) {
		list = append(list, tile.Instr{Op: tile.Mov, Thread: thread, Wide: wide, N: n, Dst: dst, A: src})
		thread++
	}
	send := func(c [2]fabric.Color, src tile.Operand, wide bool) { // and keep a copy
		move(tile.Out(c[i&1], kind), src, wide)
		move(to.Vec(), tile.In(c[i&1], kind), true)
	}
	fromBelow, fromAbove := tile.In(l.up[(i-1)&1], kind), tile.In(l.down[(i+1)&1], kind)
	switch first, last := i == 0, i == l.cores-1; {
	case i == root:
		if !last {
			send(l.up, from.Vec(), true)
		}
		if !first {
			send(l.down, from.Vec(), true)
		}
	case i > root && last:
		move(to.Vec(), fromBelow, true)
	case i > root:
		send(l.up, fromBelow, false)
	case first:
		move(to.Vec(), fromAbove, true)
	default:
		send(l.down, fromAbove, false)
	}
	return list
}

// LineReduceCycles returns the time of a reduction of n numbers to a root: a chain
// from either end, whose wavelets all go over the root's ramp.
//
//	step * max(root, P-1-root) + W, and W again for the other side
func LineReduceCycles(m *machine.Machine, cores, root, n int, kind tile.Kind) float64 {
	above, below := cores-1-root, root
	r := reduction{m: m, w: wavelets(n, kind)}
	r.held = min(r.w, float64(m.InDepth+m.RampCycles))
	return r.join(0, side{float64(above) * step(m, 1), above > 0}, side{float64(below) * step(m, 1), below > 0})
}
