package chat

import (
	"encoding/json"
	"strings"

	"waferpair/engine/responses"
)

// call is a call of a tool that is being read.
//
//	named -> pieces of its arguments -> its JSON is whole -> ended, when something else begins
//	                                                 '-> otherwise at the end of the answer
//
// Servers number parallel calls, or give them ids, or neither, and may mix their pieces.
type reading struct {
	at    int // in the answer
	index int
	id    string // as the server has it
	ended bool

	pieces responses.Pieces
	unwrap *responses.Unwrapper // of a freeform tool
	raw    strings.Builder      // its arguments, until there is text of it
	shown  bool                 // there is
	json   balance
}

// find returns the call that a piece belongs to; nil: none that has begun.
func (a *answer) find(c calledTool) *reading {
	if c.Index == nil && c.ID == "" && len(a.reading) > 0 {
		return a.reading[len(a.reading)-1]
	}
	index := 0
	if c.Index != nil {
		index = int(*c.Index)
	}
	for n := len(a.reading) - 1; n >= 0; n-- {
		if r := a.reading[n]; (c.Index == nil || r.index == index) && (c.ID == "" || c.ID == r.id) {
			return r
		}
	}
	return nil
}

// piece decodes a piece of arguments.
func (r *reading) piece(raw json.RawMessage) (string, error) {
	switch {
	case none(raw):
		return "", nil
	case raw[0] == '"':
		return r.pieces.Decode(raw)
	}
	return string(raw), nil // a server that sends an object as one
}

// text returns what a piece of the arguments adds to the text of the call.
func (r *reading) text(piece string) string {
	r.json.push(piece)
	if r.unwrap == nil {
		return piece
	}
	if !r.shown {
		r.raw.WriteString(piece)
	}
	text := r.unwrap.Push(piece)
	if text != "" && !r.shown {
		r.shown = true
		r.raw.Reset()
	}
	return text
}

// rest returns the text of a freeform call that gave its argument another name, as only its end shows.
// Arguments without a text are the text: the tool says what is wrong with it.
func (r *reading) rest() string {
	if r.unwrap == nil || r.shown || r.raw.Len() == 0 {
		return ""
	}
	if text, err := responses.Unwrap(r.raw.String()); err == nil {
		return text
	}
	return r.raw.String()
}

// balance finds the end of a JSON object.
type balance struct {
	depth         int
	quote, escape bool
	begun         bool
}

func (b *balance) push(text string) {
	for n := range len(text) {
		switch c := text[n]; {
		case b.escape:
			b.escape = false
		case b.quote && c == '\\':
			b.escape = true
		case c == '"':
			b.quote = !b.quote
		case b.quote:
		case c == '{' || c == '[':
			b.depth, b.begun = b.depth+1, true
		case c == '}' || c == ']':
			b.depth--
		}
	}
}

// whole reports whether an object has begun and ended.
func (b *balance) whole() bool { return b.begun && b.depth <= 0 && !b.quote }
