package model

import "strings"

// Code is why a model refuses. Programs branch on it, never on the message.
type Code string

// The codes of refusals.
const (
	Beyond    Code = "beyond"    // the request is beyond the model, as it stands
	Ambiguous Code = "ambiguous" // the request has several meanings and needs a choice
	NoSymbol  Code = "no-symbol" // the symbol that it names is not declared
	NoFile    Code = "no-file"   // the file that it names does not exist, or it names none and needs one
)

// Refusal means that a request was not carried out, and suggests what could be. Nothing has
// changed.
type Refusal struct {
	Code       Code
	Understood string   // how the model read the request: `rename parseConfig to loadConfig`
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
