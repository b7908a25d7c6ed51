package model

import (
	"encoding/json"
	"time"
)

// Result is the result of an answer. Generate returns it beside an error too, because an
// answer that was cut has used tokens.
type Result struct {
	Stop   Stop
	Usage  Usage
	Cursor Cursor // without text that yield refused
	Timing map[Phase]time.Duration
}

// Stop is why an answer ended.
type Stop string

// The reasons for which answers end.
const (
	StopEnd    Stop = "end"        // the answer is complete
	StopTools  Stop = "tool_calls" // the model waits for the outputs of its calls
	StopLength Stop = "length"     // the answer reached the limit of its length
	StopFilter Stop = "filter"     // a filter withheld the rest
	StopCut    Stop = "cut"        // by yield, by ctx, or by a failure
)

// Phase is what a model is doing.
type Phase string

// The phases of an answer. Those before the first token can be reported as Progress.
const (
	Queue   Phase = "queue" // Done is the place in the queue
	Connect Phase = "connect"
	Load    Phase = "load" // of weights
	Prefill Phase = "prefill"
	Compile Phase = "compile" // of a format, or of what a project depends on
	Decode  Phase = "decode"
	Writing Phase = "writing" // the part of Decode without reasoning
	Tools   Phase = "tools"   // the turn carries out calls; Note says which
	Summary Phase = "summary" // a round that only writes a summary of earlier turns; Note says which
	// Retry waits before it asks again: Done of Total milliseconds are over, Note says why.
	Retry Phase = "retry"
)

// Usage is the number of tokens that an answer took.
type Usage struct {
	Input     int  // of the prompt, including Cached
	Cached    int  // of the prompt, from the model's cache
	Output    int  // including Reasoning
	Reasoning int  // of reasoning, not part of the answer's text
	Drafted   int  // guessed ahead by a draft
	Accepted  int  // of those, accepted
	Estimated bool // counted by this program, not by the model
}

// Add returns the sum of the usage of two answers.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Cached + v.Cached, u.Output + v.Output, u.Reasoning + v.Reasoning,
		u.Drafted + v.Drafted, u.Accepted + v.Accepted, u.Estimated || v.Estimated}
}

// wireUsage has the names of the Responses API and, when not zero, three fields that the
// API does not have.
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

// MarshalJSON returns the form of the Responses API.
func (u Usage) MarshalJSON() ([]byte, error) {
	w := wireUsage{Input: u.Input, Output: u.Output, Total: u.Input + u.Output, Estimated: u.Estimated}
	w.InputDetails.Cached = u.Cached
	w.OutputDetails.Reasoning, w.OutputDetails.Drafted, w.OutputDetails.Accepted = u.Reasoning, u.Drafted, u.Accepted
	return json.Marshal(w)
}

// UnmarshalJSON reads the output of MarshalJSON and the usage of the Responses API.
func (u *Usage) UnmarshalJSON(b []byte) error {
	var w wireUsage
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*u = Usage{Input: w.Input, Cached: w.InputDetails.Cached, Output: w.Output, Reasoning: w.OutputDetails.Reasoning,
		Drafted: w.OutputDetails.Drafted, Accepted: w.OutputDetails.Accepted, Estimated: w.Estimated}
	return nil
}
