package treesitter

import (
	"bytes"
	"strings"
	"unicode"
)

// style is how a file is written, for the code that is inserted into it.
type style struct {
	eol   string // "\n" or "\r\n"
	tab   string // one level of indentation
	quote string // ' or "
	semi  string // ";" or ""
}

func (u *unit) style() style {
	s := style{eol: "\n", tab: indentUnit(u), quote: `"`, semi: ";"}
	if bytes.Contains(u.src, []byte("\r\n")) {
		s.eol = "\r\n"
	}
	single, double, with, without := 0, 0, 0, 0
	u.root.walk(func(n *node) bool {
		switch n.kind {
		case "string":
			switch q := bytes.TrimLeft(n.src[n.from:n.to], "rRbBfFuU"); {
			case bytes.HasPrefix(q, []byte(`"""`)):
			case bytes.HasPrefix(q, []byte(`'`)):
				single++
			default:
				double++
			}
		case "expression_statement", "lexical_declaration", "import_statement", "return_statement", "variable_declaration",
			"public_field_definition", "field_definition":
			if n.last.is(";") || n.next.is(";") {
				with++
			} else {
				without++
			}
		}
		return true
	})
	if single > double {
		s.quote = "'"
	}
	if without > with {
		s.semi = ""
	}
	return s
}

// indentUnit is the most frequent step by which a line is indented deeper than the one before.
func indentUnit(u *unit) string {
	steps := map[string]int{}
	before := ""
	for line := range bytes.Lines(u.src) {
		text := strings.TrimRight(string(line), "\r\n")
		body := strings.TrimLeft(text, " \t")
		if body == "" || strings.HasPrefix(body, "*") {
			continue
		}
		lead := text[:len(text)-len(body)]
		if step, deeper := strings.CutPrefix(lead, before); deeper && step != "" && len(step) <= 8 {
			steps[step]++
		}
		before = lead
	}
	best := ""
	for s, n := range steps {
		if n > steps[best] || n == steps[best] && s < best {
			best = s
		}
	}
	if best != "" {
		return best
	}
	return u.d.style().Indent
}

// lineStart is the offset of the first byte of the line that holds at.
// The byte order mark of a file is no part of its first line.
func lineStart(src []byte, at int) int {
	if start := bytes.LastIndexByte(src[:at], '\n') + 1; start > 0 {
		return start
	}
	return min(at, bomLen(src))
}

func bomLen(src []byte) int {
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		return 3
	}
	return 0
}

// lineEnd is the offset of the line break (or of the file's end) after at.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		at += i
		if at > 0 && src[at-1] == '\r' {
			at--
		}
		return at
	}
	return len(src)
}

// nextLine is the offset of the first byte of the line after the one that holds at.
func nextLine(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// indentAt is the white space at the start of the line that holds at.
func indentAt(src []byte, at int) string {
	start := lineStart(src, at)
	end := start
	for end < len(src) && (src[end] == ' ' || src[end] == '\t') {
		end++
	}
	return string(src[start:end])
}

// ownLines reports whether n has its lines to itself, apart from a comment behind it.
func (n *node) ownLines() bool {
	before := strings.TrimSpace(string(n.src[lineStart(n.src, n.from):n.from]))
	after := strings.TrimSpace(string(n.src[n.to:lineEnd(n.src, n.to)]))
	return before == "" && (after == "" || after == ";" || strings.HasPrefix(after, "#") || strings.HasPrefix(after, "//"))
}

// wordsOf splits an identifier: parse_HTTPConfig -> parse, http, config.
func wordsOf(name string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
		}
		word = nil
	}
	rs := []rune(name)
	for i, r := range rs {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return out
}
