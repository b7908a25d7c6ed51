package query

import (
	"bytes"
	"unicode/utf8"

	"waferpair/workspace/text"
)

// GrepMatch is one match. All counts are in UTF-16 units, as pages count.
type GrepMatch struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`   // from 1
	Column int    `json:"column"` // from 0
	Length int    `json:"length"`
	Text   string `json:"text"`   // the line, or the part of a long one around the match
	Offset int    `json:"offset"` // of Text in the line: the match is at Column-Offset of it
}

// maxMatchLine bounds the bytes of a line that are shown.
const maxMatchLine = 300

// leadBytes is the part of a long line that is shown before the match.
const leadBytes = 60

// lineReader finds the lines of matches that come in order.
type lineReader struct {
	path  string
	b     []byte
	start int // of the line, counted so far
	line  int // its number, from 0
}

// match converts a range to page units.
func (l *lineReader) match(from, to int) GrepMatch {
	for {
		i := bytes.IndexByte(l.b[l.start:from], '\n')
		if i < 0 {
			break
		}
		l.start, l.line = l.start+i+1, l.line+1
	}
	end := len(l.b)
	if i := bytes.IndexByte(l.b[to:], '\n'); i >= 0 {
		end = to + i
	}
	line := bytes.TrimSuffix(l.b[l.start:end], []byte("\r"))
	shown, cut := shorten(line, from-l.start, to-l.start)
	return GrepMatch{Path: l.path, Line: l.line + 1, Column: units(line[:from-l.start]), Length: units(l.b[from:to]),
		Text: valid(shown), Offset: units(line[:cut])}
}

// shorten returns the part of a line around a match, and its beginning.
func shorten(line []byte, from, to int) (part []byte, cut int) {
	if len(line) <= maxMatchLine {
		return line, 0
	}
	start := 0
	if to > maxMatchLine {
		start = runeStart(line, max(0, from-leadBytes))
	}
	return line[start:runeStart(line, min(len(line), start+maxMatchLine))], start
}

// runeStart returns the beginning of the character at an offset.
func runeStart(b []byte, at int) int {
	for back := 0; back < utf8.UTFMax && at-back > 0 && at < len(b); back++ {
		if utf8.RuneStart(b[at-back]) {
			return at - back
		}
	}
	return at
}

// units returns the length in UTF-16 units.
func units(b []byte) int { return int(text.Of(b).UTF16Len()) }

// valid returns text that JSON can hold: each byte that is not UTF-8 becomes U+FFFD, as pages
// show it in the file.
func valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string([]rune(string(b)))
}
