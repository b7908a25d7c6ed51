package tile

import "waferpair/wafer/fabric"

// Total is the work of a run, over all tiles.
type Total struct {
	Net  fabric.Stats
	Work map[string]Work // by kernel
}

// Total returns the sums of the last run.
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

// Last returns the work, by kernel, of the core that ended last. It adds up to the time of
// the run, because a core's program works or waits from the first cycle on.
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
