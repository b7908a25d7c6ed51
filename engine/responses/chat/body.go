package chat

import (
	"bytes"
	"encoding/json"

	"waferpair/engine/model"
)

// body is a request.
type body struct {
	Model      string     `json:"model"`
	Messages   []message  `json:"messages"`
	Tools      []tool     `json:"tools,omitempty"`
	ToolChoice any        `json:"tool_choice,omitempty"`
	Stream     bool       `json:"stream"`
	Options    streamOpts `json:"stream_options"`
	MaxTokens  int        `json:"max_completion_tokens,omitempty"`
	Temp       *float64   `json:"temperature,omitempty"`
	TopP       *float64   `json:"top_p,omitempty"`
	Seed       *int64     `json:"seed,omitempty"`
	Stop       []string   `json:"stop,omitempty"`
	Effort     string     `json:"reasoning_effort,omitempty"`
}

type streamOpts struct {
	Usage bool `json:"include_usage"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	CallID  string `json:"tool_call_id,omitempty"`
	Calls   []call `json:"tool_calls,omitempty"`

	program bool // some of it are the program's words, not the user's
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string       `json:"type"`
	Function functionTool `json:"function"`
}

type functionTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// wrapped is the schema of a freeform tool: its input is one argument.
var wrapped = json.RawMessage(
	`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)

// bodyOf returns the request for a prompt. Equal prompts have equal bytes.
func bodyOf(id string, p model.Prompt) ([]byte, error) {
	b := body{Model: id, Messages: messages(p.Items), Stream: true, Options: streamOpts{true},
		MaxTokens: p.Options.MaxTokens, Temp: p.Options.Temperature, TopP: p.Options.TopP, Seed: p.Options.Seed,
		Stop: p.Options.Stop, Effort: p.Options.Effort}
	for _, t := range p.Tools {
		f := functionTool{t.Name, t.Description, t.Schema}
		if t.Format != nil {
			f.Parameters = wrapped
			f.Description += "\nThe argument input is the whole text. It matches this grammar (" + t.Format.Syntax + "):\n" +
				t.Format.Text
		}
		b.Tools = append(b.Tools, tool{"function", f})
	}
	switch {
	case len(p.Tools) == 0 || p.ToolChoice == "" || p.ToolChoice == model.ToolAuto:
	case p.ToolChoice == model.ToolNone || p.ToolChoice == model.ToolRequired:
		b.ToolChoice = p.ToolChoice
	default:
		b.ToolChoice = map[string]any{"type": "function", "function": map[string]string{"name": p.ToolChoice}}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(b)
	return out.Bytes(), err
}

// messages are the items as messages: calls are part of the assistant's message before them. A call
// without an output, which servers refuse, is left out, as is an output without a call.
func messages(items []model.Item) (out []message) {
	paired := map[string]int{}
	for _, i := range items {
		if i.Kind.IsCall() {
			paired[i.CallID] |= 1
		} else if i.Kind.IsOutput() {
			paired[i.CallID] |= 2
		}
	}
	for _, i := range items {
		switch {
		case i.Kind == model.Message:
			out = added(out, message{Role: i.Role, Content: i.Text()})
		case i.Kind.IsCall() && paired[i.CallID] == 3:
			if len(out) == 0 || out[len(out)-1].Role != model.RoleAssistant {
				out = append(out, message{Role: model.RoleAssistant})
			}
			last := &out[len(out)-1]
			last.Calls = append(last.Calls, call{i.CallID, "function", function{i.Name, arguments(i)}})
		case i.Kind.IsOutput() && paired[i.CallID] == 3:
			out = append(out, message{Role: "tool", CallID: i.CallID, Content: i.Text()})
		}
	}
	return out
}

// added adds a message. Many servers take one system message, at the beginning, and then the roles
// in turn: what the program says first is one message, and what it says later is joined to the user's
// words beside it.
func added(out []message, m message) []message {
	if m.Role == model.RoleDeveloper {
		m.Role = model.RoleSystem // the older name, which all servers know
	}
	n := len(out) - 1
	m.program = m.Role == model.RoleSystem
	if m.program && n >= 0 && out[n].Role != model.RoleSystem {
		m.Role = model.RoleUser
	}
	if n >= 0 && out[n].Role == m.Role && (m.program || out[n].program) {
		out[n].Content += "\n\n" + m.Content
		out[n].program = true
		return out
	}
	return append(out, m)
}

// arguments are a call's, with freeform input in its argument.
func arguments(i model.Item) string {
	if i.Kind == model.FunctionCall {
		if i.Input == "" || !json.Valid([]byte(i.Input)) {
			return "{}" // servers parse it
		}
		return i.Input
	}
	b, err := json.Marshal(map[string]string{"input": i.Input})
	if err != nil {
		return "{}" // strings always marshal
	}
	return string(b)
}
