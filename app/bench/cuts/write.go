package cuts

import (
	"fmt"
	"strings"
)

// written is an answer.
type written struct {
	text  string
	first int // edits of the job that it leaves out: they were made
	edits int // the others
}

// writer writes edits from a number on.
type writer struct {
	strings.Builder
	written
	n int // of the next edit
}

func (w *writer) edit(lines ...string) {
	if w.n++; w.n <= w.first {
		return
	}
	for _, l := range lines {
		w.WriteString(l + "\n")
	}
	w.edits++
}

func prefixed(with string, lines []string) (all []string) {
	for _, l := range lines {
		all = append(all, with+l)
	}
	return all
}

func joined(parts ...[]string) (all []string) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// write writes the job's answer, without its first edits.
func (j *Job) write(first int) written {
	w := &writer{written: written{first: first}}
	if j.Format != Call {
		w.WriteString([]string{"I change the files – all of them.\n\n", "I go on – with the rest.\n\n"}[min(first, 1)])
	}
	switch j.Format {
	case V4A, Call:
		j.patch(w)
	case Blocks:
		j.each(w, func(f File, h hunk) []string {
			before, old, after := f.around(h)
			return joined([]string{f.Path, "<<<<<<< SEARCH"}, before, old, after, []string{"======="}, before, h.lines, after,
				[]string{">>>>>>> REPLACE", ""})
		})
	case Whole:
		for _, f := range j.Files {
			w.edit(joined([]string{f.Path, "```text"}, f.Want(), []string{"```", ""})...)
		}
	case Unified:
		j.unified(w)
	}
	if j.Format != Call {
		w.WriteString("Done – é.\n")
	}
	w.text = w.Builder.String()
	return w.written
}

// each writes an edit for each hunk; the one of a new file has nothing to search for.
func (j *Job) each(w *writer, of func(File, hunk) []string) {
	for _, f := range j.Files {
		for _, h := range f.hunks {
			if f.Create {
				w.edit(joined([]string{f.Path, "<<<<<<< SEARCH", "======="}, h.lines, []string{">>>>>>> REPLACE", ""})...)
				continue
			}
			w.edit(of(f, h)...)
		}
	}
}

func (j *Job) patch(w *writer) {
	w.WriteString("*** Begin Patch\n")
	for _, f := range j.Files {
		head := []string{"*** Update File: " + f.Path}
		for _, h := range f.hunks {
			if f.Create {
				w.edit(joined([]string{"*** Add File: " + f.Path}, prefixed("+", h.lines))...)
				continue
			}
			before, old, after := f.around(h)
			w.edit(joined(head, []string{"@@"}, prefixed(" ", before), prefixed("-", old), prefixed("+", h.lines),
				prefixed(" ", after))...)
			if w.n > w.first {
				head = nil
			}
		}
	}
	w.WriteString("*** End Patch\n")
}

func (j *Job) unified(w *writer) {
	w.WriteString("```diff\n")
	for _, f := range j.Files {
		head, moved := []string{"--- a/" + f.Path, "+++ b/" + f.Path}, 0
		for _, h := range f.hunks {
			if f.Create {
				w.edit(joined([]string{"--- /dev/null", "+++ b/" + f.Path, fmt.Sprintf("@@ -0,0 +1,%d @@", len(h.lines))},
					prefixed("+", h.lines))...)
				continue
			}
			before, old, after := f.around(h)
			from, rest := h.from-len(before)+1, len(before)+len(after)
			w.edit(joined(head, []string{fmt.Sprintf("@@ -%d,%d +%d,%d @@", from, rest+len(old), from+moved,
				rest+len(h.lines))}, prefixed(" ", before), prefixed("-", old), prefixed("+", h.lines),
				prefixed(" ", after))...)
			moved += len(h.lines) - len(old)
			if w.n > w.first {
				head = nil
			}
		}
	}
	w.WriteString("```\n")
}
