package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"waferpair/app/items"
	"waferpair/app/parts"
	"waferpair/app/query"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/history"
)

// A turn that broke off, at the limit of an answer's length, by a failure, a stop or a kill, is
// continued by another turn of its session: for the same model, about the same file and scope.
//
//	items of the turn, as they are in the history     the conversation before the request
//	"Continue ..." and what of it is in place         the request
//	hunks of it that are in place                     engine.Request.Landed: not made again
//
// A model cannot be trusted to go on at a byte: it begins its open edit again, and often the patch.

// NotContinued says why there is nothing to continue.
type NotContinued struct{ Why string }

func (e *NotContinued) Error() string { return e.Why }

func stillRunning(id history.TurnID) error {
	return &NotContinued{fmt.Sprintf("turn %d is running: stop it first, or wait for its end", id)}
}

// maxContinued bounds the turns that a continued one went on with itself.
const maxContinued = 50

// continued returns the request that goes on with a turn, and the hunks that are in place.
func (p *sessions) continued(ctx context.Context, r EditRequest) (_ EditRequest, landed []editstream.Hunk, err error) {
	t, err := p.offering(ctx, EditRequest{Session: r.Session, Choice: Choice{Turn: r.Continue.Turn}})
	if err != nil {
		return r, nil, err
	}
	switch engine.Status(t.Status) {
	case engine.Failed, engine.Stopped, history.Interrupted:
	case "":
		return r, nil, stillRunning(t.Turn)
	case engine.Completed, engine.Declined, engine.Held, engine.Conflict:
		return r, nil, &NotContinued{fmt.Sprintf("turn %d did not break off: it ended as %s; send a new request", t.Turn,
			t.Status)}
	}
	r.Continue.Turn = t.Turn
	r.Text = continueText(t, r.Text)
	if r.Model == "" {
		r.Model = t.Model
	}
	r.Mode, r.Kind = Mode(t.Mode), Kind(t.Kind)
	r.Target = model.Target{File: t.Target.File, From: t.Target.From, To: t.Target.To}
	r.Scope = t.Target.Scope
	landed, err = p.landed(ctx, t.Turn)
	return r, landed, err
}

// continueText is the request that goes on with a turn; words are what the user adds.
func continueText(t query.PastTurn, words string) string {
	var b strings.Builder
	b.WriteString("Continue: your last answer broke off. Go on exactly where it ends.")
	var done []string
	for _, part := range t.Parts {
		if h, ok := part.(parts.HunkPart); ok && (h.State == parts.Done || h.State == parts.Partial) {
			what := fmt.Sprintf("%s, line %d (+%d -%d)", h.Path, h.Line, h.Added, h.Removed)
			if h.State == parts.Partial {
				what += ", its first lines only"
			}
			done = append(done, what)
		}
	}
	if len(done) > 0 {
		const most = 40
		b.WriteString("\nThese edits of it are in place; do not write them again:")
		for _, d := range done[max(0, len(done)-most):] {
			b.WriteString("\n- " + d)
		}
	}
	if t.Mode != string(ModeAsk) {
		b.WriteString("\nWrite edits that are missing as a new patch, beginning with the one that broke off.")
	}
	if words = strings.TrimSpace(words); words != "" {
		b.WriteString("\n" + words)
	}
	return b.String()
}

// landed returns the hunks in place of a turn, and of those that it went on with. Files in which
// edits were reverted since have none: what is not there may be made again.
func (p *sessions) landed(ctx context.Context, id history.TurnID) (out []editstream.Hunk, err error) {
	for range maxContinued {
		t, err := p.store.Turn(ctx, id)
		if err != nil {
			return nil, err
		}
		reverted, err := p.revertedIn(ctx, id)
		if err != nil {
			return nil, err
		}
		hunks := slices.DeleteFunc(items.Landed(t.Items), func(h editstream.Hunk) bool { return reverted[h.Path] })
		out = append(hunks, out...)
		var settings struct {
			Continues history.TurnID `json:"continues"`
		}
		if len(t.Settings) == 0 || json.Unmarshal(t.Settings, &settings) != nil || settings.Continues == 0 {
			return out, nil
		}
		id = settings.Continues
	}
	return out, nil
}

// revertedIn returns the files in which edits of a turn were reverted.
func (p *sessions) revertedIn(ctx context.Context, id history.TurnID) (map[string]bool, error) {
	c, err := p.store.OfTurns(ctx, []history.TurnID{id})
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for i := range c.IDs {
		if _, undone := slices.BinarySearch(c.Undone, c.IDs[i]); undone {
			out[c.Names[c.Paths[i]]] = true
		}
	}
	return out, nil
}
