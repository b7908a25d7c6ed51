package text

import "bytes"

// Line is one line of a document: its content is [From, To), its line break [To, End). The
// offsets are bytes of the document in its own encoding.
type Line struct {
	From, To, End Byte
	Ending        string // "\n", "\r\n", or "" at the end of the document
}

// SplitLines returns the lines of a document in any encoding, so that an edit can find a
// line by its characters and replace its bytes. A byte order mark is before the first line;
// the last line has no line break and may be empty. A "\r" alone does not end a line.
func SplitLines(enc Encoding, doc Text) []Line {
	b := doc.Bytes()
	at := 0
	if bytes.HasPrefix(b, enc.BOM()) {
		at = len(enc.BOM())
	}
	var lines []Line
	for {
		l := lineFrom(enc, b, at)
		lines = append(lines, l)
		if l.Ending == "" {
			return lines
		}
		at = int(l.End)
	}
}

// lineFrom returns the line that starts at from.
func lineFrom(enc Encoding, b []byte, from int) Line {
	width := 1
	if enc.order() != nil {
		width = 2
	}
	i := indexUnit(enc, b[from:], '\n')
	if i < 0 {
		return Line{Byte(from), Byte(len(b)), Byte(len(b)), ""}
	}
	to, end, ending := from+i, from+i+width, "\n"
	if to-width >= from && isUnit(enc, b[to-width:], '\r') {
		to, ending = to-width, "\r\n"
	}
	return Line{Byte(from), Byte(to), Byte(end), ending}
}

// indexUnit returns the offset of the first character c in b, which must be
// ASCII, or -1. In UTF-16 it looks only at whole code units.
func indexUnit(enc Encoding, b []byte, c byte) int {
	if enc.order() == nil {
		return bytes.IndexByte(b, c)
	}
	for i := 0; i+1 < len(b); i += 2 {
		if isUnit(enc, b[i:], c) {
			return i
		}
	}
	return -1
}

// isUnit reports whether b starts with the ASCII character c.
func isUnit(enc Encoding, b []byte, c byte) bool {
	if order := enc.order(); order != nil {
		return order.Uint16(b) == uint16(c)
	}
	return b[0] == c
}
