package wafer

import (
	"encoding/json"
	"math"
	"testing"

	"waferpair/wafer/machine"
)

// TestReportNames checks the JSON names that scripts read.
func TestReportNames(t *testing.T) {
	r, err := Estimate(Request{Machine: machine.WSE3(), Model: mustPreset("llama3-8b")})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"decode_tok_s", "prefill_tok_s", "ttft_ms", "request_tok_s", "cycles_per_token",
		"cycles_per_layer", "wafers", "sram_bytes_per_core", "colors", "joules_per_token"} {
		if v, ok := got[name].(float64); !ok || v <= 0 || math.IsInf(v, 0) {
			t.Errorf("%s is %v", name, got[name])
		}
	}
}

// TestWaferLLMRequest checks that a request in WaferLLM's layout takes its prefill and one
// decode step for each output token.
func TestWaferLLMRequest(t *testing.T) {
	r, err := Estimate(Request{Machine: machine.WSE2(), Model: mustPreset("llama3-8b"), Layout: WaferLLM,
		DecodeMesh: 360, PrefillMesh: 660, Input: 2048, Output: 128})
	if err != nil {
		t.Fatal(err)
	}
	if r.ClockGHz != 1.1 || r.Context != 4096 || r.Placement.Groups != 18 || r.Placement.PrefillGroups != 22 {
		t.Errorf("%g GHz, context %d, groups %d and %d", r.ClockGHz, r.Context, r.Placement.Groups, r.Placement.PrefillGroups)
	}
	near(t, "request", r.RequestTokS, 128/(2048/r.PrefillTokS+128/r.DecodeTokS))
	near(t, "cycles of a token", r.CyclesPerToken, 32*r.CyclesPerLayer)
	near(t, "time to first token", r.TTFTms, 1e3*2048/r.PrefillTokS)
}

// TestWaferLLMFindsMeshes checks that, without a mesh, the layout uses the fastest that
// fits.
func TestWaferLLMFindsMeshes(t *testing.T) {
	ask := Request{Machine: machine.WSE2(), Model: mustPreset("llama2-13b"), Layout: WaferLLM}
	best, err := Estimate(ask)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []int{200, 300, 420, 540, 660, 750} {
		ask.DecodeMesh, ask.PrefillMesh = p, p
		r, err := Estimate(ask)
		if err != nil {
			continue // too small
		}
		if r.DecodeTokS > best.DecodeTokS || r.PrefillTokS > best.PrefillTokS {
			t.Errorf("%d x %d is faster than %d x %d and %d x %d", p, p, best.Placement.Mesh, best.Placement.Mesh,
				best.Placement.PrefillMesh, best.Placement.PrefillMesh)
		}
	}
}

// TestPromptsTakeTheirTime checks that a longer prompt takes longer, and never less than
// its multiply-adds.
func TestPromptsTakeTheirTime(t *testing.T) {
	for _, m := range Presets() {
		last, known := 0.0, newTimes(machine.WSE3())
		for _, input := range []int{1, 2, 100, 2048, 30000} {
			r, err := estimate(Request{Machine: machine.WSE3(), Model: m, Input: input, Context: 30128}, known)
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			if r.TTFTms < last {
				t.Errorf("%s: %d tokens take %g ms, fewer take %g ms", m.Name, input, r.TTFTms, last)
			}
			last = r.TTFTms
			macs := 0.0
			for _, k := range r.Prompt {
				macs += k.MACs
			}
			peak := float64(r.Wafers*machine.WSE3().Cores()) * 4 * r.ClockGHz * 1e9
			if least := macs / peak * 1e3; r.TTFTms < least {
				t.Errorf("%s: %d tokens take %g ms, their multiply-adds alone %g ms (%s)", m.Name, input, r.TTFTms,
					least, r.Prefill)
			}
		}
	}
}

// TestObjectives checks that no other objective beats one at its own figure.
func TestObjectives(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, m := range Presets() {
		reports := map[Objective]Report{}
		for _, o := range objectives {
			r, err := Estimate(Request{Machine: machine.WSE3(), Model: m, Objective: o, Users: 1})
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			reports[o] = r
		}
		for _, o := range objectives {
			if reports[o].DecodeTokS > reports[Latency].DecodeTokS {
				t.Errorf("%s: %s decodes faster than latency", m.Name, o)
			}
			rate := func(o Objective) float64 { return reports[o].PipelineTokS / float64(reports[o].Wafers) }
			if rate(o) > rate(Throughput)*(1+1e-12) {
				t.Errorf("%s: %s has more throughput for each wafer than throughput", m.Name, o)
			}
		}
		if b := reports[Latency].Band; b == nil || b.Low > reports[Latency].DecodeTokS ||
			b.High < reports[Latency].DecodeTokS {
			t.Errorf("%s: band %+v around %g", m.Name, b, reports[Latency].DecodeTokS)
		}
	}
}

// TestClockIsForReporting checks that cycles do not depend on the clock, except for
// crossings between wafers, and that speeds on one wafer are proportional to it.
func TestClockIsForReporting(t *testing.T) {
	ask := Request{Machine: machine.WSE3(), Model: mustPreset("llama3-8b"), ClockGHz: 1}
	slow, err := Estimate(ask)
	if err != nil {
		t.Fatal(err)
	}
	ask.ClockGHz = 2
	fast, err := Estimate(ask)
	if err != nil {
		t.Fatal(err)
	}
	if slow.Wafers != 1 {
		t.Fatalf("on %d wafers", slow.Wafers)
	}
	near(t, "cycles", fast.CyclesPerToken, slow.CyclesPerToken)
	near(t, "decode", fast.DecodeTokS, 2*slow.DecodeTokS)
	near(t, "prompt", fast.TTFTms, slow.TTFTms/2)
}
