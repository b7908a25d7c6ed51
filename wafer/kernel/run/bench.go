package run

import (
	"context"
	"fmt"
	"math"

	"waferpair/wafer/fabric"
	"waferpair/wafer/half"
	"waferpair/wafer/kernel"
)

// bench is a job with a source of numbers for its inputs and the plain reference that
// computes the output that is expected of them.
type bench struct {
	kernel.Job
	draw  func(input, n int) []float32
	want  func(in [][]float32) []float32
	store bool // round the output to fp16 before it is compared
}

// run writes numbers into the inputs, runs the program, and compares its output with the
// plain reference's.
func (b *bench) run(ctx context.Context, o Options, name string) (Outcome, error) {
	fail := func(err error) (Outcome, error) { return Outcome{}, fmt.Errorf("%s: %w", name, err) }
	in := make([][]float32, len(b.Inputs))
	for i, place := range b.Inputs {
		in[i] = b.draw(i, place.Len)
		if err := put(b.Plan, place, in[i]); err != nil {
			return fail(err)
		}
	}
	want, grid := b.want(in), b.Plan.Grid
	if err := b.Plan.Load(); err != nil {
		return fail(err)
	}
	var list []Trace
	if o.Trace {
		for _, at := range traced(b.Plan) {
			grid.Trace(at)
		}
	}
	cycles, err := grid.Run(ctx, o.Run)
	if err != nil {
		return fail(err)
	}
	if o.Trace {
		list = traces(b.Plan)
	}
	got, err := b.read()
	if err != nil {
		return fail(err)
	}
	total := grid.Total()
	return Outcome{Traces: list, Kernel: name, Width: o.Width, Height: o.Height, M: o.M, K: o.K, N: o.N,
		Cycles: cycles, AnalyticCycles: int(math.Round(b.Cycles)), MaxAbsError: maxDifference(got, want),
		Ulps: half.Ulps(got, want), Wavelets: total.Net.Delivered(), Hops: total.Net.Hops(), Stalls: total.Net.Stalls(),
		Colors: b.Plan.Colors(), SRAMBytes: b.Plan.Mem.Peak(), Work: total.Work}, nil
}

// read returns the output.
func (b *bench) read() ([]float32, error) {
	got, err := get(b.Plan, b.Output)
	if b.store {
		for i, v := range got {
			got[i] = half.Round(v)
		}
	}
	return got, err
}

// put writes numbers to a place, and zeros into its padding.
func put(p *kernel.Plan, place kernel.Place, list []float32) error {
	return each(p, func(at fabric.At) error {
		places := place.Of(at)
		if len(places) == 0 {
			return nil
		}
		part := make([]float32, len(places))
		for i, from := range places {
			if from >= 0 {
				part[i] = list[from]
			}
		}
		if err := p.Grid.Write(at, place.Buffer, part); err != nil {
			return fmt.Errorf("%s: %w", place.Name, err)
		}
		return nil
	})
}

// get reads the numbers at a place. A number that several cores hold must be the same in
// all of them.
func get(p *kernel.Plan, place kernel.Place) ([]float32, error) {
	list, known := make([]float32, place.Len), make([]bool, place.Len)
	return list, each(p, func(at fabric.At) error {
		places := place.Of(at)
		if len(places) == 0 {
			return nil
		}
		part := p.Grid.Read(at, place.Buffer)
		for i, to := range places {
			if to < 0 {
				continue
			}
			if known[to] && !same(list[to], part[i]) {
				return fmt.Errorf("%s: number %d is %v in one core and %v at %v", place.Name, to, list[to], part[i], at)
			}
			list[to], known[to] = part[i], true
		}
		return nil
	})
}

func same(a, b float32) bool { return a == b || a != a && b != b }

// each calls do for every core of a mesh, until it fails.
func each(p *kernel.Plan, do func(fabric.At) error) error {
	for y := range p.Grid.Height {
		for x := range p.Grid.Width {
			if err := do(fabric.At{X: x, Y: y}); err != nil {
				return err
			}
		}
	}
	return nil
}
