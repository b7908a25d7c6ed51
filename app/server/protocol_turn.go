package server

import "waferpair/engine"

// TurnNews is what happened in the turn.
type TurnNews struct {
	Turn   int64       `json:"turn"`
	From   int         `json:"from"`
	Events []TurnEvent `json:"events"`
	Live   TurnLive    `json:"live"`
}

// TurnLive is the turn's running figures.
type TurnLive struct {
	State     string  `json:"state"`
	Tokens    int64   `json:"tokens"`
	PerSecond float64 `json:"perSecond"`
	Elapsed   float64 `json:"elapsed"`
	Path      string  `json:"path"`
}

// TurnEvent is one of the events below; T names it.
type TurnEvent interface{ turnEvent() }

type (
	eventStarted struct {
		T       string `json:"t"`
		Turn    int64  `json:"turn"`
		Session int64  `json:"session"`
		Request string `json:"request"`
		Model   string `json:"model"`
		At      int64  `json:"at"`
	}
	eventProse struct {
		T    string `json:"t"`
		Text string `json:"text"`
	}
	eventHunk struct {
		T    string `json:"t"`
		Hunk int    `json:"hunk"`
		Path string `json:"path"`
		Line int    `json:"line"`
	}
	eventClosed struct {
		T       string `json:"t"`
		Hunk    int    `json:"hunk"`
		Path    string `json:"path"`
		Added   int    `json:"added"`
		Removed int    `json:"removed"`
		Partial bool   `json:"partial"`
	}
	eventRefused struct {
		T       string `json:"t"`
		Hunk    int    `json:"hunk"`
		Path    string `json:"path"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}
	eventFile struct {
		T    string `json:"t"`
		What string `json:"what"`
		Path string `json:"path"`
		To   string `json:"to"`
	}
	eventAcked struct {
		T    string `json:"t"`
		Edit int64  `json:"edit"`
		Path string `json:"path"`
	}
	eventSteer struct {
		T     string            `json:"t"`
		Text  string            `json:"text"`
		State engine.SteerState `json:"state"`
		Hunk  int               `json:"hunk"`
	}
	eventNote struct {
		T    string `json:"t"`
		Text string `json:"text"`
	}
	eventEnded struct {
		T       string  `json:"t"`
		Outcome Outcome `json:"outcome"`
	}
)

func (eventStarted) turnEvent() {}
func (eventProse) turnEvent()   {}
func (eventHunk) turnEvent()    {}
func (eventClosed) turnEvent()  {}
func (eventRefused) turnEvent() {}
func (eventFile) turnEvent()    {}
func (eventAcked) turnEvent()   {}
func (eventSteer) turnEvent()   {}
func (eventNote) turnEvent()    {}
func (eventEnded) turnEvent()   {}

// Outcome is what a turn came to.
type Outcome struct {
	Status  string      `json:"status"`
	Model   string      `json:"model"`
	Message string      `json:"message"`
	Files   []FileCount `json:"files"`
	Edits   []int64     `json:"edits"`
	Timing  Timing      `json:"timing"`
	Nearest []string    `json:"nearest,omitempty"`
}

// FileCount is how many lines a file gained and lost.
type FileCount struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// Timing is where the time of a turn went.
type Timing struct {
	Queue     float64 `json:"queue_ms"`
	Connect   float64 `json:"connect_ms"`
	Context   float64 `json:"context_ms"`
	Prefill   float64 `json:"prefill_ms"`
	TTFT      float64 `json:"ttft_ms"`
	Decode    float64 `json:"decode_ms"`
	Apply     float64 `json:"apply_ms"`
	Total     float64 `json:"total_ms"`
	Tokens    int     `json:"tokens"`
	PerSecond float64 `json:"tokens_per_s"`
}
