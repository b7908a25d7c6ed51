package providers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"waferpair/engine"
	"waferpair/engine/model"
)

// Speed is how fast a model answers over one wire, measured here.
type Speed struct {
	Wire      string    `json:"wire"`
	First     float64   `json:"first_ms"`       // to the first token of the first request, connecting included
	TTFT      float64   `json:"ttft_p50_ms"`    // to the first token, median
	TTFTs     []float64 `json:"ttft_ms"`        // of each request
	PerSecond float64   `json:"tokens_per_s"`   // from the first token to the last; 0: unknown
	Tokens    int       `json:"tokens"`         // that this was measured over
	Estimated bool      `json:"tokens_guessed"` // the provider did not count them
}

// rounds is how often the time to the first token is measured.
const rounds = 5

// shortText asks for a short answer.
const shortText = "Reply with the single word ready."

// Measure sends a model short texts of ours: one to connect, five that measure the time to the first
// token, one that measures how fast text streams. doing is told how far it is.
func Measure(ctx context.Context, m model.Model, wire string, doing func(string)) (Speed, error) {
	s := Speed{Wire: wire}
	for n := range rounds + 1 {
		doing(fmt.Sprintf("%s: time to the first token, %d of %d", wire, n, rounds))
		a, err := ask(ctx, m, shortText, 64)
		if err != nil {
			return s, err
		}
		if n == 0 {
			s.First = a.first
			continue
		}
		s.TTFTs = append(s.TTFTs, a.first)
	}
	sorted := slices.Sorted(slices.Values(s.TTFTs))
	s.TTFT = sorted[len(sorted)/2]
	doing(wire + ": tokens a second")
	a, err := ask(ctx, m, "Write the whole numbers from 1 to 200, with spaces between them, and nothing else.", 600)
	if err != nil {
		return s, err
	}
	s.Tokens, s.Estimated = a.usage.Output, a.usage.Estimated
	if seconds := (a.last - a.first) / 1000; seconds >= engine.LeastMeasured.Seconds() && s.Tokens > 1 {
		s.PerSecond = float64(s.Tokens-1) / seconds
	}
	return s, nil
}

// answer is one answer, in ms since the request.
type answer struct {
	first, last float64
	usage       model.Usage
}

func ask(ctx context.Context, m model.Model, text string, most int) (a answer, err error) {
	start, began := time.Now(), false
	r, err := m.Generate(ctx, model.Prompt{Items: []model.Item{model.User(text)}, ReadOnly: true,
		ToolChoice: model.ToolNone, Options: model.Options{MaxTokens: most}}, func(d model.Delta) error {
		if _, is := d.(model.Text); !is {
			return nil
		}
		a.last = float64(time.Since(start).Microseconds()) / 1000
		if !began {
			began, a.first = true, a.last
		}
		return nil
	})
	a.usage = r.Usage
	if err == nil && !began {
		err = fmt.Errorf("%s answered without any text", m.Info().Name)
	}
	return a, err
}

// callsTool reports whether a model calls a tool that it is told to call: "yes", or why not.
func callsTool(ctx context.Context, m model.Model) string {
	tool := model.Tool{Name: "ready", Description: "Says that you are ready.",
		Schema: json.RawMessage(`{"type":"object","properties":{}}`)}
	called := false
	_, err := m.Generate(ctx, model.Prompt{Items: []model.Item{model.User("Call the tool ready.")}, ReadOnly: true,
		Tools: []model.Tool{tool}, Options: model.Options{MaxTokens: 400}}, func(d model.Delta) error {
		if b, is := d.(model.Begin); is && b.Item.Name == tool.Name {
			called = true
		}
		return nil
	})
	switch {
	case called:
		return "yes"
	case err != nil:
		return "no: " + err.Error()
	}
	return "no: it answered in words; edits come as patches in its text"
}
