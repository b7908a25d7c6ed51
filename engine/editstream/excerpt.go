package editstream

import (
	"fmt"
	"strings"
)

// A fence below the name of a file is its whole new content, but models also show an excerpt there, or how
// the file is used. A block is taken for one of these, and not made, when the file has more lines and
//
//	the block has less than a third of them     or
//	less than three quarters, and none of the file's first lines: a whole file mostly begins as it did
//
// Whoever means it writes hunks, or deletes the file.
const (
	longFile  = 10 // lines; a shorter one that begins alike may become as short as it likes
	fewLines  = 6  // a shorter file may become anything
	headLines = 8  // that are not empty
)

// rewritten is what is known of the file that a whole-file block replaces.
type rewritten struct {
	lines int             // of the file
	head  map[string]bool // its first lines
	alike bool            // the block has one of them
	named bool            // only a comment in the block names the file
}

func rewrites(x *index) rewritten {
	r := rewritten{lines: len(x.lines), head: map[string]bool{}}
	for i := range x.lines {
		if line := strings.TrimSpace(x.text(i)); line != "" {
			r.head[line] = true
		}
		if len(r.head) == headLines {
			break
		}
	}
	return r
}

func (r *rewritten) take(line string) { r.alike = r.alike || r.head[strings.TrimSpace(line)] }

// excerpt reports whether a block of n lines is only a part of the file.
func (r *rewritten) excerpt(n int) bool {
	if r.named && !r.alike {
		return true
	}
	if r.lines < fewLines || n >= r.lines {
		return false
	}
	return r.lines >= longFile && n*3 < r.lines || !r.alike && n*4 < r.lines*3
}

// loses fails a whole file that seems to be an excerpt of the one that is there.
func (p *Placer) loses() bool {
	h := p.hunk
	if d := h.diff; !d.whole || h.created || !d.was.excerpt(d.lines) {
		return false
	}
	why := fmt.Sprintf("the block has %d lines for a file of %d: an excerpt would remove the rest", h.diff.lines,
		h.diff.was.lines)
	if h.diff.was.named {
		why = "only a comment in the block names it, and the block does not begin as it does"
	}
	p.fail(Refused, fmt.Sprintf("%s: %s; write the whole file below its path, or a patch with hunks", h.f.path, why), nil)
	return true
}
