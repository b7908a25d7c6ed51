package server

import (
	"context"
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

// speedTurns is the number of a model's last turns over which its speed is measured.
const speedTurns = 20

// speed sums up the last turns of a model.
type speed struct {
	turns   int
	took    float64 // ms
	wrote   int     // turns with text
	tokens  float64
	seconds float64
	waited  float64 // ms to the first text
}

// add counts a turn.
func (s *speed) add(t *Timing) {
	if t == nil || s.turns == speedTurns {
		return
	}
	s.turns++
	s.took += t.Total
	if t.Tokens == 0 {
		return
	}
	s.wrote++
	s.waited += t.TTFT
	if t.Rounds == 0 || t.Decode >= millis(engine.LeastMeasured) { // else its text came at once
		s.tokens += float64(t.Tokens)
		s.seconds += (t.Decode + t.Apply) / 1000
	}
}

func (s *speed) perSecond() float64 {
	if s == nil || s.seconds == 0 {
		return 0
	}
	return tenth(s.tokens / s.seconds)
}

func (s *speed) total() float64 {
	if s == nil || s.turns == 0 {
		return 0
	}
	return tenth(s.took / float64(s.turns))
}

func (s *speed) ttft() float64 {
	if s == nil || s.wrote == 0 {
		return 0
	}
	return tenth(s.waited / float64(s.wrote))
}

// speedsOf measures the models in this project's sessions, from the newest turns on.
func speedsOf(turns []history.TurnTiming) map[string]*speed {
	out := map[string]*speed{}
	for _, t := range turns {
		if out[t.Model] == nil {
			out[t.Model] = &speed{}
		}
		out[t.Model].add(pastTiming(t.Timing))
	}
	return out
}
