package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// RingReduce is the ring allreduce: the buffer is cut into a chunk for every
// core of a line. For P-1 steps every core passes a chunk on and adds the one
// that comes to its own; then each has one chunk of the sum, and for P-1 steps
// more these go around. A baseline: it moves the fewest wavelets over any ramp,
// in the most steps.
//
//	2 (P-1) (W/P + 2 T_R + 1) + hop (4P-7)
//
// A core waits for its neighbour only, so the steps together take the hops of
// twice around the ring, less two links: one long and one short. Luczynski et
// al. have 2(P-1)B/P + 4P-6 + 2(P-1)(2T_R+1), a hop more. A chunk is a whole
// number of wavelets here.
//
// Colors: 4, of an interleaved Ring. SRAM: the buffer, padded to P chunks.
type RingReduce struct {
	*Ring
}

// Chunks returns the length of a buffer of n numbers, padded for a line of cores.
func Chunks(n, cores int) int { return ceil(n, cores) * cores }

// Allreduce leaves in every buffer the sum, or what op makes, of those of its
// line. The length of the buffer must be that of Chunks.
func (r RingReduce) Allreduce(op tile.Op, buf tile.Buffer) {
	p, cores := r.plan, r.cores()
	part := buf.Len / cores
	p.cores(func(at fabric.At) {
		p.Emit(at, tile.Instr{Op: tile.Busy, N: 1, Cycles: p.launch})
		i := place(r.axis, at)
		chunk := func(l int) tile.Buffer { return buf.Slice((r.label[i]+l+cores)%cores*part, part) }
		for s := range cores - 1 {
			p.Emit(at, r.combine(op, i, chunk(s), chunk(s+1))...)
		}
		for s := range cores - 1 {
			p.Emit(at, r.combine(tile.Mov, i, chunk(s-1), chunk(s))...)
		}
	})
}

// combine returns the instructions of a step of a core: it sends one chunk on and works
// the one that comes into another.
func (r RingReduce) combine(op tile.Op, i int, from, to tile.Buffer) []tile.Instr {
	list := r.exchange(i, from, to, 1)
	if op != tile.Mov {
		list[1].Op, list[1].B = op, to.Vec()
	}
	return append(list, await(1, 2))
}

// RingReduceCycles returns the time of an allreduce of n numbers.
func RingReduceCycles(m *machine.Machine, cores, n int, kind tile.Kind) float64 {
	launch := m.Timing.Allreduce
	if cores == 1 {
		return launch
	}
	hops := 4*cores - 7
	if cores <= 3 {
		hops = 4*cores - 6 // both links that are left out are short
	}
	return launch + 2*float64(cores-1)*(wavelets(ceil(n, cores), kind)+step(m, 0)) + m.Timing.Hop*float64(hops)
}
