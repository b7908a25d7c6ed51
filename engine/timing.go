package engine

import (
	"encoding/json"
	"math"
	"time"

	"waferpair/engine/model"
)

// Timing is where the time of a turn went, and what it took of a model. Every figure is measured.
//
//	request -> Queue -> Context -> [ Connect -> Prefill -> Decode -> Tools ] -> end
//	                               '-------- once for each round ----------'
//	           '------- TTFT begins after Context, ends at the first text
//
// Apply happens while the model writes, so it is part of Decode's time on the clock, except for a
// model without Language, whose Decode is what is left. The fields from Connect on are those of a
// language model; for others they are zero, and not printed.
type Timing struct {
	Context time.Duration // from the request to the model's start
	TTFT    time.Duration // from the model's start to its first text
	Decode  time.Duration // from its first text to its last, in every round, without pauses
	Apply   time.Duration // parsing, placing, changing buffers, recording
	Total   time.Duration
	Tokens  int // as the model counts; 0 for the built-in model, which computes its edits

	Queue   time.Duration // before the turn began: see app; and the model's own queue
	Connect time.Duration
	Prefill time.Duration // until the first token of each round
	Tools   time.Duration
	Writing time.Duration // of Decode, without reasoning
	Summary time.Duration // of all of this, for a summary of earlier turns
	Rounds  int           // how often the model was asked
	Each    []Generation  // the last of these rounds
	Usage   model.Usage
	Cost    *float64 // in dollars; nil: the price is unknown
}

// take adds what the driver measured.
func (t *Timing) take(e Ending, info model.Info, apply time.Duration) {
	if !info.Language {
		t.Decode = max(0, t.Decode-apply)
		return
	}
	t.Decode = e.Timing[model.Decode]
	t.Queue, t.Connect, t.Prefill = e.Timing[model.Queue], e.Timing[model.Connect], e.Timing[model.Prefill]
	t.Writing = e.Timing[model.Writing]
	if t.Summary = e.Timing[model.Summary]; t.TTFT > 0 {
		t.TTFT = max(0, t.TTFT-t.Summary) // of the answer
	}
	t.Tools, t.Rounds, t.Usage = e.Timing[model.Tools], e.Rounds, e.Usage
	t.Each = LastGenerations(e.Each)
	if t.Usage.Output > 0 {
		t.Tokens = t.Usage.Output
	}
	if info.Price != nil {
		cost := info.Price.Of(e.Usage)
		t.Cost = &cost
	}
}

// LeastMeasured is the shortest time over which a language model's speed says anything: an answer that comes
// in one packet has been written before.
const LeastMeasured = 50 * time.Millisecond

// TokensPerSecond returns the rate from the first text to the last; 0 where there is no time to measure it in.
// That of a language model is of what it wrote: its reasoning may have been hidden.
func (t Timing) TokensPerSecond() float64 {
	d, tokens := t.Decode+t.Apply, t.Tokens
	if t.Rounds > 0 {
		if d, tokens = t.Writing, t.Tokens-t.Usage.Reasoning; d < LeastMeasured {
			return 0
		}
	}
	if d > 0 && tokens > 0 {
		return float64(tokens) / d.Seconds()
	}
	return 0
}

// MarshalJSON returns the form that the command line prints and the history stores:
// milliseconds to a hundredth.
func (t Timing) MarshalJSON() ([]byte, error) {
	w := timingJSON{ContextMS: ms(t.Context), TTFTMS: ms(t.TTFT), DecodeMS: ms(t.Decode), ApplyMS: ms(t.Apply),
		TotalMS: ms(t.Total), Tokens: t.Tokens, PerSecond: math.Round(t.TokensPerSecond()*10) / 10, Rounds: t.Rounds,
		Cost: t.Cost}
	if t.Rounds > 0 {
		w.QueueMS, w.ConnectMS, w.PrefillMS, w.ToolsMS = new(ms(t.Queue)), new(ms(t.Connect)), new(ms(t.Prefill)),
			new(ms(t.Tools))
		w.SummaryMS, w.Usage, w.Each = ms(t.Summary), &t.Usage, t.Each
	}
	return json.Marshal(w)
}

// timingJSON has the last fields only for language models.
type timingJSON struct {
	ContextMS float64      `json:"context_ms"`
	TTFTMS    float64      `json:"ttft_ms"`
	DecodeMS  float64      `json:"decode_ms"`
	ApplyMS   float64      `json:"apply_ms"`
	TotalMS   float64      `json:"total_ms"`
	Tokens    int          `json:"tokens"`
	PerSecond float64      `json:"tokens_per_s"`
	QueueMS   *float64     `json:"queue_ms,omitempty"`
	ConnectMS *float64     `json:"connect_ms,omitempty"`
	PrefillMS *float64     `json:"prefill_ms,omitempty"`
	ToolsMS   *float64     `json:"tools_ms,omitempty"`
	SummaryMS float64      `json:"summary_ms,omitempty"`
	Rounds    int          `json:"rounds,omitempty"`
	Usage     *model.Usage `json:"usage,omitempty"`
	Each      []Generation `json:"each,omitempty"` // round
	Cost      *float64     `json:"cost,omitempty"`
}

func ms(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}
