package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"waferpair/engine/model"
)

// event is a chunk of a stream.
type event struct {
	Choices []struct {
		Delta struct {
			Content   string `json:"content"`
			Refusal   string `json:"refusal"`
			Reasoning string `json:"reasoning"`
			Thought   string `json:"reasoning_content"`
			Calls     []struct {
				Index    int      `json:"index"`
				ID       string   `json:"id"`
				Function function `json:"function"`
			} `json:"tool_calls"`
		} `json:"delta"`
		Reason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Input  int `json:"prompt_tokens"`
		Output int `json:"completion_tokens"`
		In     struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		Out struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// answer turns chunks into deltas. One item is open at a time.
type answer struct {
	yield    func(model.Delta) error
	freeform map[string]bool // tools whose input is wrapped
	timing   map[model.Phase]time.Duration
	first    func() // called at the first text

	open   *model.Item // nil: none
	at     int         // of the next item
	index  int         // of the open call
	input  *unwrap     // of the open freeform call
	began  bool
	calls  int
	chunks int
	bytes  int
	reason string
	usage  *model.Usage
	unsent bool // there was no stream: nothing was used
}

func newAnswer(p model.Prompt, yield func(model.Delta) error) *answer {
	a := &answer{yield: yield, freeform: map[string]bool{}, timing: map[model.Phase]time.Duration{}}
	for _, t := range p.Tools {
		a.freeform[t.Name] = t.Format != nil
	}
	return a
}

// take takes a chunk.
func (a *answer) take(e event) error {
	if u := e.Usage; u != nil {
		a.usage = &model.Usage{Input: u.Input, Cached: u.In.Cached, Output: u.Output, Reasoning: u.Out.Reasoning}
	}
	for _, c := range e.Choices {
		if err := a.say(model.Reasoning, c.Delta.Reasoning+c.Delta.Thought); err != nil {
			return err
		}
		if err := a.say(model.Message, c.Delta.Content+c.Delta.Refusal); err != nil {
			return err
		}
		for _, call := range c.Delta.Calls {
			if err := a.call(call.Index, call.ID, call.Function); err != nil {
				return err
			}
		}
		if c.Reason != "" {
			a.reason = c.Reason
		}
	}
	return nil
}

// say adds words or thought.
func (a *answer) say(kind model.Kind, text string) error {
	if text == "" {
		return nil
	}
	if a.open == nil || a.open.Kind != kind {
		i := model.Item{Kind: kind}
		if kind == model.Message {
			i.Role = model.RoleAssistant
		}
		if err := a.begin(i); err != nil {
			return err
		}
	}
	return a.add(text)
}

// call adds to a call of a tool; another index, or another id, is another call.
func (a *answer) call(index int, id string, f function) error {
	same := a.open != nil && a.open.Kind.IsCall() && a.index == index && (id == "" || id == a.open.CallID)
	if !same {
		if f.Name == "" {
			return nil // a piece of a call that never began
		}
		kind := model.FunctionCall
		if a.freeform[f.Name] {
			kind = model.CustomCall
		}
		if id == "" {
			id = fmt.Sprintf("call_%d", a.calls)
		}
		if err := a.begin(model.Item{Kind: kind, CallID: clean(id), Name: clean(f.Name)}); err != nil {
			return err
		}
		a.calls++
		a.bytes += len(id) + len(f.Name)
		a.index, a.input = index, nil
		if kind == model.CustomCall {
			a.input = &unwrap{}
		}
	}
	text := f.Arguments
	if a.input != nil {
		text = a.input.push(text)
	}
	if text == "" {
		return nil
	}
	return a.add(text)
}

// clean removes control characters of a name, which would be shown.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

func (a *answer) begin(i model.Item) error {
	if err := a.end(); err != nil {
		return err
	}
	i.Status = model.InProgress
	if err := a.yield(model.Begin{At: a.at, Item: i}); err != nil {
		return err
	}
	a.open = &i
	return nil
}

func (a *answer) add(text string) error {
	if !a.began {
		a.began = true
		a.first()
	}
	a.chunks++
	a.bytes += len(text)
	return a.yield(model.Text{At: a.at, Text: text, Tokens: 1})
}

// end closes the open item.
func (a *answer) end() error {
	if a.open == nil {
		return nil
	}
	a.open = nil
	at := a.at
	a.at++
	return a.yield(model.End{At: at})
}

// done reports whether the answer is complete without a reason: some servers give none.
func (a *answer) done() bool { return a.usage != nil && a.at > 0 }

// result is what is known at the end, also of a cut answer.
func (a *answer) result(p model.Prompt, err error) model.Result {
	r := model.Result{Stop: model.StopEnd, Timing: a.timing}
	if a.unsent {
		return model.Result{Stop: model.StopCut}
	}
	if a.usage != nil {
		r.Usage = *a.usage
	} else {
		r.Usage = model.Usage{Input: guess(p), Output: a.chunks, Estimated: true}
	}
	switch {
	case err != nil:
		r.Stop = model.StopCut
	case a.reason == "length":
		r.Stop = model.StopLength
	case a.reason == "content_filter":
		r.Stop = model.StopFilter
	case a.calls > 0:
		r.Stop = model.StopTools
	}
	return r
}

// guess counts the tokens of a prompt, at four bytes each.
func guess(p model.Prompt) int {
	n := 0
	for _, i := range p.Items {
		n += len(i.Text())
	}
	return n / 4
}
