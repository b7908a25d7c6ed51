package model

import (
	"encoding/json"
	"strings"
)

// Kind is what an item of a conversation is.
type Kind string

// The kinds of items that have fields here. One of another kind is carried along,
// unread, in its Opaque.
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

// Status is how far an item is.
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

// Item is one thing of a conversation, with the fields and, as JSON, the names of
// the Responses API. Which fields are set follows from Kind.
type Item struct {
	ID     string // as the model gave it, or ""
	Kind   Kind
	Status Status
	Role   string // of a message
	CallID string // of a call and its output
	Name   string // of the tool that is called
	Parts  []Part // of a message, of reasoning, of an output
	Input  string // of a call: a function's arguments, or freeform input
	// an object of the fields that nobody here reads, such as encrypted reasoning: returned as they came
	Opaque json.RawMessage
}

// PartKind is what a part of an item is.
type PartKind string

// The kinds of parts.
const (
	InputText     PartKind = "input_text"  // what a model is told
	OutputText    PartKind = "output_text" // what it says
	RefusalText   PartKind = "refusal"
	SummaryText   PartKind = "summary_text"   // of reasoning, for people
	ReasoningText PartKind = "reasoning_text" // the thought itself
	InputImage    PartKind = "input_image"
	InputFile     PartKind = "input_file"
)

// Part is a piece of an item's content.
type Part struct {
	Kind   PartKind
	Text   string
	File   string // of an image or a file: the hash of its content, or an id that the model gave it
	Name   string // of a file
	Opaque json.RawMessage
}

// User is a message of the user.
func User(words string) Item { return said(RoleUser, InputText, words) }

// Assistant is a message of the model.
func Assistant(words string) Item { return said(RoleAssistant, OutputText, words) }

func said(role string, kind PartKind, words string) Item {
	return Item{Kind: Message, Status: Complete, Role: role, Parts: []Part{{Kind: kind, Text: words}}}
}

// Answer is what a call is told.
func (i Item) Answer(words string) Item {
	kind := FunctionOutput
	if i.Kind == CustomCall {
		kind = CustomOutput
	}
	return Item{Kind: kind, Status: Complete, CallID: i.CallID, Parts: []Part{{Kind: InputText, Text: words}}}
}

// Text is the words of an item: its input, or those of its parts one after the other.
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

// textKind is the kind of a part that opens with its first text.
func (i Item) textKind() PartKind {
	switch {
	case i.Kind == Reasoning:
		return ReasoningText
	case i.Kind == Message && i.Role == RoleAssistant:
		return OutputText
	}
	return InputText
}
