package wafer

import (
	"fmt"
	"math"
	"slices"

	"waferpair/wafer/transformer"
)

// Request is the input of an estimate or a placement. Zero values are defaults.
type Request struct {
	Machine Machine
	Model   transformer.Config

	// Layout "" places all layers, the vocabulary and the KV cache on wafers; "waferllm" is
	// the layout of WaferLLM's benchmarks (see waferllm.go).
	Layout string

	// DecodeMesh and PrefillMesh are the sides of the regions; 0 means to search for the
	// best. Only layout waferllm has a separate mesh for prefill.
	DecodeMesh, PrefillMesh int

	Context int // positions in the KV cache; decode is timed with all of them in use
	Input   int // tokens of the prompt; default 2048
	Output  int // tokens of the answer; default 128

	Wafers    int       // the most wafers to use; 0: any number
	Objective Objective // default Latency
	Users     int       // requests with KV caches; default 1, or a full pipeline for Throughput

	ClockGHz float64 // default: that of the assumptions

	// Timing is Emulated or Published. Default: emulated if the event level can run the
	// same mesh (DecodeMesh up to 128), otherwise published.
	Timing string
	Assume string // "low" (default) or "high": see Assumptions

	// BothPhases keeps the routes of prefill's MeshGEMM resident beside decode's, instead
	// of reconfiguring them between the phases.
	BothPhases bool
}

// Objective is the criterion for the choice of a placement.
type Objective string

// Latency minimizes the cycles of a token of one request: few regions for it to pass
// through. WholeRequest minimizes those of the prompt and all tokens of the answer: more
// regions, because a prompt passes through them as a pipeline. Throughput maximizes the
// tokens a second per wafer when all regions work on requests of their own.
const (
	Latency      Objective = "latency"
	WholeRequest Objective = "request"
	Throughput   Objective = "throughput"
)

var objectives = []Objective{Latency, WholeRequest, Throughput}

// WaferLLM is the name of the layout of WaferLLM's benchmarks.
const WaferLLM = "waferllm"

const (
	defaultInput  = 2048
	defaultOutput = 128
	maxTokens     = 1 << 30
)

// complete checks a request and fills in the defaults.
func (r Request) complete() (Request, Assumptions, error) {
	if err := r.Model.Check(); err != nil {
		return r, Assumptions{}, err
	}
	if err := r.Machine.Check(); err != nil {
		return r, Assumptions{}, err
	}
	if err := r.checkSizes(); err != nil {
		return r, Assumptions{}, err
	}
	if r.Objective == "" {
		r.Objective = Latency
	}
	if !slices.Contains(objectives, r.Objective) {
		return r, Assumptions{},
			fmt.Errorf("no objective is called %q; there are latency, request and throughput", r.Objective)
	}
	var err error
	if r.Timing, err = r.setting(); err != nil {
		return r, Assumptions{}, err
	}
	if r.Timing == Emulated {
		r.Machine = r.Machine.Emulated()
	}
	a, err := assumptions(r)
	if err != nil {
		return r, a, err
	}
	if err := r.tokens(); err != nil {
		return r, a, err
	}
	return r, a, r.layout()
}

func (r Request) checkSizes() error {
	width, height := r.Machine.Usable()
	most := min(width, height)
	for _, size := range []struct {
		name        string
		value, most int
	}{{"decode mesh", r.DecodeMesh, most}, {"prefill mesh", r.PrefillMesh, most}, {"context", r.Context, maxTokens},
		{"input", r.Input, maxTokens}, {"output", r.Output, maxTokens}, {"number of wafers", r.Wafers, maxWafers},
		{"number of users", r.Users, 1 << 20}} {
		if size.value < 0 {
			return fmt.Errorf("the %s is %d; it has to be positive", size.name, size.value)
		}
		if size.value > size.most {
			return sizeError(r.Machine, size.name, size.value, size.most)
		}
	}
	if math.IsNaN(r.ClockGHz) || r.ClockGHz < 0 || r.ClockGHz > 100 {
		return fmt.Errorf("the clock is %v GHz; it has to be positive and at most 100", r.ClockGHz)
	}
	return nil
}

func sizeError(m Machine, name string, value, most int) error {
	if name != "decode mesh" && name != "prefill mesh" {
		return fmt.Errorf("the %s is %d; at most %d is possible", name, value, most)
	}
	width, height := m.Usable()
	return &Refusal{
		Kind: MeshTooLarge,
		Reason: fmt.Sprintf("a %s of %d x %d is larger than the fabric of %s: %d x %d cores are left for programs", name,
			value, value, m.Name, width, height),
		Nearest: fmt.Sprintf("a mesh of %d x %d", most, most),
	}
}

