package findings

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Review is what an answer says.
type Review struct {
	Findings []Finding
	Problems []string // findings that could not be read, in words for the user
	Prose    string   // what stands around them
}

// Clean reports whether the answer says that there is nothing to find.
func (r Review) Clean() bool {
	said := strings.ToLower(strings.Trim(r.Prose, "*_`#> .!\n\t"))
	return len(r.Findings)+len(r.Problems) == 0 && (strings.HasPrefix(said, "no findings") ||
		strings.HasSuffix(said, "no findings") || len(said) < shortAnswer && nothingFound.MatchString(said))
}

// nothingFound matches a short answer of a model that does not use the words it was told.
var nothingFound = regexp.MustCompile(
	`^(lgtm|looks good( to me)?|(i )?(found )?no (issues|problems|bugs|faults)( (were )?found)?)\b`)

const shortAnswer = 100

// thought matches what a model thinks before its answer, in tags.
var thought = regexp.MustCompile(`(?s)^\s*<(think|thinking)>.*?</(think|thinking)>`)

// Parse reads an answer.
func Parse(answer string) Review {
	answer = thought.ReplaceAllString(answer, "")
	p := parser{}
	for line := range strings.Lines(strings.ReplaceAll(answer, "\r\n", "\n")) {
		p.line(strings.TrimSuffix(line, "\n"))
	}
	if p.fence != "" && p.at == inSuggestion {
		p.now.Suggests, p.said = false, nil
		p.problem("the last suggestion breaks off and is left out")
	}
	p.finish()
	r := Review{p.out, p.problems, words(p.prose.String())}
	if len(r.Findings) == 0 {
		if list, ok := fromJSON(answer); ok {
			r.Findings, r.Problems = list.Findings, append(r.Problems, list.Problems...)
		}
	}
	return r
}

// part is what of a finding comes next.
type part int

const (
	outside part = iota // prose
	inQuote
	inTitle
	inWhy
	inSuggestion
)

type parser struct {
	out      []Finding
	problems []string
	dropped  int // findings over the limit
	prose    strings.Builder

	at    part
	now   Finding
	quote []string
	why   []string
	said  []string // lines of the suggestion
	fence string   // that is open, or ""
	head  string
	items bool // the findings are items of a list
}

var (
	heading    = regexp.MustCompile(`^\s{0,3}(?:#{1,6}\s+(.+?)\s*#*|(?:[-*]\s+|\d+[.)]\s+)?\*\*(.+?)\*\*:?)\s*$`)
	listed     = regexp.MustCompile(`^\s*\d+[.)]\s+`)
	fenced     = regexp.MustCompile("^\\s{0,3}(`{3,}|~{3,})\\s*([^`]*)$")
	placedItem = regexp.MustCompile(
		"^\\s{0,3}(?:[-*]|\\d+[.)])\\s+[*_`\\[]*([^\\s*`:,()]+\\.\\w+)(?::|[*_`]*,?\\s+\\(?[Ll]ines?\\s+)" +
			"(\\d{1,9})(?:\\s*[-–]\\s*(\\d{1,9}))?[*_`)\\]]*\\s*(.*)$")
	severity = regexp.MustCompile(
		`(?i)^[^\pL\pN]*(error|critical|blocker|bug|high|severe|major|warning|warn|medium|moderate|minor|note|info|information|low|nit|nitpick|suggestion|hint)\b[^\pL\pN./~@_+]*`)
	behind = regexp.MustCompile(
		`(?i)[\s([,–—-]+(error|critical|blocker|bug|high|severe|major|warning|warn|medium|moderate|minor|note|info|information|low|nit|nitpick|suggestion|hint)[^\pL\pN]*$`)
	place = regexp.MustCompile("^`?(.+?)(?::\\s*|#)(?:[Ll](?:ines?\\s*)?)?(\\d{1,9})(?::\\d+)?(?:\\s*[-–—]\\s*[Ll]?(\\d{1,9}))?`?[)\\]]?(?:\\s*[-–—:]+\\s*(.*))?$")
)

var severities = map[string]Severity{
	"error": Error, "critical": Error, "blocker": Error, "bug": Error, "high": Error, "severe": Error, "major": Error,
	"warning": Warning, "warn": Warning, "medium": Warning, "moderate": Warning, "minor": Warning,
}

// severityOf returns what a word means.
func severityOf(word string) Severity {
	if s, ok := severities[strings.ToLower(word)]; ok {
		return s
	}
	return Note
}

// line takes a line of the answer.
func (p *parser) line(s string) {
	if p.fence != "" {
		p.inFence(s)
		return
	}
	if m := fenced.FindStringSubmatch(s); m != nil {
		p.fence = m[1]
		if p.at != outside && strings.HasPrefix(strings.ToLower(m[2]), "suggestion") {
			p.at, p.said, p.now.Suggests = inSuggestion, nil, true
			return
		}
		p.keep(s)
		return
	}
	if p.item(s) {
		return
	}
	if m := heading.FindStringSubmatch(s); m != nil && p.begins(m[1]+m[2]) {
		p.items = false
		return
	} else if m != nil && m[1] != "" && p.at != outside { // another heading ends the finding
		p.finish()
	}
	p.keep(s)
}

