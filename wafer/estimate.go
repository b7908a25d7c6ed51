package wafer

import (
	"waferpair/wafer/kernel"
)

// Report is the estimate for a request on a machine, never a measurement.
type Report struct {
	Machine  string  `json:"machine"`
	Model    string  `json:"model"`
	Layout   string  `json:"layout,omitempty"`
	ClockGHz float64 `json:"clock_ghz"`
	Context  int     `json:"context"`
	Input    int     `json:"input"`
	Output   int     `json:"output"`

	DecodeTokS  float64 `json:"decode_tok_s"`  // one request
	PrefillTokS float64 `json:"prefill_tok_s"` // prompt tokens over the time to the first token
	TTFTms      float64 `json:"ttft_ms"`       // of the device only
	RequestTokS float64 `json:"request_tok_s"` // output tokens over the time of the whole request

	CyclesPerToken  float64 `json:"cycles_per_token"`
	CyclesPerLayer  float64 `json:"cycles_per_layer"`
	CyclesPerPrompt float64 `json:"cycles_per_prompt"` // to the first token of the answer
	Wafers          int     `json:"wafers"`
	SRAMPerCore     int     `json:"sram_bytes_per_core"` // of the fullest core, including the reserve
	Colors          int     `json:"colors"`
	JoulesPerToken  float64 `json:"joules_per_token"`

	Prefill      string       `json:"prefill_method"`
	PipelineTokS float64      `json:"pipeline_tok_s"` // of all requests, if every region works on one
	Band         *Band        `json:"band,omitempty"`
	Use          Use          `json:"use"`
	Token        []Share      `json:"token"`  // where the cycles of a token go
	Prompt       []Share      `json:"prompt"` // the same for the prompt, in one region after the other
	Regions      []RegionTime `json:"regions"`
	Steps        []Step       `json:"-"` // of a token, one after the other; see wafer/steps.go
	Assumptions  Assumptions  `json:"assumptions"`
	Placement    Placement    `json:"placement"`
}

// Band is the range of the decode speed, in tokens a second, under the least and the most
// favourable assumptions (see Estimate).
type Band struct {
	Low  float64 `json:"low_decode_tok_s"`
	High float64 `json:"high_decode_tok_s"`
}

// Share is a kernel's part of the cycles, over all layers.
type Share struct {
	Cost
	Cycles   float64 `json:"cycles"`
	Fraction float64 `json:"fraction"`
	Joules   float64 `json:"joules"`
}

// Estimate places a request's model and returns its estimate. Band ranges from low
// assumptions with the placement of a service with many users (Throughput) to high ones
// with the placement for a single user (Latency); it is nil if either cannot be placed.
func Estimate(r Request) (Report, error) {
	if r.Layout == WaferLLM {
		return estimate(r, newTimes(r.Machine))
	}
	c, err := NewCounter(r)
	if err != nil {
		return Report{}, err
	}
	return c.Report, nil
}

func estimate(r Request, known *times) (Report, error) {
	r, a, err := r.complete()
	if err != nil {
		return Report{}, err
	}
	if r.Layout == WaferLLM {
		return estimateWaferLLM(r, a)
	}
	s, c, err := choose(r, a, known)
	if err != nil {
		return Report{}, err
	}
	return s.report(c), nil
}

// report returns the times of a chosen candidate.
func (s *search) report(c candidate) Report {
	p := s.placement(c)
	layer := s.layer(c, s.Context)
	first := s.prompt(c)
	cycle := 1 / (s.assume.ClockGHz * 1e9)
	r := s.header(p)
	r.Prefill = first.method
	r.CyclesPerLayer, r.CyclesPerToken = kernel.Total(layer), c.token
	r.CyclesPerPrompt = first.cycles
	r.times(first.cycles*cycle, c.token*cycle, s.Output-1)
	r.PipelineTokS = 1 / (c.stage * cycle)
	r.Token = s.shares(layer, c)
	r.Prompt = share(first.costs)
	r.Regions = s.regionTimes(c, p, layer)
	r.Steps = s.steps(c, p, layer)
	r.energy(s.Machine)
	r.Use = use(s.Machine, p, r.Token, c.token, c.stage)
	return r
}

