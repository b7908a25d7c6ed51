package kernel

import (
	"fmt"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// Ring is a network in which every core of a line receives from the next core of a circle.
// WaferLLM interleaves the circle, so that neighbours are at most two hops apart:
//
//	0 <- 2 <- 4 <- ... <- 5 <- 3 <- 1 <- 0
//
// A plain ring (Cannon's) goes 0 <- 1 <- 2 <- ... and back over the whole line. A step of a
// ring takes the time of its longest path. A core's place in the circle is its label: after
// s steps, core l has what core l+s had.
//
// A router takes a color from one port only, and each core has traffic that comes in, goes
// out and, in an interleaved ring, passes through from a neighbour. Therefore the colors of
// senders alternate.
//
// Colors: 4; 3 for a plain ring.
type Ring struct {
	circle
	plan  *Plan
	axis  Axis
	takes int // a core receives from this many labels ahead: 1 or -1
	send  []fabric.Color
}

// circle is the order of the cores in a ring. It has no routes: the analytic level asks it
// for lengths.
type circle struct {
	order []int // positions along the circle
	label []int // of a position: where in the circle it is
}

func newCircle(order []int) circle {
	c := circle{order: order, label: make([]int, len(order))}
	for l, i := range order {
		c.label[i] = l
	}
	return c
}

// NewRing routes an interleaved ring along an axis.
func (p *Plan) NewRing(axis Axis) (*Ring, error) { return p.newInterleaved(axis, 1) }

// NewRingBack routes an interleaved ring that goes the other way around.
func (p *Plan) NewRingBack(axis Axis) (*Ring, error) { return p.newInterleaved(axis, -1) }

func (p *Plan) newInterleaved(axis Axis, takes int) (*Ring, error) {
	cores, _ := p.length(axis)
	kind := func(i int) int { return i/2&1 + 2*(i&1) } // two for each direction, in turn
	return p.newRing(axis, interleaved(cores), takes, kind, 4)
}

// NewPlainRing routes a ring in which one core sends over the whole line.
func (p *Plan) NewPlainRing(axis Axis) (*Ring, error) {
	cores, _ := p.length(axis)
	order := make([]int, cores)
	for i := range order {
		order[i] = i
	}
	kind := func(i int) int {
		if i == 0 {
			return 2
		}
		return i & 1
	}
	return p.newRing(axis, order, 1, kind, 3)
}

// interleaved returns the order 0, 2, 4, ... 5, 3, 1.
func interleaved(cores int) []int {
	order := make([]int, cores)
	for i := range order {
		if order[i] = 2 * i; order[i] >= cores {
			order[i] = 2*(cores-i) - 1
		}
	}
	return order
}

// newRing routes the links; senders of one kind share a color.
func (p *Plan) newRing(axis Axis, order []int, takes int, kind func(int) int, kinds int) (*Ring, error) {
	r := &Ring{circle: newCircle(order), plan: p, axis: axis, takes: takes, send: make([]fabric.Color, len(order))}
	if len(order) == 1 {
		return r, nil
	}
	colors := make([]fabric.Color, kinds)
	for k := range colors {
		c, err := p.Color(fmt.Sprintf("%v ring, senders %d", axis, k))
		if err != nil {
			return nil, err
		}
		colors[k] = c
	}
	for i := range order {
		r.send[i] = colors[kind(i)]
		if err := p.link(axis, r.send[i], i, r.ahead(i, -takes)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *circle) cores() int { return len(r.order) }

// ahead returns the position that is a number of labels ahead of position i.
func (r *circle) ahead(i, steps int) int {
	n := r.cores()
	return r.order[((r.label[i]+steps)%n+n)%n]
}

// longest returns the number of hops in the longest step.
func (r *circle) longest() int {
	most := 0
	for i := range r.order {
		d := i - r.ahead(i, 1)
		most = max(most, d, -d)
	}
	return most
}

// flights returns the time that tiles of a product are under way in all steps: there are
// as many steps as cores, tiles circulate along rows and along columns, and the longest
// step has longest hops. A core waits for its neighbours only, so the longest chain of
// waits counts, and it passes each long way once.
//
//	interleaved:  P step(2) - 2 hop        plain:  P step(1) + 2 hop (P-2)
func flights(m *machine.Machine, cores, longest int) float64 {
	switch {
	case cores == 1:
		return 0
	case longest <= 2:
		return float64(cores)*step(m, longest) - 2*m.Timing.Hop*float64(longest-1)
	}
	return float64(cores)*step(m, 1) + 2*m.Timing.Hop*float64(longest-1)
}

// exchange returns the instructions of one step for the core at position i, in
// microthreads thread and thread+1: it sends one buffer and receives into the other.
func (r *Ring) exchange(i int, from, to tile.Buffer, thread uint8) []tile.Instr {
	if r.cores() == 1 {
		return nil
	}
	n := int32(from.Len)
	return []tile.Instr{
		{Op: tile.Mov, Thread: thread, Wide: true, N: n, Dst: tile.Out(r.send[i], from.Kind), A: from.Vec()},
		{Op: tile.Mov, Thread: thread + 1, Wide: true, N: n, Dst: to.Vec(), A: tile.In(r.send[r.ahead(i, r.takes)], to.Kind)},
	}
}

// await returns an instruction that waits for microthreads first to last.
func await(first, last uint8) tile.Instr {
	return tile.Instr{Op: tile.Wait, Imm: float32(uint(1)<<last - uint(1)<<(first-1))}
}

// ShiftCycles returns the time of a step in which every core sends n numbers over a
// number of hops: W wavelets over a ramp, after the flight of the first.
//
//	step(hops) + W,  step(d) = hop d + 2 T_R + 1
func ShiftCycles(m *machine.Machine, hops, n int, kind tile.Kind) float64 {
	if hops == 0 {
		return 0
	}
	return step(m, hops) + wavelets(n, kind)
}

// Rotor is a buffer that circulates around a ring: in each core a pair, one with the
// current contents, the other for the next. Cores may have taken different numbers of
// steps, so now records for each core which of the two is current.
type Rotor struct {
	pair [2]tile.Buffer
	now  []uint8 // of every core
}

// NewRotor allocates two tiles of n fp16 numbers.
func (p *Plan) NewRotor(name string, n int) (*Rotor, error) {
	a := allocator{mem: p.Mem}
	r := &Rotor{pair: [2]tile.Buffer{a.half(name, n), a.half(name+", next", n)}, now: make([]uint8, len(p.bodies))}
	return r, a.err
}

func (r *Rotor) here(core int) tile.Buffer  { return r.pair[r.now[core]] }
func (r *Rotor) spare(core int) tile.Buffer { return r.pair[1-r.now[core]] }
func (r *Rotor) turn(core int)              { r.now[core] = 1 - r.now[core] }

// Skew moves the tiles of each line along the ring by as many steps as the line's own place
// in the ring across: Cannon's alignment. With a ring back, it takes the shorter direction;
// otherwise it takes up to P-1 steps.
func (p *Plan) Skew(t *Rotor, ring, back *Ring) {
	p.cores(func(at fabric.At) {
		steps, reverse := ring.skewing(place(ring.axis.Other(), at), back != nil)
		way := ring
		if reverse {
			way = back
		}
		for range steps {
			p.shift(at, way, t)
		}
	})
}

// skewing returns the number of steps that skew a line, and whether they are the other way
// around, if there is one: core l gets what core l + the line's label had.
func (r *circle) skewing(line int, back bool) (steps int, reverse bool) {
	steps = r.label[line]
	if n := r.cores() - steps; back && n < steps {
		return n, true
	}
	return steps, false
}

// shift emits one step of one core.
func (p *Plan) shift(at fabric.At, ring *Ring, t *Rotor) {
	core := p.core(at)
	p.Emit(at, ring.exchange(place(ring.axis, at), t.here(core), t.spare(core), 1)...)
	p.Emit(at, await(1, 2))
	t.turn(core)
}

// SkewCycles returns the time of the line with most steps:
//
//	steps (2 T_R + 1 + W) + hop * the longest path of a tile in so many steps
func SkewCycles(m *machine.Machine, ring, back *Ring, n int) float64 {
	return ring.skewCycles(m, back != nil, n)
}

func (r *circle) skewCycles(m *machine.Machine, back bool, n int) float64 {
	most := 0
	for line := range r.cores() {
		steps, _ := r.skewing(line, back)
		most = max(most, steps)
	}
	return float64(most)*(step(m, 0)+wavelets(n, tile.F16)) + m.Timing.Hop*float64(r.farthest(most))
}

// farthest returns the largest number of hops in that many consecutive steps.
func (r *circle) farthest(steps int) int {
	hops := func(from int) int { // of the step from a place in the circle to the next
		n := r.cores()
		i, j := r.order[from%n], r.order[(from+1)%n]
		return max(i-j, j-i)
	}
	sum := 0
	for s := range steps {
		sum += hops(s)
	}
	most := sum
	for from := range r.order {
		sum += hops(from+steps) - hops(from)
		most = max(most, sum)
	}
	return most
}
