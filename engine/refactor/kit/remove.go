package kit

// RemoveLines removes the lines of [from, to) with the blank lines before them or, where there
// are none, those behind. A block that would be left empty gets the statement that stands for none.
func (j *Job) RemoveLines(f *File, from, to int) {
	if empty, block := j.Dialect().Empty, f.Emptied(from, to); empty != "" && block != nil {
		j.Edits.Replace(f, from, to, f.statementIndent(block, f.Indent(from))+empty)
		return
	}
	at := from
	for at > f.top() && f.Blank(f.LineStart(at-1)) {
		at = f.LineStart(at - 1)
	}
	to = f.NextLine(to)
	if at == from {
		for to < len(f.Src) && f.Blank(to) {
			to = f.NextLine(to)
		}
	}
	j.Edits.Replace(f, at, to, "")
}
