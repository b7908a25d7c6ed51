package editstream

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
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
	heads   []string // what the lines before it are, each behind the one before
	start   int      // line that the search starts at: the cursor, or after the header
	headers []int    // lines that the last of the heads matches

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
	indents indents
}

func (p *Placer) beginHunk(ev HunkBegin) {
	h := &hunk{HunkBegin: ev, id: p.number()}
	if ev.Header != "" {
		h.heads = []string{ev.Header}
	}
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
	missing := h.lookUp()
	if missing != "" && h.f.above > 0 { // models do not always write hunks in file order
		back := h.f.fromTop()
		if missing = h.lookUp(); missing != "" {
			back()
		}
	}
	if missing != "" {
		p.fail(Missing, fmt.Sprintf("Failed to find context '%s' in %s", missing, h.f.path), h.f.similar(missing))
		return
	}
	h.search = newSearch(h.f.x, h.start)
}

// lookUp finds the lines that the heads match, and returns a head that no line does.
func (h *hunk) lookUp() (missing string) {
	x := h.f.index()
	h.start, h.headers = h.f.cur, nil
	for i, head := range h.heads {
		if i == 0 {
			h.headers = x.headLines(head, h.f.cur)
		} else {
			h.headers = x.behind(h.headers, head)
		}
		if len(h.headers) == 0 {
			return head
		}
		h.start = h.headers[0] + 1
	}
	return ""
}

// headLines returns the lines from start on that a header matches: models leave out how the line ends.
func (x *index) headLines(head string, start int) []int {
	if found := x.lineMatches(head, start); len(found) > 0 {
		return found
	}
	var out []int
	want := normal(head, loose)
	for i := start; i < len(x.lines) && want != ""; i++ {
		line := normal(x.text(i), loose)
		if at := strings.Index(line, want); at >= 0 && !cutsWord(line, at) && !cutsWord(line, at+len(want)) {
			out = append(out, i)
		}
	}
	return out
}

// cutsWord reports whether a word of the line goes on at a place.
func cutsWord(line string, at int) bool {
	word := func(c byte) bool {
		return c == '_' || c >= utf8.RuneSelf || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	}
	return at > 0 && at < len(line) && word(line[at-1]) && word(line[at])
}

// behind returns, for each of some lines, the first line behind it that a header matches.
func (x *index) behind(lines []int, head string) (out []int) {
	for _, at := range lines {
		if found := x.headLines(head, at+1); len(found) > 0 && !slices.Contains(out, found[0]) {
			out = append(out, found[0])
		}
	}
	return out
}

// narrow takes one more header of the open hunk.
func (p *Placer) narrow(head string) {
	h := p.hunk
	if h == nil || h.over || h.search == nil || p.lost() {
		return
	}
	h.heads = append(h.heads, head)
	p.beginSearch()
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
	h.learn(at, old, lines)
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

// learn takes the indentation of the old lines, which begin at line at of the file.
func (h *hunk) learn(at, old int, lines []Line) {
	for _, l := range lines {
		if l.Kind != '+' && old > 0 {
			h.indents.learn(l.Kind, l.Text, h.f.x.text(at))
			at, old = at+1, old-1
		}
	}
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
