package model

import (
	"fmt"
	"strings"
)

// Code is why a model refuses. Programs branch on it, never on the message.
type Code string

// The codes of refusals.
const (
	Beyond    Code = "beyond"    // the request is beyond the model, as it stands
	Ambiguous Code = "ambiguous" // the request has several meanings and needs a choice
	NoSymbol  Code = "no-symbol" // the symbol that it names is not declared
	NoFile    Code = "no-file"   // the file that it names does not exist, or it names none and needs one
	Types     Code = "types"     // what was done brought type errors, and was reverted
)

// Refusal means that a request was not carried out, and suggests what could be. Nothing has
// changed, or it was reverted.
type Refusal struct {
	Code       Code
	Understood string      // how the model read the request: `rename parseConfig to loadConfig`
	Reason     string      // why not: `no symbol named parseConfig`
	Candidates []Candidate // requests that work
	More       int         // requests like these that were not tried
}

// Candidate is a request that was tried on the project as it was: sent by itself, it does what the
// trial did.
type Candidate struct {
	Request   string      `json:"request"`
	Operation string      `json:"operation"` // those of a compound are joined by "; "
	Summary   string      `json:"summary"`   // what the trial says that it did
	Files     []FileCount `json:"files"`     // that it changed; the turn counts them

	Edits []FileEdit `json:"-"`              // of the trial; the turn drops them once it has counted
	Does  string     `json:"does,omitempty"` // identifies the edits, see engine.Effect
}

// FileCount is the number of lines that a turn added to and removed from a file.
type FileCount struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// Requests returns the candidates' requests.
func (r *Refusal) Requests() []string {
	out := make([]string, len(r.Candidates))
	for i, c := range r.Candidates {
		out[i] = c.Request
	}
	return out
}

func (r *Refusal) Error() string {
	var b strings.Builder
	if r.Understood != "" {
		b.WriteString("understood: " + r.Understood + "; ")
	}
	b.WriteString(r.Reason)
	if len(r.Candidates) > 0 {
		b.WriteString("; did you mean: " + strings.Join(r.Requests(), ", "))
		if r.More > 0 {
			fmt.Fprintf(&b, ", and %d more", r.More)
		}
	}
	return b.String()
}
