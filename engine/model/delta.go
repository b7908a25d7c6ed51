package model

import (
	"errors"

	"waferpair/workspace/text"
)

// Delta is a piece of an answer:
//
//	{ Progress | Edits | Begin { Text } End }
//
// At is an item's place in the answer, from 0, and tells those apart that are open
// at the same time, such as parallel calls. An answer that ends by itself has
// ended its items.
type Delta interface{ delta() }

type (
	// Begin opens an item of the answer. Its text comes in Texts.
	Begin struct {
		At   int
		Item Item
	}

	// Text is what an open item goes on with: words, which may hold edits in one of
	// the formats of package editstream, a thought, the arguments of a function or
	// a tool's freeform input.
	Text struct {
		At     int
		Part   int // of a message or of reasoning: which part; the next one opens with its first text
		Text   string
		Tokens int // as the model counts them; 0 for a model that has none
		Top    []Logprob
	}

	// End closes an item, with what only its end knows: an id, opaque fields. Its
	// text is that of the Texts. With a zero Item it is as they left it.
	End struct {
		At   int
		Item Item
	}

	// Edits are exact changes of files, which the model worked out: all of them
	// happen, or none. yield returns once they have, or says why they have not; with
	// ErrStale the model may work them out anew.
	Edits struct{ Of []FileEdit }

	// Progress is how far the model is with something that says nothing yet.
	Progress struct {
		Phase       Phase
		Done, Total int64 // Total is 0 where it is not known
		Note        string
	}
)

// Logprob is how likely a token was, and which others were.
type Logprob struct {
	Token   string    `json:"token"`
	Logprob float64   `json:"logprob"`
	Top     []Logprob `json:"top_logprobs,omitempty"`
}

// FileEdit is what a model does to one file.
type FileEdit struct {
	Path string
	// Base is what the file held when the model read it; empty for a new one. So a
	// version is named by what it holds, and none is ever unknown.
	Base    text.Text
	Changes text.ChangeSet // of Base; mapped forward over what others changed since
	Create  bool           // there is no such file yet
	Delete  bool           // the file goes away; Changes is not looked at
}

// ErrStale says that exact edits meet what somebody else changed since the model
// read the files.
var ErrStale = errors.New("the files changed since they were read")

func (Begin) delta()    {}
func (Text) delta()     {}
func (End) delta()      {}
func (Edits) delta()    {}
func (Progress) delta() {}

// Say yields a message that is ready.
func Say(yield func(Delta) error, words string, tokens int) error {
	for _, d := range []Delta{Begin{Item: Item{Kind: Message, Role: RoleAssistant}},
		Text{Text: words, Tokens: tokens}, End{}} {
		if err := yield(d); err != nil {
			return err
		}
	}
	return nil
}
