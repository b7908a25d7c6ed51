package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// AllreduceJob returns a job that sums vectors of n numbers along each line and leaves
// the sum in all its cores.
func (t *Tree) AllreduceJob(n int) (Job, error) {
	return t.plan.collective(n, AllreduceCycles(&t.plan.Grid.Machine, t.shape, n, t.plan.Sums()), everywhere,
		func(b tile.Buffer) { t.Allreduce(tile.Add, b.Slice(0, n)) })
}

// BroadcastJob returns a job that copies the vector of each line's root to all its cores.
func (t *Tree) BroadcastJob(n int) (Job, error) {
	return t.plan.collective(n, BroadcastCycles(&t.plan.Grid.Machine, t.shape, n, t.plan.Sums()), everywhere,
		func(b tile.Buffer) { t.Broadcast(b.Slice(0, n)) })
}

// Job returns an allreduce of n numbers as a job.
func (l *Pipeline) Job(n int) (Job, error) {
	return l.plan.collective(n, PipelineCycles(&l.plan.Grid.Machine, l.cores, n, l.plan.Sums()), everywhere,
		func(b tile.Buffer) { l.Allreduce(tile.Add, b.Slice(0, n)) })
}

// Job returns an allreduce of n numbers as a job.
func (r RingReduce) Job(n int) (Job, error) {
	return r.plan.collective(n, RingReduceCycles(&r.plan.Grid.Machine, r.cores(), n, r.plan.Sums()), everywhere,
		func(b tile.Buffer) { r.Allreduce(tile.Add, b) })
}

// Job returns a job that sums vectors of n numbers in the first core of each line.
func (s *Star) Job(n int) (Job, error) {
	first := func(at fabric.At) bool { return place(s.axis, at) == 0 }
	return s.plan.collective(n, StarCycles(&s.plan.Grid.Machine, s.cores, n, s.plan.Sums()), first,
		func(b tile.Buffer) { s.Reduce(tile.Add, b.Slice(0, n)) })
}

// collective returns a job that works on a vector of n numbers in each core. Its input
// is all vectors, core by core; its output, those of the cores for which holds is true.
// The buffer is padded to the length that a RingReduce needs.
func (p *Plan) collective(n int, cycles float64, holds func(fabric.At) bool, emit func(tile.Buffer)) (Job, error) {
	buf, err := p.Mem.Alloc("vector", p.Sums(), Chunks(n, p.Grid.Width))
	if err != nil {
		return Job{}, err
	}
	emit(buf)
	buf = buf.Slice(0, n)
	return Job{p, []Place{p.oneByOne("vectors", buf, everywhere)}, p.oneByOne("result", buf, holds), cycles}, nil
}
