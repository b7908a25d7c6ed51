package server

import (
	"context"
	"maps"
	"slices"
	"strings"

	"waferpair/app/modelfiles"
	"waferpair/engine"
	"waferpair/engine/beside"
	"waferpair/engine/local"
	"waferpair/history"
	"waferpair/wafer"
	"waferpair/wafer/floorplan"
	"waferpair/wafer/machine"
	"waferpair/wafer/transformer"
)

// ModelFile is the page of a model file: what stays as it is while the file does.
type ModelFile struct {
	Name    string       `json:"name"`
	File    string       `json:"file"`
	Added   bool         `json:"added"`   // under this name, which can be removed
	Problem string       `json:"problem"` // why the file cannot be used; ""
	Facts   *ModelFacts  `json:"facts"`   // null: they cannot be read
	Wafer   *PlacedModel `json:"wafer"`   // null: the model has no place on the emulated wafer
	Why     string       `json:"why"`     // it has none; ""
}

// ModelFacts are what a model file says of itself.
type ModelFacts struct {
	Family     string      `json:"family"`
	Parameters int64       `json:"parameters"`
	Bytes      int64       `json:"bytes"`
	Types      []TypeCount `json:"types"` // the most frequent first
	Layers     int         `json:"layers"`
	Width      int         `json:"width"`
	Trained    int         `json:"trained"` // positions; 0: unknown
	Context    int         `json:"context"` // that it may have here
	KVBytes    int         `json:"kvBytes"` // of a token
}

// TypeCount counts the matrices of a type.
type TypeCount struct {
	Type     string `json:"type"`
	Matrices int    `json:"matrices"`
}

// PlacedModel is a model on the emulated wafer: estimates, no measurements.
type PlacedModel struct {
	beside.Placement
	ClockGHz       float64     `json:"clockGHz"`
	Context        int         `json:"context"` // positions that the placement has room for
	CyclesPerToken float64     `json:"cyclesPerToken"`
	SVG            string      `json:"svg"` // region N has the class "region" and data-region="N"
	Steps          []WaferStep `json:"steps"`
	Memory         WaferSRAM   `json:"memory"`
}

// WaferStep is a stretch of a decode step with all of the context in use. Their cycles add up to
// CyclesPerToken.
type WaferStep struct {
	What    wafer.StepKind `json:"what"`
	Layer   int            `json:"layer"`   // of a layer, from 0
	Regions []int          `json:"regions"` // where it happens; none: between regions
	Cycles  float64        `json:"cycles"`
}

// WaferSRAM is the content of the fullest core, in bytes.
type WaferSRAM struct {
	Reserved int `json:"reserved"`
	Weights  int `json:"weights"`
	KV       int `json:"kv"`
	Buffers  int `json:"buffers"`
	Free     int `json:"free"`
}

// ModelState is what changes on the page of a model file.
type ModelState struct {
	Memory   ModelMemory `json:"memory"`
	Measured ModelSpeed  `json:"measured"` // here; 0: not yet
	Answers  int         `json:"answers"`  // over which it was measured
	Prompt   int         `json:"prompt"`   // tokens that the middle one of these had to read; 0: unknown
	Depth    int         `json:"depth"`    // positions in the cache, of the estimate
	Estimate *ModelSpeed `json:"estimate"` // on the emulated wafer, at that depth and for such a prompt; null: none
	Low      *ModelSpeed `json:"low"`      // the estimate under the least favourable assumptions; null: none
	High     *ModelSpeed `json:"high"`
}

// ModelSpeed is how fast a model is. 0: unknown.
type ModelSpeed struct {
	Decode float64 `json:"decode"` // tokens a second
	Prompt float64 `json:"prompt"` // tokens a second
	First  float64 `json:"firstMs"`
}

// ModelMemory is what a model takes of this computer's memory, in bytes.
type ModelMemory struct {
	Loaded      bool  `json:"loaded"`
	Replaced    bool  `json:"replaced"` // what is loaded is an earlier file of this name
	Done        int64 `json:"done"`     // of Total bytes read, while it is loaded
	Total       int64 `json:"total"`
	Answering   int   `json:"answering"` // sequences that answers use
	Kept        int   `json:"kept"`      // sequences that are kept for the next turns
	Weights     int64 `json:"weights"`
	KV          int64 `json:"kv"` // of all sequences
	MostWeights int64 `json:"mostWeights"`
	MostKV      int64 `json:"mostKV"`
}

type modelName struct {
	Name string `json:"name"`
}

// errNoFile refuses what only model files have.
func errNoFile(name string) error {
	return fail(codeGone,
		name+" is no model file on this computer, or not any more: choose another one in the list of models.")
}

// localModel opens a model file.
func (o *opened) localModel(name string) (*local.Model, error) {
	d, err := o.Models().Open(name)
	if err != nil {
		return nil, err
	}
	m, is := engine.As[*local.Model](d)
	if !is {
		return nil, errNoFile(name)
	}
	return m, nil
}

// entry returns the file that a name was given to.
func (o *opened) entry(name string) (modelfiles.Entry, bool) {
	if o.host.opt.Files == nil {
		return modelfiles.Entry{}, false
	}
	entries, err := o.host.opt.Files.Entries()
	i := slices.IndexFunc(entries, func(e modelfiles.Entry) bool { return e.Name == name })
	if err != nil || i < 0 {
		return modelfiles.Entry{}, false
	}
	return entries[i], true
}

