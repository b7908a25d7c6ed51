package link

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a number, quoted text, code in backticks or a sign of a request.
type token struct {
	from, to int // bytes of the request
	text     string
	kind     tokenKind
}

type tokenKind uint8

const (
	word   tokenKind = iota // letters, digits, _ and $, joined by dots, :: and #
	number                  // 64, 0x1f, 2.5, 10ms, -1
	quoted                  // "text" or 'text'
	code                    // `text`
	pathTo                  // words with a slash, or a file's name
	sign                    // anything else, one rune or an arrow
)

var (
	numberAt = regexp.MustCompile(
		`^[-+]?(0[xX][0-9a-fA-F_]+|[0-9][0-9_]*(\.[0-9]+)?(e[-+]?[0-9]+)?)(ns|us|ms|s|m|h|d|%|[kKMG]i?B?|px|em)?`)
	arrowAt = regexp.MustCompile(`^(->|=>|→|⇒|:=|==|\.\.\.|…)`)
)

// tokens cuts a request into its tokens.
func tokens(src string) []token {
	var out []token
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRuneInString(src[i:])
		if unicode.IsSpace(r) {
			i += n
			continue
		}
		t := next(src, i, r)
		out = append(out, t)
		i = t.to
	}
	return out
}

func next(src string, at int, r rune) token {
	rest := src[at:]
	before, _ := utf8.DecodeLastRuneInString(src[:at])
	switch {
	case r == '`':
		if t, ok := fenced(src, at); ok {
			return t
		}
	case r == '"', r == '\'' && !isNameRune(before):
		if t, ok := inQuotes(src, at, byte(r)); ok {
			return t
		}
	case r == '\'' && strings.HasPrefix(rest, "'s") && !startsName(rest[2:]):
		return token{at, at + 2, "'s", sign}
	}
	if m := numberAt.FindString(rest); m != "" && !isNameRune(before) && !startsName(rest[len(m):]) {
		return token{at, at + len(m), m, number}
	}
	if end := wordEnd(src, at); end > at {
		text := src[at:end]
		if strings.Contains(text, "/") || hasExtension(text) && knownExtension(text) {
			return token{at, end, text, pathTo}
		}
		return token{at, end, text, word}
	}
	if m := arrowAt.FindString(rest); m != "" {
		return token{at, at + len(m), m, sign}
	}
	_, n := utf8.DecodeRuneInString(rest)
	return token{at, at + n, rest[:n], sign}
}

func fenced(src string, at int) (token, bool) {
	end := strings.IndexByte(src[at+1:], '`')
	if end <= 0 {
		return token{}, false
	}
	return token{at, at + end + 2, src[at+1 : at+1+end], code}, true
}

func inQuotes(src string, at int, quote byte) (token, bool) {
	for i := at + 1; i < len(src); i++ {
		if src[i] == quote && (quote == '"' || !startsName(src[i+1:])) {
			return token{at, i + 1, src[at+1 : i], quoted}, i > at+1
		}
	}
	return token{}, false
}

// wordEnd is the end of the word at a position: name runes, with . :: # / and - inside where
// a name rune follows.
func wordEnd(src string, at int) int {
	end := at
	for end < len(src) {
		r, n := utf8.DecodeRuneInString(src[end:])
		if isNameRune(r) || r == '@' && end == at && startsName(src[end+1:]) {
			end += n
			continue
		}
		switch {
		case end == at && r == '.' && strings.HasPrefix(src[end:], "./"):
			end += 2
			continue
		case end > at && strings.HasPrefix(src[end:], "::") && startsName(src[end+2:]):
			end += 2
			continue
		case end > at && (r == '.' || r == '#' || r == '/') && startsName(src[end+n:]):
			end += n
			continue
		case end > at && r == '-' && startsName(src[end+n:]) && !strings.HasPrefix(src[end:], "->"):
			end += n
			continue
		}
		break
	}
	return end
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func startsName(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && isNameRune(r)
}

var extensions = map[string]bool{}

func init() {
	for _, e := range strings.Fields("go py pyi ts tsx js jsx mjs cjs mts cts java json md txt yml yaml toml html css scss sh sql c h rs kt mod sum cfg ini xml") {
		extensions["."+e] = true
	}
}

// knownExtension tells server.go from Server.Close.
func knownExtension(text string) bool {
	return extensions[strings.ToLower(text[strings.LastIndexByte(text, '.'):])]
}
