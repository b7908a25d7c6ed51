package findings

import (
	"fmt"
	"strings"
)

// Severity says how bad a finding is.
type Severity string

// The severities, the worst first.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Finding is a remark on lines of a file.
type Finding struct {
	Path     string   `json:"path"`
	From     int      `json:"from"` // lines, from 1, inclusive
	To       int      `json:"to"`
	Severity Severity `json:"severity"`
	Title    string   `json:"title"`
	Why      string   `json:"why,omitempty"`
	Quote    string   `json:"quote,omitempty"` // what the model says stands at From
	// Suggests says that Replacement should replace the lines; it is "" to remove them.
	Suggests    bool   `json:"suggests,omitempty"`
	Replacement string `json:"replacement,omitempty"` // lines, each with its end
}

// At returns the place in words, as path:line.
func (f Finding) At() string {
	if f.To > f.From {
		return fmt.Sprintf("%s:%d-%d", f.Path, f.From, f.To)
	}
	return fmt.Sprintf("%s:%d", f.Path, f.From)
}

// The limits of what is kept of an answer.
const (
	Most           = 500 // findings
	mostTitle      = 300 // characters
	mostWhy        = 4000
	mostQuote      = 2000
	mostReplaced   = 16 << 10 // bytes
	mostProblems   = 50
	shownOfProblem = 80
)

// clip cuts a text to n characters.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// words returns a text without control characters, in one line or several.
func words(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1 // control characters, and those that change the direction of writing
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}
