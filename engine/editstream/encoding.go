package editstream

import (
	"strings"

	"waferpair/workspace/text"
)

// encoding splits, decodes and encodes single lines of a file. text.Encoding defines the
// characters; the methods here work on strings, so that an index does not copy the file.
type encoding struct{ kind text.Encoding }

// bom returns the length of the byte order mark at the start of s.
func (e encoding) bom(s string) int {
	mark := string(e.kind.BOM())
	if e.kind == text.UTF8 {
		mark = string(text.UTF8BOM.BOM())
	}
	if strings.HasPrefix(s, mark) {
		return len(mark)
	}
	return 0
}

func (e encoding) wide() bool { return e.kind == text.UTF16LE || e.kind == text.UTF16BE }

// width returns the length of a line feed in bytes.
func (e encoding) width() int {
	if e.wide() {
		return 2
	}
	return 1
}

// narrow reports whether a line's bytes can be compared without decoding.
func (e encoding) narrow() bool { return e.kind == text.UTF8 || e.kind == text.UTF8BOM }

// line returns the end of the content of the line at pos and the start of the next line.
func (e encoding) line(s string, pos int) (end, next int) {
	if e.wide() {
		return e.wideLine(s, pos)
	}
	n := strings.IndexByte(s[pos:], '\n')
	if n < 0 {
		return len(s), len(s)
	}
	end = pos + n
	if end > pos && s[end-1] == '\r' {
		return end - 1, end + 1
	}
	return end, end + 1
}

func (e encoding) wideLine(s string, pos int) (end, next int) {
	for at := pos; at+1 < len(s); at += 2 {
		if e.unit(s, at) != '\n' {
			continue
		}
		if at > pos && e.unit(s, at-2) == '\r' {
			return at - 2, at + 2
		}
		return at, at + 2
	}
	return len(s), len(s)
}

// unit returns the UTF-16 code unit at offset at.
func (e encoding) unit(s string, at int) uint16 {
	if e.kind == text.UTF16LE {
		return uint16(s[at]) | uint16(s[at+1])<<8
	}
	return uint16(s[at])<<8 | uint16(s[at+1])
}

// count returns the number of line breaks in s.
func (e encoding) count(s string) int {
	if !e.wide() {
		return strings.Count(s, "\n")
	}
	n := 0
	for at := 0; at+1 < len(s); at += 2 {
		if e.unit(s, at) == '\n' {
			n++
		}
	}
	return n
}

func (e encoding) decode(s string) string {
	if e.narrow() {
		return s
	}
	return e.kind.Decode([]byte(s))
}

func (e encoding) encode(s string) (string, error) {
	if e.narrow() {
		return s, nil
	}
	b, err := e.kind.Encode(s)
	return string(b), err
}
