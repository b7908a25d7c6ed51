package query

import "waferpair/workspace/text"

// DiffHunk is a range of lines that became others. Lines count from 1; an empty side has the
// line at which it would be.
type DiffHunk struct {
	From     int `json:"from"`
	Removed  int `json:"removed"`
	To       int `json:"to"`
	Inserted int `json:"inserted"`
}

// DiffHunks returns the difference of two texts in whole lines.
func DiffHunks(a, b text.Text) []DiffHunk { return diffHunks(a, b) }

// diffHunks returns the difference of two texts in whole lines.
func diffHunks(a, b text.Text) []DiffHunk {
	a, b = text.Plain(a), text.Plain(b)
	var out []DiffHunk
	shift := text.Byte(0)
	for c := range text.Diff(a, b).Changes {
		h := wholeLines(a, b, c, c.From+shift)
		shift += text.Byte(len(c.Insert)) - (c.To - c.From)
		n := len(out) - 1
		// it touches the one before
		if n >= 0 && h.From < out[n].From+out[n].Removed+1 && h.To < out[n].To+out[n].Inserted+1 {
			out[n].Removed, out[n].Inserted = h.From+h.Removed-out[n].From, h.To+h.Inserted-out[n].To
			continue
		}
		out = append(out, h)
	}
	return out
}

// wholeLines extends a change to whole lines, equally on both sides; at is its beginning in
// the new text.
func wholeLines(a, b text.Text, c text.Change, at text.Byte) DiffHunk {
	from, to := a.LineAt(c.From), a.LineAt(c.To)
	end := at + text.Byte(len(c.Insert))
	newFrom, newTo := b.LineAt(at), b.LineAt(end)
	if c.To != a.LineStart(to) || end != b.LineStart(newTo) { // it ends within a line
		to, newTo = to+1, newTo+1
	}
	return DiffHunk{From: from + 1, Removed: realLines(a, from, to), To: newFrom + 1,
		Inserted: realLines(b, newFrom, newTo)}
}

// realLines counts lines from one to before another, without the empty one after the last
// line break.
func realLines(t text.Text, from, to int) int {
	if last := t.Lines() - 1; to > last && t.LineStart(last) == t.Len() {
		to = last
	}
	return max(0, to-from)
}
