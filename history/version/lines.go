package version

import (
	"bytes"
	"strings"

	"waferpair/workspace/text"
)

// Lines returns how many lines a delta adds to the document before it and removes, as a
// line diff counts them: a change inside a line is one line removed and one added, and
// several changes in one line count once.
func (d Delta) Lines(before text.Text) (added, removed int) {
	open := false // the previous change ended inside a line that is already counted
	end := text.Byte(0)
	for _, h := range d.Hunks {
		if open && hasBreak(before, end, h.From) {
			open = false
		}
		add, rem := strings.Count(h.Inserted, "\n"), strings.Count(h.Removed, "\n")
		whole := !open && atLineStart(before, h.From) && wholeLines(h.Inserted) && wholeLines(h.Removed)
		if !whole && !open {
			add, rem = add+1, rem+1
		}
		added, removed = added+add, removed+rem
		open = !whole
		end = h.To
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
