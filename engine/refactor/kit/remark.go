package kit

import "strings"

// Remark writes lines as comments before the line that begins at an offset.
func (j *Job) Remark(f *File, at int, indent string, lines ...string) error {
	if c := f.remarkAt(at); c != nil && c.From < at {
		return j.Declined("line %d of %s is inside a comment", f.LineOf(at), f.Path)
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(indent+j.Dialect().Line+" "+strings.TrimSpace(l), " ")
	}
	j.Edits.InsertLines(f, at, out...)
	return nil
}

// CommentOut puts the lines of [from, to) into comments, behind the indentation they share. A
// block that would be left empty gets the statement that stands for none.
func (j *Job) CommentOut(f *File, from, to int) {
	lead, mark := f.CommonIndent(from, to), j.Dialect().Line
	for at := from; at < to; at = f.NextLine(at) {
		if f.Blank(at) {
			j.Edits.Replace(f, at, f.LineEnd(at), lead+mark)
		} else {
			j.Edits.Insert(f, at+len(lead), mark+" ")
		}
	}
	if empty, block := j.Dialect().Empty, f.Emptied(from, to); empty != "" && block != nil {
		j.Edits.Insert(f, to, f.EOL()+f.statementIndent(block, lead)+empty)
	}
}

// statementIndent is the indentation of a block's statements. Comments, and the lines of a string,
// may have less.
func (f *File) statementIndent(block *Node, otherwise string) string {
	if code := block.Code(); len(code) > 0 {
		return f.Indent(code[0].From)
	}
	return otherwise
}
