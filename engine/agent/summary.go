package agent

import (
	"context"
	"errors"
	"time"

	"waferpair/engine"
	"waferpair/engine/model"
)

// A prompt that is too long may need a summary of the conversation's oldest turns. The model writes it
// before its answer, as a generation of its own: nothing of it is an item of the turn or prose, it has no
// tools, and its tokens count as those of a round. A stop ends the turn. A steer cuts the summary, and the
// answer follows without it, with the instruction. So does it when the summary fails.

// summarize has the model write a summary, and takes the prompt that follows from it. over reports that
// the user stopped the turn.
func (d *drive) summarize(ctx context.Context, s engine.Recap) (over bool, err error) {
	began := time.Now()
	h := aside{d.host, engine.Working{Phase: model.Summary, Note: s.About}}
	h.Emit(h.working)
	one := &drive{model: d.model, language: true, host: h,
		prompt: model.Prompt{Items: s.Items, From: len(s.Items) - 1, ReadOnly: true}}
	next, failed := one.generate(ctx)
	d.ending, d.paused = one.ending, one.paused
	if d.ending.Timing == nil {
		d.ending.Timing = map[model.Phase]time.Duration{}
	}
	d.ending.Timing[model.Summary] = time.Since(began)
	d.ending.Cursor = ""
	text := ""
	switch {
	case next.steer != nil:
		failed = engine.ErrCutByUser
	case failed != nil:
	case one.ending.Stop == model.StopCut:
		failed, over = engine.ErrCutByUser, true
	default:
		text, failed = one.written()
	}
	var note string
	d.prompt.Items, d.prompt.From, note, err = s.Use(text, failed)
	switch {
	case err == nil && over:
		return true, nil
	case err == nil:
		d.host.Emit(engine.Note{Text: note})
		if next.steer == nil {
			return false, nil
		}
		err = d.instruct(*next.steer)
	}
	if err != nil && next.steer != nil {
		d.steered = append(d.steered, *next.steer)
		d.failSteers()
	}
	return false, err
}

// written returns the words of the answer.
func (d *drive) written() (text string, err error) {
	for _, i := range d.output.Items() {
		if i.Kind != model.Message || i.Role == model.RoleUser {
			continue
		}
		for _, p := range i.Parts {
			if p.Kind == model.RefusalText {
				return "", errors.New("the model refused to write one")
			}
		}
		text += i.Text()
	}
	return text, nil
}

// aside is the host of what a model writes that is not part of the turn's answer.
type aside struct {
	engine.Host
	working engine.Working
}

// Emit shows what the user did, and what the turn waits for.
func (h aside) Emit(ev engine.Event) {
	switch ev := ev.(type) {
	case engine.Steered:
		h.Host.Emit(ev)
	case engine.Working:
		if ev.Phase != model.Retry {
			ev = h.working
		}
		h.Host.Emit(ev)
	}
}

func (h aside) Record(int, model.Delta) error { return nil }
