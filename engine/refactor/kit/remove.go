package kit

import "strings"

// RemoveLines removes the lines of [from, to) with the blank lines before them or, where nothing
// is before them in their block, those behind. A block that would be left empty gets the statement that stands for
// none.
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
	if at == from && !f.followsCode(from) {
		for to < len(f.Src) && f.Blank(to) {
			to = f.NextLine(to)
		}
	}
	j.Edits.Replace(f, at, to, "")
}

// followsCode reports whether the line before is one of the same block, which the blank lines
// behind go on to set apart.
func (f *File) followsCode(at int) bool {
	if at == f.top() {
		return false
	}
	line := strings.TrimSpace(string(f.Src[f.LineStart(at-1):at]))
	return line != "" && !strings.ContainsAny(line[len(line)-1:], "{([:,>")
}
