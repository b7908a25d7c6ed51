package model

import (
	"context"
	"encoding/json"
)

// Prompt is what a model is asked.
type Prompt struct {
	// Items are the conversation, oldest first. From is where this turn begins: the
	// request, and then what was said and done since. Where the last item is
	// Incomplete, the model goes on where its text ends, to the byte.
	Items []Item
	From  int

	Tools      []Tool
	ToolChoice string  // ToolAuto, ToolNone, ToolRequired, or a tool's name; "" is ToolAuto
	Answer     *Format // what the text of the answer must match; nil: anything
	Options    Options
	After      Cursor // of an earlier Result; a model that does not know it reads Items

	Files  Source // the project as it is now
	Target Target
	Fence  Fence // where edits may land without approval
}

// The choices of tools that are no names.
const (
	ToolAuto     = "auto"
	ToolNone     = "none"
	ToolRequired = "required"
)

// Asked is what the user said in this turn: the request, and after it each
// instruction that cut in.
func (p Prompt) Asked() []string {
	var out []string
	for _, i := range p.Items[min(p.From, len(p.Items)):] {
		if i.Kind == Message && i.Role == RoleUser {
			out = append(out, i.Text())
		}
	}
	return out
}

// Request is what the user wants now: what they said last.
func (p Prompt) Request() string {
	if asked := p.Asked(); len(asked) > 0 {
		return asked[len(asked)-1]
	}
	return ""
}

// Tool is something that a model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // of a function's arguments, as JSON Schema; or
	Format      *Format         // of a freeform tool's input
	Edits       bool            // the input is a patch: it goes through editstream as it arrives
}

// ApplyPatch is the name of the tool whose input is a patch.
const ApplyPatch = "apply_patch"

// Format is a language that text must be of.
type Format struct{ Syntax, Text string }

// The syntaxes of formats.
const (
	Lark       = "lark"
	Regex      = "regex"
	GBNF       = "gbnf"
	JSONSchema = "json_schema"
)

// Options are how a model is to answer. The zero value leaves all to the model.
type Options struct {
	MaxTokens   int      `json:"max_output_tokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
	Stop        []string `json:"stop,omitempty"`         // texts at which the answer ends, without them
	Logprobs    int      `json:"top_logprobs,omitempty"` // how many tokens to name at each place; 0: none
	Effort      string   `json:"effort,omitempty"`       // of reasoning: low, medium, high, ...
}

// Cursor names what a model keeps of a prompt and its answer, so that the next
// prompt need not be read from the beginning: the id of a response, or of a chain
// of key-value blocks. Only the model that gave it can read it.
type Cursor string

// Source is the project as a turn sees it: open buffers over disk. Paths are
// slash-separated and relative to the project folder. Its methods are called from
// several goroutines.
type Source interface {
	// Files lists every readable text file that is not ignored, sorted.
	Files(ctx context.Context) ([]string, error)
	// Read returns the bytes of a file; callers must not modify them. They are the
	// Base of edits that are worked out on them.
	Read(path string) ([]byte, error)
	// Root is the project folder on disk, for tools that load packages from there.
	Root() string
}

// Target is what the user pointed at. The zero value is the whole project.
type Target struct {
	File     string // the open or named file, or ""
	From, To int    // selected lines of File, from 1, inclusive; 0 when nothing is selected
}
