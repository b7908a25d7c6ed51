package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// AllreduceJob is the sum of vectors of n numbers along each line, in all its cores.
func (t *Tree) AllreduceJob(n int) (Job, error) {
	return t.plan.collective(n, AllreduceCycles(&t.plan.Grid.Machine, t.shape, n, t.plan.Sums()), everywhere,
		func(b tile.Buffer) { t.Allreduce(tile.Add, b.Slice(0, n)) })
}

// BroadcastJob is the vector of the tree's root, in all cores of its line.
func (t *Tree) BroadcastJob(n int) (Job, error) {
	return t.plan.collective(n, BroadcastCycles(&t.plan.Grid.Machine, t.shape, n, t.plan.Sums()), everywhere,
		func(b tile.Buffer) { t.Broadcast(b.Slice(0, n)) })
}

// Job is an allreduce of n numbers.
func (l *Pipeline) Job(n int) (Job, error) {
	return l.plan.collective(n, PipelineCycles(&l.plan.Grid.Machine, l.cores, n, l.plan.Sums()), everywhere,
		func(b tile.Buffer) { l.Allreduce(tile.Add, b.Slice(0, n)) })
}

// Job is an allreduce of n numbers.
func (r RingReduce) Job(n int) (Job, error) {
	return r.plan.collective(n, RingReduceCycles(&r.plan.Grid.Machine, r.cores(), n, r.plan.Sums()), everywhere,
		func(b tile.Buffer) { r.Allreduce(tile.Add, b) })
}

// Job is the sum of vectors of n numbers in the first core of each line.
func (s *Star) Job(n int) (Job, error) {
	first := func(at fabric.At) bool { return place(s.axis, at) == 0 }
	return s.plan.collective(n, StarCycles(&s.plan.Grid.Machine, s.cores, n, s.plan.Sums()), first,
		func(b tile.Buffer) { s.Reduce(tile.Add, b.Slice(0, n)) })
}

// collective is an operation on vectors of n numbers, of which each core has one:
// all of them go in, core by core, and those of the cores that hold a result come
// out. The buffer is padded to what a RingReduce needs.
func (p *Plan) collective(n int, cycles float64, holds func(fabric.At) bool, emit func(tile.Buffer)) (Job, error) {
	buf, err := p.Mem.Alloc("vector", p.Sums(), Chunks(n, p.Grid.Width))
	if err != nil {
		return Job{}, err
	}
	emit(buf)
	buf = buf.Slice(0, n)
	return Job{p, []Place{p.oneByOne("vectors", buf, everywhere)}, p.oneByOne("result", buf, holds), cycles}, nil
}
