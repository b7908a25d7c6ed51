package model

import (
	"errors"

	"waferpair/workspace/text"
)

// Delta is a piece of an answer:
//
//	{ Progress | Edits | Revert | Begin { Text } End }
//
// At is an item's place in the answer, from 0. It distinguishes items that are open at the
// same time, such as parallel calls. An answer that ends by itself has ended its items.
type Delta interface{ delta() }

type (
	// Begin opens an item of the answer. Its text follows in Texts.
	Begin struct {
		At   int
		Item Item
	}

	// Text adds to an open item: words, which may hold edits in one of the formats of
	// package editstream, reasoning, the arguments of a function or a tool's freeform
	// input.
	Text struct {
		At     int
		Part   int // index of the part, of a message or of reasoning; the first text of a part opens it
		Text   string
		Tokens int // as the model counts them; 0 for a model that has none
		Top    []Logprob
	}

	// End closes an item and adds what only its end knows: an id, opaque fields. Its text
	// must equal that of the Texts. A zero Item leaves the item as it is.
	End struct {
		At   int
		Item Item
	}

	// Edits are exact changes of files that the model computed: all of them happen, or
	// none. yield returns after they have happened, or with the reason why they have not;
	// after ErrStale the model may compute them again.
	Edits struct{ Of []FileEdit }

	// Revert reverts the last Edits, which turned out to be wrong: all of them, or none. yield
	// returns why not when somebody else has changed the same places since.
	Revert struct{ Why string }

	// Progress reports the progress of a model that has no output yet.
	Progress struct {
		Phase       Phase
		Done, Total int64 // Total is 0 when unknown
		Note        string
	}
)

// Logprob is the log probability of a token, and of the most likely alternatives.
type Logprob struct {
	Token   string    `json:"token"`
	Logprob float64   `json:"logprob"`
	Top     []Logprob `json:"top_logprobs,omitempty"`
}

// FileEdit is an exact change of one file.
type FileEdit struct {
	Path string
	// Base is what the file held when the model read it; empty for a new file. A version is
	// identified by its content, so every version is known.
	Base    text.Text
	Changes text.ChangeSet // of Base; mapped over what others changed since
	Create  bool           // the file must not exist yet
	Delete  bool           // the file is deleted; Changes is ignored
}

// ErrStale means that exact edits overlap with what somebody else changed since the model
// read the files.
var ErrStale = errors.New("the files changed since they were read")

func (Begin) delta()    {}
func (Text) delta()     {}
func (End) delta()      {}
func (Edits) delta()    {}
func (Revert) delta()   {}
func (Progress) delta() {}

// Say yields a complete message.
func Say(yield func(Delta) error, words string, tokens int) error {
	for _, d := range []Delta{Begin{Item: Item{Kind: Message, Role: RoleAssistant}},
		Text{Text: words, Tokens: tokens}, End{}} {
		if err := yield(d); err != nil {
			return err
		}
	}
	return nil
}
