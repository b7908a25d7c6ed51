package responses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"waferpair/engine/model"
)

// Dialect is what a server understands beyond what all of them do.
type Dialect struct {
	Freeform  bool // tools of type custom; otherwise they are function{input}
	Encrypted bool // reasoning comes back encrypted, to be sent again
	CacheKey  bool // prompt_cache_key
	Developer bool // messages of the developer anywhere; otherwise the first ones are instructions, later ones the user's
}

// Request is a prompt in a dialect: its settings, and the items that it sends.
type Request struct {
	Settings []byte       // the members of the body except for the input: `"model":"m","store":false`
	Items    []model.Item // the input, in the form of the dialect
	From     []int        // of each item, its index in the prompt
}

type settings struct {
	Model        string            `json:"model"`
	Store        bool              `json:"store"`
	Instructions string            `json:"instructions,omitempty"`
	Tools        []json.RawMessage `json:"tools,omitempty"`
	ToolChoice   any               `json:"tool_choice,omitempty"`
	Parallel     *bool             `json:"parallel_tool_calls,omitempty"`
	MaxTokens    int               `json:"max_output_tokens,omitempty"`
	Temperature  *float64          `json:"temperature,omitempty"`
	TopP         *float64          `json:"top_p,omitempty"`
	Logprobs     int               `json:"top_logprobs,omitempty"`
	Reasoning    *effort           `json:"reasoning,omitempty"`
	Text         *answer           `json:"text,omitempty"`
	Include      []string          `json:"include,omitempty"`
	CacheKey     string            `json:"prompt_cache_key,omitempty"`
}

type effort struct {
	Effort string `json:"effort"`
}

type answer struct {
	Format format `json:"format"`
}

type format struct {
	Type   string          `json:"type"`
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// Encode returns the request for a prompt to the model with an id.
func Encode(p model.Prompt, id string, d Dialect) (Request, error) {
	var r Request
	s := settings{Model: id, MaxTokens: p.Options.MaxTokens, Temperature: p.Options.Temperature,
		TopP: p.Options.TopP, Logprobs: p.Options.Logprobs}
	if len(p.Options.Stop) > 0 {
		return r,
			fmt.Errorf("encode the prompt: the Responses API has no stop texts; leave them out, or set wire_api = \"chat\"")
	}
	if p.Options.Effort != "" {
		s.Reasoning = &effort{p.Options.Effort}
	}
	if p.Options.Logprobs > 0 {
		s.Include = append(s.Include, "message.output_text.logprobs")
	}
	if d.Encrypted {
		s.Include = append(s.Include, "reasoning.encrypted_content")
	}
	if p.Answer != nil {
		schema, err := Schema(*p.Answer)
		if err != nil {
			return r, err
		}
		s.Text = &answer{format{Type: "json_schema", Name: "answer", Schema: schema, Strict: true}}
	}
	if err := s.tools(p, d); err != nil {
		return r, err
	}
	var first int
	s.Instructions, first = instructions(p.Items, d)
	r.Items, r.From = input(p.Items, first, d)
	if d.CacheKey {
		s.CacheKey = cacheKey(id, r.Items)
	}
	b, err := marshal(s)
	if err != nil {
		return r, fmt.Errorf("encode the prompt: %w", err)
	}
	r.Settings = b[1 : len(b)-1]
	return r, nil
}

// Schema returns the JSON Schema that an answer must match; other formats are an error.
func Schema(f model.Format) (json.RawMessage, error) {
	if f.Syntax != model.JSONSchema {
		return nil, fmt.Errorf("encode the prompt: a server cannot hold an answer to a format of type %s; use %s",
			f.Syntax, model.JSONSchema)
	}
	if !json.Valid([]byte(f.Text)) {
		return nil, fmt.Errorf("encode the prompt: the JSON Schema of the answer is not JSON")
	}
	return json.RawMessage(f.Text), nil
}

// Body returns the JSON of a request, without the items of the prompt that have reports as
// known to the server; nil: it knows none. Members come first: `"stream":true`.
func (r Request) Body(has func(index int) bool, members ...string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range members {
		b.WriteString(m)
		b.WriteByte(',')
	}
	b.Write(r.Settings)
	b.WriteString(`,"input":[`)
	sep := ""
	for n, i := range r.Items {
		if has != nil && has(r.From[n]) {
			continue
		}
		item, err := i.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("encode item %d of the prompt: %w", r.From[n]+1, err)
		}
		b.WriteString(sep)
		b.Write(item)
		sep = ","
	}
	b.WriteString("]}")
	return b.Bytes(), nil
}

// Member returns a member of a JSON object.
func Member(name, value string) string {
	b, err := marshal(value)
	if err != nil {
		panic(err) // a string always encodes
	}
	return `"` + name + `":` + string(b)
}

// instructions returns the text of the leading messages of the developer, for a server that
// takes them only there, and the index of the first other item.
func instructions(items []model.Item, d Dialect) (string, int) {
	var texts []string
	for !d.Developer && len(texts) < len(items) && IsInstruction(items[len(texts)]) {
		texts = append(texts, items[len(texts)].Text())
	}
	return strings.Join(texts, "\n\n"), len(texts)
}

// IsInstruction reports whether an item is a message of the developer or of the system.
func IsInstruction(i model.Item) bool {
	return i.Kind == model.Message && (i.Role == model.RoleDeveloper || i.Role == model.RoleSystem)
}

// marshal encodes without escaping HTML, and without a newline at the end.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes()[:b.Len()-1], nil
}
