package tile

import "waferpair/wafer/fabric"

// Total is what a run took, over all tiles.
type Total struct {
	Net  fabric.Stats
	Work map[string]Work // by kernel
}

// Total sums up the last run.
func (g *Grid) Total() Total {
	t := Total{Net: g.fabric.Total(), Work: map[string]Work{}}
	names := g.kernels
	if len(names) == 0 {
		names = []string{"program"}
	}
	for i := range g.cores {
		for k, w := range g.cores[i].work {
			sum := t.Work[names[k]]
			sum.add(w)
			t.Work[names[k]] = sum
		}
	}
	return t
}

// Last is what the core did that ended last, by kernel: together it is the time of
// the run, as a core's program works or waits from the first cycle on.
func (g *Grid) Last() map[string]Work {
	last := &g.cores[0]
	for i := range g.cores {
		if g.cores[i].free > last.free {
			last = &g.cores[i]
		}
	}
	list := map[string]Work{}
	for k, w := range last.work {
		if k < len(g.kernels) {
			list[g.kernels[k]] = w
		}
	}
	return list
}
