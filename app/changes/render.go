package changes

import (
	"fmt"
	"strings"

	"waferpair/app/query"
	"waferpair/workspace/text"
)

// File is a file before and after a change, as a model may read it.
type File struct {
	Path, From    string // From is its path before, if it was renamed
	Before, After text.Text
	Added         bool
	Deleted       bool
}

// around is the number of lines that are shown on each side of a change.
const around = 12

// What returns in words what happened to the file.
func (f File) What() string {
	switch {
	case f.Added:
		return "new"
	case f.Deleted:
		return "deleted"
	case f.From != "":
		return "renamed from " + f.From
	}
	return "changed"
}

// Render returns the changes of a file with the numbers of the new lines:
//
//	# cart.py (changed)
//	    40   func total() int {
//	       -     return 0
//	    41 +     return sum
func Render(f File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s (%s)\n", f.Path, f.What())
	before, after := linesOf(f.Before), linesOf(f.After)
	hunks := query.DiffHunks(f.Before, f.After)
	next := 1 // the first line of the new text that is not written yet
	for n, h := range hunks {
		from := max(next, h.To-around)
		if from > next || n == 0 && from > 1 {
			fmt.Fprintf(&b, "       ...\n")
		}
		same(&b, after, from, h.To)
		for _, l := range clip(before, h.From, h.Removed) {
			fmt.Fprintf(&b, "       - %s\n", l)
		}
		for i, l := range clip(after, h.To, h.Inserted) {
			fmt.Fprintf(&b, "%6d + %s\n", h.To+i, l)
		}
		next = h.To + h.Inserted
		end := min(next+around, len(after)+1)
		if n+1 < len(hunks) {
			end = min(end, hunks[n+1].To)
		}
		same(&b, after, next, end)
		next = max(next, end)
	}
	return b.String()
}

// same writes lines from one to before another, which did not change.
func same(b *strings.Builder, lines []string, from, to int) {
	for i, l := range clip(lines, from, to-from) {
		fmt.Fprintf(b, "%6d   %s\n", from+i, l)
	}
}

// clip returns n lines, the first of which is from; fewer where there are no more.
func clip(lines []string, from, n int) []string {
	from = min(max(from-1, 0), len(lines))
	return lines[from:min(max(from+n, from), len(lines))]
}

// Count returns the number of lines that a file gained and lost.
func Count(f File) (added, removed int) {
	for _, h := range query.DiffHunks(f.Before, f.After) {
		added, removed = added+h.Inserted, removed+h.Removed
	}
	return added, removed
}

// linesOf returns the lines of a text without their ends.
func linesOf(t text.Text) []string {
	s := strings.ReplaceAll(strings.ToValidUTF8(text.Plain(t).String(), "\uFFFD"), "\r\n", "\n")
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
