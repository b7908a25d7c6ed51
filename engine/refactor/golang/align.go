package golang

import (
	"bytes"
	"slices"
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
	files := slices.DeleteFunc(sortedKeys(r.j.edits.changes), func(f string) bool {
		return !slices.ContainsFunc(r.j.edits.changes[f], func(c text.Change) bool {
			return !plainLine(lineAround(r.j.p.bytes[f], int(c.From)))
		})
	})
	tidied := make([][]text.Change, len(files))
	inParallel(len(files), func(i int) { tidied[i], _ = r.j.tidied(files[i]) })
	for i, changes := range tidied {
		if changes != nil {
			r.j.edits.changes[files[i]] = changes
		}
	}
}

// lineAround is the line of src that holds the offset, without the space around it.
func lineAround(src []byte, at int) []byte {
	from := bytes.LastIndexByte(src[:at], '\n') + 1
	to := len(src)
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		to = at + i
	}
	return bytes.TrimSpace(src[from:to])
}

// statements begin lines that gofmt aligns with no other line.
var statements = [][]byte{[]byte("return "), []byte("if "), []byte("for "), []byte("switch "), []byte("defer "),
	[]byte("go "), []byte("} else")}

// plainLine reports whether gofmt certainly aligns nothing in the line, which
// spares most files of a rename being formatted: a comment of its own, the head
// of a function, or a statement, without a comment behind it.
func plainLine(line []byte) bool {
	starts := func(prefix []byte) bool { return bytes.HasPrefix(line, prefix) }
	switch {
	case starts([]byte("//")):
		return true
	case bytes.Contains(line, []byte("//")), bytes.Contains(line, []byte("/*")), bytes.HasSuffix(line, []byte(",")):
		return false
	case starts([]byte("func ")):
		return bytes.HasSuffix(line, []byte("{")) // one that ends here is aligned with its neighbours
	}
	return bytes.Contains(line, []byte(":=")) || slices.ContainsFunc(statements, starts)
}
