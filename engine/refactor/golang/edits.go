package golang

import (
	"bytes"
	"fmt"
	"sort"

	"waferpair/engine/refactor"
	"waferpair/workspace/text"
)

// edits collects the changes of an operation by file, against the bytes the
// operation started from.
type edits struct {
	p       *project
	changes map[string][]text.Change
	create  map[string]bool
}

func newEdits(p *project) *edits {
	return &edits{p: p, changes: map[string][]text.Change{}, create: map[string]bool{}}
}

// replace puts s in the place of the bytes [from, to) of the file. A change that
// was made already is made once.
func (e *edits) replace(file string, from, to int, s string) {
	c := text.Change{From: text.Byte(from), To: text.Byte(to), Insert: s}
	if from != to {
		for _, o := range e.changes[file] {
			if o == c {
				return
			}
		}
	}
	e.changes[file] = append(e.changes[file], c)
}

func (e *edits) insert(file string, at int, s string) { e.replace(file, at, at, s) }

// newFile makes a file; it must not exist.
func (e *edits) newFile(file, s string) {
	e.create[file] = true
	e.changes[file] = []text.Change{{Insert: s}}
}

func (e *edits) empty() bool { return len(e.changes) == 0 }

func (e *edits) count() (places, files int) {
	for _, cs := range e.changes {
		places += len(cs)
	}
	return places, len(e.changes)
}

// sorted orders the changes of each file and refuses overlapping ones.
func (e *edits) sorted() error {
	for f, cs := range e.changes {
		sort.SliceStable(cs, func(i, j int) bool {
			if cs[i].From != cs[j].From {
				return cs[i].From < cs[j].From
			}
			return cs[i].To < cs[j].To
		})
		for i := 1; i < len(cs); i++ {
			if cs[i].From < cs[i-1].To {
				return fmt.Errorf("edit %s: changes overlap at byte %d", f, cs[i].From)
			}
		}
	}
	return nil
}

// after gives the new contents of the changed files.
func (e *edits) after() map[string][]byte {
	out := make(map[string][]byte, len(e.changes))
	for f, cs := range e.changes {
		out[f] = applyChanges(e.p.bytes[f], cs)
	}
	return out
}

func applyChanges(old []byte, cs []text.Change) []byte {
	var b bytes.Buffer
	at := 0
	for _, c := range cs {
		b.Write(old[at:c.From])
		b.WriteString(c.Insert)
		at = int(c.To)
	}
	b.Write(old[at:])
	return b.Bytes()
}

// back maps an offset of the new contents to the old ones. Offsets inside
// inserted text map to the place of the insertion.
func (e *edits) back(file string, off int) int {
	shift := 0
	for _, c := range e.changes[file] {
		start := int(c.From) + shift
		if off < start {
			break
		}
		if off < start+len(c.Insert) {
			return int(c.From)
		}
		shift += len(c.Insert) - int(c.To-c.From)
	}
	return off - shift
}

// inserted reports whether a place of the new contents is text the job wrote.
func (e *edits) inserted(l loc) bool {
	shift := 0
	for _, c := range e.changes[l.path] {
		start := int(c.From) + shift
		if l.off >= start && l.off < start+len(c.Insert) {
			return true
		}
		shift += len(c.Insert) - int(c.To-c.From)
	}
	return false
}

// fileEdits is the result's form, sorted by path.
func (e *edits) fileEdits() []refactor.FileEdit {
	out := make([]refactor.FileEdit, 0, len(e.changes))
	for f, cs := range e.changes {
		out = append(out, refactor.FileEdit{Path: f, Create: e.create[f], Changes: cs})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
}
