package editstream

import (
	"fmt"
	"strings"

	"waferpair/workspace/text"
)

// bufLine is a line with the ending that a following Ending gave it.
type bufLine struct {
	Line
	eol *string
}

// hunk is the open hunk.
type hunk struct {
	HunkBegin
	id   int
	f    *file
	over bool // failed: its remaining lines are ignored

	// While its place is unknown.
	lines   []bufLine
	search  *search
	start   int   // line that the search starts at: the cursor, or after the header
	headers []int // lines that the header matches

	// Once it has a place.
	placed  bool
	phantom bool // an empty old line did not fit: right if it is the last one
	mark    mark
	spans   []span
	added   int
	removed int
	gone    []string  // lines of the current group's '-' run, in the file's bytes
	come    int       // lines of the group's '+' run
	plus    text.Byte // length of the last inserted line's line break, in the file's bytes
	plusGen int       // generation of the file when it was inserted
	seen    int       // old lines that fitted
	broken  string    // why the place is lost, found out by Rebase
	diff    *differ   // for Replace
	created bool      // the hunk created its file
	twin    bool      // an added file exists already: its lines must be the same
	saved   savedSpan
}

// savedSpan is how spans ended before the change that is being made: only the
// last span can grow or shrink.
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

// unsave forgets the change that was being made.
func (h *hunk) unsave() {
	h.spans = h.spans[:h.saved.n]
	if h.saved.n > 0 {
		h.spans[h.saved.n-1] = h.saved.last
	}
}

// mark is the state of a file before a hunk, to come back to when it fails.
type mark struct {
	gen     int // of the file; the offsets below are good only for this one
	pending int
	tail    int
	cur     int
	shift   text.Byte
	length  text.Byte
	above   int
	openEnd bool
	at      text.Byte // view offset of the cursor, kept in step by Rebase
}

