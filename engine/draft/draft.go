// Package draft guesses what a model writes next, so that several tokens are scored in one pass.
//
// Edits copy: most of what a model writes is in its prompt already, in the file that it edits. A
// Lookup is the index of the tokens so far. After some tokens that stood together before, it offers
// those that followed there; after a change it finds its place again behind the next few tokens
// (prompt lookup decoding; llama.cpp's docs/speculative.md calls it ngram-simple).
//
//	prompt, answer --Add--> Lookup --Next--> a guess --> the model's pass says how much of it is right
//	                          ^------------- Scored -------------------'
//
// A guess costs a fraction of a pass for each token, so its length follows how often guesses were
// right: it doubles while they are, and shrinks to what was right when they are not.
package draft

// The lengths of guesses: over 64 tokens a pass costs more than the guess saves.
const (
	atLeast = 4
	atMost  = 48
	// gram is how many tokens have to agree. Two are often chance, four find their place late.
	gram = 3
)

type key [gram]int32

// Lookup is the index of a sequence of tokens. The zero value is an empty sequence.
type Lookup struct {
	tokens []int32
	last   map[key]int // where the tokens behind a gram begin, the last time it was there
	length int         // of the next guess
}

// Add appends a token.
func (l *Lookup) Add(ids ...int32) {
	if l.last == nil {
		l.last, l.length = map[key]int{}, atLeast*4
	}
	for _, id := range ids {
		if n := len(l.tokens); n >= gram { // what follows a gram is known only now
			l.last[key(l.tokens[n-gram:])] = n
		}
		l.tokens = append(l.tokens, id)
	}
}

// Next returns a guess of at most so many tokens, nothing without a place to take it from.
func (l *Lookup) Next(most int) []int32 {
	n := len(l.tokens)
	if n < gram {
		return nil
	}
	at, is := l.last[key(l.tokens[n-gram:])]
	if !is {
		return nil
	}
	return l.tokens[at:min(n, at+min(l.length, most))]
}

// Scored notes how many tokens of the last guess were right.
func (l *Lookup) Scored(right, guessed int) {
	if right == guessed {
		l.length = min(atMost, 2*l.length)
		return
	}
	l.length = min(atMost, max(atLeast, 2*right))
}
