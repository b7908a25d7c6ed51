package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"waferpair/engine/responses"
	"waferpair/engine/responses/chat"
)

// overHTTP sends everything, and reads the answer as server-sent events.
func (g *generation) overHTTP(ctx context.Context) error {
	body, err := g.request.Body(nil, `"stream":true`)
	if err != nil {
		return err
	}
	g.sent = len(body)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil) // closes the connection of a cut answer, so that the server stops
	ctx = chat.Connected(ctx, g.connected)
	r, err := g.client.chat.Post(ctx, "/responses", body, g.yield)
	if err != nil {
		return g.client.final(err)
	}
	defer func() { _ = r.Body.Close() }() // it was read, or is not wanted
	if err := g.client.chat.Page(r); err != nil {
		return err
	}
	idle := chat.Silence(g.client.of.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	answer := bufio.NewReader(r.Body)
	if chat.IsWhole(answer, idle) {
		idle.Turn()
		return g.whole(ctx, answer)
	}
	if err := g.stream(ctx, answer, idle); err != nil {
		return err
	}
	chat.Drain(r.Body)
	return nil
}

// final ends the tries of a request that Post has sent often enough, and explains a 404 that is
// not about the model.
func (c *Client) final(err error) error {
	var e *chat.Error
	if !errors.As(err, &e) {
		return err
	}
	e.Again = false
	if (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed) &&
		!strings.Contains(e.Message, "model") {
		e.Next = `it may lack the Responses API: set wire_api = "chat", or correct base_url, which mostly ends with /v1`
	}
	return err
}

// whole reads an answer of a server that does not stream.
func (g *generation) whole(ctx context.Context, from io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(from, responses.MaxEvent+1))
	if err != nil {
		return g.broken(ctx, err)
	}
	return g.judge(g.decoder.Whole(b, g.emitted))
}

// stream reads events to the end of the answer. The clock that watches for silence stands
// while events are handled: a paused turn is not the server's silence.
func (g *generation) stream(ctx context.Context, from io.Reader, idle *chat.Watch) error {
	var sse responses.SSE
	buffer := make([]byte, 32<<10)
	take := func(name string, data []byte) error {
		if string(bytes.TrimSpace(data)) == "[DONE]" || g.decoder.Done() {
			return nil
		}
		return g.event(name, data)
	}
	for {
		idle.Turn()
		n, err := from.Read(buffer)
		idle.Turn()
		if failed := sse.Push(buffer[:n], take); failed != nil {
			return g.tooLarge(failed)
		}
		if g.decoder.Done() {
			return nil
		}
		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) && ctx.Err() == nil {
			if failed := sse.Close(take); failed != nil {
				return g.closed(ctx, failed)
			}
			if g.decoder.Done() {
				return nil
			}
			return g.broken(ctx, nil)
		}
		return g.broken(ctx, err)
	}
}

// closed is the error at the end of a stream: what an event said, or that it was cut.
func (g *generation) closed(ctx context.Context, err error) error {
	var e *chat.Error
	if errors.As(err, &e) {
		return err
	}
	return g.broken(ctx, err)
}

// tooLarge is the error for an event of more bytes than one may have.
func (g *generation) tooLarge(err error) error {
	if errors.Is(err, responses.ErrTooLarge) {
		return g.judge(err)
	}
	return err
}
