package chat

import "encoding/json"

// chunk is a piece of a stream, or all of an answer that does not stream. What servers send differs in
// its details: only what is needed is read, and nothing else can make a chunk unreadable.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"` // "error": all of it is one
}

type choice struct {
	Index   count  `json:"index"`
	Delta   saying `json:"delta"`
	Message saying `json:"message"` // of an answer that does not stream
	Reason  string `json:"finish_reason"`
}

// saying is what a message says.
type saying struct {
	Content   json.RawMessage `json:"content"` // a text, or parts
	Refusal   json.RawMessage `json:"refusal"`
	Reasoning json.RawMessage `json:"reasoning"`         // OpenRouter, newer vLLM
	Thought   json.RawMessage `json:"reasoning_content"` // others; some send both, which say the same
	Calls     []calledTool    `json:"tool_calls"`
	Function  *calledFunction `json:"function_call"` // before there were tool_calls
}

type calledTool struct {
	Index    *count         `json:"index"` // nil: the last one
	ID       string         `json:"id"`
	Function calledFunction `json:"function"`
}

type calledFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // a piece of JSON in a string, or all of it as an object
}

type usage struct {
	Input  count `json:"prompt_tokens"`
	Output count `json:"completion_tokens"`
	In     struct {
		Cached count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// count is a number of things. Anything else in its place is 0.
type count int

// UnmarshalJSON reads a number.
func (c *count) UnmarshalJSON(b []byte) error {
	var n float64
	if json.Unmarshal(b, &n) == nil && n >= 0 && n < 1<<40 {
		*c = count(n)
	}
	return nil
}

// part is a part of a content that is a list.
type part struct {
	Type     string          `json:"type"`
	Text     json.RawMessage `json:"text"`
	Thinking json.RawMessage `json:"thinking"` // a text, or parts
}

// none reports whether a value says nothing.
func none(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// isList reports whether a value is a list.
func isList(raw json.RawMessage) bool { return raw[0] == '[' }
