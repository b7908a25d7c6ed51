package cli

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"waferpair/engine"
	"waferpair/engine/gguf"
	"waferpair/engine/model"
	"waferpair/wafer"
	"waferpair/wafer/kernel/run"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// networkMesh is how many cores along each side a model's network is placed on to be shown.
const networkMesh = 32

// networkNamed returns the network inside the model of that name; one without a file if there
// is none.
func (e *env) networkNamed(name string) (model.Network, error) {
	if e.models == nil {
		return model.Network{}, nil
	}
	for _, info := range e.models.List() {
		if info.Name != name {
			continue
		}
		d, err := e.models.Open(name)
		if err != nil {
			return model.Network{}, err
		}
		return networkOf(d)
	}
	return model.Network{}, nil
}

func networkOf(d engine.Driver) (model.Network, error) {
	n, ok := engine.As[model.Networked](d)
	if !ok {
		return model.Network{}, nil
	}
	return n.Network()
}

// shapeAndWeights reads a network's file.
func shapeAndWeights(n model.Network) (transformer.Config, transformer.Weights, error) {
	f, err := gguf.Read(bytes.NewReader(n.File), int64(len(n.File)))
	if err != nil {
		return transformer.Config{}, nil, err
	}
	return f.Load()
}

// shownNetwork is what 'models show' says of a network.
type shownNetwork struct {
	Error      string     `json:"error,omitempty"` // why it is not used
	Name       string     `json:"name,omitempty"`
	Parameters int64      `json:"parameters,omitempty"`
	Bytes      int        `json:"bytes,omitempty"`
	Layers     int        `json:"layers,omitempty"`
	Width      int        `json:"width,omitempty"`
	Vocabulary int        `json:"vocabulary,omitempty"`
	Positions  int        `json:"positions,omitempty"`
	Wafer      *onTheMesh `json:"wafer,omitempty"`
}

// onTheMesh is a network's next token on the emulated wafer.
type onTheMesh struct {
	Machine    string  `json:"machine"`
	Mesh       [2]int  `json:"mesh"`
	GHz        float64 `json:"clock_ghz"`
	Context    int     `json:"context"`
	Formulas   float64 `json:"analytic_cycles"`
	Cycles     int64   `json:"cycles,omitempty"` // counted, if it was run
	TokS       float64 `json:"tokens_per_second"`
	Request    string  `json:"request"`
	Token      string  `json:"token,omitempty"`       // the first one of the answer, if it was run
	PlainToken string  `json:"plain_token,omitempty"` // the same by the plain pass
	Seconds    float64 `json:"host_seconds,omitempty"`
}

// showNetwork says what a network is, and how fast it would be on the emulated wafer: by the
// formulas, or, if it is to be emulated, counted.
func (e *env) showNetwork(ctx context.Context, n model.Network, emulate bool) (shownNetwork, error) {
	c, w, err := shapeAndWeights(n)
	if err != nil {
		return shownNetwork{}, err
	}
	s := shownNetwork{Name: clean(c.Name), Parameters: c.Parameters(), Bytes: len(n.File), Layers: c.BlockCount,
		Width: c.EmbeddingLength, Vocabulary: c.VocabSize, Positions: c.ContextLength}
	m, err := machine.ByName("wse-3")
	if err != nil {
		return s, err
	}
	report, err := wafer.Estimate(wafer.Request{Machine: m, Model: c, DecodeMesh: networkMesh, Context: len(n.Tokens)})
	if err != nil {
		return s, fmt.Errorf("place the network %s: %w", s.Name, err)
	}
	s.Wafer = &onTheMesh{Machine: m.Name, Mesh: [2]int{networkMesh, networkMesh}, GHz: report.ClockGHz,
		Context: len(n.Tokens), Formulas: report.CyclesPerToken, TokS: report.DecodeTokS, Request: n.Request}
	if !emulate {
		return s, nil
	}
	begin := time.Now()
	step, err := e.runStep(ctx, run.Model{Machine: m, Mesh: networkMesh, Config: c, Weights: w, Context: len(n.Tokens),
		Tokens: n.Tokens, Sums: tile.F32, Run: tile.Options{Workers: threadsOr(0)}})
	if err != nil {
		return s, notSimulated(s.Name, networkMesh, networkMesh, err)
	}
	s.Wafer.Cycles, s.Wafer.TokS = int64(step.Cycles), report.ClockGHz*1e9/float64(step.Cycles)
	s.Wafer.Token, s.Wafer.PlainToken = n.Names[step.Token], n.Names[step.Plain]
	s.Wafer.Seconds = time.Since(begin).Seconds()
	return s, nil
}

func (e *env) printNetwork(s shownNetwork, of string) {
	if s.Error != "" {
		fmt.Fprintf(e.out, "\n  its network is not used: %s\n", s.Error)
		return
	}
	fmt.Fprintf(e.out, "\n  network %s: %d parameters in %.1f MB; %s of width %d, %d tokens, %d positions\n", s.Name,
		s.Parameters, float64(s.Bytes)/1e6, count(s.Layers, "layer"), s.Width, s.Vocabulary, s.Positions)
	w := s.Wafer
	fmt.Fprintf(e.out, "      on %d x %d emulated cores (%s, %.2f GHz), position %d: ", w.Mesh[0], w.Mesh[1],
		w.Machine, w.GHz, w.Context)
	if w.Cycles == 0 {
		fmt.Fprintf(e.out, "%.0f cycles a token by formula, %s tokens/s\n", w.Formulas, round3(w.TokS))
		fmt.Fprintf(e.out, "      'waferpair models show %s --emulate' runs it there and counts\n", of)
		return
	}
	fmt.Fprintf(e.out, "%d cycles a token, counted (%.0f by formula), %s tokens/s\n", w.Cycles, w.Formulas,
		round3(w.TokS))
	fmt.Fprintf(e.out, "      its answer to %q begins with %s; by the plain pass with %s\n", w.Request, clean(w.Token),
		clean(w.PlainToken))
	fmt.Fprintf(e.out, "      emulated in %.2f s on this computer\n", w.Seconds)
}
