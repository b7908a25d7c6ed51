package responses

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	"waferpair/engine/model"
)

type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
	Format      *grammar        `json:"format,omitempty"`
}

type grammar struct {
	Type       string `json:"type"`
	Syntax     string `json:"syntax,omitempty"`
	Definition string `json:"definition,omitempty"`
}

type choice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// tools adds the tools and their choice.
func (s *settings) tools(p model.Prompt, d Dialect) error {
	custom := map[string]bool{}
	for _, t := range p.Tools {
		custom[t.Name] = IsFreeform(t) && d.Freeform
		b, err := encodeTool(t, d)
		if err != nil {
			return err
		}
		s.Tools = append(s.Tools, b)
	}
	switch c := p.ToolChoice; {
	case len(p.Tools) == 0 || c == "":
	case c == model.ToolAuto || c == model.ToolNone || c == model.ToolRequired:
		s.ToolChoice = c
	case custom[c]:
		s.ToolChoice = choice{"custom", c}
	default:
		s.ToolChoice = choice{"function", c}
	}
	return nil
}

func encodeTool(t model.Tool, d Dialect) (json.RawMessage, error) {
	w := tool{Type: "function", Name: t.Name, Description: t.Description}
	switch {
	case IsFreeform(t) && d.Freeform:
		w.Type = "custom"
		if f := t.Format; f.Syntax == model.Lark || f.Syntax == model.Regex {
			w.Format = &grammar{"grammar", f.Syntax, f.Text}
		} else {
			w.Format = &grammar{Type: "text"}
		}
	default:
		parameters, err := Parameters(t)
		if err != nil {
			return nil, err
		}
		no := false
		w.Parameters, w.Strict = parameters, &no
		if IsFreeform(t) {
			w.Description += "\nThe argument input is the whole text. It matches this grammar (" + t.Format.Syntax + "):\n" +
				t.Format.Text
		}
	}
	return marshal(w)
}

// IsFreeform reports whether the input of a tool is a text instead of JSON.
func IsFreeform(t model.Tool) bool { return t.Format != nil }

// inputSchema is the argument of a freeform tool for servers that only have functions.
const inputSchema = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`

// Parameters returns the JSON Schema of a tool's arguments as a function.
func Parameters(t model.Tool) (json.RawMessage, error) {
	switch {
	case IsFreeform(t):
		return json.RawMessage(inputSchema), nil
	case len(t.Schema) == 0:
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	case !json.Valid(t.Schema):
		return nil, fmt.Errorf("encode the tool %q: the schema of its arguments is not JSON", t.Name)
	}
	return t.Schema, nil
}

// Wrapped returns the names of the tools whose input a server without freeform tools wraps
// in JSON.
func Wrapped(tools []model.Tool) map[string]bool {
	var out map[string]bool
	for _, t := range tools {
		if IsFreeform(t) {
			if out == nil {
				out = map[string]bool{}
			}
			out[t.Name] = true
		}
	}
	return out
}

// cacheKey is the same for all prompts that begin alike, which a server then sends to the
// same machine.
func cacheKey(id string, items []model.Item) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // a hash never fails
	if len(items) > 0 {
		_, _ = h.Write([]byte(items[0].Text())) // nor here
	}
	return fmt.Sprintf("%016x", h.Sum64()) // sent with each request: no longer than it has to be
}
