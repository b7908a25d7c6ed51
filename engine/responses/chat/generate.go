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
	"net/http/httptrace"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/responses"
)

// maxAnswer bounds the text of an answer in bytes.
const maxAnswer = 64 << 20

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
		if err == nil || a.next > 0 || !errors.As(err, &e) || !e.Again || n >= m.client.of.Streams {
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
	begun := start
	ctx = Connected(ctx, func() {
		a.timing[model.Connect], begun = time.Since(start), time.Now()
		_ = a.yield(model.Progress{Phase: model.Prefill}) // a cut is noticed at the first delta
	})
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
	idle := Silence(m.client.of.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	a.first = func() { a.timing[model.Prefill], begun = time.Since(begun), time.Now() }
	if err := m.client.Page(r); err != nil {
		a.unsent = true
		return err
	}
	from := bufio.NewReader(r.Body)
	s := stream{client: m.client, answer: a, body: from, idle: idle}
	if IsWhole(from, idle) {
		err = s.whole(ctx)
	} else if err = s.read(ctx); err == nil {
		Drain(r.Body)
	}
	a.timing[model.Decode] = time.Since(begun)
	return err
}

// IsWhole reports whether an answer comes as one object instead of a stream, whatever type it is said to
// be of. It waits for its first byte.
func IsWhole(body *bufio.Reader, idle *Watch) bool {
	idle.Turn()
	defer idle.Turn()
	for {
		b, err := body.ReadByte()
		switch {
		case err != nil:
			return false // whoever reads on gets the error
		case b == ' ' || b == '\n' || b == '\r' || b == '\t':
			continue
		}
		_ = body.UnreadByte() // it was read just now
		return b == '{'
	}
}

// Connected calls f each time that a request has its connection, within the call that sends it. A
// provider may keep its headers back until the first token: what follows is its time.
func Connected(ctx context.Context, f func()) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { f() }})
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

// stream is an answer as it comes.
type stream struct {
	client *Client
	answer *answer
	body   io.Reader
	idle   *Watch // stands while a delta is handled: a paused turn is not the server's silence
	sse    responses.SSE
	raw    int // bytes that came
}

// read reads the events of a stream to its end.
func (s *stream) read(ctx context.Context) error {
	take := func(name string, data []byte) error { return s.event(ctx, name, data) }
	buffer := make([]byte, 32<<10)
	for !s.answer.over {
		s.idle.Turn()
		n, err := s.body.Read(buffer)
		s.idle.Turn()
		s.raw += n
		failed := s.sse.Push(buffer[:n], take)
		if failed == nil && errors.Is(err, io.EOF) && ctx.Err() == nil {
			if failed = s.sse.Close(take); failed == nil {
				break
			}
		}
		switch {
		case errors.Is(failed, responses.ErrTooLarge):
			return s.client.Broken(ctx, "the stream broke off", failed)
		case failed != nil:
			return failed
		case err != nil:
			return s.broken(ctx, "the stream broke off", err)
		}
	}
	if !s.answer.done() {
		return s.broken(ctx, "the stream ended before the answer did", nil)
	}
	return s.answer.end()
}

// whole reads an answer of a server that does not stream.
func (s *stream) whole(ctx context.Context) error {
	s.idle.Turn()
	b, err := io.ReadAll(io.LimitReader(s.body, responses.MaxEvent+1))
	s.idle.Turn()
	if err != nil {
		return s.broken(ctx, "the answer broke off", err)
	}
	if err := s.event(ctx, "", b); err != nil {
		return err
	}
	if !s.answer.done() {
		return s.client.Broken(ctx, "its answer has no text", nil)
	}
	return s.answer.end()
}

// event takes an event of the stream.
func (s *stream) event(ctx context.Context, name string, data []byte) error {
	data = bytes.TrimSpace(data)
	if s.answer.over || len(data) == 0 {
		return nil
	}
	if string(data) == "[DONE]" {
		s.answer.over = true
		return nil
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return s.client.Broken(ctx, "its answer is no JSON", err)
	}
	if !none(c.Error) || name == "error" || c.Object == "error" {
		return s.client.brokeOff(data)
	}
	if err := s.answer.take(c); err != nil {
		return err
	}
	if s.answer.bytes > s.client.most || s.raw > 16*s.client.most { // a text of short tokens is mostly JSON
		return s.client.Broken(ctx, fmt.Sprintf("its answer is longer than %d bytes", s.client.most), nil)
	}
	return nil
}

// broken is the error for a stream that ended early. Another try may succeed.
func (s *stream) broken(ctx context.Context, why string, err error) error {
	if errors.Is(context.Cause(ctx), errIdle) {
		return &Error{Provider: s.client.of.Name, Message: errIdle.Error(), Again: true,
			Next: "what arrived is kept; continue, or set stream_idle_timeout_ms"}
	}
	return again(s.client.Broken(ctx, why, err))
}
