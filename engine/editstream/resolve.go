package editstream

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waferpair/workspace/text"
)

// endHunk closes the open hunk. A hunk that still has no place gets one now, if the closest
// pass finds exactly one, or fails.
func (p *Placer) endHunk(ev HunkEnd) {
	h := p.hunk
	if h == nil || h.over || p.lost() {
		p.hunk = nil
		return
	}
	switch {
	case h.twin:
		p.endTwin()
	case h.Replace && h.diff == nil && !h.placed:
		p.beginReplace()
	case !h.placed:
		p.resolve(ev.AtEOF)
	} // a place that is certain is right, also where AtEOF is wrong
	if h.diff != nil && !h.over && !p.loses() {
		p.endDiff()
	}
	p.close(false)
}

// close reports the hunk as done, unless it failed.
func (p *Placer) close(partial bool) {
	if h := p.hunk; !h.over && p.finish(h) {
		p.emit(Closed{h.id, h.f.path, h.added, h.removed, partial})
	}
	p.hunk = nil
}

// finish ends a hunk whose changes are all emitted; false when its receiver refused it.
func (p *Placer) finish(h *hunk) bool {
	refused := ""
	if p.done != nil {
		p.busy = h.f
		refused = p.done(h.id, h.f.path)
		p.busy = nil
	}
	late := p.late
	h.over, p.late = refused == "", nil // a hunk that is over no longer needs its place
	for _, others := range late {
		p.rebase(h.f, others)
	}
	if refused != "" {
		p.fail(Refused, refused, nil)
	}
	return h.over && refused == ""
}

// resolve places a complete hunk, or fails it.
func (p *Placer) resolve(atEOF bool) {
	h := p.hunk
	if p.refresh(); h.over {
		return
	}
	switch {
	case len(h.search.old) > 0:
	case len(h.headers) == 0 || atEOF:
		p.appendLines()
		return
	case len(h.headers) > 1:
		p.ambiguous(h.headers)
		return
	default: // new lines below a line
		p.place(h.start, 0)
		return
	}
	at, n, ok := p.choose(atEOF)
	if ok {
		p.place(at, n)
	}
}

// choose returns the one place of the hunk's old lines. It ignores an empty last line when
// the lines do not match otherwise, because it may only be an empty line of the patch.
func (p *Placer) choose(atEOF bool) (at, n int, ok bool) {
	h := p.hunk
	found, n := h.findAnywhere(atEOF)
	if len(found) == 0 && h.f.above > 0 && len(h.heads) == 0 { // it is above the hunk before it
		old := h.search.old
		back := h.f.fromTop()
		h.start, h.search = 0, newSearch(h.f.x, 0)
		h.search.old = old
		if found, n = h.findAnywhere(atEOF); len(found) == 0 {
			back()
			h.start = h.f.cur
		}
	}
	found = p.sec.behind.first(h.f, found)
	if len(found) == 0 && len(h.search.old) == 1 && h.search.old[0] == "" && len(h.headers) == 1 && !atEOF {
		return h.start, 0, true // new lines below a header, and a stray empty line
	}
	switch len(found) {
	case 0:
		p.missing(atEOF)
	case 1:
		return found[0], n, true
	default:
		p.ambiguous(found)
	}
	return 0, 0, false
}

// findAnywhere is findFuzzy, and does not insist on the end of the file.
func (h *hunk) findAnywhere(atEOF bool) (found []int, n int) {
	if found, n = h.findFuzzy(atEOF); len(found) == 0 && atEOF {
		found, n = h.findFuzzy(false)
	}
	return found, n
}

// findFuzzy returns the places of the old lines, or of all but an empty last one, and how many lines count.
func (h *hunk) findFuzzy(atEOF bool) (found []int, n int) {
	n = len(h.search.old)
	if found = h.find(n, atEOF); len(found) == 0 && n > 1 && h.search.old[n-1] == "" {
		n--
		found = h.find(n, atEOF)
	}
	return found, n
}

