package model

import "strings"

// Code is why a model refuses. Code branches on it, never on the words.
type Code string

// The codes of refusals.
const (
	Beyond    Code = "beyond"    // the request is beyond the model, as it stands
	Ambiguous Code = "ambiguous" // it may mean one of several things: it needs a choice
	NoSymbol  Code = "no-symbol" // what it names is not declared
	NoFile    Code = "no-file"   // the file that it names is not there, or it names none and needs one
)

// Refusal says that a request was not carried out, and what could be. Nothing was
// changed.
type Refusal struct {
	Code       Code
	Understood string   // what the request was taken to mean: `rename parseConfig to loadConfig`
	Reason     string   // why not: `no symbol named parseConfig`
	Candidates []string // requests, or names, that would work
}

func (r *Refusal) Error() string {
	var b strings.Builder
	if r.Understood != "" {
		b.WriteString("understood: " + r.Understood + "; ")
	}
	b.WriteString(r.Reason)
	if len(r.Candidates) > 0 {
		b.WriteString("; did you mean: " + strings.Join(r.Candidates, ", "))
	}
	return b.String()
}
