package server

import (
	"waferpair/app"
	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/engine/beside"
	"waferpair/engine/model"
	"waferpair/history"
)

// TurnDelta is what is new of a turn since the page's last frame: parts, with their places in
// the list of all, and the turn's other state.
type TurnDelta struct {
	Turn    history.TurnID     `json:"turn"`
	Began   *TurnBegan         `json:"began,omitempty"` // the whole turn follows, whatever the page has of it
	Parts   []parts.PartDelta  `json:"parts,omitempty"`
	Acked   []engine.EditAcked `json:"acked,omitempty"`
	Live    TurnLive           `json:"live"`
	Outcome *Outcome           `json:"outcome,omitempty"` // set when the turn has ended
}

// TurnBegan is what is known of a turn from its start.
type TurnBegan struct {
	Session history.SessionID `json:"session"`
	Request string            `json:"request"`
	Model   string            `json:"model"`
	Mode    app.Mode          `json:"mode,omitempty"` // ask: a question, whose answer edits nothing
	Kind    app.Kind          `json:"kind,omitempty"` // of task; absent: the mode's own
	Auto    string            `json:"auto,omitempty"` // why "auto" chose the model
	At      int64             `json:"at"`
}

// RunningTurns are the running turns of the project, oldest first.
type RunningTurns struct {
	Turns []RunningTurn `json:"turns"`
}

// RunningTurn is one of them.
type RunningTurn struct {
	Turn    history.TurnID    `json:"turn"`
	Session history.SessionID `json:"session"`
	Request string            `json:"request"`
	Model   string            `json:"model"`
	At      int64             `json:"at"` // ms since 1970
}

// TurnLive are the running turn's figures at the time of the frame.
type TurnLive struct {
	State     TurnState `json:"state"`
	Tokens    int64     `json:"tokens"`
	PerSecond float64   `json:"perSecond"`       // over the last half second; over the whole turn once it has ended
	Elapsed   float64   `json:"elapsed"`         // ms
	Path      string    `json:"path"`            // the file that the model is writing
	Doing     *Doing    `json:"doing,omitempty"` // of a language model; absent while it writes
	// what the emulated wafer would have done with the passes so far: an estimate
	Wafer *beside.Estimate `json:"wafer,omitempty"`
}

// Doing is what a language model does before it writes, or the turn for it.
type Doing struct {
	Phase model.Phase `json:"phase"`
	Note  string      `json:"note"` // of a retry: why; of tools: which
	Done  int64       `json:"done"` // of a retry: milliseconds; of a queue: the place
	Total int64       `json:"total"`
}

// TurnState is the state of a running turn.
type TurnState string

const (
	turnRunning TurnState = "running"
	turnPaused  TurnState = "paused"
	turnEnded   TurnState = "ended"
)

// TurnStatus is how a turn ended.
type TurnStatus string

const (
	StatusCompleted   = TurnStatus(engine.Completed)
	StatusDeclined    = TurnStatus(engine.Declined)
	StatusHeld        = TurnStatus(engine.Held)
	StatusStopped     = TurnStatus(engine.Stopped)
	StatusFailed      = TurnStatus(engine.Failed)
	StatusConflict    = TurnStatus(engine.Conflict)
	StatusInterrupted = TurnStatus(history.Interrupted) // the program ended before the turn
	StatusNone        = TurnStatus("")                  // it is running
)

// Outcome is the result of a turn.
type Outcome struct {
	Status  TurnStatus       `json:"status"`
	Model   string           `json:"model"`
	Message string           `json:"message"`
	Code    model.Code       `json:"code,omitempty"` // "continue": it broke off, and can be continued
	Files   []FileCount      `json:"files"`
	Edits   []history.EditID `json:"edits"`
	Timing  Timing           `json:"timing"`
	Nearest []Offer          `json:"nearest,omitempty"` // requests that the model can carry out
	More    int              `json:"more,omitempty"`    // requests like them that were not tried
	Held    bool             `json:"held,omitempty"`    // it has edits that can be approved
}

// Offer is a request that was tried, with what its trial did.
type Offer struct {
	Request string      `json:"request"`
	Summary string      `json:"summary"` // "" in older histories
	Files   []FileCount `json:"files"`
}

// FileCount counts the lines that a file gained and lost.
type FileCount struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// Timing is the time of a turn by phase, all of it measured but for Wafer. The page adds paint.
type Timing struct {
	Queue     float64 `json:"queue_ms"`
	Connect   float64 `json:"connect_ms"`
	Context   float64 `json:"context_ms"`
	Prefill   float64 `json:"prefill_ms"` // to the first text: the model's time before it
	TTFT      float64 `json:"ttft_ms"`
	Decode    float64 `json:"decode_ms"`
	Apply     float64 `json:"apply_ms"`
	Total     float64 `json:"total_ms"`
	Tokens    int     `json:"tokens"`
	PerSecond float64 `json:"tokens_per_s"`

	// of a language model; Rounds is 0 for others
	Tools   float64      `json:"tools_ms,omitempty"`   // reads and lists
	Summary float64      `json:"summary_ms,omitempty"` // of all of it, for a summary of earlier turns
	Rounds  int          `json:"rounds,omitempty"`     // how often it was asked
	Usage   *TokenCounts `json:"usage,omitempty"`
	Cost    *float64     `json:"cost,omitempty"` // in dollars; absent when the price is unknown
	// estimated, not measured: what the emulated wafer would have done; absent for models elsewhere
	Wafer *beside.Estimate `json:"wafer,omitempty"`
}

// TokenCounts are the tokens that a turn took of a language model.
type TokenCounts struct {
	Input     int  `json:"input"`  // of the prompts of all rounds, including Cached
	Cached    int  `json:"cached"` // from the model's cache
	Output    int  `json:"output"` // including Reasoning
	Reasoning int  `json:"reasoning"`
	Estimated bool `json:"estimated,omitempty"` // counted here, not by the model
}
