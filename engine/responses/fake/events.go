package fake

import (
	"fmt"
	"strings"
)

// speaker says an answer as Responses events, in the order that the documentation gives:
//
//	created, in_progress
//	per item: output_item.added, (content_part.added, deltas, done, content_part.done), output_item.done
//	completed | incomplete | failed, with all items and the usage
type speaker struct {
	*stream
	id      string
	output  []object
	deltas  int
	thought int
	counted counted
	hold    bool // no event is sent: the answer is wanted whole
}

func (s *Server) speaker(st *stream, n counted) *speaker {
	sp := &speaker{stream: st, id: fmt.Sprintf("resp_%08x%08x", s.Seed, st.r.N), counted: n}
	st.fail = func(code, message string) event {
		return event{"response.failed", obj("response", sp.snapshot("failed",
			obj("code", code, "message", message), nil))}
	}
	return sp
}

// play sends the answer. After an error the wire is told nothing more.
func (sp *speaker) play() error {
	if err := sp.say("response.created", "response", sp.snapshot("in_progress", nil, nil)); err != nil {
		return err
	}
	if err := sp.say("response.in_progress", "response", sp.snapshot("in_progress", nil, nil)); err != nil {
		return err
	}
	items := sp.a.Items
	if sp.r.WarmUp {
		items = nil
	} else if k := sp.a.Fault.Kind; k == Endless || k == Flood {
		items = append(items[:len(items):len(items)], Item{Kind: "message"})
	}
	for i, item := range items {
		if err := sp.item(i, item, i == len(items)-1); err != nil {
			return err
		}
	}
	status, reason := "completed", any(nil)
	if sp.a.Stop != "" && !sp.r.WarmUp {
		status, reason = "incomplete", obj("reason", sp.a.Stop)
	}
	return sp.say("response."+status, "response", sp.snapshot(status, nil, reason))
}

func (sp *speaker) say(name string, kv ...any) error {
	if sp.hold {
		return sp.ctx.Err()
	}
	return sp.emit(event{name, obj(kv...)})
}

func (sp *speaker) item(at int, i Item, last bool) error {
	i = sp.adapt(i)
	id := fmt.Sprintf("%s_%08x%06x%02x", idPrefix[i.Kind], sp.s.Seed, sp.r.N, at)
	if i.CallID == "" {
		i.CallID = fmt.Sprintf("call_%08x%06x%02x", sp.s.Seed, sp.r.N, at)
	}
	if err := sp.say("response.output_item.added", "output_index", at, "item",
		sp.form(i, id, "", "in_progress")); err != nil {
		return err
	}
	text, err := sp.body(at, id, i, last)
	if err != nil {
		return err
	}
	status := "completed"
	if last && sp.a.Stop != "" {
		status = "incomplete"
	}
	done := sp.form(i, id, text, status)
	sp.output = append(sp.output, done)
	return sp.say("response.output_item.done", "output_index", at, "item", done)
}

// adapt turns a freeform call into a function's, if the request declares the tool so.
func (sp *speaker) adapt(i Item) Item { return adapted(i, sp.r) }

func adapted(i Item, r *Request) Item {
	if i.Kind != "custom_tool_call" || r.Tools[i.Name] != "function" {
		return i
	}
	i.Kind, i.Text, i.Chunks = "function_call", string(encode(obj("input", i.Text))), nil
	return i
}

