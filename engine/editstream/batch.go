package editstream

import (
	"fmt"

	"waferpair/workspace/text"
)

// batch collects the changes of several lines, in view offsets of the text before the
// batch.
type batch struct {
	p       *Placer
	h       *hunk
	shift   text.Byte // file.shift before the batch
	changes []text.Change
	base    []text.Change // the same, in base offsets
	length  text.Byte     // change of the view's length
}

// batch starts a batch for the open hunk.
func (p *Placer) batch() *batch {
	h := p.hunk
	h.f.index()
	h.save()
	return &batch{p: p, h: h, shift: h.f.shift}
}

// step applies one line. It fails the hunk and returns false when it cannot.
func (b *batch) step(l Line) bool {
	h, f := b.h, b.h.f
	switch {
	case l.Kind == '+':
		l.Text = h.indents.fit(l.Text)
		return b.insert(l)
	case h.phantom:
		return b.contradict("")
	case f.x.same(f.cur, l.Text, loose):
		h.seen++
		h.indents.learn(l.Kind, l.Text, f.x.text(f.cur))
		b.old(l.Kind)
	case l.Text == "":
		h.phantom = true
	default:
		return b.contradict(l.Text)
	}
	return true
}

// old keeps or deletes an old line and moves past it.
func (b *batch) old(kind byte) {
	h, f := b.h, b.h.f
	if kind == ' ' || h.come > 0 {
		h.gone, h.come = nil, 0
	}
	if kind == ' ' {
		f.cur++
		f.above++
		return
	}
	h.gone = append(h.gone, f.x.raw(f.cur, f.cur+1))
	h.removed++
	b.replace(f.x.offset(f.cur), f.x.offset(f.cur+1), "")
	if f.cur++; f.cur == len(f.x.lines) {
		f.openEnd = false
	}
}

// contradict fails the hunk because its next old line does not match.
func (b *batch) contradict(want string) bool {
	f := b.h.f
	near := &Nearest{Line: f.lineNo(f.cur), Expected: want, Matched: b.h.seen, Of: b.h.seen + 1}
	if f.cur < len(f.x.lines) {
		near.Got = f.x.text(f.cur)
	}
	b.flush()
	b.p.fail(Contradicted, fmt.Sprintf("Failed to find expected lines in %s: %s", f.path, near), near)
	return false
}

// insert inserts a new line at the cursor.
func (b *batch) insert(l Line) bool {
	h, f := b.h, b.h.f
	if h.phantom && !b.fillIn() {
		return false
	}
	usual := b.lineBreak()
	ins, err := f.encodeLine(l, usual)
	if err != nil {
		return b.fail(Unencodable, fmt.Sprintf("%s: line %q: %v", f.path, clip(l.Text), err))
	}
	if f.cur == len(f.x.lines) {
		if f.openEnd {
			ins = b.breakOfOpen() + ins
		}
		f.openEnd = false
	}
	at := f.x.offset(f.cur)
	b.replace(at, at, ins)
	h.plus = usual
	h.added++
	h.come++
	f.above++
	return true
}

// fillIn inserts the empty line that the hunk expects before its new lines.
func (b *batch) fillIn() bool {
	b.h.phantom = false
	ok := b.insert(Line{'+', ""})
	b.h.phantom = true
	return ok
}

// fail flushes the batch and fails the hunk.
func (b *batch) fail(reason Reason, message string) bool {
	b.flush()
	b.p.fail(reason, message, nil)
	return false
}

// encodeLine returns the bytes of an inserted line with its line break.
func (f *file) encodeLine(l Line, eol string) (string, error) {
	body, err := f.enc.encode(l.Text)
	if err != nil {
		return "", err
	}
	return body + eol, nil
}

// replace changes base bytes [from, to), at or after every earlier change.
func (b *batch) replace(from, to text.Byte, ins string) {
	b.h.record(from+b.h.f.shift, b.h.f.x.str[from-b.h.f.x.from:to-b.h.f.x.from], len(ins))
	b.base = append(b.base, text.Change{From: from, To: to, Insert: ins})
	b.changes = append(b.changes, text.Change{From: from + b.shift, To: to + b.shift, Insert: ins})
	d := text.Byte(len(ins)) - (to - from)
	b.h.f.shift += d
	b.length += d
}

// flush emits the batch's changes as one Changed.
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

// changed emits a change that the view already contains, in offsets of the view before it,
// and then handles the receiver's reaction.
func (p *Placer) changed(h *hunk, f *file, changes []text.Change, grow text.Byte) {
	cs, err := text.NewChangeSet(f.length, changes...)
	if err != nil {
		panic(fmt.Sprintf("editstream: own changes of %s overlap: %v", f.path, err))
	}
	f.length += grow
	p.send(h, f, cs)
}

// send emits a change. Then it applies what the receiver reported meanwhile, or reverts the
// hunk when the receiver refused the change.
func (p *Placer) send(h *hunk, f *file, cs text.ChangeSet) {
	late, refused := p.offer(h, f, cs)
	if refused != "" && !h.over {
		p.retract(h, f, late, refused)
		return
	}
	for _, others := range late {
		p.rebase(f, others)
	}
}

// offer emits a change, and returns what others did meanwhile, and why the receiver refused it.
func (p *Placer) offer(h *hunk, f *file, cs text.ChangeSet) (late []text.ChangeSet, refused string) {
	p.busy = f
	p.emit(Changed{h.id, f.path, cs})
	p.busy = nil
	late, refused = p.late, p.refused
	p.late, p.refused = nil, ""
	return late, refused
}
