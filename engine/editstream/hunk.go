package editstream

import (
	"fmt"
	"strings"
)

// hunk is the open hunk.
type hunk struct {
	HunkBegin
	id   int
	f    *file
	over bool // failed: its remaining lines are ignored

	// While its place is unknown.
	lines   []Line
	search  *search
	start   int   // line that the search starts at: the cursor, or after the header
	headers []int // lines that the header matches

	// Once it has a place.
	placed  bool
	phantom bool // an empty old line did not match: allowed as the last one only
	mark    mark
	spans   []span
	added   int
	removed int
	gone    []string // lines of the current group's '-' run, in the file's bytes
	come    int      // number of lines of the group's '+' run
	plus    string   // the last inserted line's line break, in the file's bytes
	seen    int      // number of old lines that matched
	broken  string   // why a Rebase destroyed its place
	diff    *differ  // for Replace
	created bool     // the hunk created its file
	twin    bool     // an added file exists already: its lines must be the same
	saved   savedSpan
}

func (p *Placer) beginHunk(ev HunkBegin) {
	h := &hunk{HunkBegin: ev, id: p.number()}
	p.hunk = h
	if p.sec == nil {
		h.over = true
		return
	}
	p.sec.hunks++
	h.f = p.sec.f
	switch {
	case h.f.refusal != nil:
		p.fail(Barred, fmt.Sprintf("%s: %v", h.f.path, h.f.refusal), nil)
	case p.sec.Op == Add:
		p.beginAdd()
	case p.sec.Op == Whole:
		p.beginWhole()
	case !h.f.exists && !ev.Replace:
		p.fail(Missing, fmt.Sprintf("Failed to read file to update %s: no such file", h.f.path), nil)
	case h.f.exists:
		p.beginSearch()
	}
}

// beginSearch looks up the header and starts a search for the hunk's place.
func (p *Placer) beginSearch() {
	h := p.hunk
	x := h.f.index()
	h.start, h.headers = h.f.cur, nil
	if h.Header != "" {
		h.headers = x.lineMatches(h.Header, h.f.cur)
		if len(h.headers) == 0 {
			msg := fmt.Sprintf("Failed to find context '%s' in %s", h.Header, h.f.path)
			p.fail(Missing, msg, h.f.similar(h.Header))
			return
		}
		h.start = h.headers[0] + 1
	}
	h.search = newSearch(x, h.start)
}

func (p *Placer) line(l Line) {
	h := p.hunk
	if h == nil || h.over || p.lost() {
		return
	}
	switch {
	case h.twin:
		p.twinLine(l)
	case h.diff != nil:
		p.diffLine(l)
	case h.placed:
		p.apply(l)
	case h.Replace && l.Kind == '+':
		p.settleReplace(l)
	case !h.f.exists:
		h.lines = append(h.lines, l)
	default:
		p.seek(l)
	}
}

// lost fails a hunk whose place a Rebase destroyed.
func (p *Placer) lost() bool {
	if h := p.hunk; h.broken != "" {
		p.fail(Contradicted, h.broken, nil)
		return true
	}
	return false
}

// seek buffers a line, and places the hunk as soon as one candidate is left.
func (p *Placer) seek(l Line) {
	h := p.hunk
	if p.refresh(); h.over {
		return
	}
	h.lines = append(h.lines, l)
	if l.Kind == '+' {
		return
	}
	if h.Replace { // its place is searched when all old lines have come
		h.search.old = append(h.search.old, l.Text)
		return
	}
	h.search.add(l.Text)
	if at, ok := h.search.only(); ok {
		p.place(at, len(h.search.old))
	}
}

// refresh restarts the search when a Rebase made its index stale.
func (p *Placer) refresh() {
	h := p.hunk
	if h.search.x == h.f.x {
		return
	}
	p.beginSearch()
	for _, l := range h.lines {
		if l.Kind != '+' && !h.over && h.Replace {
			h.search.old = append(h.search.old, l.Text)
		} else if l.Kind != '+' && !h.over {
			h.search.add(l.Text)
		}
	}
}

// place opens the hunk at line at and applies the buffered lines as one change.
func (p *Placer) place(at, old int) {
	h := p.hunk
	p.open(at)
	lines := h.lines
	h.lines, h.search = nil, nil
	b := p.batch()
	for _, l := range lines {
		if l.Kind != '+' && h.seen == old { // the trailing empty line that does not count
			h.phantom = true
			continue
		}
		if !b.step(l) {
			return
		}
	}
	b.flush()
}

// open moves the cursor to line at of the index: the hunk has a place now.
func (p *Placer) open(at int) {
	h, f := p.hunk, p.hunk.f
	h.mark, h.placed = f.mark(), true
	f.foreign = nil
	f.above += at - f.cur
	f.cur = at
	p.emit(Opened{h.id, f.path, f.above + 1})
}

// apply applies one more line of a placed hunk.
func (p *Placer) apply(l Line) {
	b := p.batch()
	if b.step(l) {
		b.flush()
	}
}

func (n *Nearest) String() string {
	if n.Got == "" {
		return fmt.Sprintf("expected `%s` at line %d", clip(n.Expected), n.Line)
	}
	return fmt.Sprintf("expected `%s`, file has `%s` at line %d", clip(n.Expected), clip(n.Got), n.Line)
}

// clip shortens a line for a message.
func clip(s string) string {
	if len(s) <= 120 {
		return s
	}
	return strings.ToValidUTF8(s[:117], "") + "..."
}
