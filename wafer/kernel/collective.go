package kernel

import (
	"context"

	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// collective is an operation on vectors of n numbers along the rows of a mesh.
type collective struct {
	emit   func(tile.Buffer)
	cycles float64
	holds  func(fabric.At) bool // which cores have the result
	cast   int                  // the column whose vector all get; -1 is a sum
}

const sum = -1

func atColumn(x int) func(fabric.At) bool { return func(at fabric.At) bool { return at.X == x } }

// allreduceKernel, and so on, lay a collective for a mesh.
func allreduceKernel(p *Plan, o Options) (collective, error) {
	t, err := p.NewTree(X, o.Groups, o.N)
	if err != nil {
		return collective{}, err
	}
	return collective{func(b tile.Buffer) { t.Allreduce(tile.Add, b) },
		AllreduceCycles(&o.Machine, t.shape, o.N, p.Sums()), everywhere, sum}, nil
}

func broadcastKernel(p *Plan, o Options) (collective, error) {
	t, err := p.NewTree(X, o.Groups, o.N)
	if err != nil {
		return collective{}, err
	}
	return collective{t.Broadcast, BroadcastCycles(&o.Machine, t.shape, o.N, p.Sums()), everywhere, t.shape.Root()}, nil
}

func pipelineKernel(p *Plan, o Options) (collective, error) {
	l, err := p.NewPipeline(X)
	return collective{func(b tile.Buffer) { l.Allreduce(tile.Add, b) },
		PipelineCycles(&o.Machine, o.Width, o.N, p.Sums()), everywhere, sum}, err
}

func ringKernel(p *Plan, o Options) (collective, error) {
	r, err := p.NewRing(X)
	return collective{func(b tile.Buffer) { RingReduce{r}.Allreduce(tile.Add, b) },
		RingReduceCycles(&o.Machine, o.Width, o.N, p.Sums()), everywhere, sum}, err
}

func starKernel(p *Plan, o Options) (collective, error) {
	s, err := p.NewStar(X)
	return collective{func(b tile.Buffer) { s.Reduce(tile.Add, b) },
		StarCycles(&o.Machine, o.Width, o.N, p.Sums()), atColumn(0), sum}, err
}

// runCollective runs one on random vectors.
func runCollective(name string, lay func(*Plan, Options) (collective, error)) func(context.Context,
	Options) (Outcome, error) {
	return func(ctx context.Context, o Options) (Outcome, error) {
		o.M, o.K = 1, 1
		p, err := o.plan()
		if err != nil {
			return Outcome{}, err
		}
		c, err := lay(p, o)
		if err != nil {
			return Outcome{}, err
		}
		buf, err := p.Mem.Alloc("vector", p.Sums(), Chunks(o.N, o.Width))
		if err != nil {
			return Outcome{}, err
		}
		vectors := o.numbers(o.Width*o.Height*o.N, 1)
		part := func(at fabric.At) []float32 { return vectors[p.core(at)*o.N:][:o.N] }
		if err := p.write(buf, part); err != nil {
			return Outcome{}, err
		}
		if name != "allreduce-ring" {
			buf = buf.Slice(0, o.N)
		}
		c.emit(buf)
		got := func() []float32 { return p.rounded(buf.Slice(0, o.N), c.holds) }
		return p.finish(ctx, o, name, c.cycles, got, c.want(p, o, part))
	}
}

// write puts a part of its own into every core.
func (p *Plan) write(b tile.Buffer, part func(fabric.At) []float32) error {
	var failed error
	p.cores(func(at fabric.At) {
		if err := p.Grid.Write(at, b, part(at)); err != nil && failed == nil {
			failed = err
		}
	})
	return failed
}

// rounded is the numbers of cores as they would be stored in fp16.
func (p *Plan) rounded(b tile.Buffer, holds func(fabric.At) bool) []float32 {
	var list []float32
	p.cores(func(at fabric.At) {
		if holds(at) {
			for _, v := range p.Grid.Read(at, b) {
				list = append(list, round(v))
			}
		}
	})
	return list
}

// want is the plain reference: sums in float64, rounded once.
func (c collective) want(p *Plan, o Options, part func(fabric.At) []float32) []float32 {
	var list []float32
	p.cores(func(at fabric.At) {
		if !c.holds(at) {
			return
		}
		for i := range o.N {
			v := 0.0
			for x := range o.Width {
				if c.cast == sum || c.cast == x {
					v += float64(part(fabric.At{X: x, Y: at.Y})[i])
				}
			}
			list = append(list, round(float32(v)))
		}
	})
	return list
}
