package text

import (
	"errors"
	"fmt"
)

// UTF16 is an offset in UTF-16 code units, as a browser counts. A byte that is not part of
// valid UTF-8 is one unit, because it is shown as U+FFFD.
type UTF16 int

// LineCol is a line and a column, both counted from 0. Lines end at '\n'; the column is in
// bytes from the start of the line.
type LineCol struct {
	Line, Col int
}

// ErrPosition means that a position from outside is not in the text, or is inside a
// character.
var ErrPosition = errors.New("text: no such position")

// UTF16Len returns the length in UTF-16 code units.
func (t Text) UTF16Len() UTF16 {
	if t.root == nil {
		return 0
	}
	return t.root.units
}

// ToUTF16 returns the UTF-16 offset of at. An offset inside a character gives that of its
// start. It panics if at is not in the text.
func (t Text) ToUTF16(at Byte) UTF16 {
	t.check(at, t.Len())
	units := UTF16(0)
	n := t.root
	if n == nil {
		return 0
	}
	for n.height > 0 {
		if at < n.left.size {
			n = n.left
		} else {
			at -= n.left.size
			units += n.left.units
			n = n.right
		}
	}
	return units + unitsOf(n.leaf[:int(at)-cutBefore(n.leaf, int(at))])
}

// FromUTF16 returns the byte offset of a UTF-16 offset. It returns an ErrPosition if that
// is beyond the end, or between the two halves of a surrogate pair: no byte offset
// corresponds to it, and a browser's edit never begins there.
func (t Text) FromUTF16(u UTF16) (Byte, error) {
	if u < 0 || u > t.UTF16Len() {
		return 0, fmt.Errorf("%w: UTF-16 offset %d of %d", ErrPosition, u, t.UTF16Len())
	}
	at, left := Byte(0), u
	n := t.root
	if n == nil {
		return 0, nil
	}
	for n.height > 0 {
		if left < n.left.units {
			n = n.left
		} else {
			left -= n.left.units
			at += n.left.size
			n = n.right
		}
	}
	k, ok := bytesOf(n.leaf, left)
	if !ok {
		return 0, fmt.Errorf("%w: UTF-16 offset %d is inside a surrogate pair", ErrPosition, u)
	}
	return at + k, nil
}

// LineAt returns the line, counted from 0, that contains offset at. It panics if at is not
// in the text.
func (t Text) LineAt(at Byte) int {
	t.check(at, t.Len())
	line := 0
	n := t.root
	if n == nil {
		return 0
	}
	for n.height > 0 {
		if at < n.left.size {
			n = n.left
		} else {
			at -= n.left.size
			line += n.left.breaks
			n = n.right
		}
	}
	return line + breaksOf(n.leaf[:at])
}

// LineStart returns the offset of the first byte of line n, counted from 0, or the end of
// the text if it has no such line.
func (t Text) LineStart(line int) Byte {
	if line <= 0 {
		return 0
	}
	if line >= t.Lines() {
		return t.Len()
	}
	at := Byte(0)
	n := t.root
	for n.height > 0 { // the line begins after break number `line` of n
		if line <= n.left.breaks {
			n = n.left
		} else {
			line -= n.left.breaks
			at += n.left.size
			n = n.right
		}
	}
	return at + afterBreak(n.leaf, line)
}

// Line returns the range of line n without its '\n'; a '\r' before that belongs to the
// line. Both ends are the end of the text if it has no such line.
func (t Text) Line(n int) (from, to Byte) {
	from, to = t.LineStart(n), t.LineStart(n+1)
	if n+1 < t.Lines() {
		to--
	}
	return from, to
}

// LineCol returns the line and column of at. It panics if at is not in the text.
func (t Text) LineCol(at Byte) LineCol {
	line := t.LineAt(at)
	return LineCol{line, int(at - t.LineStart(line))}
}

// Offset returns the byte offset of a line and column, or an ErrPosition if the text has no
// such line or the line is shorter.
func (t Text) Offset(p LineCol) (Byte, error) {
	if p.Line < 0 || p.Line >= t.Lines() {
		return 0, fmt.Errorf("%w: line %d of %d", ErrPosition, p.Line+1, t.Lines())
	}
	from, to := t.Line(p.Line)
	if p.Col < 0 || p.Col > int(to-from) {
		return 0, fmt.Errorf("%w: column %d in line %d, which has %d bytes", ErrPosition, p.Col+1, p.Line+1, to-from)
	}
	return from + Byte(p.Col), nil
}
