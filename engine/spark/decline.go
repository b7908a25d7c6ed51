package spark

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
)

// maxRequest is far beyond any request that the grammar can understand.
const maxRequest = 4096

// guard declines what is not a request at all, before any work is done on it.
func guard(request string) *refactor.Declined {
	switch {
	case strings.TrimSpace(request) == "":
		return &refactor.Declined{Reason: "the request is empty", Nearest: examples("rename", "doc", "set-constant")}
	case len(request) > maxRequest:
		return &refactor.Declined{Reason: fmt.Sprintf(
			"the request is %d bytes long; the built-in model reads short ones, up to %d", len(request), maxRequest)}
	case !utf8.ValidString(request):
		return &refactor.Declined{Reason: "the request is not valid UTF-8"}
	}
	for _, r := range request {
		if unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) || unicode.Is(unicode.Cf, r) ||
			r == unicode.ReplacementChar {
			return &refactor.Declined{Reason: fmt.Sprintf("the request holds the control character %U", r)}
		}
	}
	return nil
}

// declined says what became of a request that has no single reading.
func (m *matcher) declined(g *grammar, readings []reading) *refactor.Declined {
	switch {
	case m.steps > maxSteps:
		return &refactor.Declined{Reason: "the request is too long-winded for the built-in model; make it several"}
	case len(readings) > 1:
		return ambiguous(readings)
	case m.refused.end > m.best.pos || m.refused.end > 0 && m.refused.end == m.best.pos:
		return &refactor.Declined{Understood: m.refused.clause.op.say(m.refused.clause.args), Reason: m.refused.why,
			Nearest: examples(m.refused.clause.op.name)}
	case len(m.best.clauses) > 0:
		if dangling(m.src[m.best.pos:]) {
			if lacks := m.missing(g); lacks != "" {
				return &refactor.Declined{Reason: lacks, Nearest: examples(m.best.clauses[0].op.name)}
			}
		}
		return m.leftOver()
	}
	far := m.far
	near, why := m.hinted(g)
	m.far = far // the hints look further
	if why != "" {
		return &refactor.Declined{Code: refactor.Ambiguous, Reason: why, Nearest: near}
	}
	d := &refactor.Declined{Nearest: near}
	d.Code, d.Reason = m.notUnderstood(g, len(d.Nearest) > 0)
	if len(d.Nearest) == 0 {
		d.Nearest = nearestExamples(g, m.src)
	}
	return d
}

func ambiguous(readings []reading) *refactor.Declined {
	d := &refactor.Declined{Code: refactor.Ambiguous,
		Reason: "it can be read in more than one way; names, values and texts can be put in backticks"}
	for _, r := range readings[:min(len(readings), 3)] {
		d.Nearest = append(d.Nearest, sayAll(r.clauses))
	}
	return d
}

// dangling reports whether all that is left is a word that something must follow.
func dangling(rest string) bool {
	w := strings.ToLower(strings.Trim(rest, " \t\n.!?,;:"))
	return prepositions[w] && w != "instead" && w != "then" && w != "and"
}

// leftOver is a request whose beginning is understood. Nothing is done by
// halves: the words behind it may change what is meant.
func (m *matcher) leftOver() *refactor.Declined {
	said := sayAll(m.best.clauses)
	rest := clip(strings.TrimLeft(m.src[m.best.pos:], " ,;:."))
	reason := fmt.Sprintf("I didn't understand %q", rest)
	if w := firstMeaningful(m.src[m.best.pos:]); w != "" {
		reason = fmt.Sprintf(
			"%q changes what is asked, and the built-in model cannot follow: %q; a name that is such a word goes in backticks",
			w, rest)
	}
	return &refactor.Declined{Understood: said, Reason: reason, Nearest: []string{said}}
}

// notUnderstood says why a request has no understood beginning. hinted says
// that it is one of those that may mean several things.
func (m *matcher) notUnderstood(g *grammar, hinted bool) (refactor.Code, string) {
	first := strings.ToLower(wordAt(m.src, skipSpace(m.src, 0)))
	rest := clip(m.src[min(m.far, len(m.src)):])
	word := wordAt(m.src, min(m.far, len(m.src)))
	second := wordAt(m.src, skipSpace(m.src, skipSpace(m.src, 0)+len(first)))
	verb := wordAt(m.src, skipSpace(m.src, m.verb))
	lacks := ""
	ends := strings.Trim(rest, ".!?,; ") == ""
	if ends && !hinted {
		lacks = m.missing(g)
	}
	switch {
	case negation[first] || first == "do" && strings.EqualFold(second, "not"):
		return refactor.Beyond, "it says what not to do, and there is nothing else to do"
	case questions[first]:
		return refactor.Beyond, "it is a question, and the built-in model only edits"
	case verb != "" && m.far > 0 && skipSpace(m.src, 0) < m.far && !meaningful[strings.ToLower(verb)] &&
		!g.begins(strings.ToLower(verb)):
		return refactor.Beyond, cannotDo + strconv.Quote(clip(verb))
	case firstMeaningful(m.src) != "":
		return refactor.Beyond,
			fmt.Sprintf(
				"%q changes what is asked, and the built-in model cannot follow it; a name that is such a word goes in backticks",
				firstMeaningful(m.src))
	case m.far == 0 || skipSpace(m.src, 0) >= m.far:
		return refactor.Beyond, "the built-in model doesn't know this request"
	case lacks != "":
		return refactor.Beyond, lacks
	case ends && hinted:
		return refactor.Ambiguous, "this can mean several things"
	case ends:
		return refactor.Beyond, "the request ends before it says what to do"
	case word != "" && nouns[word]:
		return refactor.Beyond, fmt.Sprintf("a name was expected at %q; if %s is one, put it in backticks", rest, word)
	}
	if before := strings.ToLower(lastWord(strings.TrimSpace(m.src[:m.far]))); quantifiers[before] || pronouns[before] ||
		nouns[before] {
		return refactor.Beyond, fmt.Sprintf("I didn't understand %q; if %s is a name, put it in backticks", rest, before)
	}
	return refactor.Beyond, fmt.Sprintf("I didn't understand %q", rest)
}

// cannotDo begins the reason for declining a request whose first word the grammar does not know.
const cannotDo = "the built-in model can't do "

var negation = words.Set("don't dont don never not no")

// begins reports whether some phrase begins with the word.
func (g *grammar) begins(word string) bool {
	for _, op := range g.ops {
		for _, p := range op.full {
			if slices.Contains(p.first, word) {
				return true
			}
		}
	}
	return articles[word]
}

var questions = words.Set("why what how who where when which explain describe tell is are does did do has have was were show summarise summarize review")

func firstMeaningful(s string) string {
	for i := 0; i < len(s); {
		if end, ok := stringEnd(s, i); ok {
			i = end
			continue
		}
		if s[i] == '`' {
			if _, end, ok := codeSpan(s, i); ok {
				i = end
				continue
			}
		}
		w := wordAt(s, i)
		if w != "" && meaningful[strings.ToLower(w)] {
			return w
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		i += max(len(w), n)
	}
	return ""
}

func clip(s string) string {
	s = strings.TrimSpace(s)
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
