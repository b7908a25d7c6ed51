package editstream

import (
	"fmt"
	"strings"

	"waferpair/workspace/text"
)

// savedSpan is the end of spans before the current change: only the last span can grow or
// shrink.
type savedSpan struct {
	n    int
	last span
}

func (h *hunk) save() {
	h.saved = savedSpan{n: len(h.spans)}
	if h.saved.n > 0 {
		h.saved.last = h.spans[h.saved.n-1]
	}
}

// unsave forgets the current change.
func (h *hunk) unsave() {
	h.spans = h.spans[:h.saved.n]
	if h.saved.n > 0 {
		h.spans[h.saved.n-1] = h.saved.last
	}
}

// mark is the state of a file before a hunk, to restore when the hunk fails.
type mark struct {
	gen     int // of the file; the offsets below are valid only for this one
	pending int
	tail    int
	cur     int
	shift   text.Byte
	length  text.Byte
	above   int
	openEnd bool
	at      text.Byte // view offset of the cursor, mapped by Rebase
}

func (f *file) mark() mark {
	return mark{f.gen, len(f.pending), len(f.tail), f.cur, f.shift, f.length, f.above, f.openEnd, f.cursor()}
}

// record remembers, for undo, that n bytes replaced removed at the end of the hunk's
// changes.
func (h *hunk) record(at text.Byte, removed string, n int) {
	if k := len(h.spans) - 1; k >= 0 && h.spans[k].at+h.spans[k].n == at {
		h.spans[k].n += text.Byte(n)
		h.spans[k].removed = append(h.spans[k].removed, removed...)
		return
	}
	h.spans = append(h.spans, span{at, text.Byte(n), []byte(removed)})
}

// fail reverts and ends the open hunk.
func (p *Placer) fail(reason Reason, message string, near *Nearest) {
	h := p.hunk
	if h.over {
		return
	}
	h.over = true
	if p.sec != nil {
		p.sec.failed = true
	}
	if h.placed {
		p.undo(h)
	}
	path := ""
	if h.f != nil {
		path = h.f.path
	}
	p.emit(Failed{h.id, path, reason, message, near})
}

// undo reverts the hunk and restores the cursor. A receiver that refuses keeps the hunk's text, and so
// does the view.
func (p *Placer) undo(h *hunk) {
	f := h.f
	before := f.shown()
	back, grow := h.inverse()
	f.rewind(h.mark, back)
	h.spans = nil
	if len(back) > 0 {
		cs, err := text.NewChangeSet(before.Len(), back...)
		if err != nil {
			panic(fmt.Sprintf("editstream: cannot take back the changes of %s: %v", f.path, err))
		}
		f.length = before.Len() + grow
		late, refused := p.offer(h, f, cs)
		if refused != "" {
			p.rebase(f, inverted(cs, before))
		}
		for _, others := range late {
			p.rebase(f, others)
		}
	}
	p.uncreate(h)
}

func inverted(cs text.ChangeSet, before text.Text) text.ChangeSet {
	back, err := cs.Invert(before)
	if err != nil {
		panic(fmt.Sprintf("editstream: %v", err))
	}
	return back
}

// uncreate removes the file that the hunk created.
func (p *Placer) uncreate(h *hunk) {
	if h.created {
		p.drop(h.f)
		p.emit(Deleted{h.id, h.f.path})
	}
}

// inverse returns the changes that revert the hunk, in view offsets, and by how much the
// view grows.
func (h *hunk) inverse() (changes []text.Change, grow text.Byte) {
	for _, s := range h.spans {
		if s.n > 0 || len(s.removed) > 0 {
			changes = append(changes, text.Change{From: s.at, To: s.at + s.n, Insert: string(s.removed)})
			grow += text.Byte(len(s.removed)) - s.n
		}
	}
	return changes, grow
}

// retract ends the hunk whose last Changed the receiver refused: the receiver reverts the
// changes before it, the view all of them. What others did at the same time is based on the
// file without the refused change.
func (p *Placer) retract(h *hunk, f *file, late []text.ChangeSet, why string) {
	h.over = true
	p.sec.failed = true
	all, grow := h.inverse()
	length := f.length + grow // of the file without the hunk
	f.rewind(h.mark, all)
	h.unsave()
	back, grow := h.inverse()
	h.spans = nil
	undo, err := text.NewChangeSet(length-grow, back...)
	for _, others := range late {
		if err == nil {
			undo, err = p.rebaseUndo(f, undo, others)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("editstream: cannot take back the changes of %s: %v", f.path, err))
	}
	if !undo.Empty() {
		p.send(h, f, undo)
	}
	p.uncreate(h)
	p.emit(Failed{h.id, f.path, Refused, why, nil})
}

// rebaseUndo applies others, which are based on the file before undo, to the view, which
// contains undo already.
func (p *Placer) rebaseUndo(f *file, undo, others text.ChangeSet) (text.ChangeSet, error) {
	after, err := others.Map(undo, false)
	if err != nil {
		return undo, err
	}
	p.rebase(f, after)
	return undo.Map(others, true)
}

// rewind restores the view from before the hunk. When nobody else changed the file
// meanwhile, it drops the hunk's changes; otherwise it applies back, which reverts them.
func (f *file) rewind(m mark, back []text.Change) {
	if f.gen == m.gen {
		f.pending, f.tail = f.pending[:m.pending], f.tail[:m.tail]
		f.cur, f.shift, f.length, f.above, f.openEnd = m.cur, m.shift, m.length, m.above, m.openEnd
		return
	}
	f.settle()
	cs, err := text.NewChangeSet(f.base.Len(), back...)
	if err != nil {
		panic(fmt.Sprintf("editstream: cannot take back the changes of %s: %v", f.path, err))
	}
	f.adopt(cs, cs.MapPos(m.at, -1), cs.MapPos(f.limit, 1))
}

// adopt makes the result of cs the base, with the cursor and the limit at the given
// offsets.
func (f *file) adopt(cs text.ChangeSet, cursor, limit text.Byte) {
	next, err := cs.Apply(f.base)
	if err != nil {
		panic(fmt.Sprintf("editstream: change does not fit the view of %s: %v", f.path, err))
	}
	f.foreign = mapSpans(f.foreign, cs)
	f.setBase(next)
	f.from, f.limit = f.lineFrom(cursor, limit), limit
	f.above = f.enc.count(next.Slice(0, f.from).String())
}

// lineFrom returns the start of the first line at or after the offset, in the base.
func (f *file) lineFrom(at, limit text.Byte) text.Byte {
	if f.lineStart(at) {
		return at
	}
	rest := f.base.Slice(at, limit).String()
	_, next := f.enc.line(rest, 0)
	return at + text.Byte(next)
}

// lineStart reports whether a line of the base begins at the offset.
func (f *file) lineStart(at text.Byte) bool {
	if at == 0 {
		return true
	}
	head := f.base.Slice(max(0, at-4), at).String()
	nl, _ := f.enc.encode("\n")
	return strings.HasSuffix(head, nl) || int(at) <= f.enc.bom(f.base.Slice(0, min(4, f.base.Len())).String())
}
