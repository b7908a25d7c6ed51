package text

import (
	"strings"
	"unicode/utf8"
)

// Diff returns a change set from a to b. It compares lines, and in the remaining blocks it
// drops the equal start and end, at character boundaries. The result is close to the
// shortest line diff if that is cheap to find; if the two have little in common Diff
// replaces whole blocks, so that its time and memory stay linear in the size of the
// documents. The result is correct for any bytes; two documents in UTF-16 are compared by
// characters, all others are read as UTF-8.
func Diff(a, b Text) ChangeSet {
	if a.Equal(b) {
		return Retain(a.Len())
	}
	if c, wide := diffWide(a, b); wide {
		return c
	}
	return diffBytes(a, b)
}

func diffBytes(a, b Text) ChangeSet {
	old, ins := a.String(), b.String()
	head, tail := commonLines(old, ins)
	d := newLineDiff(old[head:len(old)-tail], ins[head:len(ins)-tail])
	d.compare(0, len(d.a), 0, len(d.b))
	return d.changes(Byte(head), Byte(tail))
}

// commonLines returns how many bytes of whole lines a and b share at the start and at the
// end. Most edits are in one place, and need no more than this.
func commonLines(a, b string) (head, tail int) {
	head, _ = commonEnds(a, b)
	head = strings.LastIndexByte(a[:head], '\n') + 1
	_, tail = commonEnds(a[head:], b[head:])
	if cut := strings.IndexByte(a[len(a)-tail:], '\n'); cut >= 0 {
		return head, tail - cut - 1
	}
	return head, 0
}

// block says that lines [a0, a1) of the old became lines [b0, b1) of the new.
type block struct{ a0, a1, b0, b1 int }

// changes turns blocks of lines into changes of bytes. before and after count the equal
// bytes around the lines.
func (d *lineDiff) changes(before, after Byte) ChangeSet {
	var out builder
	out.keep(before)
	pos := 0
	for _, bl := range d.blocks {
		from, to := d.aAt[bl.a0], d.aAt[bl.a1]
		old, ins := d.aText[from:to], d.bText[d.bAt[bl.b0]:d.bAt[bl.b1]]
		head, tail := commonEnds(old, ins)
		out.keep(Byte(from + head - pos))
		out.replace(Byte(len(old)-head-tail), ins[head:len(ins)-tail])
		pos = to - tail
	}
	out.keep(Byte(len(d.aText)-pos) + after)
	return out.done()
}

// commonEnds returns how many bytes a and b share at the start and at the end. The two do
// not overlap and do not split characters.
func commonEnds(a, b string) (head, tail int) {
	short := min(len(a), len(b))
	for head < short && a[head] == b[head] {
		head++
	}
	head -= max(cutBefore(a, head), cutBefore(b, head))
	for tail < short-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	tail -= max(cutAfter(a, len(a)-tail), cutAfter(b, len(b)-tail))
	return head, tail
}

// cutBefore returns how many bytes of a character are before i, and cutAfter how many are
// after it, if i is inside a character; otherwise they return 0. Each byte that is not
// valid UTF-8 is a character of its own.
func cutBefore[S ~string | ~[]byte](s S, i int) int { before, _ := cut(s, i); return before }
func cutAfter[S ~string | ~[]byte](s S, i int) int  { _, after := cut(s, i); return after }

func cut[S ~string | ~[]byte](s S, i int) (before, after int) {
	if i <= 0 || i >= len(s) || utf8.RuneStart(s[i]) {
		return 0, 0
	}
	for k := 1; k < utf8.UTFMax && k <= i; k++ {
		if !utf8.RuneStart(s[i-k]) {
			continue
		}
		if _, size := utf8.DecodeRuneInString(string(s[i-k : min(len(s), i-k+utf8.UTFMax)])); size > k {
			return k, size - k
		}
		break
	}
	return 0, 0
}