func (s *search) header(p Placement) Report {
	return Report{
		Machine: s.Machine.Name, Model: s.Model.Name, Layout: s.Layout, ClockGHz: s.assume.ClockGHz,
		Context: s.Context, Input: s.Input, Output: s.Output,
		Wafers: p.Wafers, SRAMPerCore: p.SRAM.Used(), Colors: countColors(p.Colors),
		Assumptions: s.assume, Placement: p,
	}
}

// times sets the speeds from the seconds of the prompt, up to the first token of the
// answer, and of each of the other tokens.
func (r *Report) times(first, token float64, rest int) {
	r.TTFTms = first * 1e3
	r.PrefillTokS = float64(r.Input) / first
	r.DecodeTokS = 1 / token
	r.RequestTokS = float64(r.Output) / (first + float64(rest)*token)
}

// layer returns the costs of a layer's kernels with context positions of the cache in use.
func (s *search) layer(c candidate, context int) []Cost {
	m := s.mesh(c.P)
	if !s.assume.StaticColors {
		m.Machine = &s.Machine
	}
	l := m.layout(&s.Model, context, 0)
	return l.LayerCosts(nil)
}

// shares returns how the cycles of a token are divided among the kernels.
func (s *search) shares(layer []Cost, c candidate) []Share {
	var costs []Cost
	for _, k := range layer {
		costs = append(costs, k.Times(float64(s.Model.BlockCount)))
	}
	hands := s.hand(c).Times(float64(c.hands()))
	hands.Kernel = "between regions"
	head, sampling := s.lastCosts(c)
	sampling.Launch += s.assume.SamplingTail
	costs = append([]Cost{s.firstCost(c)}, costs...)
	costs = append(costs, hands, head, sampling, Cost{Kernel: "between wafers", Communication: s.crossings(c)})
	return share(costs)
}

func share(costs []Cost) []Share {
	all := kernel.Total(costs)
	var list []Share
	for _, c := range costs {
		if c.Cycles() > 0 {
			list = append(list, Share{Cost: c, Cycles: c.Cycles(), Fraction: c.Cycles() / all})
		}
	}
	return list
}

func estimateWaferLLM(r Request, a Assumptions) (Report, error) {
	p, err := placeWaferLLM(r, a)
	if err != nil {
		return Report{}, err
	}
	s := newSearch(r, a, newTimes(r.Machine))
	layer, prefill := waferLLMDecode(r, p.Mesh), waferLLMPrefill(r, p.PrefillMesh)
	report := s.header(p)
	report.Prefill = "MeshGEMM, the whole prompt at once"
	report.CyclesPerLayer = kernel.Total(layer)
	layers := float64(r.Model.BlockCount)
	report.CyclesPerToken, report.CyclesPerPrompt = layers*kernel.Total(layer), layers*kernel.Total(prefill)
	cycle := 1 / (a.ClockGHz * 1e9)
	report.times(report.CyclesPerPrompt*cycle, report.CyclesPerToken*cycle, r.Output)
	report.PipelineTokS = report.DecodeTokS
	report.Token, report.Prompt = share(scale(layer, layers)), share(scale(prefill, layers))
	report.Regions = []RegionTime{{Region: p.Regions[0], Cycles: report.CyclesPerToken, Busy: 1, BusyFull: 1}}
	report.energy(r.Machine)
	report.Use = use(r.Machine, p, report.Token, report.CyclesPerToken, report.CyclesPerToken)
	return report, nil
}

func scale(costs []Cost, n float64) []Cost {
	list := make([]Cost, len(costs))
	for i, c := range costs {
		list[i] = c.Times(n)
	}
	return list
}
