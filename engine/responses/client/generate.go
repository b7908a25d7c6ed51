package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/responses"
	"waferpair/engine/responses/chat"
)

var errIdle = errors.New("the stream was silent for too long")

// generation is one answer, through all of its tries.
type generation struct {
	*responsesModel
	prompt  model.Prompt
	request responses.Request
	said    []responses.Said // the prompt's items
	yield   func(model.Delta) error

	decoder *responses.Decoder
	take    responses.Emit // emitted, made once
	began   bool           // a delta of the answer was yielded
	sent    int            // bytes of the last request
	start   time.Time
	timing  map[model.Phase]time.Duration
	phase   time.Time // when the current phase began
}

// Generate answers a prompt.
func (m *responsesModel) Generate(ctx context.Context, p model.Prompt,
	yield func(model.Delta) error) (model.Result, error) {
	g, err := m.generation(p, yield)
	if err != nil {
		return model.Result{Stop: model.StopCut}, err
	}
	err = g.run(ctx)
	return g.result(err), err
}

func (m *responsesModel) generation(p model.Prompt, yield func(model.Delta) error) (*generation, error) {
	r, err := responses.Encode(p, m.id, m.client.dialect)
	if err != nil {
		return nil, err
	}
	g := &generation{responsesModel: m, prompt: p, request: r, yield: yield, timing: map[model.Phase]time.Duration{},
		said: responses.SaidBy(p.Items), start: time.Now()}
	g.take = g.emitted
	g.reset()
	return g, nil
}

// reset begins a try.
func (g *generation) reset() {
	var wrapped map[string]bool
	if !g.client.dialect.Freeform {
		wrapped = responses.Wrapped(g.prompt.Tools)
	}
	g.decoder = responses.NewDecoder(wrapped)
	g.phase = time.Now()
}

// run tries until there is an answer, or an error that another try would not mend. After
// the first delta there is no other try, because nothing may be done twice.
func (g *generation) run(ctx context.Context) error {
	if err := g.yield(model.Progress{Phase: model.Connect, Note: g.client.of.Name}); err != nil {
		return err
	}
	for n := 0; ; n++ {
		err := g.try(ctx)
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var e *chat.Error
		if err == nil || g.began || !errors.As(err, &e) || !e.Again || n >= g.client.of.Streams {
			return err
		}
		if err := g.client.chat.Wait(ctx, n, e, g.yield); err != nil {
			return err
		}
		g.reset()
	}
}

// try asks once, over a socket if there are any.
func (g *generation) try(ctx context.Context) error {
	if g.client.Wire() == "websocket" {
		err := g.overSocket(ctx)
		if !errors.Is(err, errNoSockets) {
			return err
		}
		g.reset()
	}
	return g.overHTTP(ctx)
}

// connected notes that a request is on its way: the rest of the wait is the provider's.
func (g *generation) connected() {
	g.timing[model.Connect] += time.Since(g.phase)
	g.phase = time.Now()
	_ = g.yield(model.Progress{Phase: model.Prefill}) // a cut is noticed at the first delta
}

// emit passes a delta of the answer on.
func (g *generation) emit(d model.Delta) error {
	if _, is := d.(model.Text); is && g.timing[model.Prefill] == 0 {
		g.timing[model.Prefill] = time.Since(g.phase)
		g.phase = time.Now()
	}
	g.began = true
	return g.yield(d)
}

// event takes an event of the stream.
func (g *generation) event(name string, data []byte) error {
	err := g.decoder.Event(name, data, g.take)
	if err == nil && g.decoder.Response().Text <= g.client.most {
		return nil
	}
	return g.judge(err)
}

// emitted marks the errors of yield, which are not the stream's.
func (g *generation) emitted(d model.Delta) error {
	if err := g.emit(d); err != nil {
		return &refusedError{err}
	}
	return nil
}

// refusedError is the error with which yield refused a delta.
type refusedError struct{ err error }

func (e *refusedError) Error() string { return e.err.Error() }
func (e *refusedError) Unwrap() error { return e.err }

// judge turns an error of the decoder into one for people.
func (g *generation) judge(err error) error {
	var refused *refusedError
	var said *responses.Error
	switch {
	case err == nil && g.decoder.Response().Text > g.client.most:
		return &chat.Error{Provider: g.client.of.Name, Next: "what arrived is kept; ask for less",
			Message: fmt.Sprintf("its answer is longer than %d bytes", g.client.most)}
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return refused.err
	case errors.As(err, &said):
		return g.client.reported(said)
	}
	return g.client.chat.Hide(&chat.Error{Provider: g.client.of.Name, Message: "its answer cannot be read: " + err.Error(),
		Next: "what arrived is kept; continue, or ask again"})
}

// broken is the error for a stream that ended before its answer. Before the first delta
// another try may succeed.
func (g *generation) broken(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errIdle) {
		return &chat.Error{Provider: g.client.of.Name, Message: errIdle.Error(), Again: !g.began,
			Next: "what arrived is kept; continue, or set stream_idle_timeout_ms"}
	}
	failed := g.client.chat.Broken(ctx, "the stream ended before the answer did", err)
	var e *chat.Error
	if errors.As(failed, &e) {
		e.Again = !g.began
	}
	return failed
}

// result is what is known at the end, also of a cut answer.
func (g *generation) result(err error) model.Result {
	r := g.decoder.Response()
	out := model.Result{Stop: r.Stop, Cursor: model.Cursor(r.ID), Timing: g.timing}
	if g.began {
		g.timing[model.Decode] = time.Since(g.phase)
	}
	switch {
	case r.Usage != nil:
		out.Usage = *r.Usage
	case err == nil || g.began:
		out.Usage = model.Usage{Input: g.sent / 4, Output: (r.Text + 3) / 4, Estimated: true}
	}
	if err != nil {
		out.Stop, out.Cursor = model.StopCut, ""
	}
	return out
}
