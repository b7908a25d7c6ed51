package findings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// wire is a finding as JSON, with the names that models use.
type wire struct {
	Path, File, Filename                            string
	Line, From, Start, StartLine, To, End, EndLine  int
	Severity, Level                                 string
	Title, Summary, Why, Body, Message, Description string
	Quote, Code                                     string
	Suggestion, Replacement                         *string
	Snake                                           int `json:"start_line"`
	SnakeEnd                                        int `json:"end_line"`
	Place                                           struct {
		Path  string                   `json:"absolute_file_path"`
		Lines struct{ Start, End int } `json:"line_range"`
	} `json:"code_location"`
	Priority *int
}

func (w wire) finding() (f Finding, problem string) {
	f = Finding{Path: cleanPath(cmp.Or(w.Path, w.File, w.Filename, w.Place.Path)), Severity: Warning,
		From:  cmp.Or(w.Line, w.From, w.Start, w.StartLine, w.Snake, w.Place.Lines.Start),
		Quote: clip(cmp.Or(w.Quote, w.Code), mostQuote)}
	f.To = max(f.From, cmp.Or(w.To, w.End, w.EndLine, w.SnakeEnd, w.Place.Lines.End))
	if word := cmp.Or(w.Severity, w.Level); word != "" {
		f.Severity = severityOf(word)
	} else if p := w.Priority; p != nil && (*p < 2 || *p > 2) {
		f.Severity = map[bool]Severity{true: Error, false: Note}[*p < 2]
	}
	body := words(cmp.Or(w.Why, w.Body, w.Message, w.Description))
	f.Title, f.Why = words(cmp.Or(w.Title, w.Summary)), body
	if f.Title == "" {
		f.Title, f.Why, _ = strings.Cut(body, "\n")
	}
	f.Title, f.Why = clip(f.Title, mostTitle), clip(words(f.Why), mostWhy)
	s := w.Suggestion
	if s == nil {
		s = w.Replacement
	}
	if s != nil && len(*s) <= mostReplaced {
		f.Suggests, f.Replacement = true, strings.TrimSuffix(*s, "\n")+"\n"
		if *s == "" {
			f.Replacement = ""
		}
	}
	switch {
	case f.Path == "" || f.Path == ".":
		return f, "a finding names no file"
	case f.From < 1:
		return f, fmt.Sprintf("a finding in %q names no line", clip(f.Path, shownOfProblem))
	case f.Title == "":
		return f, fmt.Sprintf("the finding at %s does not say what is wrong", f.At())
	}
	return f, ""
}

// fromJSON reads an answer that is JSON, alone or within prose: a list, or an object with one.
func fromJSON(answer string) (r Review, ok bool) {
	at := strings.IndexAny(answer, "[{")
	for tries := 0; at >= 0 && tries < 20; tries++ {
		if list, is := listIn(answer[at:]); is {
			for _, raw := range list {
				var w wire
				if err := json.Unmarshal(raw, &w); err != nil {
					r.problem("a finding is no such object: " + err.Error())
					continue
				}
				f, problem := w.finding()
				if problem != "" {
					r.problem(problem)
					continue
				}
				if len(r.Findings) == Most {
					r.problem(fmt.Sprintf("there are more than %d findings: the rest is left out", Most))
					break
				}
				r.Findings = append(r.Findings, f)
			}
			return r, len(r.Findings)+len(r.Problems) > 0
		}
		next := strings.IndexAny(answer[at+1:], "[{")
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return r, false
}

func (r *Review) problem(s string) {
	if len(r.Problems) < mostProblems {
		r.Problems = append(r.Problems, s)
	}
}

// listIn returns the objects of the list that a text begins with.
func listIn(s string) (list []json.RawMessage, ok bool) {
	dec := json.NewDecoder(strings.NewReader(s))
	if strings.HasPrefix(s, "[") {
		err := dec.Decode(&list)
		return list, err == nil && len(list) > 0 && strings.HasPrefix(string(list[0]), "{")
	}
	var all map[string]json.RawMessage
	if dec.Decode(&all) != nil {
		return nil, false
	}
	for _, name := range []string{"findings", "comments", "issues"} {
		if raw, is := all[name]; is && json.Unmarshal(raw, &list) == nil {
			return list, true
		}
	}
	return nil, false
}
