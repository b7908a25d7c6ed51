package server

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
)

// ModelInfo is a model in the picker.
type ModelInfo struct {
	Name      string       `json:"name"`
	Kind      string       `json:"kind"`
	Help      string       `json:"help"`
	Offline   bool         `json:"offline"`
	Default   bool         `json:"default"`
	Provider  string       `json:"provider"` // the part of the name before the slash; "" for models of this program
	Where     string       `json:"where"`    // the host of the provider
	Lacks     string       `json:"lacks"`    // what the provider needs before it can be used: key, or a sentence; ""
	Picked    bool         `json:"picked"`   // by the user; else its provider lists it
	Language  bool         `json:"language"` // it writes text: its speed is counted in tokens
	Context   int          `json:"context"`  // tokens of prompt and answer together; 0: unknown
	Price     *model.Price `json:"price"`
	PerSecond float64      `json:"perSecond"` // measured here, over its last turns or by a test; 0: not yet
	TTFT      float64      `json:"ttftMs"`
	TotalMS   float64      `json:"totalMs"` // a turn of it
}

type modelsAnswer struct {
	Models []ModelInfo `json:"models"`
	Spent  float64     `json:"spent"`  // dollars, today in all projects, as far as prices are known
	Budget float64     `json:"budget"` // dollars, of a day; 0: none

	Normal  string `json:"normal"`  // the model of requests that name none
	Mistake string `json:"mistake"` // why that one cannot be asked; ""
}

func readModels(ctx context.Context, o *opened, _ none) (modelsAnswer, error) {
	turns, err := o.History().Timings(ctx, 500)
	if err != nil {
		return modelsAnswer{}, err
	}
	speeds := speedsOf(turns)
	today, err := o.host.opt.Providers.Ledger.Today()
	if err != nil {
		return modelsAnswer{}, err
	}
	out := modelsAnswer{Models: []ModelInfo{}, Spent: today.Dollars, Budget: o.host.opt.Providers.File.Read().DailyBudget}
	by := o.host.pickedModels(ctx)
	normal := o.Models().DefaultName()
	out.Normal, out.Mistake = normal, mistakeOf(o, normal)
	for _, m := range o.Models().List() {
		s := speeds[m.Name]
		if s == nil {
			s = o.host.measured.of(m.Name)
		}
		info := ModelInfo{
			Name: m.Name, Kind: m.Kind, Help: m.Help, Offline: m.Offline, Default: m.Name == normal,
			Language: m.Language, Context: m.Context, Price: m.Price,
			PerSecond: s.perSecond(), TTFT: s.ttft(), TotalMS: s.total(),
		}
		if tested, is := o.host.opt.Providers.Measured(m.Name); is && info.PerSecond == 0 {
			info.PerSecond, info.TTFT = tenth(tested.PerSecond), tenth(tested.TTFT)
		}
		if provider, rest, ok := strings.Cut(m.Name, "/"); ok && m.Language {
			info.Provider = provider
			by[provider].describe(&info, rest)
		}
		out.Models = append(out.Models, info)
	}
	return out, nil
}

// mistakeOf returns why the model of requests that name none cannot be asked: what config.toml says of it, or
// config.toml itself.
func mistakeOf(o *opened, normal string) string {
	c := o.host.opt.Providers.File.Read()
	if c.Problem != nil {
		return c.Problem.Error()
	}
	if _, err := o.Models().Open(normal); err != nil {
		return "the default model in " + c.Path + ": " + err.Error()
	}
	return ""
}

// speedTurns is the number of a model's last turns over which its speed is measured.
const speedTurns = 20

// speed is how fast a model was in its last turns: the medians of its rounds. Sums over a turn would mix
// rounds that have nothing in common: the first one waits for a prompt that is new, and a slow one in
// the middle counts as all the others together.
type speed struct {
	turns  int
	took   float64   // ms
	waited []float64 // ms to the first token
	rates  []float64 // tokens a second
}

// add counts a turn.
func (s *speed) add(raw json.RawMessage) {
	t := pastTiming(raw)
	if t == nil || s.turns == speedTurns {
		return
	}
	s.turns++
	s.took += t.Total
	switch rounds := roundsOf(raw); {
	case len(rounds) > 0:
		for _, g := range rounds {
			s.round(millis(g.TTFT), g.TokensPerSecond())
		}
	case t.Tokens == 0:
	case t.Rounds <= 1: // a turn of an earlier version, or of a model without rounds
		s.round(t.TTFT-t.Context, t.PerSecond)
	default: // its rate is that of all rounds
		s.round(t.TTFT-t.Context, 0)
	}
}

// roundsOf returns the rounds of a turn's stored timing; none in the histories of earlier versions.
func roundsOf(raw json.RawMessage) []engine.Generation {
	var t struct {
		Each []engine.Generation `json:"each"`
	}
	if json.Unmarshal(raw, &t) != nil {
		return nil
	}
	return t.Each
}

func (s *speed) round(waited, rate float64) {
	if s.waited = append(s.waited, waited); rate > 0 {
		s.rates = append(s.rates, rate)
	}
}

func (s *speed) perSecond() float64 {
	if s == nil {
		return 0
	}
	return median(s.rates)
}

func (s *speed) ttft() float64 {
	if s == nil {
		return 0
	}
	return median(s.waited)
}

func (s *speed) total() float64 {
	if s == nil || s.turns == 0 {
		return 0
	}
	return tenth(s.took / float64(s.turns))
}

// median returns the middle one of some figures, to a tenth; 0 without any.
func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	return tenth(slices.Sorted(slices.Values(of))[len(of)/2])
}

// speedsOf measures the models in this project's sessions, from the newest turns on.
func speedsOf(turns []history.TurnTiming) map[string]*speed {
	out := map[string]*speed{}
	for _, t := range turns {
		if out[t.Model] == nil {
			out[t.Model] = &speed{}
		}
		out[t.Model].add(t.Timing)
	}
	return out
}
