package model

import (
	"encoding/json"
	"time"
)

// Result is what an answer came to. Generate gives it beside an error too: an
// answer that was cut has used what it has used.
type Result struct {
	Stop   Stop
	Usage  Usage
	Cursor Cursor // text that yield refused is not in it
	Timing map[Phase]time.Duration
}

// Stop is why an answer ended.
type Stop string

// The ends of answers.
const (
	StopEnd    Stop = "end"        // the model had said all
	StopTools  Stop = "tool_calls" // it waits for the outputs of its calls
	StopLength Stop = "length"     // it may say no more
	StopFilter Stop = "filter"     // the rest was withheld
	StopCut    Stop = "cut"        // by yield, by ctx, or by a failure
)

// Phase is what a model is doing.
type Phase string

// The phases of an answer. Those before the first token can be told as Progress.
const (
	Queue   Phase = "queue" // Done is the place in it
	Connect Phase = "connect"
	Load    Phase = "load" // of weights
	Prefill Phase = "prefill"
	Compile Phase = "compile" // of a format, or of what a project depends on
	Decode  Phase = "decode"
)

// Usage is how many tokens an answer took.
type Usage struct {
	Input     int  // of the prompt, those in Cached included
	Cached    int  // that the model had still read
	Output    int  // those in Reasoning included
	Reasoning int  // that were thought and not said
	Drafted   int  // that were guessed ahead
	Accepted  int  // of those, right
	Estimated bool // counted by us, not by the model
}

// Add is the usage of two answers.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Cached + v.Cached, u.Output + v.Output, u.Reasoning + v.Reasoning,
		u.Drafted + v.Drafted, u.Accepted + v.Accepted, u.Estimated || v.Estimated}
}

// wireUsage has the names of the Responses API; what it does not know comes last.
type wireUsage struct {
	Input        int `json:"input_tokens"`
	InputDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
		Drafted   int `json:"drafted_tokens,omitempty"`
		Accepted  int `json:"accepted_tokens,omitempty"`
	} `json:"output_tokens_details"`
	Total     int  `json:"total_tokens"`
	Estimated bool `json:"estimated,omitempty"`
}

// MarshalJSON gives the form that the Responses API has.
func (u Usage) MarshalJSON() ([]byte, error) {
	w := wireUsage{Input: u.Input, Output: u.Output, Total: u.Input + u.Output, Estimated: u.Estimated}
	w.InputDetails.Cached = u.Cached
	w.OutputDetails.Reasoning, w.OutputDetails.Drafted, w.OutputDetails.Accepted = u.Reasoning, u.Drafted, u.Accepted
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON and the Responses API give.
func (u *Usage) UnmarshalJSON(b []byte) error {
	var w wireUsage
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*u = Usage{Input: w.Input, Cached: w.InputDetails.Cached, Output: w.Output, Reasoning: w.OutputDetails.Reasoning,
		Drafted: w.OutputDetails.Drafted, Accepted: w.OutputDetails.Accepted, Estimated: w.Estimated}
	return nil
}
