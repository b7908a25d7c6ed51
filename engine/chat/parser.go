package chat

import (
	"encoding/json"
	"strings"

	"waferpair/engine/model"
	"waferpair/engine/responses"
)

// Parser makes deltas of an answer's text, whatever the places where it is cut into parts. Text
// that is no call passes through as it comes, except what could be the beginning of one.
type Parser struct {
	form  Form
	tools map[string]model.Tool
	newID func() string

	out  []model.Delta
	at   int        // place of the open item, or of the next one
	open model.Kind // of the open item; "": none

	thought  model.Thinking
	answered bool // no thought can begin any more
	state    state
	held     string // text that is not decided yet
	after    bool   // a call has ended, and only space has come since

	args   arguments
	unwrap *responses.Unwrapper // of a freeform tool
}

type state int

const (
	inText   state = iota
	inHead         // of a call, before its arguments
	inArgs         // of a call
	inTail         // of a call, behind its arguments
	inBroken       // a call in ChatML that does not begin as expected: it waits for its end
	allText        // no call can begin any more
)

// Parser returns the parser of the answer to a prompt. newID returns a new id for each call.
func (p *Prompt) Parser(newID func() string) *Parser {
	q := &Parser{form: p.form, tools: map[string]model.Tool{}, newID: newID}
	for _, t := range p.tools {
		q.tools[t.Name] = t
	}
	if len(p.tools) == 0 {
		q.state = allText
	}
	switch i := p.open; {
	case i.Kind == model.Reasoning:
		q.thought.Push(strings.TrimSuffix(thoughtStart, "\n"))
	case i.Kind == model.Message:
		q.answered = true
		if q.form.family == llama3 && strings.TrimSpace(i.Text()) != "" {
			q.state = allText
		}
	case i.Kind.IsCall():
		q.answered = true
		q.goOn(i)
	}
	return q
}

// goOn begins within the arguments of a call.
func (p *Parser) goOn(i model.Item) {
	p.beginCall(i)
	p.state = inArgs
	have := argumentsOf(i, true)
	if p.unwrap != nil {
		p.unwrap.Push(have)
	}
	if _, ended := p.args.push(have); ended {
		p.close()
		p.state, p.after = inTail, true
	}
}

// Add returns the deltas of more text.
func (p *Parser) Add(text string) []model.Delta {
	if p.answered {
		p.answer(text)
		return p.taken()
	}
	thought, answer := p.thought.Push(text)
	if thought != "" {
		p.say(model.Reasoning, thought)
	}
	if answer != "" {
		p.answer(answer)
	}
	return p.taken()
}

// taken returns the deltas that nobody has yet.
func (p *Parser) taken() []model.Delta {
	out := p.out
	p.out = nil
	return out
}

// End returns the deltas of an answer's end: what was held back, and the end of the open item. An
// answer that is cut has no end; its open item stays open.
func (p *Parser) End() []model.Delta {
	if !p.answered {
		thought, answer := p.thought.Close()
		if thought != "" {
			p.say(model.Reasoning, thought)
		}
		if answer != "" {
			p.answer(answer)
		}
	}
	switch p.state {
	case inHead, inBroken:
		p.wholeCall(p.held, "")
	case inText, allText:
		p.words(p.held)
	case inArgs:
		p.out = append(p.out, model.End{At: p.at, Item: model.Item{Status: model.Incomplete}})
		p.open = ""
	case inTail:
	}
	p.held = ""
	p.close()
	return p.taken()
}

// say adds text to an item of a kind, which it begins if need be.
func (p *Parser) say(kind model.Kind, text string) {
	if p.open != kind {
		i := model.Item{Kind: kind}
		if kind == model.Message {
			i.Role = model.RoleAssistant
		}
		p.begin(i)
	}
	p.out = append(p.out, model.Text{At: p.at, Text: text})
}

func (p *Parser) begin(i model.Item) {
	p.close()
	p.open = i.Kind
	p.out = append(p.out, model.Begin{At: p.at, Item: i})
}

func (p *Parser) close() {
	if p.open != "" {
		p.out = append(p.out, model.End{At: p.at})
		p.open = ""
		p.at++
	}
}

// words adds text of a message. Spaces around calls belong to their form.
func (p *Parser) words(text string) {
	if p.after {
		text = strings.TrimLeft(text, " \r\n\t")
	}
	if text != "" {
		p.after = false
		p.say(model.Message, text)
	}
}

// answer takes text behind the thought. Each step takes a part of what is held, until one waits for
// more.
func (p *Parser) answer(text string) {
	p.held += text
	for p.step() {
	}
}

func (p *Parser) step() (more bool) {
	switch p.state {
	case inText:
		if p.form.family == llama3 {
			return p.llamaText()
		}
		return p.chatmlText()
	case inHead:
		return p.head()
	case inArgs:
		return p.arguments()
	case inTail:
		return p.tail()
	case inBroken:
		if call, rest, ended := strings.Cut(p.held, callEnds); ended {
			p.held, p.state = rest, inText
			p.wholeCall(call, callEnds)
			return true
		}
	case allText:
		p.words(p.held)
		p.held = ""
	}
	return false
}

