package kit

import (
	"bytes"
	"fmt"
	"strings"
)

// Offsets of lines. A byte order mark is no part of the first one.

var mark = []byte("\xef\xbb\xbf")

func (f *File) top() int {
	if bytes.HasPrefix(f.Src, mark) {
		return len(mark)
	}
	return 0
}

// LineStart is the offset of the first byte of the line that holds at.
func (f *File) LineStart(at int) int {
	return max(bytes.LastIndexByte(f.Src[:at], '\n')+1, min(at, f.top()))
}

// LineEnd is the offset of the line break, or of the file's end, behind at.
func (f *File) LineEnd(at int) int {
	i := bytes.IndexByte(f.Src[at:], '\n')
	if i < 0 {
		return len(f.Src)
	}
	if i += at; i > at && f.Src[i-1] == '\r' {
		i--
	}
	return i
}

// NextLine is the offset of the first byte of the line behind the one that holds at.
func (f *File) NextLine(at int) int {
	if i := bytes.IndexByte(f.Src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(f.Src)
}

// Line is the offset of the first byte of a line, counted from 1.
func (f *File) Line(n int) int {
	at := f.top()
	for ; n > 1; n-- {
		at = f.NextLine(at)
	}
	return at
}

// Count is how many lines the file has.
func (f *File) Count() int {
	n := bytes.Count(f.Src, []byte("\n"))
	if len(f.Src) > 0 && f.Src[len(f.Src)-1] != '\n' {
		n++
	}
	return n
}

// LineOf is the number of the line that holds at, from 1.
func (f *File) LineOf(at int) int { return bytes.Count(f.Src[:at], []byte("\n")) + 1 }

// Place is where an offset is, as messages say it: "app/config.py:12".
func (f *File) Place(at int) string { return fmt.Sprintf("%s:%d", f.Path, f.LineOf(at)) }

// Indent is the white space at the start of the line that holds at.
func (f *File) Indent(at int) string {
	from := f.LineStart(at)
	to := from
	for to < len(f.Src) && (f.Src[to] == ' ' || f.Src[to] == '\t') {
		to++
	}
	return string(f.Src[from:to])
}

// Blank reports whether the line that holds at has no text.
func (f *File) Blank(at int) bool {
	return len(bytes.TrimSpace(f.Src[f.LineStart(at):f.LineEnd(at)])) == 0
}

// BeginsLine reports whether nothing but white space stands before at on its line.
func (f *File) BeginsLine(at int) bool { return f.LineStart(at)+len(f.Indent(at)) == at }

// EOL is how the file's lines end: as most of them do.
func (f *File) EOL() string {
	if crlf := bytes.Count(f.Src, []byte("\r\n")); crlf > 0 && 2*crlf >= bytes.Count(f.Src, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// Text is the source of a node, "" of nil.
func (f *File) Text(n *Node) string {
	if n == nil {
		return ""
	}
	return string(f.Src[n.From:n.To])
}

// CommonIndent is the white space that every line of [from, to) with text begins with.
func (f *File) CommonIndent(from, to int) string {
	lead, first := "", true
	for at := from; at < to; at = f.NextLine(at) {
		if f.Blank(at) {
			continue
		}
		here := f.Indent(at)
		if first {
			lead, first = here, false
		}
		for !strings.HasPrefix(here, lead) {
			lead = lead[:len(lead)-1]
		}
	}
	return lead
}

// extent is the part of [from, to) between its first and its last code: without the white
// space and the comments at its end.
func (f *File) extent(from, to int) (int, int) {
	from += len(f.Src[from:to]) - len(bytes.TrimLeft(f.Src[from:to], " \t\r\n"))
	for from < to {
		to = from + len(bytes.TrimRight(f.Src[from:to], " \t\r\n"))
		c := f.remarkAt(to - 1)
		if c == nil || c.From <= from {
			break
		}
		to = c.From
	}
	return from, to
}

// remarkAt is the comment that holds the byte, or nil.
func (f *File) remarkAt(at int) *Node {
	var found *Node
	f.Root().Walk(func(n *Node) bool {
		if n.Kind == Remark && n.From <= at && at < n.To {
			found = n
		}
		return found == nil && (n.Parent == nil || n.From <= at && at < n.To)
	})
	return found
}

// Cut is the outermost statement or element that lies partly in the lines [from, to), or nil.
func (f *File) Cut(from, to int) *Node {
	first, last := f.extent(from, to)
	var found *Node
	f.Root().Walk(func(n *Node) bool {
		inside := n.From >= from && n.To <= to
		if found != nil || n.To <= from || n.From >= to || inside || n.Kind == Root {
			return found == nil && n.Kind == Root
		}
		if n.Covers(first, last) && (n.Holder() || n.kidCovers(first, last)) {
			return true
		}
		found = n
		return false
	})
	return found
}

func (n *Node) kidCovers(from, to int) bool {
	for _, k := range n.Kids {
		if k.Covers(from, to) {
			return true
		}
	}
	return false
}

// Emptied is the block around [from, to) that would hold no code without it, or nil.
func (f *File) Emptied(from, to int) *Node {
	var found *Node
	f.Root().Walk(func(n *Node) bool {
		if n.Kind == Block && n.Parent != nil && n.Parent.From < from && n.From < to && n.To > from {
			all := true
			for _, k := range n.Code() {
				all = all && k.From >= from && k.To <= to
			}
			if all {
				found = n
			}
		}
		return true
	})
	return found
}