// find returns the places that the first n old lines match: more than one is ambiguous.
func (h *hunk) find(n int, atEOF bool) []int {
	s, x := h.search, h.f.x
	if atEOF {
		at := len(x.lines) - n
		if last := (&search{x: x, old: s.old[:n]}); at >= h.start && last.verify(at, loose) {
			return []int{at}
		}
		return nil
	}
	if len(h.headers) == 0 {
		return s.places(n, h.start)
	}
	var found []int
	for _, header := range h.headers {
		if all := s.places(n, header+1); len(all) > 0 && !slices.Contains(found, all[0]) {
			found = append(found, all[0])
		}
	}
	return found
}

func (p *Placer) ambiguous(places []int) {
	h := p.hunk
	var at []string
	for _, i := range places[:min(len(places), 10)] {
		at = append(at, strconv.Itoa(h.f.lineNo(i)))
	}
	if len(places) > len(at) {
		at = append(at, fmt.Sprintf("and %d more", len(places)-len(at)))
	}
	p.fail(Ambiguous, fmt.Sprintf("Failed to place the hunk in %s: its lines occur %d times, at lines %s; add context lines or an @@ header that tell them apart",
		h.f.path, len(places), strings.Join(at, ", ")), nil)
}

// missing fails a hunk whose old lines do not occur, and reports the most similar place.
func (p *Placer) missing(atEOF bool) {
	h := p.hunk
	old := h.search.old
	first := h.f.lineNo(h.start)
	near := h.f.nearest(old)
	msg := fmt.Sprintf("Failed to find expected lines in %s:\n%s", h.f.path, clipLines(old))
	whole := near != nil && near.Matched == near.Of
	switch {
	case whole && atEOF:
		msg += fmt.Sprintf("\n(they are at line %d, not at the end of the file)", near.Line)
	case whole && near.Line < first:
		msg += fmt.Sprintf(
			"\n(they are at line %d, but the search starts at line %d: hunks must be in file order, after their header)",
			near.Line, first)
	}
	if whole {
		near = nil
	}
	p.fail(Missing, msg, near)
}

// appendLines appends the lines of a hunk without old lines to the end of the file. Later
// hunks of the section do not see them.
func (p *Placer) appendLines() {
	h, f := p.hunk, p.hunk.f
	body, ok := p.encodeLines()
	if !ok {
		return
	}
	h.mark, h.placed, h.lines = f.mark(), true, nil
	h.save()
	open, eol := f.openEnd && len(f.tail) == 0, f.breakAtEnd()
	if open {
		body = eol + body
	}
	p.emit(Opened{h.id, f.path, f.endLine()})
	at := f.length
	f.tail = append(f.tail, body...)
	h.record(at, "", len(body))
	if open {
		f.closeOpenEnd(eol)
	}
	p.changed(h, f, []text.Change{{From: at, To: at, Insert: body}}, text.Byte(len(body)))
}

// closeOpenEnd moves the line break that an append gave to the last line from the appended
// text to that line.
func (f *file) closeOpenEnd(eol string) {
	length := f.length
	f.settle()
	f.limit += text.Byte(len(eol))
	f.from = f.lineFrom(f.from, f.limit)
	f.length = length // the append has not been emitted yet
	f.index()
}

// encodeLines returns the bytes of all buffered lines.
func (p *Placer) encodeLines() (string, bool) {
	h, f := p.hunk, p.hunk.f
	var body strings.Builder
	usual := f.breakAtEnd()
	for _, l := range h.lines {
		line, err := f.encodeLine(l, usual)
		if err != nil {
			p.fail(Unencodable, fmt.Sprintf("%s: line %q: %v", f.path, clip(l.Text), err), nil)
			return "", false
		}
		body.WriteString(line)
		h.added++
	}
	return body.String(), true
}

// endLine returns the number of the line after the last one.
func (f *file) endLine() int {
	rest := f.base.Slice(f.limit, f.base.Len()).String() + string(f.tail)
	return f.lineNo(len(f.x.lines)) + f.enc.count(rest)
}

// clipLines joins and shortens lines for a message.
func clipLines(lines []string) string {
	var b strings.Builder
	for i, l := range lines[:min(len(lines), 20)] {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(clip(l))
	}
	if len(lines) > 20 {
		fmt.Fprintf(&b, "\n(and %d more lines)", len(lines)-20)
	}
	return b.String()
}