// readModelFile says what is known of a model file, also of one that cannot be used: then, why.
func readModelFile(_ context.Context, o *opened, in modelName) (ModelFile, error) {
	out := ModelFile{Name: in.Name}
	e, added := o.entry(in.Name)
	out.File, out.Added = e.File, added
	if file, is := strings.CutPrefix(in.Name, "gguf:"); is {
		out.File = file
	}
	m, err := o.localModel(in.Name)
	if err != nil {
		if out.File == "" {
			return out, errNoFile(in.Name)
		}
		out.Problem = err.Error()
		return out, nil
	}
	facts, err := modelfiles.FactsOf(out.File)
	if err != nil {
		out.Problem = err.Error()
		return out, nil
	}
	out.Facts = wireFacts(facts, m)
	counter, err := m.Wafer()
	if err != nil {
		out.Why = err.Error()
		return out, nil
	}
	out.Wafer, err = wirePlaced(counter.Report, m.Config())
	return out, err
}

func wireFacts(f modelfiles.Facts, m *local.Model) *ModelFacts {
	c := m.Config()
	out := &ModelFacts{Family: f.Family, Parameters: f.Parameters, Bytes: f.Bytes, Layers: c.BlockCount,
		Width: c.EmbeddingLength, Trained: f.Context, Context: m.Info().Context, KVBytes: f.KVBytes, Types: []TypeCount{}}
	for _, name := range slices.Sorted(maps.Keys(f.Types)) {
		out.Types = append(out.Types, TypeCount{name, f.Types[name]})
	}
	slices.SortStableFunc(out.Types, func(a, b TypeCount) int { return b.Matrices - a.Matrices })
	return out
}

func wirePlaced(r wafer.Report, c transformer.Config) (*PlacedModel, error) {
	var svg strings.Builder
	subject := floorplan.Subject{Machine: machine.WSE3(), Model: c, Report: r}
	if err := floorplan.Wafers(subject).WriteSVG(&svg); err != nil {
		return nil, err
	}
	u := r.Placement.SRAM
	out := &PlacedModel{Placement: beside.PlacementOf(r), ClockGHz: r.ClockGHz, Context: r.Context,
		CyclesPerToken: r.CyclesPerToken, SVG: svg.String(), Steps: make([]WaferStep, len(r.Steps)),
		Memory: WaferSRAM{u.Reserved, u.Weights, u.KV, u.Buffers, u.Free}}
	for i, s := range r.Steps {
		out.Steps[i] = WaferStep{s.What, s.Layer, list(s.Regions), s.Cycles}
	}
	return out, nil
}

// readModelState says what a model file takes of the memory, how fast it was in the project's last turns, and
// how fast the emulated wafer would be with such prompts.
func readModelState(ctx context.Context, o *opened, in modelName) (ModelState, error) {
	m, err := o.localModel(in.Name)
	if err != nil {
		return ModelState{}, err
	}
	turns, err := o.History().Timings(ctx, 500)
	if err != nil {
		return ModelState{}, err
	}
	out := ModelState{Memory: wireMemory(m.Memory())}
	if out.Prompt, out.Depth, out.Answers = out.Measured.of(o, in.Name, turns); out.Answers == 0 {
		out.Depth = m.Info().Context - 1
	}
	counter, err := m.Wafer()
	if err != nil {
		return out, nil // the page says why
	}
	return out, out.estimate(counter)
}

// of sets the medians over a model's last turns. prompt is how many tokens the middle one had to read, depth how
// long its prompt was with what was in the cache.
func (s *ModelSpeed) of(o *opened, name string, turns []history.TurnTiming) (prompt, depth, answers int) {
	known := speedsOf(turns)[name]
	s.Decode, s.First = known.perSecond(), known.ttft()
	if tested, is := o.host.opt.Providers.Measured(name); is && s.Decode == 0 {
		s.Decode, s.First = tenth(tested.PerSecond), tenth(tested.TTFT)
	}
	var read, long, rates []float64
	for _, t := range turns {
		timing := pastTiming(t.Timing)
		if t.Model != name || timing == nil || timing.Usage == nil || timing.Rounds == 0 || len(read) == speedTurns {
			continue
		}
		u, rounds := timing.Usage, float64(timing.Rounds)
		read = append(read, float64(u.Input-u.Cached)/rounds)
		long = append(long, float64(u.Input)/rounds)
		if timing.Prefill > 0 && u.Input-u.Cached >= leastRead {
			rates = append(rates, 1000*float64(u.Input-u.Cached)/timing.Prefill)
		}
	}
	s.Prompt = median(rates)
	return int(median(read)), int(median(long)), len(read)
}

// leastRead is how many tokens of a prompt are worth a rate: a few take as long as one.
const leastRead = 32

// estimate sets what the emulated wafer would do at the depth, for the prompt that leads there.
func (s *ModelState) estimate(counter *wafer.Counter) error {
	token, err := counter.Price(wafer.Call{Tokens: 1, Depth: s.Depth})
	if err != nil {
		return err
	}
	prompt := wafer.Call{Tokens: max(1, s.Prompt), Depth: max(0, s.Depth-s.Prompt)}
	if s.Answers == 0 {
		prompt = wafer.Call{Tokens: counter.Report.Input}
	}
	read, err := counter.Price(prompt)
	if err != nil {
		return err
	}
	speed := func(token, read float64) *ModelSpeed {
		if token == 0 {
			return nil
		}
		return &ModelSpeed{tenth(1 / token), tenth(float64(prompt.Tokens) / read), read * 1000}
	}
	s.Estimate = speed(token.Seconds, read.Seconds)
	s.Low, s.High = speed(token.Slowest, read.Slowest), speed(token.Fastest, read.Fastest)
	return nil
}

func wireMemory(m local.Memory) ModelMemory {
	return ModelMemory{Loaded: m.Loaded, Replaced: m.Replaced, Done: m.Done, Total: m.Total, Answering: m.Answering,
		Kept: m.Kept, Weights: m.Weights, KV: m.KV, MostWeights: m.MostWeights, MostKV: m.MostKV}
}
