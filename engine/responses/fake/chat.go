package fake

import (
	"fmt"
	"net/http"
)

// chat says an answer as chat completion chunks:
//
//	role, then content | reasoning | tool_calls deltas, then finish_reason, then usage, then [DONE]
type chat struct {
	*stream
	id      string
	calls   int
	deltas  int
	thought int
	counted counted
}

func (s *Server) postChat(w http.ResponseWriter, q *http.Request, r *Request) *apiError {
	if e := r.parse(); e != nil {
		return e
	}
	if e := s.checkChat(r); e != nil {
		return e
	}
	a := s.ask(r)
	if a.Fault.Kind == Refuse {
		return refusal(a.Fault)
	}
	p := s.sse(w, q, a.Fault)
	c := &chat{stream: s.stream(q.Context(), r, a, p), id: fmt.Sprintf("chatcmpl-%08x%08x", s.Seed, r.N),
		counted: s.count(r, nil)}
	c.fail = func(code, message string) event {
		return event{data: obj("error", obj("message", message, "type", "server_error", "param", nil, "code", code))}
	}
	if r.Wire == "chat" {
		c.one(w)
		return nil
	}
	err := c.all()
	p.close()
	r.end(err != nil && q.Context().Err() != nil)
	finish(err)
	return nil
}

// all sends the stream: as it was recorded, or as it is scripted.
func (c *chat) all() error {
	if c.a.raw != nil {
		return c.replay()
	}
	if err := c.play(); err != nil {
		return err
	}
	return c.pipe.raw([]byte("data: [DONE]\n\n"))
}

func (c *chat) play() error {
	if c.s.Caps.PromptFirst {
		filter := obj("prompt_index", 0, "content_filter_results", obj("hate", obj("filtered", false, "severity", "safe")))
		if err := c.emit(event{data: c.chunk([]object{}, "prompt_filter_results", []object{filter})}); err != nil {
			return err
		}
	}
	if err := c.delta(obj("role", "assistant", "content", "", "refusal", nil)); err != nil {
		return err
	}
	for i, item := range c.a.Items {
		if err := c.item(adapted(item, c.r), i == len(c.a.Items)-1); err != nil {
			return err
		}
	}
	if c.a.Fault.Kind == NoEnd {
		return errFailed
	}
	if err := c.choice(obj(), c.finish()); err != nil {
		return err
	}
	if asMap(c.r.Params["stream_options"])["include_usage"] != true {
		return nil
	}
	return c.emit(event{data: c.chunk([]object{}, "usage", c.usage().chat())})
}

func (c *chat) finish() string {
	switch {
	case c.a.Stop == "max_output_tokens":
		return "length"
	case c.a.Stop != "":
		return c.a.Stop
	case c.calls > 0:
		return "tool_calls"
	}
	return "stop"
}

func (c *chat) item(i Item, last bool) error {
	switch i.Kind {
	case "message":
		return c.text(i, "content", last)
	case "reasoning":
		if c.s.Caps.Thought == "" {
			return nil // OpenAI's chat hides it
		}
		before := c.deltas
		err := c.text(i, c.s.Caps.Thought, false)
		c.thought += c.deltas - before
		return err
	}
	return c.call(i)
}

func (c *chat) text(i Item, field string, last bool) error {
	for _, t := range i.chunks(c.rnd) {
		if err := c.pause(); err != nil {
			return err
		}
		c.deltas++
		if err := c.delta(obj(field, t)); err != nil {
			return err
		}
	}
	if !last {
		return nil
	}
	return c.more(func(t string) error { return c.delta(obj(field, t)) })
}

// call sends a tool call: its head with the first chunk or alone, then its arguments.
func (c *chat) call(i Item) error {
	id, at := c.callID(i), c.calls
	c.calls++
	kind, field := wireCall(i)
	chunks := i.chunks(c.rnd)
	if c.s.Caps.WholeCalls {
		chunks = []string{i.Text}
	}
	for n, t := range append([]string{""}, chunks...) {
		if n > 0 {
			if err := c.pause(); err != nil {
				return err
			}
			c.deltas++
		}
		if n == 0 && c.s.Caps.WholeCalls {
			continue
		}
		call := obj("index", at)
		if n == 0 || c.s.Caps.WholeCalls {
			call = call.with("id", id, "type", kind, kind, obj("name", i.Name, field, t))
		} else {
			call = call.with(kind, obj(field, t))
		}
		if err := c.delta(obj("tool_calls", []object{call})); err != nil {
			return err
		}
	}
	return nil
}

func (c *chat) callID(i Item) string {
	if i.CallID != "" {
		return i.CallID
	}
	return fmt.Sprintf("call_%08x%06x%02x", c.s.Seed, c.r.N, c.calls)
}

func wireCall(i Item) (kind, field string) {
	if i.Kind == "custom_tool_call" {
		return "custom", "input"
	}
	return "function", "arguments"
}

func (c *chat) delta(d object) error { return c.choice(d, "") }

func (c *chat) choice(d object, finish string) error {
	reason := orNull(finish)
	if finish == "" && c.s.Caps.BlankReason {
		reason = ""
	}
	return c.emit(event{data: c.chunk([]object{obj("index", 0, "delta", d, "logprobs", nil, "finish_reason", reason)})})
}

func (c *chat) chunk(choices []object, more ...any) object {
	return obj("id", c.id, "object", "chat.completion.chunk", "created", c.s.Clock.Now().Unix(), "model", c.r.Model,
		"system_fingerprint", nil, "choices", choices).with(more...)
}

func (c *chat) usage() Usage {
	if c.a.Usage != nil {
		return *c.a.Usage
	}
	return Usage{Input: c.counted.tokens, Cached: c.counted.cached, Output: c.deltas, Reasoning: c.thought}
}

// one answers with one object.
func (c *chat) one(w http.ResponseWriter) {
	message := obj("role", "assistant")
	text, calls := "", []object{}
	for _, i := range c.a.Items {
		i = adapted(i, c.r)
		switch i.Kind {
		case "message":
			text += i.Text
		case "reasoning":
			if c.s.Caps.Thought != "" {
				message = message.with(c.s.Caps.Thought, i.Text)
			}
		default:
			kind, field := wireCall(i)
			calls = append(calls, obj("id", c.callID(i), "type", kind, kind, obj("name", i.Name, field, i.Text)))
			c.calls++
		}
		c.deltas += len(i.chunks(c.rnd))
	}
	message = message.with("content", orNull(text), "refusal", nil)
	if len(calls) > 0 {
		message = message.with("tool_calls", calls)
	}
	body := encode(obj("id", c.id, "object", "chat.completion", "created", c.s.Clock.Now().Unix(), "model", c.r.Model,
		"choices", []object{obj("index", 0, "message", message, "logprobs", nil, "finish_reason", c.finish())},
		"usage", c.usage().chat()))
	if k := c.a.Fault.Kind; k == CutJSON || k == DieAt {
		body = body[:len(body)/2]
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // the client may have gone
	c.r.sent(len(body))
}
