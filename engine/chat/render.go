package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"waferpair/engine/model"
	"waferpair/engine/responses"
)

// Segment is a part of a prompt.
type Segment struct {
	Text    string
	Control bool // Text is the name of a control token; otherwise names of control tokens in it are text
}

// Prompt is a conversation up to where the answer begins.
type Prompt struct {
	Segments []Segment
	// Ends are the names of the control tokens that end the answer, in addition to those of the
	// vocabulary.
	Ends []string

	form  Form
	tools []model.Tool
	open  model.Item // the incomplete last item
}

// Options are choices of a request.
type Options struct {
	NoThought bool // of a model that thinks: it answers at once
}

// Text returns the whole prompt, for people.
func (p *Prompt) Text() string {
	var b strings.Builder
	for _, s := range p.Segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Render returns the prompt of a conversation.
func (f Form) Render(items []model.Item, tools []model.Tool, o Options) (*Prompt, error) {
	if len(tools) > 0 && f.calls != "" {
		return nil, fmt.Errorf("render the prompt: %s: choose no tools, or another model", f.calls)
	}
	p := &Prompt{form: f, tools: tools}
	c, err := f.conversationOf(items)
	if err != nil {
		return nil, fmt.Errorf("render the prompt: %w", err)
	}
	described, err := describe(tools)
	if err != nil {
		return nil, fmt.Errorf("render the prompt: %w", err)
	}
	if n := len(items); n > 0 && items[n-1].Status == model.Incomplete && continues(items[n-1]) {
		p.open = items[n-1]
	}
	w := writer{p: p}
	switch f.family {
	case chatml:
		p.Ends = []string{"<|im_end|>", "<|endoftext|>"}
		w.chatml(c, described, o)
	case llama3:
		p.Ends = []string{"<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"}
		w.llama3(c, described)
	default:
		return nil, errors.New("render the prompt: no chat template is chosen")
	}
	return p, nil
}

// continues reports whether an item is the model's own, so that it can go on writing it.
func continues(i model.Item) bool {
	return i.Kind.IsCall() || i.Kind == model.Reasoning || i.Kind == model.Message && i.Role == model.RoleAssistant
}

// turn is what one role says at once.
type turn struct {
	role    string // system, user, assistant, tool
	text    string
	thought string
	calls   []model.Item
	results []string // of role tool
	current bool     // after the user's last message
}

// conversationOf groups items into turns: thought, words and calls of the model in that order are
// one, outputs that follow each other are one.
func (f Form) conversationOf(items []model.Item) ([]turn, error) {
	var list []turn
	last := func(role string) *turn {
		if n := len(list); n > 0 && list[n-1].role == role {
			return &list[n-1]
		}
		list = append(list, turn{role: role})
		return &list[len(list)-1]
	}
	for _, i := range items {
		words, err := wordsOf(i)
		if err != nil {
			return nil, err
		}
		switch {
		case i.Kind == model.Message && i.Role == model.RoleAssistant:
			t := last("assistant")
			if t.text != "" || len(t.calls) > 0 {
				list = append(list, turn{role: "assistant"})
				t = &list[len(list)-1]
			}
			t.text = words
		case i.Kind == model.Message:
			role := i.Role
			if role != model.RoleUser {
				role = "system"
			}
			list = append(list, turn{role: role, text: words})
		case i.Kind == model.Reasoning:
			t := last("assistant")
			if t.text != "" || len(t.calls) > 0 {
				list = append(list, turn{role: "assistant"})
				t = &list[len(list)-1]
			}
			t.thought += words
		case i.Kind.IsCall():
			t := last("assistant")
			t.calls = append(t.calls, i)
		case i.Kind.IsOutput():
			t := last("tool")
			t.results = append(t.results, words)
		}
	}
	for n := len(list) - 1; n >= 0 && list[n].role != "user"; n-- {
		list[n].current = true
	}
	return list, nil
}

// wordsOf returns the text of an item. Summaries of thought are for people.
func wordsOf(i model.Item) (string, error) {
	if i.Kind.IsCall() {
		return i.Input, nil
	}
	var b strings.Builder
	for _, part := range i.Parts {
		switch part.Kind {
		case model.InputImage, model.InputFile:
			return "", fmt.Errorf("the conversation has an %s, and this model reads only text: leave it out", part.Kind)
		case model.SummaryText:
		case model.InputText, model.OutputText, model.RefusalText, model.ReasoningText:
			b.WriteString(part.Text)
		}
	}
	return b.String(), nil
}

// writer adds segments to a prompt.
type writer struct{ p *Prompt }

func (w writer) control(name string) {
	w.p.Segments = append(w.p.Segments, Segment{name, true})
}

// plain adds text, to the last segment if that is text too: tokens depend on where text is cut.
func (w writer) plain(parts ...string) {
	text := strings.Join(parts, "")
	if text == "" {
		return
	}
	if n := len(w.p.Segments); n > 0 && !w.p.Segments[n-1].Control {
		w.p.Segments[n-1].Text += text
		return
	}
	w.p.Segments = append(w.p.Segments, Segment{text, false})
}

// openIs reports whether a call, or the last text of a kind, is the item that goes on.
func (w writer) openIs(kind model.Kind) bool { return w.p.open.Kind == kind }

// describe returns the tools as JSON in the form of OpenAI's chat completions, on which models
// were trained.
func describe(tools []model.Tool) ([]string, error) {
	var list []string
	for _, t := range tools {
		parameters, err := responses.Parameters(t)
		if err != nil {
			return nil, err
		}
		description := t.Description
		if responses.IsFreeform(t) {
			description += "\nThe argument input is the whole text. It matches this grammar (" + t.Format.Syntax + "):\n" +
				t.Format.Text
		}
		list = append(list, `{"type": "function", "function": {"name": `+quoted(t.Name)+`, "description": `+
			quoted(description)+`, "parameters": `+spaced(parameters)+`}}`)
	}
	return list, nil
}

// quoted returns a text as JSON, with the characters of HTML as they are.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // strings have an encoding
	return strings.TrimSuffix(b.String(), "\n")
}

// spaced returns JSON in one line with spaces after commas and colons, as Python writes it.
func spaced(raw []byte) string {
	var b strings.Builder
	quote, escaped := false, false
	for _, c := range raw {
		switch {
		case quote:
			b.WriteByte(c)
			if c == '"' && !escaped {
				quote = false
			}
			escaped = c == '\\' && !escaped
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
		default:
			b.WriteByte(c)
			if quote = c == '"'; c == ',' || c == ':' {
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// argumentsOf returns the arguments of a call as JSON. Those of an open call may be incomplete.
func argumentsOf(i model.Item, open bool) string {
	switch {
	case i.Kind == model.CustomCall && open:
		text := quoted(i.Input)
		return inputBegins + text[1:len(text)-1]
	case i.Kind == model.CustomCall:
		return inputBegins + strings.TrimPrefix(quoted(i.Input), `"`) + "}"
	case i.Input == "" && !open:
		return "{}"
	}
	return i.Input
}

// inputBegins is the beginning of the arguments of a freeform tool.
const inputBegins = `{"input": "`
