package server

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"waferpair/app"
	"waferpair/engine/findings"
	"waferpair/history"
)

// Finding is a comment of a review on lines of a file, at its lines of now.
type Finding struct {
	N           int               `json:"n"` // its number in the project
	Turn        history.TurnID    `json:"turn"`
	Path        string            `json:"path"`
	From        int               `json:"from"` // lines, from 1, inclusive; 0: nobody knows where it is
	To          int               `json:"to"`
	Severity    findings.Severity `json:"severity"`
	Title       string            `json:"title"`
	Why         string            `json:"why"`
	Suggests    bool              `json:"suggests"`    // replacement should replace the lines
	Replacement string            `json:"replacement"` // "": to remove them
	State       app.FindingState  `json:"state"`
	Fixed       history.TurnID    `json:"fixed,omitempty"` // the turn that fixed it
	Moved       string            `json:"moved"`           // how its place differs from what the model wrote; ""
	Outdated    string            `json:"outdated"`        // why its lines are not as the review saw them; ""
}

func wireFinding(f app.Finding) Finding {
	return Finding{N: f.N, Turn: f.Turn, Path: f.Path, From: f.From, To: f.To, Severity: f.Severity, Title: f.Title,
		Why: f.Why, Suggests: f.Suggests, Replacement: f.Replacement, State: f.State, Fixed: f.Fixed, Moved: f.Moved,
		Outdated: f.Outdated}
}

func wireFindings(all []app.Finding) []Finding {
	out := make([]Finding, len(all))
	for i, f := range all {
		out[i] = wireFinding(f)
	}
	return out
}

type findingsAnswer struct {
	Findings []Finding `json:"findings"`
}

func readFindings(ctx context.Context, o *opened, in pathArgs) (findingsAnswer, error) {
	all, err := o.Findings(ctx, app.FindingFilter{Path: in.Path})
	return findingsAnswer{wireFindings(all)}, err
}

// Reviewed is what a review found.
type Reviewed struct {
	Findings []Finding `json:"findings"`
	Notes    []string  `json:"notes"` // what could not be read or placed, or was not shown to the model
	Prose    string    `json:"prose"` // of an answer without findings
	Clean    bool      `json:"clean"` // the model says that there is nothing to find
}

func readReviewed(ctx context.Context, o *opened, in turnArgs) (Reviewed, error) {
	r, is, err := o.Reviewed(ctx, in.Turn)
	switch {
	case err != nil:
		return Reviewed{}, err
	case !is:
		return Reviewed{}, fail(codeGone, fmt.Sprintf("Turn %d is no review, or it has not ended.", in.Turn))
	}
	return Reviewed{wireFindings(r.Findings), list(r.Notes), r.Prose, r.Clean}, nil
}

type setFindingArgs struct {
	N     int              `json:"n"`
	State app.FindingState `json:"state"`
}

func setFinding(_ *call, o *opened, in setFindingArgs) (Finding, error) {
	switch in.State {
	case app.FindingOpen, app.FindingAccepted, app.FindingDismissed:
	case app.FindingFixed:
		return Finding{}, usage("A finding is fixed by a turn: ask for it.")
	default:
		return Finding{}, usage(fmt.Sprintf("There is no state %q of a finding.", in.State))
	}
	f, err := o.SetFinding(o.ctx, in.N, in.State)
	if err != nil {
		return Finding{}, notAsked(err)
	}
	return wireFinding(f), nil
}

// ReadyRequest is a text with a name, that is sent as a request.
type ReadyRequest struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	From  string `json:"from"` // built-in, yours or project
	Asks  bool   `json:"asks"` // it is a question: it edits nothing
}

type readyAnswer struct {
	Requests []ReadyRequest `json:"requests"`
	Problem  string         `json:"problem"` // which files cannot be read; ""
}

func readReady(_ context.Context, o *opened, _ none) (readyAnswer, error) {
	all, err := o.ReadyRequests()
	out := readyAnswer{Requests: []ReadyRequest{}}
	if err != nil {
		out.Problem = sentence(err.Error())
	}
	for _, r := range all {
		if r.Hidden == "" {
			out.Requests = append(out.Requests, ReadyRequest{r.Name, r.Title, r.From, r.Asks})
		}
	}
	return out, nil
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(first)) + s[size:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
