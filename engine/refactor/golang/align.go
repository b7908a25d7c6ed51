package golang

import (
	"unicode/utf8"

	"waferpair/workspace/text"
)

// align brings the columns of renamed files back to where gofmt wants them: a
// shorter or longer name moves what stands behind it, in struct fields,
// constants, composite literals, comments at the ends of lines. It comes after
// the proof, since gofmt changes white space only.
func (r *renaming) align() {
	if utf8.RuneCountInString(r.from) == utf8.RuneCountInString(r.to) {
		return
	}
	files := sortedKeys(r.j.edits.changes)
	tidied := make([][]text.Change, len(files))
	inParallel(len(files), func(i int) { tidied[i], _ = r.j.tidied(files[i]) })
	for i, changes := range tidied {
		if changes != nil {
			r.j.edits.changes[files[i]] = changes
		}
	}
}
