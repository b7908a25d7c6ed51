package server

import (
	"encoding/json"
	"math"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
)

// turnDelta returns what a page has not seen of a turn, and its new position.
func turnDelta(l *app.TurnLog, t app.LogPosition) (TurnDelta, app.LogPosition) {
	began := t.Began
	news, t := l.Since(t)
	n := TurnDelta{Turn: l.ID, Parts: news.Parts, Acked: news.Acked, Live: wireLive(news)}
	if !began {
		n.Began = &TurnBegan{Session: l.Session, Request: l.Request, Model: l.Model, Mode: l.Mode, Kind: l.Kind,
			Auto: l.Auto, At: l.Began.UnixMilli()}
	}
	if news.Outcome != nil {
		o := wireOutcome(*news.Outcome, queued(l))
		n.Outcome = &o
	}
	return n, t
}

// queued returns how long a request waited before its turn began.
func queued(l *app.TurnLog) time.Duration {
	if l.Asked.IsZero() {
		return 0
	}
	return l.Began.Sub(l.Asked)
}

func wireLive(n app.TurnDelta) TurnLive {
	v := TurnLive{State: turnRunning, Tokens: n.Live.Tokens, PerSecond: tenth(n.Live.PerSecond),
		Elapsed: millis(n.Live.Elapsed), Path: n.Live.Path, Wafer: n.Live.Wafer}
	if d := n.Live.Doing; d != nil {
		v.Doing = &Doing{Phase: d.Phase, Note: d.Note, Done: d.Done, Total: d.Total}
	}
	switch {
	case n.Live.Ended:
		v.State = turnEnded
	case n.Live.Paused:
		v.State = turnPaused
	}
	return v
}

// wireOutcome converts the result of a turn for pages.
func wireOutcome(o engine.Outcome, queue time.Duration) Outcome {
	out := Outcome{
		Status: TurnStatus(o.Status), Model: o.Model, Message: o.Message, Code: o.Code,
		Files: wireCounts(o.Files), Edits: make([]history.EditID, len(o.Edits)), Timing: wireTiming(o.Timing, queue),
		Held: o.Status == engine.Held || len(o.Unmade) > 0,
	}
	for i, id := range o.Edits {
		out.Edits[i] = history.EditID(id)
	}
	out.Timing.Wafer = o.Wafer
	if o.Refusal != nil {
		out.More = o.Refusal.More
		for _, c := range o.Refusal.Candidates {
			out.Nearest = append(out.Nearest, wireOffer(c))
		}
	}
	return out
}

func wireOffer(c model.Candidate) Offer {
	return Offer{Request: c.Request, Summary: c.Summary, Files: wireCounts(c.Files)}
}

func wireCounts(files []engine.FileCount) []FileCount {
	out := make([]FileCount, len(files))
	for i, f := range files {
		out[i] = FileCount(f)
	}
	return out
}

// wireTiming converts a turn's timing to the user's view: the first text comes after the
// queue, the context and the model's time before it. queue is how long the request waited here.
func wireTiming(t engine.Timing, queue time.Duration) Timing {
	out := Timing{
		Queue: millis(queue + t.Queue), Context: millis(t.Context), Prefill: millis(t.TTFT),
		TTFT: millis(queue + t.Context + t.TTFT), Decode: millis(t.Decode), Apply: millis(t.Apply),
		Total: millis(queue + t.Total), Tokens: t.Tokens, PerSecond: tenth(t.TokensPerSecond()),
	}
	if t.Rounds > 0 {
		out.Connect, out.Prefill, out.Tools = millis(t.Connect), millis(t.Prefill), millis(t.Tools)
		out.Summary = millis(t.Summary)
		out.Rounds, out.Usage, out.Cost = t.Rounds, wireUsage(t.Usage), t.Cost
	}
	return out
}

func wireUsage(u model.Usage) *TokenCounts {
	return &TokenCounts{Input: u.Input, Cached: u.Cached, Output: u.Output, Reasoning: u.Reasoning, Estimated: u.Estimated}
}

// pastTiming returns the stored timing of a turn (engine.Timing's JSON); nil when there is
// none. How long the request waited here is not stored.
func pastTiming(raw json.RawMessage) *Timing {
	t := struct {
		Timing
		Usage *model.Usage `json:"usage"` // with the names of the Responses API
	}{}
	if len(raw) == 0 || json.Unmarshal(raw, &t) != nil {
		return nil
	}
	out := t.Timing
	if out.Rounds == 0 {
		out.Prefill = out.TTFT
	}
	if t.Usage != nil {
		out.Usage = wireUsage(*t.Usage)
	}
	out.TTFT += out.Context
	return &out
}

func tenth(f float64) float64 { return math.Round(f*10) / 10 }

// millis converts a duration to milliseconds, rounded to a hundredth.
func millis(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}