// chatmlText passes text on up to a <tool_call>, without the newline before it.
func (p *Parser) chatmlText() bool {
	if before, rest, begins := strings.Cut(p.held, callBegins); begins {
		p.words(strings.TrimSuffix(before, "\n"))
		p.held, p.state = rest, inHead
		return true
	}
	keep := max(beginsAtEnd(p.held, callBegins), beginsAtEnd(p.held, "\n"+callBegins))
	p.words(p.held[:len(p.held)-keep])
	p.held = p.held[len(p.held)-keep:]
	return false
}

// beginsAtEnd returns how many bytes at the end of a text may be the beginning of a marker.
func beginsAtEnd(text, marker string) int {
	for n := min(len(text), len(marker)-1); n > 0; n-- {
		if strings.HasSuffix(text, marker[:n]) {
			return n
		}
	}
	return 0
}

// pythonTag begins a call in some answers of Llama 3.1. It is a control token, so it is in the text only
// when the caller shows their names.
const pythonTag = "<|python_tag|>"

// llamaText passes text on that begins with anything but a call: a bare object of JSON.
func (p *Parser) llamaText() bool {
	text := strings.TrimLeft(p.held, " \r\n\t")
	if p.after {
		text = strings.TrimLeft(text, "; \r\n\t")
		p.held = text
	}
	switch {
	case text == "" || strings.HasPrefix(pythonTag, text):
		return false
	case strings.HasPrefix(text, pythonTag):
		p.held = text[len(pythonTag):]
		return true
	case text[0] == '{':
		p.state = inHead
	default:
		p.state = allText
	}
	return true
}

// head waits for the name of a call and the beginning of its arguments.
func (p *Parser) head() bool {
	if p.form.family == chatml {
		if call, rest, ended := strings.Cut(p.held, callEnds); ended && verdictOf(call) != headWhole {
			p.held, p.state = rest, inText
			p.wholeCall(call, callEnds)
			return true
		}
	}
	name, n, verdict := readHead(p.held)
	switch verdict {
	case headOpen:
		return false
	case headWhole:
		kind := model.FunctionCall
		if t, ok := p.tools[name]; ok && responses.IsFreeform(t) {
			kind = model.CustomCall
		}
		p.beginCall(model.Item{Kind: kind, CallID: p.newID(), Name: name})
		p.held, p.state = p.held[n:], inArgs
	case headWrong:
		if p.state = inBroken; p.form.family == llama3 {
			p.state = allText
		}
	}
	return true
}

func verdictOf(text string) headVerdict {
	_, _, verdict := readHead(text)
	return verdict
}

func (p *Parser) beginCall(i model.Item) {
	p.args, p.unwrap = arguments{}, nil
	if i.Kind == model.CustomCall {
		p.unwrap = &responses.Unwrapper{}
	}
	p.begin(model.Item{Kind: i.Kind, CallID: i.CallID, Name: i.Name})
}

// arguments passes the arguments on up to their end.
func (p *Parser) arguments() bool {
	n, ended := p.args.push(p.held)
	text := p.held[:n]
	p.held = p.held[n:]
	if p.unwrap != nil {
		text = p.unwrap.Push(text)
	}
	if text != "" {
		p.out = append(p.out, model.Text{At: p.at, Text: text})
	}
	if !ended {
		return false
	}
	p.close()
	p.state, p.after = inTail, true
	return true
}

// tail drops what is between the arguments of a call and its end, and the end. Without one, too, the
// model goes on.
func (p *Parser) tail() bool {
	if p.form.family == llama3 {
		p.held = strings.TrimLeft(p.held, " \r\n\t")
		if p.held == "" {
			return false
		}
		p.held, p.state = strings.TrimPrefix(p.held, "}"), inText
		return true
	}
	p.held = strings.TrimLeft(p.held, "} \r\n\t")
	if strings.HasPrefix(callEnds, p.held) && p.held != callEnds {
		return false
	}
	p.held, p.state = strings.TrimPrefix(p.held, callEnds), inText
	return true
}

// wholeCall reads a call that is complete and not as expected: with its fields in another order, or
// arguments as a text. What is no call at all is text.
func (p *Parser) wholeCall(call, end string) {
	var of struct {
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
	}
	if err := json.Unmarshal([]byte(call), &of); err != nil || of.Name == "" {
		if p.form.family == chatml {
			call = callBegins + call + end
		}
		p.words(call)
		return
	}
	input := string(of.Arguments)
	if input == "" {
		input = string(of.Parameters)
	}
	var text string
	if json.Unmarshal([]byte(input), &text) == nil {
		input = text
	}
	kind := model.FunctionCall
	if t, ok := p.tools[of.Name]; ok && responses.IsFreeform(t) {
		kind = model.CustomCall
		if text, err := responses.Unwrap(input); err == nil {
			input = text
		}
	}
	p.begin(model.Item{Kind: kind, CallID: p.newID(), Name: of.Name})
	if input != "" {
		p.out = append(p.out, model.Text{At: p.at, Text: input})
	}
	p.close()
	p.after = true
}
