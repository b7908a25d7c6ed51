package engine

import (
	"encoding/json"
	"math"
	"time"
)

// Timing is where the time of a turn went. Every figure is measured. Tokens counts as the
// model does; it is 0 for the built-in model, which computes its edits.
type Timing struct {
	Context time.Duration // from the request to the model's start
	TTFT    time.Duration // from the model's start to its first text
	Decode  time.Duration // from its first text to its last, less Apply
	Apply   time.Duration // parsing, placing, changing buffers, recording
	Total   time.Duration
	Tokens  int
}

// TokensPerSecond returns the rate from the first text to the last.
func (t Timing) TokensPerSecond() float64 {
	if d := t.Decode + t.Apply; d > 0 {
		return float64(t.Tokens) / d.Seconds()
	}
	return 0
}

// MarshalJSON returns the form that the command line prints and the history stores:
// milliseconds to a hundredth.
func (t Timing) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ContextMS float64 `json:"context_ms"`
		TTFTMS    float64 `json:"ttft_ms"`
		DecodeMS  float64 `json:"decode_ms"`
		ApplyMS   float64 `json:"apply_ms"`
		TotalMS   float64 `json:"total_ms"`
		Tokens    int     `json:"tokens"`
		PerSecond float64 `json:"tokens_per_s"`
	}{ms(t.Context), ms(t.TTFT), ms(t.Decode), ms(t.Apply), ms(t.Total), t.Tokens,
		math.Round(t.TokensPerSecond()*10) / 10})
}

func ms(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}