// inFence takes a line of a fenced block.
func (p *parser) inFence(s string) {
	if t := strings.TrimSpace(s); strings.HasPrefix(t, p.fence) && strings.Trim(t, p.fence[:1]) == "" {
		p.fence = ""
		if p.at == inSuggestion {
			p.at = inWhy
			return
		}
	} else if p.at == inSuggestion {
		p.said = append(p.said, s)
		return
	}
	p.keep(s)
}

// keep takes a line that is neither a heading nor part of a suggestion.
func (p *parser) keep(s string) {
	quoted, isQuote := strings.CutPrefix(strings.TrimSpace(s), ">")
	switch blank := strings.TrimSpace(s) == ""; {
	case p.at == outside:
		p.prose.WriteString(s + "\n")
	case p.at == inQuote && isQuote:
		p.quote = append(p.quote, strings.TrimPrefix(quoted, " "))
	case (p.at == inQuote || p.at == inTitle) && blank:
	case p.now.Title == "" && p.fence == "":
		p.now.Title, p.at = strings.Trim(strings.TrimSpace(s), "*"), inWhy
	default:
		p.at = inWhy
		p.why = append(p.why, s)
	}
}

// begins starts a finding if a heading has the form of one.
func (p *parser) begins(head string) bool {
	f, is := headOf(head)
	if !is {
		if m := severity.FindStringSubmatch(head); m != nil && strings.Contains(head, ".") {
			p.finish()
			p.problem(fmt.Sprintf("a finding names no place as path:line: %q", clip(words(head), shownOfProblem)))
			return true
		}
		return false
	}
	p.finish()
	p.now, p.head, p.at = f, head, inQuote
	return true
}

// item starts a finding if a line is an item of a list that begins with a place. In a finding with a
// heading, it is one of its reasons.
func (p *parser) item(s string) bool {
	m := placedItem.FindStringSubmatch(s)
	if m == nil || !p.items && (p.at != outside || len(p.out) > 0) {
		return false
	}
	f := Finding{Severity: Warning, Path: cleanPath(m[1])}
	if word := severity.FindStringSubmatch(m[4]); word != nil {
		f.Severity, m[4] = severityOf(word[1]), m[4][len(word[0]):]
	}
	f.Title = strings.Trim(m[4], " *_`:–—-")
	if f.Path == "" || f.Title == "" {
		return false
	}
	f.From, _ = strconv.Atoi(m[2]) // at most nine digits
	f.To, _ = strconv.Atoi(m[3])
	f.To = max(f.To, f.From)
	p.finish()
	p.now, p.head, p.at, p.items = f, s, inWhy, true
	return true
}

// headOf reads the heading of a finding.
func headOf(head string) (f Finding, ok bool) {
	rest := listed.ReplaceAllString(strings.NewReplacer("**", "", "`", "").Replace(head), "")
	f.Severity = Warning
	if m := severity.FindStringSubmatch(rest); m != nil && m[0] != rest {
		f.Severity, rest = severityOf(m[1]), rest[len(m[0]):]
	} else if m := behind.FindStringSubmatch(rest); m != nil {
		f.Severity, rest = severityOf(m[1]), rest[:len(rest)-len(m[0])]
	}
	m := place.FindStringSubmatch(strings.TrimSpace(rest))
	if m == nil {
		return f, false
	}
	f.Path = cleanPath(m[1])
	f.From, _ = strconv.Atoi(m[2]) // at most nine digits
	f.To, _ = strconv.Atoi(m[3])
	f.To = max(f.To, f.From)
	f.Title = m[4]
	return f, f.Path != ""
}

// cleanPath returns a path as the project has it: relative, with slashes.
func cleanPath(s string) string {
	s = strings.Trim(strings.ReplaceAll(words(s), `\`, "/"), " `*[]()'\"")
	if i := strings.LastIndexByte(s, '\n'); i >= 0 || s == "" {
		return ""
	}
	return path.Clean(s)
}

// problem keeps words for the user.
func (p *parser) problem(s string) {
	if len(p.problems) < mostProblems {
		p.problems = append(p.problems, s)
	}
}

// finish ends the finding that is being read.
func (p *parser) finish() {
	f := p.now
	was := p.at
	why, said, quote := p.why, p.said, p.quote
	p.at, p.now, p.why, p.said, p.quote = outside, Finding{}, nil, nil, nil
	if was == outside {
		return
	}
	f.Title = clip(words(f.Title), mostTitle)
	f.Why = clip(words(strings.Join(why, "\n")), mostWhy)
	f.Quote = clip(strings.Join(quote, "\n"), mostQuote)
	if f.Suggests {
		f.Replacement = strings.Join(said, "\n")
		if len(said) > 0 {
			f.Replacement += "\n"
		}
	}
	switch {
	case f.Title == "":
		p.problem(fmt.Sprintf("a finding does not say what is wrong: %q", clip(words(p.head), shownOfProblem)))
		return
	case len(p.out) == Most:
		if p.dropped++; p.dropped == 1 {
			p.problem(fmt.Sprintf("there are more than %d findings: the rest is left out", Most))
		}
		return
	case len(f.Replacement) > mostReplaced:
		f.Suggests, f.Replacement = false, ""
		p.problem(fmt.Sprintf("the suggestion for %s is too long and is left out", f.At()))
	}
	p.out = append(p.out, f)
}