func (f *file) mark() mark {
	return mark{f.gen, len(f.pending), len(f.tail), f.cur, f.shift, f.length, f.above, f.openEnd, f.cursor()}
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
		p.fail(Refused, fmt.Sprintf("%s: %v", h.f.path, h.f.refusal), nil)
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

// beginSearch looks up the header and prepares to follow the candidates.
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

func (p *Placer) line(l bufLine) {
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

// seek remembers a line, and places the hunk as soon as one candidate is left.
func (p *Placer) seek(l bufLine) {
	h := p.hunk
	if p.refresh(); h.over {
		return
	}
	h.lines = append(h.lines, l)
	if l.Kind == '+' {
		return
	}
	if h.Replace { // its place is looked for when all old lines are there
		h.search.old = append(h.search.old, l.Text)
		return
	}
	h.search.add(l.Text)
	if at, ok := h.search.only(); ok {
		p.place(at, len(h.search.old))
	}
}

// refresh starts the search anew when a Rebase made its index stale.
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

// place opens the hunk at line at and carries out what was buffered, as one change.
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

// open moves the cursor to line at of the index: from here on the hunk has a place.
func (p *Placer) open(at int) {
	h, f := p.hunk, p.hunk.f
	h.mark, h.placed = f.mark(), true
	f.foreign = nil
	f.above += at - f.cur
	f.cur = at
	p.emit(Opened{h.id, f.path, f.above + 1})
}

// apply carries out one more line of a placed hunk.
func (p *Placer) apply(l bufLine) {
	b := p.batch()
	if b.step(l) {
		b.flush()
	}
}

// batch collects the changes of several lines, in view offsets of the text
// before the batch.
type batch struct {
	p       *Placer
	h       *hunk
	shift   text.Byte // file.shift before the batch
	changes []text.Change
	base    []text.Change // the same, in base offsets
	length  text.Byte     // change of the view's length
}

// batch starts a batch of the open hunk.
func (p *Placer) batch() *batch {
	h := p.hunk
	h.f.index()
	h.save()
	return &batch{p: p, h: h, shift: h.f.shift}
}

// step carries out one line, or fails the hunk.
func (b *batch) step(l bufLine) bool {
	if l.Kind == '+' {
		return b.insert(l)
	}
	h, f := b.h, b.h.f
	if h.phantom {
		return b.contradict("", l.Text)
	}
	if !f.x.same(f.cur, l.Text, loose) {
		if l.Text == "" {
			h.phantom = true
			return true
		}
		return b.contradict(l.Text, l.Text)
	}
	h.seen++
	if l.Kind == ' ' {
		h.gone, h.come = nil, 0
		f.cur++
		f.above++
		return true
	}
	if h.come > 0 {
		h.gone, h.come = nil, 0
	}
	h.gone = append(h.gone, f.x.raw(f.cur, f.cur+1))
	h.removed++
	b.replace(f.x.offset(f.cur), f.x.offset(f.cur+1), "")
	f.cur++
	if f.cur == len(f.x.lines) {
		f.openEnd = false
	}
	return true
}

// contradict fails the hunk because its next old line is not where it must be.
func (b *batch) contradict(want, got string) bool {
	f := b.h.f
	near := &Nearest{Line: f.lineNo(f.cur), Expected: want, Matched: b.h.seen, Of: b.h.seen + 1}
	if b.h.phantom {
		near.Expected = ""
	}
	if f.cur < len(f.x.lines) {
		near.Got = f.x.text(f.cur)
	}
	b.flush()
	b.p.fail(Contradicted, fmt.Sprintf("Failed to find expected lines in %s: %s", f.path, near), near)
	return false
}

// insert puts a new line at the cursor.
func (b *batch) insert(l bufLine) bool {
	h, f := b.h, b.h.f
	if h.phantom { // the model counts on an empty line here: then there is one
		h.phantom = false
		if !b.insert(bufLine{Line: Line{'+', ""}}) {
			return false
		}
		h.phantom = true
	}
	ins, eol, err := f.encodeLine(l)
	if err != nil {
		b.flush()
		b.p.fail(Unencodable, fmt.Sprintf("%s: line %q: %v", f.path, clip(l.Text), err), nil)
		return false
	}
	if eol == 0 && !f.atEnd() {
		b.flush()
		b.p.fail(Malformed, fmt.Sprintf("%s: a line without a line break is not the last one", f.path), nil)
		return false
	}
	if f.cur == len(f.x.lines) {
		if f.openEnd {
			ins = f.eol + ins
		}
		f.openEnd = eol == 0
	}
	at := f.x.offset(f.cur)
	b.replace(at, at, ins)
	h.plus, h.plusGen = eol, f.gen
	h.added++
	h.come++
	f.above++
	return true
}

// encodeLine gives the bytes of an inserted line, and how many of them are its line break.
func (f *file) encodeLine(l bufLine) (ins string, eol text.Byte, err error) {
	body, err := f.enc.encode(l.Text)
	if err != nil {
		return "", 0, err
	}
	end := f.eol
	if l.eol != nil {
		end, _ = f.enc.encode(*l.eol)
	}
	return body + end, text.Byte(len(end)), nil
}

// atEnd reports whether the cursor is at the very end of the view.
func (f *file) atEnd() bool { return f.cursor() == f.length }

// replace changes base bytes [from, to), at or after every earlier change.
func (b *batch) replace(from, to text.Byte, ins string) {
	b.h.record(from+b.h.f.shift, b.h.f.x.str[from-b.h.f.x.from:to-b.h.f.x.from], len(ins))
	b.base = append(b.base, text.Change{From: from, To: to, Insert: ins})
	b.changes = append(b.changes, text.Change{From: from + b.shift, To: to + b.shift, Insert: ins})
	d := text.Byte(len(ins)) - (to - from)
	b.h.f.shift += d
	b.length += d
}

// record remembers, for taking it back, that at the end of the hunk's changes
// removed was replaced by n bytes.
func (h *hunk) record(at text.Byte, removed string, n int) {
	if k := len(h.spans) - 1; k >= 0 && h.spans[k].at+h.spans[k].n == at {
		h.spans[k].n += text.Byte(n)
		h.spans[k].removed = append(h.spans[k].removed, removed...)
		return
	}
	h.spans = append(h.spans, span{at, text.Byte(n), []byte(removed)})
}

// flush emits what the batch collected as one Changed.
func (b *batch) flush() {
	if len(b.changes) == 0 {
		return
	}
	f := b.h.f
	f.pending = append(f.pending, b.base...)
	b.p.changed(b.h, f, join(b.changes), b.length)
	b.changes, b.base, b.length = nil, nil, 0
	b.shift = f.shift
}

// changed emits a change that the view already has, given in offsets of the
// view before it, and then deals with what the receiver made of it.
func (p *Placer) changed(h *hunk, f *file, changes []text.Change, grow text.Byte) {
	cs, err := text.NewChangeSet(f.length, changes...)
	if err != nil {
		panic(fmt.Sprintf("editstream: own changes of %s overlap: %v", f.path, err))
	}
	f.length += grow
	p.busy = f
	p.emit(Changed{h.id, f.path, cs})
	p.busy = nil
	late, refused := p.late, p.refused
	p.late, p.refused = nil, ""
	if refused != "" {
		p.retract(h, f, refused)
	}
	for _, others := range late {
		p.rebase(f, others)
	}
}

// fail ends the open hunk: what was applied of it is taken back first.
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

// undo takes back what the hunk applied, and puts the cursor where it was.
func (p *Placer) undo(h *hunk) {
	f := h.f
	back, grow := h.back()
	f.rewind(h.mark, back)
	h.spans = nil
	if len(back) > 0 {
		f.length -= grow
		p.changed(h, f, back, grow)
	}
	p.uncreate(h)
}

// uncreate removes the file that the hunk created.
func (p *Placer) uncreate(h *hunk) {
	if h.created {
		p.drop(h.f)
		p.emit(Deleted{h.id, h.f.path})
	}
}

// back is what takes the hunk's changes back, in view offsets, and by how much
// the view grows.
func (h *hunk) back() (changes []text.Change, grow text.Byte) {
	for _, s := range h.spans {
		if s.n > 0 || len(s.removed) > 0 {
			changes = append(changes, text.Change{From: s.at, To: s.at + s.n, Insert: string(s.removed)})
			grow += text.Byte(len(s.removed)) - s.n
		}
	}
	return changes, grow
}

// retract ends the hunk whose last Changed was refused by the receiver: the
// receiver takes back what came before it, the view all of it.
func (p *Placer) retract(h *hunk, f *file, why string) {
	if h.over {
		return
	}
	h.over = true
	p.sec.failed = true
	all, _ := h.back()
	f.rewind(h.mark, all)
	h.unsave()
	back, shrink := h.back()
	h.spans = nil
	if len(back) > 0 {
		f.length -= shrink
		p.changed(h, f, back, shrink)
	}
	p.uncreate(h)
	p.emit(Failed{h.id, f.path, Refused, why, nil})
}

// rewind brings the view back to before the hunk. When nobody else changed the
// file meanwhile, its changes are simply forgotten; otherwise back undoes them.
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

// adopt makes the result of cs the base, with the cursor and the limit at the
// given offsets.
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

// lineFrom is the start of the first line at or after the offset, in the base.
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

// ending changes the line break of the line before.
func (p *Placer) ending(ev Ending) {
	h := p.hunk
	if h == nil || h.over || p.lost() {
		return
	}
	if h.diff == nil && !h.placed {
		if k := len(h.lines) - 1; k >= 0 {
			h.lines[k].eol = &ev.EOL
		}
		return
	}
	if h.come == 0 || len(h.spans) == 0 {
		return // the line is an old one: it keeps its own ending
	}
	p.reend(ev.EOL)
}

// reend gives the line that was just inserted another line break. Where others
// have changed that line break meanwhile, it stays as they left it.
func (p *Placer) reend(eol string) {
	h, f := p.hunk, p.hunk.f
	end, err := f.enc.encode(eol)
	last := h.spans[len(h.spans)-1]
	at, was := last.at+last.n, h.plus
	switch {
	case err != nil:
	case end == "" && at != f.length:
		p.fail(Malformed, fmt.Sprintf("%s: a line without a line break is not the last one", f.path), nil)
	case h.plusGen != f.gen:
		p.reendLate(at, end)
	default:
		h.save()
		p.trimInserted(was)
		base := f.x.offset(f.cur)
		f.pending = append(f.pending, text.Change{From: base, To: base, Insert: end})
		f.shift += text.Byte(len(end))
		f.openEnd = f.openEnd || end == ""
		p.reended(at, end)
	}
}

// reendLate is reend after the view was settled.
func (p *Placer) reendLate(at text.Byte, end string) {
	h, f := p.hunk, p.hunk.f
	f.settle()
	last := &h.spans[len(h.spans)-1]
	if last.n < h.plus || f.base.Slice(at-h.plus, at).String() != f.eol {
		return
	}
	cs, err := text.NewChangeSet(f.base.Len(), text.Change{From: at - h.plus, To: at, Insert: end})
	if err != nil {
		panic(fmt.Sprintf("editstream: line break of %s: %v", f.path, err))
	}
	h.save()
	last.n -= h.plus
	length, cursor := f.length, cs.MapPos(f.cursor(), 1)
	f.adopt(cs, cursor, cs.MapPos(f.limit, 1))
	f.from = cursor
	f.length = length
	p.reended(at, end)
}

// reended emits the change of a line break that the view already has.
func (p *Placer) reended(at text.Byte, end string) {
	h, was := p.hunk, p.hunk.plus
	n := text.Byte(len(end))
	h.spans[len(h.spans)-1].n += n
	h.plus, h.plusGen = n, h.f.gen
	p.changed(h, h.f, []text.Change{{From: at - was, To: at, Insert: end}}, n-was)
}

// trimInserted forgets the last n bytes that the hunk inserted at the cursor.
func (p *Placer) trimInserted(n text.Byte) {
	h, f := p.hunk, p.hunk.f
	h.spans[len(h.spans)-1].n -= n
	f.shift -= n
	for n > 0 {
		k := len(f.pending) - 1
		ins := f.pending[k].Insert
		cut := min(int(n), len(ins))
		f.pending[k].Insert = ins[:len(ins)-cut]
		n -= text.Byte(cut)
		if f.pending[k].Insert == "" && f.pending[k].From == f.pending[k].To {
			f.pending = f.pending[:k]
		}
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
