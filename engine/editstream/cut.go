package editstream

import (
	"fmt"
	"strings"
)

// Cut ends the stream in the middle, as a stop or a steer does. It closes the open hunk
// where it is, as Partial:
//
//   - Inserted lines stay.
//   - In the run of '-' and '+' lines that the cut falls into, the first new
//     line replaces the first removed one, and so on; removed lines without a
//     replacement are put back. So a cut never leaves a hole: at most, text that
//     should have gone is still there.
//   - A whole file or a search/replace block keeps the lines that it has not reached.
//   - A hunk without a place fails, and so does the section's move.
//
// The placer can handle another stream afterwards.
func (p *Placer) Cut(emit func(Edit)) {
	p.emit = emit
	h := p.hunk
	if h != nil && !h.over && !p.lost() {
		switch {
		case h.twin:
			p.twinFails()
		case !h.placed:
			p.fail(Ambiguous, fmt.Sprintf("%s: the stream ended before the place of the hunk was certain", h.f.path), nil)
		case h.diff == nil:
			p.restoreRemoved()
		}
		p.close(true)
	}
	p.hunk, p.sec = nil, nil
}

// restoreRemoved puts back the removed lines that have no replacement.
func (p *Placer) restoreRemoved() {
	h := p.hunk
	if h.come >= len(h.gone) {
		return
	}
	lines := strings.Join(h.gone[h.come:], "")
	b := p.batch()
	at := h.f.x.offset(h.f.cur)
	h.removed -= len(h.gone) - h.come
	b.replace(at, at, lines)
	nl, _ := h.f.enc.encode("\n")
	h.f.openEnd = h.f.openEnd || h.f.cur == len(h.f.x.lines) && !strings.HasSuffix(lines, nl)
	b.flush()
}
