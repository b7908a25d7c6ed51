package model

import (
	"context"
	"encoding/json"
)

// Prompt is the input of a model.
type Prompt struct {
	// Items are the conversation, oldest first. This turn begins at From: with the request,
	// then the answers and outputs since. When the last item is Incomplete, the model
	// continues exactly where its text ends.
	Items []Item
	From  int

	Tools      []Tool
	ToolChoice string  // ToolAuto, ToolNone, ToolRequired, or a tool's name; "" is ToolAuto
	Answer     *Format // what the text of the answer must match; nil: anything
	Options    Options
	After      Cursor // of an earlier Result; a model that does not know it reads Items

	// ReadOnly means that the user asks a question: nothing in the answer is an edit.
	ReadOnly bool

	Files  Source // the current project
	Target Target
	Fence  Fence // where edits may land without approval
}

// The choices of tools other than names.
const (
	ToolAuto     = "auto"
	ToolNone     = "none"
	ToolRequired = "required"
)

// Asked returns what the user wrote in this turn: the request and each steer.
func (p Prompt) Asked() []string {
	var out []string
	for _, i := range p.Items[min(p.From, len(p.Items)):] {
		if i.Kind == Message && i.Role == RoleUser {
			out = append(out, i.Text())
		}
	}
	return out
}

// Request returns the user's current request: their last message.
func (p Prompt) Request() string {
	if asked := p.Asked(); len(asked) > 0 {
		return asked[len(asked)-1]
	}
	return ""
}

// Tool is a tool that a model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // of a function's arguments, as JSON Schema; or
	Format      *Format         // of a freeform tool's input
	Edits       bool            // the input is a patch: it goes through editstream as it arrives
}

// ApplyPatch is the name of the tool whose input is a patch.
const ApplyPatch = "apply_patch"

// Format is a language that a text must match.
type Format struct{ Syntax, Text string }

// The syntaxes of formats.
const (
	Lark       = "lark"
	Regex      = "regex"
	GBNF       = "gbnf"
	JSONSchema = "json_schema"
)

// Options are the parameters of a model's answer. The zero value leaves all to the model.
type Options struct {
	MaxTokens   int      `json:"max_output_tokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
	Stop        []string `json:"stop,omitempty"`         // texts at which the answer ends; they are not part of it
	Logprobs    int      `json:"top_logprobs,omitempty"` // number of tokens to report at each place; 0: none
	Effort      string   `json:"effort,omitempty"`       // of reasoning: low, medium, high, ...
}

// Cursor identifies the state that a model keeps of a prompt and its answer, so that it
// need not read the next prompt from the beginning: the id of a response, or of a chain of
// key-value blocks. Only the model that returned it can use it.
type Cursor string

// Source is the project as a turn sees it: open buffers over disk. Paths are
// slash-separated and relative to the project folder. Several goroutines call its methods.
type Source interface {
	// Files lists every readable text file that is not ignored, sorted.
	Files(ctx context.Context) ([]string, error)
	// Read returns the bytes of a file; callers must not modify them. They are the Base of
	// edits that the model computes from them.
	Read(path string) ([]byte, error)
	// Root returns the project folder on disk, for tools that load packages from it.
	Root() string
}

// LinkSource is a Source that knows where symbolic links lead.
type LinkSource interface {
	// LinkTo returns the path that a link leads to, in the project; "" for one that leads out of it, and for
	// what is no link.
	LinkTo(path string) string
}

// SymbolSource is a Source that knows what the project declares.
//
// As long as nothing has changed it returns the same slice, which nobody changes.
type SymbolSource interface {
	// Symbols lists the declarations of all files, in the files' order. Callers must not
	// modify them.
	Symbols(ctx context.Context) ([]Symbol, error)
}

// Masker is a Source with secrets in its files that models must not see.
type Masker interface {
	// Masked returns the bytes of a file with each secret replaced by filler of the same
	// length; the bytes themselves when there is none.
	Masked(path string, b []byte) []byte
}

// Symbol is a declaration of a project.
type Symbol struct {
	Name    string
	Kind    string // func, method, type, field, var, const
	Owner   string // the type, class or function around it: Type, outer.inner
	Path    string
	Line    int      // of the name, from 1
	EndLine int      // the last line of the declaration
	Params  []string // of a function: the names of its parameters
}

// Target is what the user pointed at. The zero value is the whole project.
type Target struct {
	File     string // the open or named file, or ""
	From, To int    // selected lines of File, from 1, inclusive; 0 when nothing is selected
}
