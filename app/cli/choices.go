package cli

import (
	"fmt"
	"strings"

	"waferpair/engine"
	"waferpair/engine/model"
)

// choiceJSON is the event of a list to choose from.
type choiceJSON struct {
	Event      string          `json:"event"`
	Candidates []candidateJSON `json:"candidates"`
	More       int             `json:"more,omitempty"` // requests like these that were not tried
}

type candidateJSON struct {
	Request   string             `json:"request"`
	Operation string             `json:"operation"`
	Summary   string             `json:"summary"`
	Files     []engine.FileCount `json:"files"`
}

// jsonChoices prints the event "choice" if the turn offered requests.
func (v *turnView) jsonChoices(o engine.Outcome) {
	if o.Refusal == nil || len(o.Refusal.Candidates) == 0 {
		return
	}
	out := choiceJSON{Event: "choice", More: o.Refusal.More}
	for _, c := range o.Refusal.Candidates {
		if c.Files == nil {
			c.Files = []engine.FileCount{} // JSON would show null
		}
		out.Candidates = append(out.Candidates, candidateJSON{c.Request, c.Operation, c.Summary, c.Files})
	}
	jsonOut(v.env.out, out)
}

// choices lists the requests that a refusal offers, with what each would do, and how to take one.
func choices(r *model.Refusal, dryRun bool) string {
	if len(r.Candidates) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("  Did you mean:\n")
	for i, c := range r.Candidates {
		fmt.Fprintf(&b, "%13d  %s\n", i+1, clean(c.Request))
		if what := whatItDoes(c); what != "" {
			fmt.Fprintf(&b, "%15s%s\n", "", clean(what))
		}
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "%15sand %d more like these, not tried: name the one that you mean\n", "", r.More)
	}
	if dryRun {
		b.WriteString("  A dry run keeps no list: send the request without --dry-run, which asks as well.\n")
	} else {
		b.WriteString("  --choose 1 takes the first.\n")
	}
	return b.String()
}

// whatItDoes is the first line of a candidate's summary, and its files.
func whatItDoes(c model.Candidate) string {
	what, _, _ := strings.Cut(c.Summary, "\n")
	switch n := len(c.Files); {
	case n == 1:
		what += fmt.Sprintf(" (%s +%d -%d)", c.Files[0].Path, c.Files[0].Added, c.Files[0].Removed)
	case n > 1:
		what += fmt.Sprintf(" (%s and %s)", c.Files[0].Path, count(n-1, "other file"))
	}
	return strings.TrimSpace(what)
}
