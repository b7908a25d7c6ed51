package wafer

import (
	"math"
	"slices"
	"testing"

	"waferpair/wafer/kernel"
	"waferpair/wafer/machine"
	numbers "waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// TestWhyAServiceIsFaster checks the figures of the package comment: the cycles of a token of
// gpt-oss-120b with one term turned off, and the best placement then.
func TestWhyAServiceIsFaster(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, c := range []struct {
		term    string
		kcycles float64
		off     func(r *Request, a *Assumptions)
	}{
		{"nothing off", 846, func(*Request, *Assumptions) {}},
		{"a hop of 1 cycle", 675, func(r *Request, _ *Assumptions) { r.Machine.Timing.Hop = 1 }},
		{"flight over links", 428, func(r *Request, _ *Assumptions) { r.Machine.Timing.Hop = 0 }},
		{"transfers' software", 734, func(_ *Request, a *Assumptions) { a.TransferSoftware = 0 }},
		{"allreduces' software", 784, func(r *Request, _ *Assumptions) { r.Machine.Timing.Allreduce = 0 }},
		{"SiLU and exponentials", 784, func(r *Request, _ *Assumptions) {
			r.Machine.Timing.Silu, r.Machine.Timing.Exp = 0, 0
		}},
		{"other vector operations", 789, func(r *Request, _ *Assumptions) { r.Machine.Timing.LayerOperations = 1e-9 }},
		{"latency between wafers", 790, func(r *Request, _ *Assumptions) { r.Machine.IOLatency = 0 }},
		{"64 heads: 8 of the same width", 792, func(r *Request, _ *Assumptions) {
			r.Model.HeadCount, r.Model.HeadCountKV, r.Model.KeyLength = 8, 8, 512
		}},
		{"the reserve of SRAM", 788, func(r *Request, _ *Assumptions) { r.Machine.ReservedBytes = 0 }},
		{"a context: 2 positions", 788, func(r *Request, _ *Assumptions) { r.Context, r.Input, r.Output = 2, 1, 1 }},
		{"experts but one", 801, func(r *Request, _ *Assumptions) { r.Model.ExpertUsedCount = 1 }},
		{"sampling", 816, func(_ *Request, a *Assumptions) { a.SamplingTail = 0 }},
		{"route reconfiguration", 827, func(r *Request, _ *Assumptions) { r.Machine.Timing.Reconfigure = 0 }},
		{"all software and latency", 552, func(r *Request, a *Assumptions) { noSoftware(r, a) }},
		{"all of that, a hop of 1 cycle", 399, func(r *Request, a *Assumptions) {
			noSoftware(r, a)
			r.Machine.Timing.Hop = 1
		}},
	} {
		r, a, err := Request{Machine: machine.WSE3(), Model: mustPreset("gpt-oss-120b")}.complete()
		if err != nil {
			t.Fatal(err)
		}
		c.off(&r, &a)
		s, got, err := choose(r, a, newTimes(r.Machine))
		if err != nil {
			t.Fatalf("without %s: %v", c.term, err)
		}
		t.Logf("without %s: %.0f cycles, %s", c.term, got.token, s.describe(got))
		if math.Abs(got.token/1000-c.kcycles) > 1 {
			t.Errorf("without %s: %.0f cycles, not %g thousand", c.term, got.token, c.kcycles)
		}
	}
}

func noSoftware(r *Request, a *Assumptions) {
	a.TransferSoftware, a.SamplingTail = 0, 0
	r.Machine.IOLatency, r.Machine.Timing.Reconfigure, r.Machine.Timing.Allreduce = 0, 0, 0
}

// TestExpertsOnSquares checks what the package comment says about a placement of gpt-oss-120b
// that is not ours: each expert on a square of a region instead of on all of it. Four at a
// time are fastest if no two of a token's experts share a square; chosen at random, some do.
func TestExpertsOnSquares(t *testing.T) {
	hw, m := machine.WSE3(), mustPreset("gpt-oss-120b")
	experts := func(side int, m transformer.Config) (cycles float64) {
		groups := kernel.BestGroups(&hw, side, ceil(m.EmbeddingLength, side), numbers.F16)
		l := mesh{&hw, side, groups, numbers.F16}.layout(&m, 2176, 0)
		for _, c := range l.LayerCosts(nil) {
			if c.Kernel == "up, gate" || c.Kernel == "silu" || c.Kernel == "down" {
				cycles += c.Cycles()
			}
		}
		return cycles
	}
	const region = 363
	tiled := experts(region, m)
	if math.Round(tiled) != 3588 {
		t.Errorf("%.0f cycles on the whole region, not 3588", tiled)
	}
	one := m
	one.ExpertCount, one.ExpertUsedCount = 0, 0
	for _, c := range []struct {
		side         int
		apart, drawn float64
	}{{2, 2103, 4468}, {3, 2429, 3852}, {4, 2969, 4005}, {11, 10046, 10540}} {
		apart := experts(region/c.side, one)
		drawn := apart * fullest(m.ExpertUsedCount, c.side*c.side)
		t.Logf("%d x %d squares: %.0f cycles, drawn at random %.0f", c.side, c.side, apart, drawn)
		if math.Round(apart) != c.apart || math.Abs(drawn-c.drawn) > 2 {
			t.Errorf("%d x %d squares: %.0f cycles, drawn at random %.0f; not %g and %g", c.side, c.side, apart, drawn, c.apart,
				c.drawn)
		}
		if drawn < tiled {
			t.Errorf("%d x %d squares are faster than the whole region", c.side, c.side)
		}
	}
}

// fullest returns how many of n experts the fullest of some squares has on average, if each
// is on any of them: those of the last experts beside the loads so far.
func fullest(n, squares int, loads ...int) float64 {
	if n == 0 {
		return float64(slices.Max(loads))
	}
	sum := fullest(n-1, squares, append(slices.Clone(loads), 1)...) * float64(squares-len(loads))
	for i := range loads {
		more := slices.Clone(loads)
		more[i]++
		sum += fullest(n-1, squares, more...)
	}
	return sum / float64(squares)
}
