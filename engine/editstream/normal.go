package editstream

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// level is how closely two lines are compared. Each level matches at least the lines that
// the one before matches, so lines that differ at the loosest level differ at all levels.
type level int

const (
	exact    level = iota
	trailing       // ignores white space at the end
	trimmed        // also at the start
	loose          // also the kind of dash, quote or space
	levels   = iota
)

// normal returns the normal form of line at level l: lines are equal at that level when
// their normal forms are.
func normal(line string, l level) string {
	switch l {
	case exact:
		return line
	case trailing:
		return strings.TrimRightFunc(line, unicode.IsSpace)
	case trimmed:
		return strings.TrimSpace(line)
	}
	line = strings.TrimSpace(line)
	for i := range len(line) {
		if line[i] >= utf8.RuneSelf {
			return strings.Map(plain, line)
		}
	}
	return line
}

// plain maps typographic characters to the ones that a keyboard has.
func plain(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case r >= 0x2010 && r <= 0x2015 || r == 0x2212:
		return '-'
	case r >= 0x2018 && r <= 0x201B:
		return '\''
	case r >= 0x201C && r <= 0x201F:
		return '"'
	case r == 0xA0 || r >= 0x2002 && r <= 0x200A || r == 0x202F || r == 0x205F || r == 0x3000:
		return ' '
	}
	return r
}
