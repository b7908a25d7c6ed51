package server

import (
	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/history"
)

// TurnNews is what happened in the turn since the page last heard of it.
type TurnNews struct {
	Turn   history.TurnID `json:"turn"`
	From   int            `json:"from"` // index of events[0] in the turn's log; 0 begins a new turn
	Events []TurnEvent    `json:"events"`
	Live   TurnLive       `json:"live"`
}

// TurnLive is the turn's running figures, as of the frame.
type TurnLive struct {
	State     TurnState `json:"state"`
	Tokens    int64     `json:"tokens"`
	PerSecond float64   `json:"perSecond"` // over the last half second; over the whole turn once it has ended
	Elapsed   float64   `json:"elapsed"`   // ms
	Path      string    `json:"path"`      // where the model writes
}

// TurnState is what a turn does.
type TurnState string

const (
	turnRunning TurnState = "running"
	turnPaused  TurnState = "paused"
	turnEnded   TurnState = "ended"
)

// TurnEvent is one thing that happened in a turn.
type TurnEvent interface{ turnEvent() }

type (
	eventStarted struct {
		T       string            `json:"t" is:"started"`
		Turn    history.TurnID    `json:"turn"`
		Session history.SessionID `json:"session"`
		Request string            `json:"request"`
		Model   string            `json:"model"`
		At      int64             `json:"at"`
	}
	eventProse struct {
		T    string `json:"t" is:"prose"`
		Text string `json:"text"`
	} // to be appended
	eventHunk struct {
		T    string `json:"t" is:"hunk"`
		Hunk int    `json:"hunk"`
		Path string `json:"path"`
		Line int    `json:"line"`
	}
	eventClosed struct {
		T       string `json:"t" is:"closed"`
		Hunk    int    `json:"hunk"`
		Path    string `json:"path"`
		Added   int    `json:"added"`
		Removed int    `json:"removed"`
		Partial bool   `json:"partial"`
	}
	eventRefused struct {
		T       string `json:"t" is:"refused"`
		Hunk    int    `json:"hunk"`
		Path    string `json:"path"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}
	eventFile struct {
		T    string           `json:"t" is:"file"`
		What parts.FileChange `json:"what"`
		Path string           `json:"path"`
		To   string           `json:"to"`
	}
	eventAcked struct {
		T    string         `json:"t" is:"acked"`
		Edit history.EditID `json:"edit"`
		Path string         `json:"path"`
	}
	eventSteer struct {
		T     string            `json:"t" is:"steer"`
		Text  string            `json:"text"`
		State engine.SteerState `json:"state"`
		Hunk  int               `json:"hunk"`
	}
	eventNote struct {
		T    string `json:"t" is:"note"`
		Text string `json:"text"`
	}
	eventEnded struct {
		T       string  `json:"t" is:"ended"`
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

// TurnStatus is how a turn ended.
type TurnStatus string

const (
	StatusCompleted   = TurnStatus(engine.Completed)
	StatusDeclined    = TurnStatus(engine.Declined)
	StatusHeld        = TurnStatus(engine.Held)
	StatusStopped     = TurnStatus(engine.Stopped)
	StatusFailed      = TurnStatus(engine.Failed)
	StatusConflict    = TurnStatus(engine.Conflict)
	StatusInterrupted = TurnStatus("interrupted") // the program ended before it
	StatusNone        = TurnStatus("")            // it runs
)

// Outcome is what a turn came to.
type Outcome struct {
	Status  TurnStatus       `json:"status"`
	Model   string           `json:"model"`
	Message string           `json:"message"`
	Files   []FileCount      `json:"files"`
	Edits   []history.EditID `json:"edits"`
	Timing  Timing           `json:"timing"`
	Nearest []string         `json:"nearest,omitempty"` // requests that the model would carry out
}

// FileCount is how many lines a file gained and lost.
type FileCount struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// Timing is where the time of a turn went; measured. The page adds paint.
type Timing struct {
	Queue     float64 `json:"queue_ms"`
	Connect   float64 `json:"connect_ms"`
	Context   float64 `json:"context_ms"`
	Prefill   float64 `json:"prefill_ms"` // to the first text: what the model took before it
	TTFT      float64 `json:"ttft_ms"`
	Decode    float64 `json:"decode_ms"`
	Apply     float64 `json:"apply_ms"`
	Total     float64 `json:"total_ms"`
	Tokens    int     `json:"tokens"`
	PerSecond float64 `json:"tokens_per_s"`
}
