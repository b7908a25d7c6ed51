package history

import (
	"bytes"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// changedLines counts the lines that an edit adds and removes.
func changedLines(e NewEdit, d version.Delta, after text.Text) (added, removed int) {
	if text.IsUTF16(after) {
		before, changes, _ := text.PlainChange(e.Before, e.Changes, after)
		return version.MakeDelta(before, changes).Lines(before)
	}
	return d.Lines(e.Before)
}

// linesOf counts the lines of a whole content; the last one need not end in a line break.
func linesOf(b []byte) int {
	n := bytes.Count(b, []byte{'\n'})
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
