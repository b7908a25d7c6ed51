// Package fuzzy finds names by a few typed letters, best first: "ubc" finds
// user_by_city.go. A name matches if it has all letters of the query, in order; its score
// estimates how likely the user means it.
//
//	each letter                      16
//	directly behind the one before  +12
//	gap to the one before            -1 for each byte, at most -12
//	at the beginning of a part      +10 after '/', and first of all
//	                                 +8 after other punctuation, 7 at a camelHump
//	in the last part                 +6
//	in the same case                 +1
//
// Text before the first letter costs nothing, because the folders above a file say little
// about it. If there are several ways to match the letters, the best one counts. Equal
// scores are ordered by length, then alphabetically, and equal names by their index, so that
// the order is always the same.
//
// A hundred thousand names are scored at each key. So a name is prepared once (Name), one
// comparison of bit sets rejects most names, and the best match is searched only among the
// places of matching letters.
package fuzzy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	letter     = 16
	adjacent   = 12
	maxGap     = 12
	partStart  = 10
	punctStart = 8
	humpStart  = 7
	inLast     = 6
	sameCase   = 1
	impossible = -1 << 30
)

// Name is a name prepared for searching.
type Name struct {
	text  string
	lower string
	last  int    // beginning of the last part
	worth string // bonus of each place, unless the case differs
	set   set
	tops  [letters]uint8 // the highest bonus of each letter and digit
}

const letters = 36

// NewName prepares a name whose parts end with '/'.
func NewName(text string) Name { return NewNameAt(text, strings.LastIndexByte(text, '/')+1) }

// NewNameAt prepares a name whose last part begins at a given byte.
func NewNameAt(text string, last int) Name {
	n := Late(text, last)
	n.prepare()
	return n
}

// Late is NewNameAt, but defers most of the work until a search cannot reject the name at
// once. Only one Search at a time may use it.
func Late(text string, last int) Name {
	n := Name{text: text, last: last}
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf {
			n.prepare()
			return n
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		n.set |= bit(c)
	}
	return n
}

// prepare computes the bonuses of a name, once.
func (n *Name) prepare() {
	if len(n.worth) == len(n.text) {
		return
	}
	n.lower = fold(n.text)
	n.set = setOf(n.lower)
	worth := make([]byte, len(n.text))
	for at := range worth {
		worth[at] = byte(n.startBonus(at))
		if at >= n.last {
			worth[at] += inLast
		}
		if k := number(n.lower[at]); k < letters {
			n.tops[k] = max(n.tops[k], worth[at])
		}
	}
	n.worth = string(worth)
}

// Text is the name as it was given.
func (n *Name) Text() string { return n.text }

// fold converts letters to lower case where that keeps every byte in its place.
func fold(s string) string {
	ascii, upper := true, false
	for i := range len(s) {
		ascii = ascii && s[i] < utf8.RuneSelf
		upper = upper || 'A' <= s[i] && s[i] <= 'Z'
	}
	switch {
	case ascii && !upper:
		return s
	case ascii:
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i, r := range s {
		size := len(s) - i
		if _, n := utf8.DecodeRuneInString(s[i:]); n < size {
			size = n
		}
		if small := unicode.ToLower(r); r != utf8.RuneError && utf8.RuneLen(small) == size {
			b.WriteRune(small)
		} else {
			b.WriteString(s[i : i+size])
		}
	}
	return b.String()
}

// set tells which bytes a name contains: letters and digits exactly, the rest roughly.
type set uint64

func setOf(lower string) (s set) {
	for i := range len(lower) {
		s |= bit(lower[i])
	}
	return s
}

func bit(c byte) set { return 1 << number(c) }

// number is the index of a byte in a set; letters and digits have one each.
func number(c byte) byte {
	switch {
	case 'a' <= c && c <= 'z':
		return c - 'a'
	case '0' <= c && c <= '9':
		return 26 + c - '0'
	}
	return letters + c%28
}

// bonus is the score of a letter at a place, in addition to the letter itself.
func (n *Name) bonus(at int, typed byte) int {
	if n.text[at] == typed {
		return int(n.worth[at]) + sameCase
	}
	return int(n.worth[at])
}

func (n *Name) startBonus(at int) int {
	if at == 0 {
		return partStart
	}
	c, before := n.text[at], n.text[at-1]
	switch {
	case before == '/':
		return partStart
	case isWord(c) && !isWord(before):
		return punctStart
	case isUpper(c) && !isUpper(before), isDigit(c) && !isDigit(before):
		return humpStart
	}
	return 0
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isWord(c byte) bool {
	return isUpper(c) || 'a' <= c && c <= 'z' || isDigit(c) || c >= utf8.RuneSelf
}
