package engine

import (
	"encoding/json"
	"time"
)

// Generation is how fast a language model was in one round of a turn. A turn's own figures are sums: its
// first round waits for a prompt that is new, the others for what the tools said.
type Generation struct {
	TTFT    time.Duration // from the request to the first token
	Writing time.Duration // from the first token to the last, without reasoning, pauses and tools
	Tokens  int           // written in it, without reasoning; 0: unknown
}

// maxGenerations bounds how many rounds of a turn are kept: the last ones.
const maxGenerations = 20

// LastGenerations returns those of a turn's rounds that are kept.
func LastGenerations(all []Generation) []Generation { return all[max(0, len(all)-maxGenerations):] }

// TokensPerSecond returns the rate in which it wrote; 0 where there is no time to measure it in.
func (g Generation) TokensPerSecond() float64 {
	if g.Writing < LeastMeasured || g.Tokens <= 0 {
		return 0
	}
	return float64(g.Tokens) / g.Writing.Seconds()
}

type generationJSON struct {
	TTFTMS    float64 `json:"ttft_ms"`
	WritingMS float64 `json:"writing_ms"`
	Tokens    int     `json:"tokens"`
}

// MarshalJSON returns the form that the history stores, in milliseconds.
func (g Generation) MarshalJSON() ([]byte, error) {
	return json.Marshal(generationJSON{ms(g.TTFT), ms(g.Writing), g.Tokens})
}

// UnmarshalJSON reads that form.
func (g *Generation) UnmarshalJSON(b []byte) error {
	var w generationJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*g = Generation{duration(w.TTFTMS), duration(w.WritingMS), w.Tokens}
	return nil
}

func duration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
