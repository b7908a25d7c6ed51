package editstream

import "fmt"

// beginAdd creates the file. It never overwrites an existing file: the added lines must
// equal that file's lines.
func (p *Placer) beginAdd() {
	h := p.hunk
	if h.f.exists {
		h.twin = true
		h.f.index()
		return
	}
	p.create()
}

// create creates the file, empty, and opens the hunk at its start.
func (p *Placer) create() {
	h, f := p.hunk, p.hunk.f
	f.exists = true
	f.index()
	h.created = true
	p.emit(Created{h.id, f.path})
	p.open(0)
}

func (p *Placer) twinLine(l Line) {
	f := p.hunk.f
	if l.Kind == '+' && f.index().same(f.cur, l.Text, exact) {
		f.cur++
		f.above++
		return
	}
	p.twinFails()
}

func (p *Placer) endTwin() {
	f := p.hunk.f
	if f.index(); f.cur < len(f.x.lines) {
		p.twinFails()
		return
	}
	p.emit(Opened{p.hunk.id, f.path, 1})
}

func (p *Placer) twinFails() {
	f := p.hunk.f
	p.fail(Refused, fmt.Sprintf("Failed to add file %s: it exists already, with other content; use '%s%s'", f.path,
		updateFile, f.path), nil)
}
