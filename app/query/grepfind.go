package query

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// GrepQuery describes a text search in the project.
type GrepQuery struct {
	Text  string   `json:"text"`
	Regex bool     `json:"regex"` // Text is a regular expression (RE2); it matches within a line
	Case  bool     `json:"case"`  // upper and lower case differ
	Word  bool     `json:"word"`  // only whole words
	Globs []string `json:"globs"` // "*.go", "src/**", a folder; "!" before one leaves its files out
	Limit int      `json:"limit"` // the most matches to return; 0 is DefaultMatches
}

// matcher yields the matches in a text, as ranges of bytes, in order and without
// overlap. No match holds a line break.
type matcher func(b []byte) iter.Seq2[int, int]

// matcher compiles the query.
func (q GrepQuery) matcher() (matcher, error) {
	switch {
	case q.Text == "":
		return nil, errors.New("search: the text is empty")
	case !q.Regex && strings.ContainsAny(q.Text, "\r\n"):
		return nil, errors.New("search: the text has several lines; a search looks within lines")
	case q.Regex, !q.Case && !isASCII(q.Text):
		return q.regexMatcher()
	}
	return q.literalMatcher(), nil
}

// literalMatcher matches plain text. It can ignore the case of ASCII letters only; needles
// with other letters are compiled to an expression.
func (q GrepQuery) literalMatcher() matcher {
	needle := []byte(q.Text)
	if !q.Case {
		needle = lowerASCII(needle)
	}
	return func(b []byte) iter.Seq2[int, int] {
		return func(yield func(int, int) bool) {
			hay := b
			if !q.Case {
				hay = lowerASCII(b)
			}
			for at := 0; at <= len(hay); {
				i := bytes.Index(hay[at:], needle)
				if i < 0 {
					return
				}
				from, to := at+i, at+i+len(needle)
				if q.Word && !wholeWord(b, from, to) {
					at = from + 1
					continue
				}
				if !yield(from, to) {
					return
				}
				at = to
			}
		}
	}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// lowerASCII converts to lower case, byte by byte.
func lowerASCII(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out[i] = c
	}
	return out
}

// wholeWord reports whether a match neither begins nor ends inside a word.
func wholeWord(b []byte, from, to int) bool {
	first, _ := utf8.DecodeRune(b[from:to])
	last, _ := utf8.DecodeLastRune(b[from:to])
	before, _ := utf8.DecodeLastRune(b[:from])
	after, _ := utf8.DecodeRune(b[to:])
	return !(from > 0 && inWord(before) && inWord(first)) && !(to < len(b) && inWord(after) && inWord(last))
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// regexMatcher matches an expression line by line: ^ and $ are the ends of a line, and no
// match crosses one. It first tries the whole text, which most files fail; the result is
// the same as line by line, except where the expression or the line ends make a difference.
func (q GrepQuery) regexMatcher() (matcher, error) {
	expr := q.Text
	if !q.Regex {
		expr = regexp.QuoteMeta(expr)
	}
	flags := "(?m)"
	if !q.Case {
		flags = "(?mi)"
	}
	re, err := regexp.Compile(flags + expr)
	if err != nil {
		return nil, fmt.Errorf("search for %s: %w; switch regular expressions off to search for it literally", q.Text, err)
	}
	sameAtOnce := !anchored(flags + expr)
	return func(b []byte) iter.Seq2[int, int] {
		return func(yield func(int, int) bool) {
			if sameAtOnce && bytes.IndexByte(b, '\r') < 0 && !re.Match(b) {
				return
			}
			q.eachLine(b, re, yield)
		}
	}, nil
}

// anchored reports whether an expression refers to the ends of the whole text.
func anchored(expr string) bool {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return true
	}
	todo := []*syntax.Regexp{re}
	for len(todo) > 0 {
		re, todo = todo[0], append(todo[1:], todo[0].Sub...)
		if re.Op == syntax.OpBeginText || re.Op == syntax.OpEndText {
			return true
		}
	}
	return false
}

func (q GrepQuery) eachLine(b []byte, re *regexp.Regexp, yield func(int, int) bool) {
	for start := 0; start < len(b); {
		end := len(b)
		if i := bytes.IndexByte(b[start:], '\n'); i >= 0 {
			end = start + i
		}
		line := bytes.TrimSuffix(b[start:end], []byte("\r"))
		for _, m := range re.FindAllIndex(line, -1) {
			if m[0] == m[1] || q.Word && !wholeWord(line, m[0], m[1]) {
				continue // an empty match shows nothing
			}
			if !yield(start+m[0], start+m[1]) {
				return
			}
		}
		start = end + 1
	}
}
