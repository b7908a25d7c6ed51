package beside

import (
	"errors"
	"math"
	"sync"
	"testing"

	"waferpair/engine/model"
	"waferpair/wafer"
	"waferpair/wafer/machine"
	"waferpair/wafer/transformer"
)

// small is a model of some 60 million weights.
func small() transformer.Config {
	c := transformer.Defaults("llama")
	c.Name, c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = "60m", 12, 512, 2560, 8192
	c.HeadCount, c.HeadCountKV, c.KeyLength, c.ContextLength, c.BitsPerWeight = 8, 2, 64, 4096, 8.5
	return c
}

type placed struct {
	counter *wafer.Counter
	err     error
}

func (p placed) Wafer() (*wafer.Counter, error) { return p.counter, p.err }

// TestTheFiguresAreTheSumOfThePasses adds the passes of a turn up again, each by an estimate of its own on the
// same placement. Passes come from a goroutine of the model while others look.
func TestTheFiguresAreTheSumOfThePasses(t *testing.T) {
	r := wafer.Request{Machine: machine.WSE3(), Model: small(), Context: 4096}
	counter, err := wafer.NewCounter(r)
	if err != nil {
		t.Fatal(err)
	}
	r.DecodeMesh = counter.Report.Placement.Mesh
	r.Timing = counter.Report.Assumptions.Timing
	prompt := r
	prompt.Input = 700
	of := func(r wafer.Request) wafer.Report {
		t.Helper()
		report, err := wafer.Estimate(r)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	cycles := of(prompt).CyclesPerPrompt
	writing, written := 0.0, 0
	m := NewMeter(placed{counter: counter})
	if m.Now() != nil {
		t.Error("figures of nothing")
	}
	var looking sync.WaitGroup
	looking.Go(func() {
		for range 100 {
			m.Now()
		}
	})
	m.Take(model.Pass{Tokens: 700})
	for depth := 700; depth < 760; depth++ {
		m.Take(model.Pass{Tokens: 1, Depth: depth, Written: 1})
		step := r
		step.Context, step.Input, step.Output = depth+1, 1, 1
		writing, written = writing+of(step).CyclesPerToken, written+1
	}
	looking.Wait()
	got := m.End()
	clock := counter.Report.ClockGHz * 1e9
	if math.Abs(got.Cycles-cycles-writing) > 1e-6*got.Cycles {
		t.Errorf("%g cycles, not %g + %g", got.Cycles, cycles, writing)
	}
	if want := float64(written) * clock / writing; math.Abs(got.TokS-want) > 1 {
		t.Errorf("%g tokens a second, not %g", got.TokS, want)
	}
	if want := 1000 * (cycles + writing) / clock; math.Abs(got.Took-want) > 0.01 {
		t.Errorf("%g ms, not %g", got.Took, want)
	}
	if got.Band == nil || !(got.Band.Low < got.TokS && got.TokS < got.Band.High) {
		t.Errorf("%g tokens a second within %+v", got.TokS, got.Band)
	}
	if p := counter.Report.Placement; got.Wafers != p.Wafers || got.Regions != len(p.Regions) ||
		got.SRAM != counter.Report.SRAMPerCore || got.SRAMOf != machine.WSE3().SRAMBytes {
		t.Errorf("%+v of %+v", got.Placement, p)
	}
}

// TestADraftedPassWritesSeveral: the tokens of a draft that are right count, and the pass once.
func TestADraftedPassWritesSeveral(t *testing.T) {
	counter, err := wafer.NewCounter(wafer.Request{Machine: machine.WSE3(), Model: small(), Context: 4096})
	if err != nil {
		t.Fatal(err)
	}
	speed := func(p model.Pass) float64 {
		m := NewMeter(placed{counter: counter})
		m.Take(p)
		return m.End().TokS
	}
	one, all := speed(model.Pass{Tokens: 8, Depth: 100, Drafted: 7, Written: 1}),
		speed(model.Pass{Tokens: 8, Depth: 100, Drafted: 7, Written: 8})
	if math.Abs(all/one-8) > 0.01 {
		t.Errorf("8 tokens of a pass %g a second, one %g", all, one)
	}
}

// TestWithoutAPlace: the reason is told instead of figures, and a turn without passes has none.
func TestWithoutAPlace(t *testing.T) {
	none := NewMeter(placed{err: errors.New("too large")})
	if got := none.End(); got != nil {
		t.Errorf("%+v of no passes", got)
	}
	m := NewMeter(placed{err: errors.New("too large")})
	m.Take(model.Pass{Tokens: 3})
	if got := m.End(); got == nil || got.Why != "too large" || got.Cycles != 0 {
		t.Errorf("%+v", got)
	}
	if (*Meter)(nil).Now() != nil {
		t.Error("figures of no meter")
	}
}

// BenchmarkTake is what a pass costs the model.
func BenchmarkTake(b *testing.B) {
	counter, err := wafer.NewCounter(wafer.Request{Machine: machine.WSE3(), Model: small(), Context: 4096})
	if err != nil {
		b.Fatal(err)
	}
	m := NewMeter(placed{counter: counter})
	for i := range b.N {
		m.Take(model.Pass{Tokens: 1, Depth: i % 4000, Written: 1})
	}
	b.StopTimer()
	m.End()
}

// BenchmarkPrice is what a pass costs beside the model, at depths that were not asked for before.
func BenchmarkPrice(b *testing.B) {
	for _, p := range []struct {
		name string
		of   model.Pass
	}{{"token", model.Pass{Tokens: 1, Written: 1}}, {"draft", model.Pass{Tokens: 17, Drafted: 16, Written: 9}}} {
		b.Run(p.name, func(b *testing.B) {
			counter, err := wafer.NewCounter(wafer.Request{Machine: machine.WSE3(), Model: small(), Context: 4096})
			if err != nil {
				b.Fatal(err)
			}
			s := sums{counter: counter}
			b.ResetTimer()
			for i := range b.N {
				p.of.Depth = i
				s.add([]model.Pass{p.of})
			}
		})
	}
}
