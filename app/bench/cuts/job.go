package cuts

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Job is a task for the model: hunks of a few files, and what the files must become.
type Job struct {
	N      int
	Format Format
	Files  []File
}

// File is a file of a job.
type File struct {
	Path   string
	Create bool
	Old    []string // lines
	hunks  []hunk   // in order, with a line between them
}

// hunk replaces lines of a file.
type hunk struct {
	from, n int // lines of Old
	lines   []string
	marks   []string // one in each line
}

// Format is how the model writes edits.
type Format int

// The formats.
const (
	V4A     Format = iota // a patch in a message
	Call                  // a patch as a call of apply_patch
	Blocks                // search/replace blocks
	Whole                 // whole files
	Unified               // unified diffs
)

func (f Format) String() string {
	return [...]string{"V4A", "call", "search/replace", "whole files", "unified"}[f]
}

// Formats lists them.
func Formats() []Format { return []Format{V4A, Call, Blocks, Whole, Unified} }

// FreshLines returns the lines of a new file: none like another, but for every seventh.
func FreshLines(path string, n int) (all []string) {
	for k := range n {
		switch k % 7 {
		case 3:
			all = append(all, "}")
		case 5:
			all = append(all, "")
		default:
			all = append(all, fmt.Sprintf("\tline %d of %s: \"ü\\n\" → 🙂", k, path))
		}
	}
	return all
}

// NewJob draws a job for files as they are. The marks of its lines occur nowhere else.
func NewJob(r *rand.Rand, n int, f Format, files []File) *Job {
	j := &Job{N: n, Format: f}
	for i, file := range files {
		file.hunks = nil
		if file.Create {
			file.hunks = []hunk{j.hunk(r, i, 0, 0, 0, 2+r.IntN(5))}
		}
		for at := 1 + r.IntN(4); !file.Create && at+6 < len(file.Old); at += 12 + r.IntN(14) {
			old, lines := r.IntN(4), r.IntN(5)
			if old+lines == 0 {
				lines = 1
			}
			file.hunks = append(file.hunks, j.hunk(r, i, len(file.hunks), at, old, lines))
		}
		j.Files = append(j.Files, file)
	}
	return j
}

func (j *Job) hunk(r *rand.Rand, file, k, from, n, lines int) hunk {
	h := hunk{from: from, n: n}
	for l := range lines {
		mark := fmt.Sprintf("mark %d.%d.%d.%d;", j.N, file, k, l)
		h.marks = append(h.marks, mark)
		indent := strings.Repeat("    ", r.IntN(4))
		h.lines = append(h.lines, fmt.Sprintf("%s%s é→🙂 \"%c\\t\" <b>", indent, mark, 'a'+rune(r.IntN(26))))
	}
	return h
}

// Want returns the lines that a file must have in the end.
func (f File) Want() (all []string) {
	at := 0
	for _, h := range f.hunks {
		all = append(all, f.Old[at:h.from]...)
		all = append(all, h.lines...)
		at = h.from + h.n
	}
	return append(all, f.Old[at:]...)
}

// Marks returns the marks of a file's new lines.
func (f File) Marks() (all []string) {
	for _, h := range f.hunks {
		all = append(all, h.marks...)
	}
	return all
}

// Text joins lines.
func Text(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// around returns a hunk's lines: those before it that are its context, its old ones, those after it.
// The context goes on until a line that occurs once.
func (f File) around(h hunk) (before, old, after []string) {
	b, a := h.from-1, h.from+h.n
	for b > 0 && !strings.Contains(f.Old[b], ";") && !strings.Contains(f.Old[b], " of ") {
		b--
	}
	for a < len(f.Old)-1 && !strings.Contains(f.Old[a], ";") && !strings.Contains(f.Old[a], " of ") {
		a++
	}
	return f.Old[b:h.from], f.Old[h.from : h.from+h.n], f.Old[h.from+h.n : min(a+1, len(f.Old))]
}

// Difference shows the first lines of a file that are not what they must be.
func Difference(got string, f File) string {
	have, want := strings.SplitAfter(got, "\n"), strings.SplitAfter(Text(f.Want()), "\n")
	at := 0
	for at < min(len(have), len(want)) && have[at] == want[at] {
		at++
	}
	shown := func(lines []string) string { return strings.Join(lines[at:min(at+8, len(lines))], "") }
	return fmt.Sprintf("%s has from line %d\n%swant\n%s", f.Path, at+1, shown(have), shown(want))
}
