package fake

import (
	"math/rand/v2"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Script answers a request. It may be called from several connections at once.
type Script func(*Request) Answer

// Answer is what the model says, how fast, and what goes wrong.
type Answer struct {
	Items []Item
	First time.Duration // before the first token
	Gap   time.Duration // between chunks
	Usage *Usage        // nil: counted, four bytes a token
	Stop  string        // "": completed; else the reason it is incomplete: max_output_tokens, content_filter
	Fault Fault

	raw  []byte // instead of items: a Stream's
	size int    // of its largest piece
}

// Usage is a count of tokens. Input includes Cached, Output includes Reasoning.
type Usage struct{ Input, Cached, Output, Reasoning int }

// Item is an output item.
type Item struct {
	Kind   string   // message, reasoning, function_call, custom_tool_call
	Text   string   // words, thought, arguments or freeform input
	Chunks []string // the deltas, instead of a seeded cut of Text
	Name   string   // of the tool
	CallID string   // "": made up
	Raw    bool     // of reasoning: reasoning_text instead of a summary
}

// Say is a message.
func Say(text string) Item { return Item{Kind: "message", Text: text} }

// Think is a reasoning item.
func Think(text string) Item { return Item{Kind: "reasoning", Text: text} }

// Call is a call of a function, with JSON arguments.
func Call(name, arguments string) Item {
	return Item{Kind: "function_call", Name: name, Text: arguments}
}

// Custom is a call of a freeform tool. If the request declares the tool as a function, the
// input arrives as its argument "input", as a model would call it.
func Custom(name, input string) Item { return Item{Kind: "custom_tool_call", Name: name, Text: input} }

// InChunks gives the deltas themselves.
func (i Item) InChunks(chunks ...string) Item {
	i.Chunks, i.Text = chunks, strings.Join(chunks, "")
	return i
}

// Answers answers the nth request with the nth answer; those that follow get the last.
// Warm-ups do not count.
func Answers(all ...Answer) Script {
	var mu sync.Mutex
	next := 0
	return func(*Request) Answer {
		mu.Lock()
		defer mu.Unlock()
		a := all[min(next, len(all)-1)]
		next++
		return a
	}
}

// Always answers every request with these items.
func Always(items ...Item) Script {
	return func(*Request) Answer { return Answer{Items: items} }
}

// chunks returns the item's deltas: those that it has, or pieces of 1 to 7 characters.
func (i Item) chunks(rnd *rand.Rand) []string {
	if i.Chunks != nil {
		return i.Chunks
	}
	var all []string
	for rest := i.Text; rest != ""; {
		n := 0
		for k := 1 + rnd.IntN(7); k > 0 && n < len(rest); k-- {
			_, size := utf8.DecodeRuneInString(rest[n:])
			n += size
		}
		all, rest = append(all, rest[:n]), rest[n:]
	}
	return all
}
