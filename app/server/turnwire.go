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
		n.Began = &TurnBegan{Session: l.Session, Request: l.Request, Model: l.Model, At: l.Began.UnixMilli()}
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
		Elapsed: millis(n.Live.Elapsed), Path: n.Live.Path}
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
		Status: TurnStatus(o.Status), Model: o.Model, Message: o.Message,
		Files: wireCounts(o.Files), Edits: make([]history.EditID, len(o.Edits)), Timing: wireTiming(o.Timing, queue),
		Held: o.Status == engine.Held || len(o.Unmade) > 0,
	}
	for i, id := range o.Edits {
		out.Edits[i] = history.EditID(id)
	}
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
// queue, the context and the prefill. The models of this process need no connection, so that
// takes no time.
func wireTiming(t engine.Timing, queue time.Duration) Timing {
	return Timing{
		Queue: millis(queue), Context: millis(t.Context), Prefill: millis(t.TTFT), TTFT: millis(queue + t.Context + t.TTFT),
		Decode: millis(t.Decode), Apply: millis(t.Apply), Total: millis(queue + t.Total), Tokens: t.Tokens,
		PerSecond: tenth(t.TokensPerSecond()),
	}
}

// pastTiming returns the stored timing of a turn (engine.Timing's JSON); nil when there is
// none. The time in the queue is not stored.
func pastTiming(raw json.RawMessage) *Timing {
	var t Timing
	if len(raw) == 0 || json.Unmarshal(raw, &t) != nil {
		return nil
	}
	t.Prefill = t.TTFT
	t.TTFT = t.Context + t.Prefill
	return &t
}

func tenth(f float64) float64 { return math.Round(f*10) / 10 }

// millis converts a duration to milliseconds, rounded to a hundredth.
func millis(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}