// tokens sets prompt, answer and context, which must hold both.
func (r *Request) tokens() error {
	if r.Output == 0 {
		r.Output = defaultOutput
		if r.Context > 0 {
			r.Output = min(r.Output, max(1, r.Context/2))
		}
	}
	if r.Input == 0 {
		r.Input = defaultInput
		if r.Context > 0 {
			r.Input = min(r.Input, max(1, r.Context-r.Output))
		}
	}
	if r.Layout == WaferLLM { // its benchmarks time a cache of fixed size, whatever the request
		if r.Context == 0 {
			r.Context = waferLLMContext
		}
		return nil
	}
	if r.Context == 0 {
		r.Context = r.Input + r.Output
	}
	if r.Input+r.Output > r.Context {
		return fmt.Errorf(
			"%d tokens of input and %d of output do not fit into a context of %d: the context has to be %d or more", r.Input,
			r.Output, r.Context, r.Input+r.Output)
	}
	return nil
}

func (r Request) layout() error {
	switch r.Layout {
	case WaferLLM:
		return nil
	case "":
		if r.PrefillMesh != 0 {
			return fmt.Errorf(
				"a prefill mesh of its own is only in layout %s; here the prompt passes through the regions of decode", WaferLLM)
		}
		return nil
	}
	return fmt.Errorf("no layout is called %q; there is %s", r.Layout, WaferLLM)
}

// Assumptions are what published figures leave open. Low and high give the band in which
// the truth should be.
type Assumptions struct {
	Name             string   `json:"name"`
	Timing           string   `json:"timing"`
	ClockGHz         float64  `json:"clock_ghz"`
	TransferSoftware float64  `json:"transfer_software_cycles"` // for a transfer to the next region
	SamplingTail     float64  `json:"sampling_tail_cycles"`     // sampling other than greedy
	StaticColors     bool     `json:"static_colors"`            // routes set once, not in each layer
	Notes            []string `json:"notes"`
}

// assumptions returns low or high assumptions. Low assumes the slowest clock, the software
// overheads that users have measured, route reconfiguration as measured, and the longest
// sampling; high assumes the fastest clock, colors for all routes at once, greedy sampling
// and no software between regions.
func assumptions(r Request) (Assumptions, error) {
	var a Assumptions
	switch r.Assume {
	case "", "low":
		a = Assumptions{Name: "low", ClockGHz: slices.Min(r.Machine.Clocks), TransferSoftware: 5900, SamplingTail: 30e3}
	case "high":
		a = Assumptions{Name: "high", ClockGHz: slices.Max(r.Machine.Clocks), StaticColors: true}
	default:
		return a, fmt.Errorf("no assumptions are called %q; there are low and high", r.Assume)
	}
	if r.Layout == WaferLLM {
		a = waferLLMAssumptions(r.Machine)
	}
	a.Timing = r.Timing
	if a.Timing == Emulated {
		a.emulate()
	}
	if r.ClockGHz > 0 {
		a.ClockGHz = r.ClockGHz
	}
	if r.Layout != WaferLLM {
		a.Notes = append([]string{a.settingNote()}, notes(r.Model, r.Machine)...)
	}
	return a, nil
}

func notes(m transformer.Config, hw Machine) []string {
	list := []string{
		"decode is timed with the KV cache filled to the context",
		"embedding table and head are on the wafer, in regions of their own unless one region holds the whole model",
		"several wafers: activations cross once between wafers and once back, with the assumed latency; one wafer: no crossing",
		"the scores of all heads are summed along the whole row; each core works out the softmax of the heads that it has numbers of",
		"energy is the wafer's power for the time of the token, whatever the cores do",
	}
	list = append(list, room(m, hw),
		"one token at a time: speeds of services since August 2024 have speculative decoding in them")
	if m.ExpertCount > 0 {
		list = append(list,
			"all experts are resident and tiled over the region; cycles count the active ones, one after the other")
	}
	if m.BitsPerWeight != 16 || m.BitsPerExpertWeight() != 16 {
		list = append(list, "unpacking weights of less than 16 bits takes no cycles")
	}
	return list
}

// room explains why a model takes so many wafers.
func room(m transformer.Config, hw Machine) string {
	experts := float64(3*m.ExpertCount) * float64(m.BlockCount) * float64(m.EmbeddingLength) * float64(m.FeedForwardLength)
	weights := (float64(m.Parameters())-experts)*m.BitsPerWeight/8 + experts*m.BitsPerExpertWeight()/8
	cores := float64(hw.Cores())
	return fmt.Sprintf("weights are %s; all cores of a wafer have %s beside the reserve, and %s with it",
		size(weights), size(cores*float64(hw.SRAMBytes-hw.ReservedBytes)), size(cores*float64(hw.SRAMBytes)))
}

// size formats bytes in the unit that leaves one to three digits before the point.
func size(bytes float64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	for bytes >= 999.5 && len(units) > 1 {
		bytes, units = bytes/1000, units[1:]
	}
	return fmt.Sprintf("%.3g %s", bytes, units[0])
}
