package kernel

import (
	"math"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// AllreduceCycles returns the time of an allreduce of n numbers by a tree:
//
//	c_ar + phase 1 + phase 2 + phase 3
//
// A step of a chain over d routers takes hop*d + 2 T_R + 1 cycles. A root receives W
// wavelets of the side above it, then W of the side below (see join). The broadcast takes
// 1 + 2 T_R + hop * far + W.
// (Luczynski et al., HPDC'24, chain and broadcast; WaferLLM, K-tree.)
func AllreduceCycles(m *machine.Machine, s TreeShape, n int, kind tile.Kind) float64 {
	return ReduceCycles(m, s, n, kind) + BroadcastCycles(m, s, n, kind)
}

// ReduceCycles returns that time without phase 3.
func ReduceCycles(m *machine.Machine, s TreeShape, n int, kind tile.Kind) float64 {
	return reduceFrom(m, s, n, kind, atOnce)
}

// reduceFrom returns the time of a reduction whose cores begin at different times: a
// late core delays only the cores after it on its chain.
func reduceFrom(m *machine.Machine, s TreeShape, n int, kind tile.Kind, begin starts) float64 {
	if s.Cores == 1 {
		return m.Timing.Allreduce + begin.at(0)
	}
	r := reduction{m: m, shape: s, w: wavelets(n, kind), begin: begin, step: step(m, 1)}
	r.held = min(r.w, float64(m.InDepth+m.RampCycles))
	if begin.n == 1 { // groups of a size are alike: there are two sizes
		least := s.Cores / s.Groups
		r.alike = [2]float64{r.readyOf(0, least/2, least-1), r.readyOf(0, (least+1)/2, least)}
	}
	root, last := s.Groups/2, s.Groups-1
	above, below := r.roots(last, root, -1), r.roots(0, root, 1)
	own := r.ready(root)
	free := own + r.crowd(own, above) + r.crowd(own, below)
	return m.Timing.Allreduce + r.join(free, above, below)
}

// starts says when the cores of a line begin, as a few stretches of cores that begin at the
// same time. The last stretch ends with the line.
type starts struct {
	n    int
	list [4]start
}

type start struct {
	from int // core
	at   float64
}

var atOnce = starts{n: 1}

// add begins a stretch, which must lie after those before it.
func (s *starts) add(from int, at float64) {
	s.list[s.n] = start{from, at}
	s.n++
}

func (s *starts) at(core int) float64 {
	i := s.n - 1
	for i > 0 && s.list[i].from > core {
		i--
	}
	return s.list[i].at
}

// latest returns the last start.
func (s *starts) latest() float64 {
	most := 0.0
	for _, p := range s.list[:s.n] {
		most = max(most, p.at)
	}
	return most
}

// reduction computes the times of a reduction; see reduceFrom.
type reduction struct {
	m     *machine.Machine
	shape TreeShape
	w     float64 // wavelets of a core
	held  float64 // how many of them a root's queue can hold
	step  float64 // time from a core of a chain to the next
	begin starts
	alike [2]float64 // if all begin at the same time: ready of a smaller and of a larger group
}

// side is one of the two chains that end at a root: when its first wavelet arrives, and
// whether there is one.
type side struct {
	at  float64
	any bool
}

// ready returns the time at which the root of a group has its sum.
func (r *reduction) ready(group int) float64 {
	first, after := r.shape.start(group), r.shape.start(group+1)
	if r.begin.n == 1 {
		return r.alike[after-first-r.shape.Cores/r.shape.Groups]
	}
	return r.readyOf(first, first+(after-first)/2, after-1)
}

func (r *reduction) readyOf(first, root, last int) float64 {
	return r.join(r.begin.at(root), r.down(last, root), r.up(first, root))
}

// up returns the side of a group's root whose chain begins at a core before it. Of
// the cores that begin at one time, the farthest from the root counts.
func (r *reduction) up(first, root int) side {
	at := 0.0
	for i, p := range r.begin.list[:r.begin.n] {
		if core := max(first, p.from); core < root && (i+1 == r.begin.n || core < r.begin.list[i+1].from) {
			at = max(at, p.at+float64(root-core)*r.step)
		}
	}
	return side{at, first < root}
}

// down returns the side whose chain begins at a core after it.
func (r *reduction) down(last, root int) side {
	at := 0.0
	for i, p := range r.begin.list[:r.begin.n] {
		core := last
		if i+1 < r.begin.n {
			core = min(core, r.begin.list[i+1].from-1)
		}
		if core >= max(root+1, p.from) {
			at = max(at, p.at+float64(core-root)*r.step)
		}
	}
	return side{at, last > root}
}

// roots returns the side of the tree's root whose chain of roots begins at a group.
func (r *reduction) roots(from, root, by int) side {
	at := 0.0
	for g := from; g != root; {
		free := r.ready(g)
		free += r.crowd(free, side{at, g != from})
		at = max(at, free) + r.between(g, g+by)
		g += by
		if next := r.skip(g, root, by); next != g {
			at += r.between(g, next)
			g = next
		}
	}
	return side{at, from != root}
}

// between returns the time of the roots' chain from one group to another.
func (r *reduction) between(g, to int) float64 {
	hops, steps := r.shape.root(to)-r.shape.root(g), to-g
	if to < g {
		hops, steps = -hops, -steps
	}
	return r.m.Timing.Hop*float64(hops) + float64(steps*(2*r.m.RampCycles+1))
}

// skip returns the next group from g on that can delay the chain of roots. A group that
// begins at the same time as the one before has its sum when that group's sum arrives,
// unless groups are very small. Only groups at the ends of stretches differ; long lines
// have many others.
func (r *reduction) skip(g, root, by int) int {
	if r.shape.Cores < 3*r.shape.Groups {
		return g
	}
	next := root
	for _, p := range r.begin.list[1:r.begin.n] {
		first, before := r.shape.start(g), r.shape.start(g-by)
		switch {
		case by > 0 && p.from > before && p.from <= first, by < 0 && p.from >= before && p.from < r.shape.start(g+2):
			return g
		case by > 0 && p.from > first:
			next = min(next, r.shape.group(p.from))
		case by < 0 && p.from < before:
			next = max(next, r.shape.group(p.from))
		}
	}
	return next
}

// crowd returns the delay of a root, free at a given time, by wavelets of the next phase
// that come over its ramp before then.
func (r *reduction) crowd(free float64, early side) float64 {
	if !early.any {
		return 0
	}
	return max(0, min(r.held, free-early.at))
}

// join returns the time at which a root, whose own numbers are ready at ready, has taken
// W wavelets from one side and then from the other. Both come over one ramp: while it takes
// from the first, what the queue for the second can hold passes too and delays it.
func (r *reduction) join(ready float64, first, second side) float64 {
	if first.any {
		begin := max(ready, first.at)
		delay := 0.0
		if second.any {
			delay = max(0, min(r.held-max(0, begin-second.at), r.w-max(0, second.at-begin)))
		}
		ready = begin + r.w + delay
	}
	if second.any {
		ready = max(ready, second.at) + r.w
	}
	return ready
}

// step returns the time from the arrival of a wavelet at a core of a chain to its arrival
// at the next core, distance routers away.
func step(m *machine.Machine, distance int) float64 {
	return m.Timing.Hop*float64(distance) + float64(2*m.RampCycles+1)
}

// BroadcastCycles returns the time of a broadcast of n numbers from the tree's root.
func BroadcastCycles(m *machine.Machine, s TreeShape, n int, kind tile.Kind) float64 {
	if s.Cores == 1 {
		return 0
	}
	far := max(s.Root(), s.Cores-1-s.Root())
	return step(m, far) + wavelets(n, kind)
}

// AllreduceCost returns the cost of an allreduce of n numbers on a square mesh, over all
// its lines.
func AllreduceCost(m *machine.Machine, s TreeShape, n int, kind tile.Kind) Cost {
	c := Cost{Launch: m.Timing.Allreduce, Communication: AllreduceCycles(m, s, n, kind) - m.Timing.Allreduce}
	if s.Cores > 1 {
		c.Hops = float64(s.Cores) * wavelets(n, kind) * s.hops()
	}
	return c
}

// hops returns the number of links that an allreduce of one wavelet passes on a line: the
// chains and the roots' chain pass every link between a core and the root once, and so
// does the broadcast; a link that both chains pass carries two wavelets of theirs.
func (s TreeShape) hops() float64 {
	chains, roots := s.Cores-s.Groups, s.root(s.Groups-1)-s.root(0)
	return float64(chains + roots + s.Cores - 1)
}

// BestGroups returns the number of groups with which an allreduce of n numbers over a line
// is fastest, or almost. It tries numbers near the square root of the line's length, where
// paths are shortest, one group, and groups of two, where a root receives from two sides
// only. Searches for placements call it very often. A test compares it with all numbers.
func BestGroups(m *machine.Machine, cores, n int, kind tile.Kind) int {
	near := shortestWays(m, cores)
	best, least := 0, math.Inf(1)
	for _, groups := range [...]int{1, max(1, near-1), near, min(cores, near+1), (cores + 1) / 2} {
		if t := AllreduceCycles(m, TreeShape{cores, groups}, n, kind); t < least {
			best, least = groups, t
		}
	}
	return best
}

// shortestWays returns the number of groups with the shortest path of a wavelet, as if all
// groups were as large as the largest.
func shortestWays(m *machine.Machine, cores int) int {
	root := int(math.Sqrt(float64(cores)))
	best, least := 1, math.Inf(1)
	for groups := max(1, root/2-1); groups <= min(cores, 2*root+2); groups++ {
		size, s := ceil(cores, groups), TreeShape{cores, groups}
		t := float64(size/2)*step(m, 1) + float64(groups/2)*step(m, size) +
			m.Timing.Hop*float64(max(s.Root(), cores-1-s.Root()))
		if t < least {
			best, least = groups, t
		}
	}
	return best
}
