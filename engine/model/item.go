package model

import (
	"encoding/json"
	"strings"
)

// Kind is the type of an item of a conversation.
type Kind string

// The kinds of items that have fields here. Items of other kinds keep all their fields in
// Opaque.
const (
	Message        Kind = "message"
	Reasoning      Kind = "reasoning"
	FunctionCall   Kind = "function_call"
	CustomCall     Kind = "custom_tool_call"
	FunctionOutput Kind = "function_call_output"
	CustomOutput   Kind = "custom_tool_call_output"
)

// IsCall reports whether items of the kind call a tool, with an Input.
func (k Kind) IsCall() bool { return k == FunctionCall || k == CustomCall }

// IsOutput reports whether items of the kind answer a call.
func (k Kind) IsOutput() bool { return k == FunctionOutput || k == CustomOutput }

// Status is the state of an item.
type Status string

// The states of items. A generation that is cut leaves Incomplete items.
const (
	Complete   Status = "completed"
	Incomplete Status = "incomplete"
	InProgress Status = "in_progress"
)

// The roles of messages.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleDeveloper = "developer"
	RoleSystem    = "system"
)

// Item is one item of a conversation. Its fields, and their names in JSON, are those of the
// Responses API. Kind determines which fields are set.
type Item struct {
	ID     string // as the model gave it, or ""
	Kind   Kind
	Status Status
	Role   string // of a message
	CallID string // of a call and its output
	Name   string // of the tool that is called
	Parts  []Part // of a message, of reasoning, of an output
	Input  string // of a call: a function's arguments, or freeform input
	// an object with all other fields, such as encrypted reasoning, which go back unchanged
	Opaque json.RawMessage
}

// PartKind is the type of a part.
type PartKind string

// The kinds of parts.
const (
	InputText     PartKind = "input_text"  // input of a model
	OutputText    PartKind = "output_text" // output of a model
	RefusalText   PartKind = "refusal"
	SummaryText   PartKind = "summary_text"   // of reasoning, for people
	ReasoningText PartKind = "reasoning_text" // the reasoning itself
	InputImage    PartKind = "input_image"
	InputFile     PartKind = "input_file"
)

// Part is a piece of an item's content.
type Part struct {
	Kind   PartKind
	Text   string
	File   string // of an image or a file: the hash of its content, or the model's id for it
	Name   string // of a file
	Opaque json.RawMessage
}

// User returns a message of the user.
func User(words string) Item { return said(RoleUser, InputText, words) }

// Assistant returns a message of the model.
func Assistant(words string) Item { return said(RoleAssistant, OutputText, words) }

func said(role string, kind PartKind, words string) Item {
	return Item{Kind: Message, Status: Complete, Role: role, Parts: []Part{{Kind: kind, Text: words}}}
}

// Answer returns the output for a call.
func (i Item) Answer(words string) Item {
	kind := FunctionOutput
	if i.Kind == CustomCall {
		kind = CustomOutput
	}
	return Item{Kind: kind, Status: Complete, CallID: i.CallID, Parts: []Part{{Kind: InputText, Text: words}}}
}

// Text returns the text of an item: its input, or that of its parts joined.
func (i Item) Text() string {
	if i.Kind.IsCall() {
		return i.Input
	}
	var b strings.Builder
	for _, p := range i.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// textKind returns the kind of a part that begins with a Text.
func (i Item) textKind() PartKind {
	switch {
	case i.Kind == Reasoning:
		return ReasoningText
	case i.Kind == Message && i.Role == RoleAssistant:
		return OutputText
	}
	return InputText
}
