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
// A short file has too few lines to count. Below a bare name, without words that say that it is the file, a
// block is taken for it when one of its lines is like one of the file's.
//
// Whoever means it writes hunks, or deletes the file.
const (
	longFile  = 10 // lines; a shorter one that begins alike may become as short as it likes
	fewLines  = 6  // a shorter file may become anything that is meant as the file
	headLines = 8  // that are not empty
)

// rewritten is what is known of the file that a whole-file block replaces.
type rewritten struct {
	lines int             // of the file
	head  map[string]bool // its first lines
	alike bool            // the block has one of them
	named bool            // only a comment in the block names the file
	bare  bool            // only a name above the block does
	akin  bool            // a line of the block is like one of the first ones, or the file is empty
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
	r.akin = len(r.head) == 0
	return r
}

func (r *rewritten) take(line string) {
	line = strings.TrimSpace(line)
	r.alike = r.alike || r.head[line]
	if r.akin = r.akin || r.alike; r.akin || !r.bare || r.lines >= fewLines || len(line) > maxAkin {
		return
	}
	for old := range r.head {
		r.akin = r.akin || akin(line, old)
	}
}

// maxAkin bounds the lines that are compared letter by letter.
const maxAkin = 400

// akin reports whether two lines have most of their letters in common, at both ends.
func akin(a, b string) bool {
	short := min(len(a), len(b))
	from, to := 0, 0
	for from < short && a[from] == b[from] {
		from++
	}
	for to < short-from && a[len(a)-1-to] == b[len(b)-1-to] {
		to++
	}
	return 2*(from+to) > max(len(a), len(b))
}

// excerpt reports whether a block of n lines is only a part of the file.
func (r *rewritten) excerpt(n int) bool {
	if r.named && !r.alike {
		return true
	}
	switch {
	case r.lines < fewLines:
		return r.bare && !r.akin
	case n >= r.lines:
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
	below := "its path"
	switch {
	case h.diff.was.named:
		why = "only a comment in the block names it, and the block does not begin as it does"
	case h.diff.was.lines < fewLines:
		why = "no line of the block is like one of the file, so it may be an example"
		below = "'File: " + h.f.path + "'"
	}
	p.fail(Refused, fmt.Sprintf("%s: %s; write the whole file below %s, or a patch with hunks", h.f.path, why, below), nil)
	return true
}
