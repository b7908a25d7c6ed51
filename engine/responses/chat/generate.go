package chat

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"waferpair/engine/model"
)

// The bounds of an answer.
const (
	maxLine   = 8 << 20
	maxAnswer = 64 << 20
)

var errIdle = errors.New("the stream was silent for too long")

// Generate answers a prompt. A stream that fails before the first piece of its answer is asked for
// again, as long as the error says that it may help.
func (m *chatModel) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	body, err := bodyOf(m.id, p)
	if err != nil {
		return model.Result{Stop: model.StopCut}, err
	}
	start := time.Now()
	if err := yield(model.Progress{Phase: model.Connect, Note: m.client.of.Name}); err != nil {
		return model.Result{Stop: model.StopCut}, err
	}
	for n := 0; ; n++ {
		a := newAnswer(p, yield)
		err := m.once(ctx, body, a, start)
		var e *Error
		if err == nil || a.at > 0 || a.open != nil || !errors.As(err, &e) || !e.Again || n >= m.client.of.Retries {
			return a.result(p, err), err
		}
		if err := m.client.Wait(ctx, n, e, yield); err != nil {
			return a.result(p, err), err
		}
	}
}

// once asks until a stream begins, and reads it.
func (m *chatModel) once(ctx context.Context, body []byte, a *answer, start time.Time) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil) // closes the connection of a cut answer, so that the server stops
	r, err := m.client.send(ctx, http.MethodPost, "/chat/completions", body, a.yield)
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Again = false // it was sent as often as the settings say
		}
		a.unsent = true
		return err
	}
	defer r.Body.Close()
	a.timing[model.Connect] = time.Since(start)
	idle := time.AfterFunc(m.client.of.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	begun := time.Now()
	a.first = func() { a.timing[model.Prefill], begun = time.Since(begun), time.Now() }
	if err = m.read(ctx, r.Body, a, func() { idle.Reset(m.client.of.Idle) }); err == nil {
		Drain(r.Body)
	}
	a.timing[model.Decode] = time.Since(begun)
	return err
}

// Drain reads the rest of a complete answer, so that its connection can be used again. A server that
// does not end it soon keeps nobody waiting.
func Drain(body io.Reader) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, io.LimitReader(body, 64<<10)) // what fails ends with its connection
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Millisecond):
	}
}

// read reads the events of a stream to its end.
func (m *chatModel) read(ctx context.Context, from io.Reader, a *answer, alive func()) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for raw := 0; lines.Scan(); {
		alive()
		raw += len(lines.Bytes())
		line := bytes.TrimPrefix(lines.Bytes(), []byte("\xef\xbb\xbf")) // a byte order mark may begin a stream
		data, is := bytes.CutPrefix(line, []byte("data:"))
		if data = bytes.TrimSpace(data); !is || len(data) == 0 {
			continue
		}
		if string(data) == "[DONE]" {
			break
		}
		var e event
		if err := json.Unmarshal(data, &e); err != nil {
			return m.client.Broken(ctx, "its answer is no JSON", err)
		}
		if len(e.Error) > 0 && string(e.Error) != "null" {
			return m.client.brokeOff(ctx, data)
		}
		if err := a.take(e); err != nil {
			return err
		}
		if a.bytes > m.client.most || raw > 16*m.client.most { // a text of short tokens is mostly JSON
			return m.client.Broken(ctx, fmt.Sprintf("its answer is longer than %d bytes", m.client.most), nil)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(context.Cause(ctx), errIdle):
		return &Error{Provider: m.client.of.Name, Message: errIdle.Error(),
			Next: "what arrived is kept; continue, or set stream_idle_timeout_ms"}
	case errors.Is(err, bufio.ErrTooLong):
		return m.client.Broken(ctx, "the stream broke off", err)
	case err != nil:
		return again(m.client.Broken(ctx, "the stream broke off", err))
	case a.reason == "" && !a.done():
		return again(m.client.Broken(ctx, "the stream ended before the answer did", nil))
	}
	return a.end()
}
