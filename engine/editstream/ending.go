package editstream

import (
	"fmt"

	"waferpair/workspace/text"
)

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
		p.trimInserted(text.Byte(len(was)))
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
	last, was := &h.spans[len(h.spans)-1], text.Byte(len(h.plus))
	if last.n < was || f.base.Slice(at-was, at).String() != h.plus {
		return
	}
	cs, err := text.NewChangeSet(f.base.Len(), text.Change{From: at - was, To: at, Insert: end})
	if err != nil {
		panic(fmt.Sprintf("editstream: line break of %s: %v", f.path, err))
	}
	h.save()
	last.n -= was
	length, cursor := f.length, cs.MapPos(f.cursor(), 1)
	f.adopt(cs, cursor, cs.MapPos(f.limit, 1))
	f.from = cursor
	f.length = length
	p.reended(at, end)
}

// reended emits the change of a line break that the view already has.
func (p *Placer) reended(at text.Byte, end string) {
	h, was := p.hunk, text.Byte(len(p.hunk.plus))
	n := text.Byte(len(end))
	h.spans[len(h.spans)-1].n += n
	h.plus, h.plusGen = end, h.f.gen
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
