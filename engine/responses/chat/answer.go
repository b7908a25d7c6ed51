package chat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/responses"
)

// answer turns chunks into deltas. Words and thought follow each other; calls may be open beside them.
type answer struct {
	yield    func(model.Delta) error
	freeform map[string]bool // tools whose input is wrapped
	timing   map[model.Phase]time.Duration
	first    func() // called at the first text
	items    int    // of the prompt

	open    model.Kind // message or reasoning; "": neither
	openAt  int
	next    int // place of the next item
	think   model.Thinking
	words   [2]responses.Pieces // the pieces of words, and of thought
	reading []*reading          // the calls of the answer
	began   bool
	chunks  int
	bytes   int
	reason  string
	over    bool // the server says so, with or without a reason
	usage   *model.Usage
	unsent  bool // there was no stream: nothing was used
}

func newAnswer(p model.Prompt, yield func(model.Delta) error) *answer {
	a := &answer{yield: yield, freeform: map[string]bool{}, timing: map[model.Phase]time.Duration{}, items: len(p.Items)}
	for _, t := range p.Tools {
		a.freeform[t.Name] = t.Format != nil
	}
	return a
}

// take takes a chunk.
func (a *answer) take(c chunk) error {
	if u := c.Usage; u != nil {
		a.usage = &model.Usage{Input: int(u.Input), Cached: int(u.In.Cached), Output: int(u.Output),
			Reasoning: int(u.Out.Reasoning)}
	}
	for _, c := range c.Choices {
		if c.Index != 0 {
			continue // one answer was asked for
		}
		for _, s := range []saying{c.Delta, c.Message} {
			if err := a.said(s); err != nil {
				return err
			}
		}
		a.reason = cmp.Or(c.Reason, a.reason)
	}
	return nil
}

// said takes what a message says.
func (a *answer) said(s saying) error {
	thought := s.Reasoning
	if none(thought) || string(thought) == `""` {
		thought = s.Thought
	}
	if err := a.thought(thought); err != nil {
		return err
	}
	for _, words := range []json.RawMessage{s.Content, s.Refusal} {
		if err := a.content(words); err != nil {
			return err
		}
	}
	for _, call := range s.Calls {
		if err := a.call(call); err != nil {
			return err
		}
	}
	if s.Function != nil {
		return a.call(calledTool{Function: *s.Function})
	}
	return nil
}

// thought takes thought: a text, or parts.
func (a *answer) thought(raw json.RawMessage) error {
	switch {
	case none(raw):
		return nil
	case isList(raw):
		return a.parts(raw, a.thought)
	case raw[0] != '"':
		return nil // a summary that is an object
	}
	text, err := a.words[1].Decode(raw)
	if err != nil {
		return err
	}
	return a.say(model.Reasoning, text)
}

// content takes words: a text, or parts.
func (a *answer) content(raw json.RawMessage) error {
	switch {
	case none(raw):
		return nil
	case isList(raw):
		return a.parts(raw, a.content)
	}
	text, err := a.words[0].Decode(raw)
	if err != nil {
		return err
	}
	return a.split(a.think.Push(text))
}

// parts takes a list of parts.
func (a *answer) parts(raw json.RawMessage, words func(json.RawMessage) error) error {
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if err := a.thought(p.Thinking); err != nil {
			return err
		}
		if err := words(p.Text); err != nil {
			return err
		}
	}
	return nil
}

// split says thought and words.
func (a *answer) split(thought, words string) error {
	if err := a.say(model.Reasoning, thought); err != nil {
		return err
	}
	return a.say(model.Message, words)
}

// say adds words or thought.
func (a *answer) say(kind model.Kind, text string) error {
	if text == "" {
		return nil
	}
	if a.open != kind {
		if err := a.settle(); err != nil {
			return err
		}
		i := model.Item{Kind: kind}
		if kind == model.Message {
			i.Role = model.RoleAssistant
		}
		at, err := a.begin(i)
		if err != nil {
			return err
		}
		a.open, a.openAt = kind, at
	}
	return a.add(a.openAt, text)
}

// call adds to a call of a tool. A name behind a whole call is another call.
func (a *answer) call(c calledTool) error {
	r := a.find(c)
	if r == nil || c.Function.Name != "" && r.json.whole() && (c.ID == "" || c.ID != r.id) {
		if c.Function.Name == "" {
			return nil // a piece of a call that never began
		}
		var err error
		if r, err = a.beginCall(c); err != nil {
			return err
		}
	}
	piece, err := r.piece(c.Function.Arguments)
	if err != nil || r.ended {
		return err
	}
	text := r.text(piece)
	if text == "" {
		return nil
	}
	return a.add(r.at, text)
}

// beginCall begins a call. The id of one without must not be that of another one of the conversation.
func (a *answer) beginCall(c calledTool) (*reading, error) {
	if err := a.settle(); err != nil {
		return nil, err
	}
	r := &reading{id: c.ID}
	if c.Index != nil {
		r.index = int(*c.Index)
	}
	i := model.Item{Kind: model.FunctionCall, CallID: clean(c.ID), Name: clean(c.Function.Name)}
	if i.CallID == "" {
		i.CallID = fmt.Sprintf("call_%d_%d", a.items, len(a.reading))
	}
	if a.freeform[c.Function.Name] {
		i.Kind, r.unwrap = model.CustomCall, &responses.Unwrapper{}
	}
	var err error
	if r.at, err = a.begin(i); err != nil {
		return nil, err
	}
	a.reading = append(a.reading, r)
	a.bytes += len(c.ID) + len(c.Function.Name)
	return r, nil
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

func (a *answer) begin(i model.Item) (at int, err error) {
	at = a.next
	a.next++
	i.Status = model.InProgress
	return at, a.yield(model.Begin{At: at, Item: i})
}

func (a *answer) add(at int, text string) error {
	if !a.began {
		a.began = true
		a.first()
	}
	a.chunks++
	a.bytes += len(text)
	return a.yield(model.Text{At: at, Text: text, Tokens: 1})
}

// settle ends what is open and whole.
func (a *answer) settle() error {
	if a.open != "" {
		a.open = ""
		if err := a.yield(model.End{At: a.openAt}); err != nil {
			return err
		}
	}
	for _, r := range a.reading {
		if r.ended || !r.json.whole() {
			continue
		}
		if err := a.endCall(r); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) endCall(r *reading) error {
	r.ended = true
	if text := r.rest(); text != "" {
		if err := a.add(r.at, text); err != nil {
			return err
		}
	}
	return a.yield(model.End{At: r.at})
}

// end ends all that is open: the answer has ended.
func (a *answer) end() error {
	if err := a.split(a.think.Close()); err != nil {
		return err
	}
	if err := a.settle(); err != nil {
		return err
	}
	for _, r := range a.reading {
		if r.ended {
			continue
		}
		if err := a.endCall(r); err != nil {
			return err
		}
	}
	return nil
}

// done reports whether the answer is complete: some servers give no reason.
func (a *answer) done() bool { return a.reason != "" || a.next > 0 && (a.over || a.usage != nil) }

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
	case len(a.reading) > 0:
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
