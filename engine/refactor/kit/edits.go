package kit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"waferpair/workspace/text"
)

// Edits are the changes of an operation by file, against the bytes that it started from.
type Edits struct {
	Changes map[string][]text.Change
	Created map[string]string // new files
}

// Replace puts s in the place of the bytes [from, to) of the file. A change that was made
// already is made once.
func (e *Edits) Replace(f *File, from, to int, s string) {
	c := text.Change{From: text.Byte(from), To: text.Byte(to), Insert: s}
	if from != to && slices.Contains(e.Changes[f.Path], c) {
		return
	}
	if e.Changes == nil {
		e.Changes = map[string][]text.Change{}
	}
	e.Changes[f.Path] = append(e.Changes[f.Path], c)
}

// Insert puts s at an offset.
func (e *Edits) Insert(f *File, at int, s string) { e.Replace(f, at, at, s) }

// InsertLines puts lines before the line that begins at an offset, with the file's line breaks.
// Behind a last line that has none, it gives it one.
func (e *Edits) InsertLines(f *File, at int, lines ...string) {
	s := strings.Join(lines, f.EOL()) + f.EOL()
	if at == len(f.Src) && at > f.top() && f.Src[at-1] != '\n' {
		s = f.EOL() + strings.TrimSuffix(s, f.EOL())
	}
	e.Insert(f, at, s)
}

// Create makes a file; it must not exist.
func (e *Edits) Create(path, s string) {
	if e.Created == nil {
		e.Created = map[string]string{}
	}
	e.Created[path] = s
}

// Empty reports whether there is no change.
func (e *Edits) Empty() bool { return len(e.Changes)+len(e.Created) == 0 }

// Paths are the files that change, sorted.
func (e *Edits) Paths() []string { return slices.Sorted(maps.Keys(e.Changes)) }

// sort orders the changes of each file and refuses overlapping ones.
func (e *Edits) sort() error {
	for path, cs := range e.Changes {
		slices.SortStableFunc(cs, func(a, b text.Change) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
		})
		for i := 1; i < len(cs); i++ {
			if cs[i].From < cs[i-1].To {
				return fmt.Errorf("edit %s: changes overlap at byte %d", path, cs[i].From)
			}
		}
	}
	return nil
}