// body sends what is between added and done.
func (sp *speaker) body(at int, id string, i Item, last bool) (string, error) {
	place := []any{"item_id", id, "output_index", at}
	switch i.Kind {
	case "function_call":
		text, err := sp.deltasOf(i, "response.function_call_arguments.delta", place, last)
		if err == nil {
			err = sp.say("response.function_call_arguments.done", append(place, "arguments", text, "name", i.Name)...)
		}
		return text, err
	case "custom_tool_call":
		text, err := sp.deltasOf(i, "response.custom_tool_call_input.delta", place, last)
		if err == nil {
			err = sp.say("response.custom_tool_call_input.done", append(place, "input", text)...)
		}
		return text, err
	case "reasoning":
		return sp.reasoning(place, i)
	}
	place = append(place, "content_index", 0)
	part := func(text string) object {
		return obj("type", "output_text", "annotations", []any{}, "logprobs", []any{}, "text", text)
	}
	if err := sp.say("response.content_part.added", append(place, "part", part(""))...); err != nil {
		return "", err
	}
	text, err := sp.deltasOf(i, "response.output_text.delta", place, last)
	if err == nil {
		err = sp.say("response.output_text.done", append(place, "text", text, "logprobs", []any{})...)
	}
	if err == nil {
		err = sp.say("response.content_part.done", append(place, "part", part(text))...)
	}
	return text, err
}

func (sp *speaker) reasoning(place []any, i Item) (string, error) {
	if i.Text == "" {
		return "", nil
	}
	before := sp.deltas
	defer func() { sp.thought += sp.deltas - before }()
	if i.Raw {
		place = append(place, "content_index", 0)
		text, err := sp.deltasOf(i, "response.reasoning_text.delta", place, false)
		if err == nil {
			err = sp.say("response.reasoning_text.done", append(place, "text", text)...)
		}
		return text, err
	}
	place = append(place, "summary_index", 0)
	if err := sp.say("response.reasoning_summary_part.added",
		append(place, "part", obj("type", "summary_text", "text", ""))...); err != nil {
		return "", err
	}
	text, err := sp.deltasOf(i, "response.reasoning_summary_text.delta", place, false)
	if err == nil {
		err = sp.say("response.reasoning_summary_text.done", append(place, "text", text)...)
	}
	if err == nil {
		err = sp.say("response.reasoning_summary_part.done",
			append(place, "part", obj("type", "summary_text", "text", text))...)
	}
	return text, err
}

// deltasOf sends the item's chunks, and those that a fault adds to the last item.
func (sp *speaker) deltasOf(i Item, name string, place []any, last bool) (string, error) {
	var all strings.Builder
	delta := func(text string) error {
		if sp.a.Fault.Kind != Flood {
			all.WriteString(text)
		}
		sp.deltas++
		rest := append(place[:len(place):len(place)], "delta", text)
		if name == "response.output_text.delta" {
			rest = append(rest, "logprobs", []any{})
		}
		return sp.say(name, rest...)
	}
	for _, c := range i.chunks(sp.rnd) {
		if err := sp.pause(); err != nil {
			return "", err
		}
		if err := delta(c); err != nil {
			return "", err
		}
	}
	if last {
		if err := sp.more(delta); err != nil {
			return "", err
		}
	}
	return all.String(), nil
}

// form is an item as the wire shows it.
func (sp *speaker) form(i Item, id, text, status string) object {
	switch i.Kind {
	case "function_call":
		return obj("id", id, "type", i.Kind, "status", status, "arguments", text, "call_id", i.CallID, "name", i.Name)
	case "custom_tool_call":
		return obj("id", id, "type", i.Kind, "status", status, "call_id", i.CallID, "input", text, "name", i.Name)
	case "reasoning":
		o := obj("id", id, "type", i.Kind)
		if sp.s.Caps.Encrypted && strings.Contains(string(encode(sp.r.Params["include"])), "reasoning.encrypted_content") {
			o = o.with("encrypted_content", "gAAAAA"+id)
		}
		summary, content := []object{}, []object{}
		if text != "" && i.Raw {
			content = append(content, obj("type", "reasoning_text", "text", text))
		} else if text != "" {
			summary = append(summary, obj("type", "summary_text", "text", text))
		}
		if i.Raw {
			o = o.with("content", content)
		}
		return o.with("summary", summary)
	}
	content := []object{}
	if text != "" || status != "in_progress" {
		content = append(content, obj("type", "output_text", "annotations", []any{}, "logprobs", []any{}, "text", text))
	}
	return obj("id", id, "type", "message", "status", status, "content", content, "role", "assistant")
}
