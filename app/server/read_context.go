package server

import (
	"context"
	"strconv"

	"waferpair/app"
	"waferpair/engine/model"
	"waferpair/engine/prompt"
	"waferpair/history"
)

// ContextQuery asks what a request would send to its language model.
type ContextQuery struct {
	Text    string            `json:"text"`
	Model   string            `json:"model"`
	Mode    app.Mode          `json:"mode,omitempty"`
	File    string            `json:"file"`
	From    int               `json:"from"`
	To      int               `json:"to"`
	Pins    []string          `json:"pins,omitempty"`
	Without []string          `json:"without,omitempty"`
	Session history.SessionID `json:"session"`        // 0: a new one
	Part    string            `json:"part,omitempty"` // whose text is wanted
}

// ContextInfo is a prompt by parts.
type ContextInfo struct {
	Parts   []ContextPart `json:"parts"` // in the prompt's order
	Out     []ContextLeft `json:"out"`   // what was wanted and is not in
	Tokens  int           `json:"tokens"`
	Limit   int           `json:"limit"`   // of prompt and answer together
	Reserve int           `json:"reserve"` // for the answer
	Text    string        `json:"text"`    // of the part that was asked for
}

// ContextPart is a part of a prompt.
type ContextPart struct {
	Kind      ContextKind `json:"kind"`
	Name      string      `json:"name"` // unique in the prompt
	Path      string      `json:"path,omitempty"`
	Tokens    int         `json:"tokens"`
	Reason    string      `json:"reason,omitempty"` // why it is in
	Cut       string      `json:"cut,omitempty"`    // what of it is not, and why
	Pinned    bool        `json:"pinned,omitempty"`
	Removable bool        `json:"removable,omitempty"` // the user can take it out
}

// ContextLeft is something that was wanted and is not in the prompt.
type ContextLeft struct {
	Kind   ContextKind `json:"kind"`
	Name   string      `json:"name"`
	Path   string      `json:"path,omitempty"`
	Tokens int         `json:"tokens,omitempty"`
	Reason string      `json:"reason"`
}

// ContextKind is the kind of a part of a prompt.
type ContextKind string

const (
	ContextInstructions = ContextKind(prompt.Instructions)
	ContextRules        = ContextKind(prompt.Rules)
	ContextMap          = ContextKind(prompt.Map)
	ContextFile         = ContextKind(prompt.File)
	ContextSummary      = ContextKind(prompt.Summarized)
	ContextConversation = ContextKind(prompt.Conversation)
	ContextPlace        = ContextKind(prompt.Pointer)
	ContextRequest      = ContextKind(prompt.Asked)
)

func readContext(ctx context.Context, o *opened, in ContextQuery) (ContextInfo, error) {
	session := "new"
	if in.Session != 0 {
		session = strconv.FormatInt(int64(in.Session), 10)
	}
	c, err := o.Context(ctx, app.EditRequest{Text: in.Text, Model: in.Model, Mode: in.Mode, Session: session,
		Target: model.Target{File: in.File, From: in.From, To: in.To}, Pins: in.Pins, Without: in.Without})
	if err != nil {
		return ContextInfo{}, err
	}
	out := ContextInfo{Parts: make([]ContextPart, len(c.Parts)), Out: make([]ContextLeft, len(c.Out)), Tokens: c.Tokens,
		Limit: c.Limit, Reserve: c.Reserve}
	for i, p := range c.Parts {
		out.Parts[i] = ContextPart{Kind: ContextKind(p.Kind), Name: p.Name, Path: p.Path, Tokens: p.Tokens, Reason: p.Reason,
			Cut: p.Cut, Pinned: p.Pinned, Removable: p.Removable}
		if in.Part != "" && p.Name == in.Part {
			out.Text = p.Text
		}
	}
	for i, l := range c.Out {
		out.Out[i] = ContextLeft{Kind: ContextKind(l.Kind), Name: l.Name, Path: l.Path, Tokens: l.Tokens, Reason: l.Reason}
	}
	return out, nil
}
