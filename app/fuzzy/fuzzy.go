// Package fuzzy finds the names that a few typed letters mean, best first: "ubc"
// finds user_by_city.go. The letters of the query must all be in the name, in
// their order; the score says how likely it is that the user means it.
//
//	each letter                      16
//	directly behind the one before  +12
//	gap to the one before            -1 for each byte, at most -12
//	at the beginning of a part      +10 after '/', and first of all
//	                                 +8 after other punctuation, 7 at a camelHump
//	in the last part                 +6
//	in the same case                 +1
//
// What is before the first letter costs nothing: the folders above a file say
// little about it. Of several ways to find the letters the best one counts. Equal
// scores go to the shorter name, then to the one that sorts first, so that the
// order never depends on anything else.
//
// A hundred thousand names are scored at each key. So a name is prepared once
// (Name), most are turned down by one comparison of bit sets, and the best way is
// found over the places where a letter is instead of over all bytes.
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
	last  int    // where the last part begins
	worth string // what each place is worth beyond the letter, unless the case differs
	set   set
	tops  [letters]uint8 // the most that each letter and digit is worth beyond the letter
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

// Late is NewNameAt that puts most of the work off until a search comes upon the
// name and cannot turn it down at once. Only one Search at a time may have it.
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

// prepare works out what the places of a name are worth, once.
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

// fold makes letters small where that keeps every byte in its place.
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

// set says which bytes a name has: letters and digits exactly, the rest roughly.
type set uint64

func setOf(lower string) (s set) {
	for i := range len(lower) {
		s |= bit(lower[i])
	}
	return s
}

func bit(c byte) set { return 1 << number(c) }

// number is the place of a byte in a set; letters and digits have one each.
func number(c byte) byte {
	switch {
	case 'a' <= c && c <= 'z':
		return c - 'a'
	case '0' <= c && c <= '9':
		return 26 + c - '0'
	}
	return letters + c%28
}

// bonus is what a letter at place at is worth beyond the letter itself.
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
