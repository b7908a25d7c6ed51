package history

import (
	"bytes"
	"strings"

	"waferpair/workspace/text"
)

// changedLines counts the lines that an edit adds and removes.
func changedLines(e NewEdit, d delta, after text.Text) (added, removed int) {
	if text.IsUTF16(after) {
		before, changes, _ := text.PlainChange(e.Before, e.Changes, after)
		return countLines(before, makeDelta(before, changes))
	}
	return countLines(e.Before, d)
}

// countLines returns how many lines a delta adds and removes, as a line diff
// would count them: a change inside a line is one line removed and one added, and
// several changes in one line count once.
func countLines(before text.Text, d delta) (added, removed int) {
	open := false // the change before ended inside a line that is counted already
	end := text.Byte(0)
	for _, h := range d.hunks {
		if open && hasBreak(before, end, h.from) {
			open = false
		}
		add, rem := strings.Count(h.inserted, "\n"), strings.Count(h.removed, "\n")
		whole := !open && atLineStart(before, h.from) && wholeLines(h.inserted) && wholeLines(h.removed)
		if !whole && !open {
			add, rem = add+1, rem+1
		}
		added, removed = added+add, removed+rem
		open = !whole
		end = h.to
	}
	return added, removed
}

func wholeLines(s string) bool { return s == "" || s[len(s)-1] == '\n' }

func atLineStart(t text.Text, at text.Byte) bool {
	return at == 0 || t.Slice(at-1, at).String() == "\n"
}

func hasBreak(t text.Text, from, to text.Byte) bool {
	found := false
	t.Slice(from, to).Chunks(func(b []byte) bool {
		found = bytes.IndexByte(b, '\n') >= 0
		return !found
	})
	return found
}

// linesOf counts the lines of a whole content; the last one need not be ended.
func linesOf(b []byte) int {
	n := bytes.Count(b, []byte{'\n'})
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
