package engine

import (
	"strings"

	"waferpair/engine/editstream"
	"waferpair/workspace/text"
)

// inPlace is the range that the open hunk has changed, in the turn's view of the file. With
// it, a cut can report which lines of the hunk stay.
type inPlace struct {
	any      bool
	first    int // lines, numbered as they were when they arrived
	last     int
	from, to text.Byte
}

// add records a change of the hunk and, after it, the changes of others.
func (p *inPlace) add(cs, others text.ChangeSet) {
	if p.any {
		p.from, p.to = cs.MapPos(p.from, -1), cs.MapPos(p.to, 1)
	}
	grown := text.Byte(0)
	for c := range cs.Changes {
		from := c.From + grown
		to := from + text.Byte(len(c.Insert))
		if !p.any {
			p.any, p.from, p.to = true, from, to
		}
		p.from, p.to = min(p.from, from), max(p.to, to)
		grown += text.Byte(len(c.Insert)) - (c.To - c.From)
	}
	if !others.Empty() {
		p.from = others.MapPos(p.from, 1)
		p.to = max(p.from, others.MapPos(p.to, -1))
	}
}

// piece records the lines that a change inserted.
func (p *inPlace) piece(of Piece) {
	n := of.Line + strings.Count(strings.TrimSuffix(of.Inserted, "\n"), "\n")
	if p.first == 0 {
		p.first, p.last = of.Line, n
	}
	p.first, p.last = min(p.first, of.Line), max(p.last, n)
}

// lines returns the lines of a hunk that are in place: of a complete hunk as numbered on
// arrival, of a partial one by their place in the view. 0, 0 means none.
func (p *inPlace) lines(placer *editstream.Placer, ed editstream.Closed) (from, until int) {
	if !ed.Partial {
		return max(p.first, 1), max(p.last, 1)
	}
	t, exists := placer.View(ed.Path)
	if !p.any || !exists || ed.Added == 0 {
		return 0, 0
	}
	from = t.LineAt(p.from) + 1
	return from, t.LineAt(p.to-1) + 1
}
