package wafer

import (
	"errors"
	"fmt"
	"math"
	"waferpair/wafer/kernel"

	"waferpair/wafer/machine"
	numbers "waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// Row compares a published figure with ours.
type Row struct {
	Check     string  `json:"check"`
	Config    string  `json:"config"`
	Unit      string  `json:"unit"`
	Published float64 `json:"published"`
	Ours      float64 `json:"ours"` // the low end, if High is set
	High      float64 `json:"ours_high,omitempty"`
	Ratio     float64 `json:"ratio"`           // ours to published
	Bound     float64 `json:"bound,omitempty"` // the largest distance of the ratio from 1
	Fitted    bool    `json:"fitted"`          // constants were fitted to this figure; otherwise it is a prediction
	Pass      bool    `json:"pass"`
	Note      string  `json:"note,omitempty"`
}

// Validate compares the analytic level with every published figure that we have.
func Validate() []Row {
	var rows []Row
	for _, part := range []func() []Row{checkSimulatedLayers, checkSimulatedGEMMs, checkPrefill, checkDecode,
		checkCapacity, checkGEMV, checkEnergy, checkUserSpeeds, checkMonotone} {
		rows = append(rows, part()...)
	}
	return rows
}

// within completes a row.
func within(r Row, bound float64) Row {
	r.Ratio, r.Bound = r.Ours/r.Published, bound
	r.Pass = math.Abs(r.Ratio-1) <= bound
	return r
}

func checkSimulatedLayers() []Row {
	layer := func(d, s, f, p int, static bool) float64 {
		m := machine.WSE3()
		if static {
			m.Timing.Reconfigure = 0
		}
		l := waferLLMMesh(&m, p).layout(&transformer.Config{EmbeddingLength: d * p, HeadCount: 1, HeadCountKV: 1,
			KeyLength: d * p, FeedForwardLength: f * p}, s*p, d)
		return kernel.Total(l.LayerCosts(nil))
	}
	row := func(config string, published, ours float64) Row {
		return within(Row{Check: "decode layer, WSE-3 simulator", Config: config, Unit: "cycles", Published: published,
			Ours: ours, Fitted: true}, 0.05)
	}
	var rows []Row
	for _, c := range simulatedLayers {
		marked := machine.InstrumentedRow * float64(7*c.d+c.s+c.f) // rows of all GEMVs
		rows = append(rows, row(fmt.Sprintf("d=%d s=%d f=%d P=%d", c.d, c.s, c.f, c.p), c.cycles,
			layer(c.d, c.s, c.f, c.p, false)+marked))
	}
	return append(rows,
		row("d=8 s=4 f=32 P=32, no markers", simulatedPlain, layer(8, 4, 32, 32, false)),
		row("d=8 s=4 f=32 P=32, no markers, static colors", simulatedStatic, layer(8, 4, 32, 32, true)))
}

func checkSimulatedGEMMs() []Row {
	hw := machine.WSE3()
	var rows []Row
	for _, c := range simulatedGEMMs {
		rows = append(rows, within(Row{Check: "MeshGEMM, WSE-3 simulator",
			Config: fmt.Sprintf("P=%d Mt=%d Kt=Nt=8", c.p, c.rows), Unit: "cycles",
			Published: c.cycles, Ours: kernel.MeshGEMMCost(&hw, c.p, c.rows, 8, 8, numbers.F16).Cycles(), Fitted: true}, 0.10))
	}
	return rows
}

// benchmark returns a report in WaferLLM's layout on WSE-2.
func benchmark(model string, decode, prefill, input int) Report {
	r, err := Estimate(Request{Machine: machine.WSE2(), Model: mustPreset(model), Layout: WaferLLM,
		DecodeMesh: decode, PrefillMesh: prefill, Input: input, ClockGHz: 1.1})
	if err != nil {
		panic(fmt.Sprintf("wafer: a published configuration is refused: %v", err))
	}
	return r
}

func mustPreset(name string) transformer.Config {
	m, err := Preset(name)
	if err != nil {
		panic(err)
	}
	return m
}

func checkPrefill() []Row {
	var rows []Row
	for _, c := range table3 {
		rows = append(rows,
			within(Row{Check: "prefill, WaferLLM Table 3", Config: fmt.Sprintf("%s %d x %d", c.model, c.p, c.p), Unit: "tok/s",
				Published: c.tokS, Ours: benchmark(c.model, c.p, c.p, 4096).PrefillTokS, Fitted: true}, 0.05))
	}
	return rows
}

func checkDecode() []Row {
	row := func(c meshSpeed) Row {
		return within(Row{Check: "decode, WaferLLM Table 4", Config: fmt.Sprintf("%s %d x %d", c.model, c.p, c.p),
			Unit: "tok/s", Published: c.tokS, Ours: benchmark(c.model, c.p, c.p, 4096).DecodeTokS, Fitted: true}, 0.03)
	}
	var rows []Row
	for _, c := range table4 {
		rows = append(rows, row(c))
	}
	last := row(abstract)
	last.Check, last.Fitted, last.Note = "decode, WaferLLM abstract", false,
		"the abstract names no mesh: the smallest of Table 4 is assumed"
	return append(rows, last)
}

func checkCapacity() []Row {
	var rows []Row
	for _, c := range table5 {
		p := benchmark(c.model, c.p, c.p, 4096).Placement
		rows = append(rows, within(Row{Check: "KV cache, shift to concat, WaferLLM Table 5",
			Config: fmt.Sprintf("%s %d x %d", c.model, c.p, c.p), Unit: "ratio",
			Published: c.shift / c.concat, Ours: float64(p.ShiftTokens) / float64(p.ConcatTokens),
			Note: "the table names no mesh: that of WaferLLM's whole requests is assumed"}, 0.05))
	}
	return rows
}

// gemvMesh is the largest square of a WSE-2, assumed for Table 6, which does not name its
// mesh.
const gemvMesh = 750

func checkGEMV() []Row {
	hw := machine.WSE2()
	hw.Timing.Hop = float64(hw.HopCycles)
	var rows []Row
	for _, c := range table6 {
		m := waferLLMMesh(&hw, gemvMesh)
		n := ceil(c.n, gemvMesh)
		ours := kernel.GEMVCycles(&hw, n, n, m.sums) + m.allreduce(n).Cycles()
		rows = append(rows, within(Row{Check: "MeshGEMV, WaferLLM Table 6", Config: c.name + " x " + c.name, Unit: "cycles",
			Published: c.cycles, Ours: ours,
			Note: "the table names no mesh: 750 x 750 is assumed, with 1 cycle a hop, as the machine has; the hop fitted to decode would be too slow here"}, 0.10))
	}
	return rows
}

func checkEnergy() []Row {
	watts := machine.WSE2().Watts
	var rows []Row
	for _, c := range table6 {
		for i, n := range a100Counts {
			ours := c.a100[i] * 1e-3 * a100Watts * n / (c.waferS * watts)
			rows = append(rows, within(Row{Check: "energy of A100s to WSE-2, WaferLLM Table 6",
				Config: fmt.Sprintf("%s x %s, %g A100", c.name, c.name, n), Unit: "ratio",
				Published: c.energy[i], Ours: ours, Fitted: true, Note: "published times; power of the wafer from this ratio"},
				0.01))
		}
	}
	return rows
}

// checkUserSpeeds checks whether the published speed for one user is in the band. Low is a
// service that keeps its pipeline full of requests, with a KV cache for each; high is
// wafers for a single user. Only the full pipeline brings the larger model's speed into the
// band: under the same slow assumptions, a single user is a little faster than published.
func checkUserSpeeds() []Row {
	var rows []Row
	for _, c := range userSpeeds {
		request := Request{Machine: machine.WSE3(), Model: mustPreset(c.model), Wafers: c.wafers}
		note := "low: 0.85 GHz, measured software, sampling, pipeline kept full; high: 1.1 GHz, greedy, one user"
		r, err := Estimate(request)
		if refusal := (*Refusal)(nil); errors.As(err, &refusal) && refusal.Kind == TooFewWafers {
			note = fmt.Sprintf("%s; published on %d wafers, where whole layers in squares do not fit: %v", note,
				c.wafers, refusal)
			request.Wafers = 0
			r, err = Estimate(request)
		}
		if err != nil || r.Band == nil {
			panic(fmt.Sprintf("wafer: %s has no band: %v", c.model, err))
		}
		rows = append(rows, Row{Check: "speed of a user before speculation, vendor", Config: c.name + ", WSE-3",
			Unit: "tok/s", Published: c.tokS, Ours: r.Band.Low, High: r.Band.High, Ratio: r.Band.Low / c.tokS,
			Pass: r.Band.Low <= c.tokS && c.tokS <= r.Band.High, Note: note})
	}
	return rows
}

// checkMonotone counts how often more work takes fewer cycles.
func checkMonotone() []Row {
	violations := 0
	for _, name := range []string{"qwen2.5-coder-0.5b", "llama3-8b"} {
		for _, grow := range growths {
			last := 0.0
			for step := range 6 {
				r := Request{Machine: machine.WSE3(), Model: mustPreset(name), Context: 2176}
				grow.by(&r, step)
				report, err := estimate(r, newTimes(r.Machine))
				if err != nil || report.CyclesPerToken < last {
					violations++
				}
				last = report.CyclesPerToken
			}
		}
	}
	return []Row{{Check: "more work takes no fewer cycles", Config: "layers, width, feed-forward, vocabulary, context",
		Unit: "violations", Ours: float64(violations), Ratio: 1, Pass: violations == 0}}
}

// growths make a request larger, in one respect at a time.
var growths = []struct {
	name string
	by   func(r *Request, step int)
}{
	{"layers", func(r *Request, step int) { r.Model.BlockCount += 3 * step }},
	{"width", func(r *Request, step int) { r.Model.EmbeddingLength += 128 * step }},
	{"feed-forward", func(r *Request, step int) { r.Model.FeedForwardLength += 500 * step }},
	{"vocabulary", func(r *Request, step int) { r.Model.VocabSize += 9999 * step }},
	{"context", func(r *Request, step int) { r.Context += 3000 * step }},
}
