package wafer

import (
	"fmt"
	"math"
	"testing"

	"waferpair/wafer/kernel"
	"waferpair/wafer/machine"
	numbers "waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// TestDivisorGroups checks the groups of WaferLLM's configurations, and of sides without
// divisors.
func TestDivisorGroups(t *testing.T) {
	for p, want := range map[int]int{420: 20, 540: 20, 660: 22, 600: 24, 720: 24, 480: 20, 360: 18, 300: 15, 256: 16,
		240: 15, 1: 1, 7: 1} {
		if got := divisorGroups(p); got != want {
			t.Errorf("%d cores: %d groups, not %d", p, got, want)
		}
	}
}

// TestAllreduceHops counts the wavelet-hops of an allreduce core by core.
func TestAllreduceHops(t *testing.T) {
	hw := machine.Test(64, 64)
	for p := 2; p <= 20; p++ {
		for groups := 1; groups <= p; groups++ {
			if p%groups != 0 {
				continue
			}
			g, hops := p/groups, 0
			for i := range p {
				if i%g != g/2 {
					hops++ // along its group's chain
				} else if i/g != groups/2 {
					hops += g // from root to root
				}
			}
			hops += p - 1 // the broadcast passes every link once
			if got := (mesh{&hw, p, groups, numbers.F16}).allreduce(6).Hops; got != float64(p*3*hops) {
				t.Errorf("%d cores in %d groups: %g hops, not %d", p, groups, got, p*3*hops)
			}
		}
	}
}

// TestDecodeLayerByHand compares with cycles computed by hand for WSE-3, with SiLU over the
// width as in WaferLLM's code.
func TestDecodeLayerByHand(t *testing.T) {
	hw := machine.WSE3()
	c := transformer.Config{EmbeddingLength: 256, HeadCount: 1, HeadCountKV: 1, KeyLength: 256, FeedForwardLength: 688}
	l := mesh{&hw, 52, 7, numbers.F16}.layout(&c, 2048, ceil(256, 52))
	if got := kernel.Total(l.LayerCosts(nil)); math.Abs(got/6306-1) > 0.02 {
		t.Errorf("%g cycles, not 6306", got)
	}
}

// TestMACsAreTheShapes checks that a layer has the multiply-adds of its shape when nothing
// is padded.
func TestMACsAreTheShapes(t *testing.T) {
	hw := machine.WSE3()
	m := transformer.Config{Name: "even", BlockCount: 1, EmbeddingLength: 64, HeadCount: 4, HeadCountKV: 2, KeyLength: 16,
		FeedForwardLength: 128, VocabSize: 256, BitsPerWeight: 16}
	const p, context = 16, 32
	region := mesh{&hw, p, 4, numbers.F16}
	decode := region.layout(&m, context, 0)
	macs := func(costs []Cost) (n float64) {
		for _, c := range costs {
			n += c.MACs
		}
		return n
	}
	weights := float64(m.Parameters() - 2*256*64)
	attention := float64(2 * 64 * context) // scores and values, of all queries
	if got := macs(decode.LayerCosts(nil)); got != weights+attention {
		t.Errorf("decode: %g multiply-adds, not %g", got, weights+attention)
	}
	const rows = 3
	prefill := region.prefillLayout(&m, rows*p, context/p, 0)
	if got := macs(prefill.LayerCosts()); got != rows*p*(weights+attention) {
		t.Errorf("prefill: %g multiply-adds, not %g", got, rows*p*(weights+attention))
	}
}

// TestPartsAddUp checks that the parts of the cycles add up, and that no part is negative.
func TestPartsAddUp(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, hw := range []Machine{machine.WSE2(), machine.WSE3()} {
		for _, m := range Presets() {
			r, err := Estimate(Request{Machine: hw, Model: m})
			if err != nil {
				t.Errorf("%s on %s: %v", m.Name, hw.Name, err)
				continue
			}
			name := fmt.Sprintf("%s on %s", m.Name, hw.Name)
			cycles, joules := 0.0, 0.0
			for _, k := range r.Token {
				cycles, joules = cycles+k.Cycles, joules+k.Joules
				if min(k.Compute, k.Communication, k.Launch, k.MACs, k.Hops) < 0 {
					t.Errorf("%s: %s has a negative part: %+v", name, k.Kernel, k)
				}
			}
			near(t, name+": cycles", cycles, r.CyclesPerToken)
			near(t, name+": joules", joules, r.JoulesPerToken)
			near(t, name+": decode speed", r.DecodeTokS, r.ClockGHz*1e9/r.CyclesPerToken)
			near(t, name+": fractions", r.Use.Compute+r.Use.Communication+r.Use.LaunchFraction, 1)
			if r.Use.CoresFull > 1 || r.Use.LinksFull > 1 || r.Use.Cores > r.Use.CoresFull || r.Use.CoresBusy > 1 {
				t.Errorf("%s: utilisation of more than everything: %+v", name, r.Use)
			}
			checkRegionTimes(t, name, r)
			checkSteps(t, name, m, r)
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s: %g, not %g", what, got, want)
	}
}

func checkRegionTimes(t *testing.T, name string, r Report) {
	t.Helper()
	longest := 0.0
	for _, x := range r.Regions {
		longest = max(longest, x.BusyFull)
		if x.Busy > 1 || x.BusyFull > 1+1e-9 {
			t.Errorf("%s: region %+v is busy for longer than there is", name, x)
		}
	}
	near(t, name+": busiest region of a full pipeline", longest, 1)
}

// checkSteps adds the steps of a token up again, and checks that each layer is in its region, once.
func checkSteps(t *testing.T, name string, m transformer.Config, r Report) {
	t.Helper()
	sum, layer, crossings := 0.0, 0, 0
	for _, s := range r.Steps {
		sum += s.Cycles
		switch s.What {
		case StepLayer:
			at := r.Placement.Regions[s.Regions[0]]
			if s.Layer != layer || layer < at.FirstLayer || layer >= at.FirstLayer+at.Layers {
				t.Errorf("%s: layer %d is in %+v", name, s.Layer, at)
			}
			layer++
		case StepEmbedding, StepHead:
			if len(s.Regions) == 0 {
				t.Errorf("%s: the %s is nowhere", name, s.What)
			}
		case StepCrossing:
			crossings++
		case StepTransfer:
		}
	}
	near(t, name+": steps", sum, r.CyclesPerToken)
	if layer != m.BlockCount || r.Wafers > 1 && crossings != r.Wafers {
		t.Errorf("%s: %d layers of %d, %d crossings of %d wafers", name, layer, m.BlockCount, crossings, r.Wafers)
	}
}
