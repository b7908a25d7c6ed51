package run

import (
	"context"
	"fmt"

	"waferpair/wafer/kernel"
	"waferpair/wafer/machine"
)

// linear are the collectives and the products.
var linear = []Spec{
	collective("allreduce", "the sum of vectors along rows, by a tree of two levels", allreduce),
	collective("broadcast", "a vector to all of its row", broadcast),
	collective("allreduce-pipeline", "baseline: a chain over the whole row and a broadcast back", pipeline),
	collective("allreduce-ring", "baseline: reduce-scatter and allgather around a ring", ring),
	collective("reduce-star", "baseline: every core of a row sends to the first", star),
	gemv("meshgemv", "[1,K] x [K,N]; the result everywhere along its axis", true),
	gemv("gemv-reduce", "[1,K] x [K,N]; the result at the root of each line", false),
	gemm("meshgemm", "[M,K] x [K,N] by shifts around interleaved rings, at most two hops each",
		(*kernel.Plan).NewGEMM, false),
	gemm("meshgemm-skew", "the same, after aligning the left matrix on the mesh", (*kernel.Plan).NewGEMM, true),
	gemm("cannon", "baseline: the same around plain rings", (*kernel.Plan).NewCannon, false),
	spec("summa", "baseline: [M,K] x [K,N], parts of K broadcast along rows and columns one after the other", summa),
	spec("dist-gemm-t", "[M,K] x [N,K] transposed, without a transposition", gemmT),
	spec("hop", "wavelets from end to end of a row", hop),
}

// spec returns a kernel for which lay completes the options and makes the job.
func spec(name, help string, lay func(*Options) (bench, error)) Spec {
	return Spec{name, help, func(ctx context.Context, o Options) (Outcome, error) {
		b, err := lay(&o)
		if err != nil {
			return Outcome{}, err
		}
		return b.run(ctx, o, name)
	}}
}

// collective returns a kernel on a vector of N numbers in each core.
func collective(name, help string, lay func(*kernel.Plan, *Options) (kernel.Job, reference, error)) Spec {
	return spec(name, help, func(o *Options) (bench, error) {
		o.M, o.K = 1, 1
		p, err := o.plan()
		if err != nil {
			return bench{}, err
		}
		job, want, err := lay(p, o)
		return bench{Job: job, draw: o.draw, want: want, store: true}, err
	})
}

// reference computes the expected output of inputs.
type reference func(in [][]float32) []float32

// sum returns the reference of a sum along rows that a number of cores of each row hold.
func (o *Options) sum(cores int) reference {
	return func(in [][]float32) []float32 {
		return lines(in[0], o.Width, o.N, cores, func(int) bool { return true })
	}
}

func allreduce(p *kernel.Plan, o *Options) (kernel.Job, reference, error) {
	t, err := p.NewTree(kernel.X, o.Groups, o.N)
	if err != nil {
		return kernel.Job{}, nil, err
	}
	job, err := t.AllreduceJob(o.N)
	return job, o.sum(o.Width), err
}

func broadcast(p *kernel.Plan, o *Options) (kernel.Job, reference, error) {
	t, err := p.NewTree(kernel.X, o.Groups, o.N)
	if err != nil {
		return kernel.Job{}, nil, err
	}
	job, err := t.BroadcastJob(o.N)
	return job, func(in [][]float32) []float32 {
		return lines(in[0], o.Width, o.N, o.Width, func(x int) bool { return x == t.Root() })
	}, err
}

func pipeline(p *kernel.Plan, o *Options) (kernel.Job, reference, error) {
	l, err := p.NewPipeline(kernel.X)
	if err != nil {
		return kernel.Job{}, nil, err
	}
	job, err := l.Job(o.N)
	return job, o.sum(o.Width), err
}

func ring(p *kernel.Plan, o *Options) (kernel.Job, reference, error) {
	r, err := p.NewRing(kernel.X)
	if err != nil {
		return kernel.Job{}, nil, err
	}
	job, err := kernel.RingReduce{Ring: r}.Job(o.N)
	return job, o.sum(o.Width), err
}

func star(p *kernel.Plan, o *Options) (kernel.Job, reference, error) {
	s, err := p.NewStar(kernel.X)
	if err != nil {
		return kernel.Job{}, nil, err
	}
	job, err := s.Job(o.N)
	return job, o.sum(1), err
}

// product returns the plain reference of [M,K] x [K,N].
func (o *Options) product(in [][]float32) []float32 { return product(in[0], in[1], o.M, o.K, o.N) }

func gemv(name, help string, cast bool) Spec {
	return spec(name, help, func(o *Options) (bench, error) {
		p, err := o.plan()
		if err != nil {
			return bench{}, err
		}
		o.M = 1
		g, err := p.NewGEMV(kernel.Y, o.K, o.N, o.Groups)
		if err != nil {
			return bench{}, err
		}
		return bench{Job: g.Job(cast), draw: o.draw, want: o.product}, nil
	})
}

func gemm(name, help string, lay func(*kernel.Plan, int, int, int) (*kernel.GEMM, error), skew bool) Spec {
	return spec(name, help, func(o *Options) (bench, error) {
		p, err := o.squarePlan(name)
		if err != nil {
			return bench{}, err
		}
		g, err := lay(p, o.M, o.K, o.N)
		if err != nil {
			return bench{}, err
		}
		job, err := g.Job(skew)
		return bench{Job: job, draw: o.draw, want: o.product}, err
	})
}

func summa(o *Options) (bench, error) {
	p, err := o.plan()
	if err != nil {
		return bench{}, err
	}
	s, err := p.NewSUMMA(o.M, o.K, o.N)
	if err != nil {
		return bench{}, err
	}
	return bench{Job: s.Job(), draw: o.draw, want: o.product}, nil
}

func gemmT(o *Options) (bench, error) {
	p, err := o.squarePlan("dist-gemm-t")
	if err != nil {
		return bench{}, err
	}
	g, err := p.NewGEMMT(o.M, o.K, o.N)
	if err != nil {
		return bench{}, err
	}
	return bench{Job: g.Job(), draw: o.draw, want: func(in [][]float32) []float32 {
		return product(in[0], transpose(in[1], o.N, o.K), o.M, o.K, o.N)
	}}, nil
}

func hop(o *Options) (bench, error) {
	o.M, o.K = 1, 1
	p, err := o.plan()
	if err != nil {
		return bench{}, err
	}
	job, err := p.HopJob(o.N)
	return bench{Job: job, draw: o.draw, want: func(in [][]float32) []float32 { return in[0] }}, err
}

// HopSample is one measurement of MeasureHop.
type HopSample struct {
	Distance int
	Cycles   int
}

// MeasureHop measures the cycles for n numbers over distances up to longest, and returns
// the samples with the slope between the first and the last.
func MeasureHop(ctx context.Context, m machine.Machine, longest, n int) (samples []HopSample,
	slope float64, err error) {
	if longest < 2 {
		return nil, 0, fmt.Errorf("hops up to %d; a slope needs two distances", longest)
	}
	for d := 1; d <= longest; d++ {
		out, err := spec("hop", "", hop).Run(ctx, Options{Machine: m, Width: d + 1, Height: 1, N: n})
		if err != nil {
			return nil, 0, err
		}
		samples = append(samples, HopSample{d, int(out.Cycles)})
	}
	return samples, float64(samples[longest-1].Cycles-samples[0].Cycles) / float64(longest-1), nil
}
