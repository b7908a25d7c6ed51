package server

import (
	"encoding/json"
	"time"

	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/history"
)

// wireEvent is an event of a turn as pages get it; nil for those that they see
// otherwise.
func wireEvent(ev engine.Event, queue time.Duration) TurnEvent {
	switch ev := ev.(type) {
	case engine.HunkOpened:
		return eventHunk{"hunk", ev.Hunk, ev.Path, ev.Line}
	case engine.HunkClosed:
		return eventClosed{"closed", ev.Hunk, ev.Path, ev.Added, ev.Removed, ev.Partial}
	case engine.HunkFailed:
		return eventRefused{"refused", ev.Hunk, ev.Path, ev.Reason, ev.Message}
	case engine.FileCreated:
		return eventFile{T: "file", What: parts.Created, Path: ev.Path}
	case engine.FileDeleted:
		return eventFile{T: "file", What: parts.Deleted, Path: ev.Path}
	case engine.FileMoved:
		return eventFile{T: "file", What: parts.Moved, Path: ev.Path, To: ev.To}
	case engine.EditAcked:
		return eventAcked{"acked", history.EditID(ev.ID), ev.Path}
	case engine.Steered:
		return eventSteer{"steer", ev.Text, ev.State, ev.Hunk}
	case engine.Note:
		return eventNote{"note", ev.Text}
	case engine.Ended:
		return eventEnded{"ended", wireOutcome(ev.Outcome, queue)}
	}
	return nil
}

func wireOutcome(o engine.Outcome, queue time.Duration) Outcome {
	out := Outcome{
		Status: TurnStatus(o.Status), Model: o.Model, Message: o.Message,
		Files: wireCounts(o.Files), Edits: make([]history.EditID, len(o.Edits)), Timing: wireTiming(o.Timing, queue),
	}
	for i, id := range o.Edits {
		out.Edits[i] = history.EditID(id)
	}
	if o.Refusal != nil {
		out.Nearest = o.Refusal.Candidates
	}
	return out
}

func wireCounts(files []engine.FileCount) []FileCount {
	out := make([]FileCount, len(files))
	for i, f := range files {
		out[i] = FileCount(f)
	}
	return out
}

// wireTiming tells a turn's time from where the user stands: its first text is
// there after the queue, the context and the prefill. The models of this
// process need no connection, so that takes no time.
func wireTiming(t engine.Timing, queue time.Duration) Timing {
	return Timing{
		Queue: millis(queue), Context: millis(t.Context), Prefill: millis(t.TTFT), TTFT: millis(queue + t.Context + t.TTFT),
		Decode: millis(t.Decode), Apply: millis(t.Apply), Total: millis(queue + t.Total), Tokens: t.Tokens, PerSecond: tenth(t.TokensPerSecond()),
	}
}

// pastTiming is the timing of a turn as the history keeps it (engine.Timing's
// JSON); nil when it has none. How long the command waited is not kept.
func pastTiming(raw json.RawMessage) *Timing {
	var t Timing
	if len(raw) == 0 || json.Unmarshal(raw, &t) != nil {
		return nil
	}
	t.Prefill = t.TTFT
	t.TTFT = t.Context + t.Prefill
	return &t
}
