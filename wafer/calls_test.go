package wafer

import (
	"math"
	"math/rand/v2"
	"testing"

	"waferpair/wafer/transformer"
)

// TestATallyIsTheSumOfEstimates adds the passes of a turn up again, each by an estimate of its own on the same
// placement: a prompt, and tokens behind it.
func TestATallyIsTheSumOfEstimates(t *testing.T) {
	m := transformer.Defaults("qwen2")
	m.Name, m.BlockCount, m.EmbeddingLength, m.FeedForwardLength, m.VocabSize = "0.5b", 24, 896, 4864, 151936
	m.HeadCount, m.HeadCountKV, m.KeyLength, m.ContextLength, m.BitsPerWeight = 14, 2, 64, 32768, 8.5
	w, err := MachineByName("wse-3")
	if err != nil {
		t.Fatal(err)
	}
	r := Request{Machine: w, Model: m, Context: 4096, DecodeMesh: 152, Input: 700}
	calls := []Call{{700, 0}}
	want := 0.0
	report, err := Estimate(r)
	if err != nil {
		t.Fatal(err)
	}
	want += report.CyclesPerPrompt
	random := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		depth := 700 + random.IntN(3000)
		calls = append(calls, Call{1, depth})
		at := r
		// the other way: what an estimate says of a token with so many positions
		at.Context, at.Input, at.Output = depth+1, 1, 1
		step, err := Estimate(at)
		if err != nil {
			t.Fatal(err)
		}
		want += step.CyclesPerToken
	}
	calls = append(calls, Call{1, 4095})
	want += report.CyclesPerToken
	got, _, err := Tally(r, calls)
	if err != nil || math.Abs(got-want) > 1e-6*want {
		t.Errorf("%g, not %g: %v", got, want, err)
	}
}

// TestAPassCostsWhatItMust: more tokens and a greater depth cost more, and a pass of several less than one
// after the other.
func TestAPassCostsWhatItMust(t *testing.T) {
	w, err := MachineByName("wse-3")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Preset("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	of := func(calls ...Call) float64 {
		sum, _, err := Tally(Request{Machine: w, Model: m, Context: 8192}, calls)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	one, deep, eight := of(Call{1, 100}), of(Call{1, 8000}), of(Call{8, 100})
	if deep <= one || eight <= one || eight >= 8*one {
		t.Errorf("one token %g, the same deep %g, eight at once %g", one, deep, eight)
	}
	if _, _, err := Tally(Request{Machine: w, Model: m}, []Call{{0, 1}}); err == nil {
		t.Error("a pass of nothing")
	}
}

// TestTheBandOfAPass: the same pass under other assumptions is on its side of the usual one, and with all of
// the context in use, the band of passes is that of the estimate.
func TestTheBandOfAPass(t *testing.T) {
	w, err := MachineByName("wse-3")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Preset("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCounter(Request{Machine: w, Model: m, Context: 8192})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []Call{{1, 0}, {1, 777}, {16, 4000}, {512, 0}, {1, 8191}} {
		p, err := c.Price(call)
		if err != nil || !(p.Fastest <= p.Seconds && p.Seconds <= p.Slowest && p.Fastest < p.Slowest) {
			t.Errorf("%+v: %+v, %v", call, p, err)
		}
		if call.Depth == 8191 {
			for _, x := range [][2]float64{{p.Seconds, c.Report.DecodeTokS}, {p.Slowest, c.Report.Band.Low},
				{p.Fastest, c.Report.Band.High}} {
				if off := x[0]*x[1] - 1; math.Abs(off) > 0.01 {
					t.Errorf("%g s a token, and %g tokens a second", x[0], x[1])
				}
			}
		}
	}
}
