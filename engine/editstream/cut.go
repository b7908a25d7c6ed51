package editstream

import (
	"fmt"
	"strings"
)

// Cut ends the stream in the middle, as a stop or a steer does. The open hunk is
// closed where it is, as Partial:
//
//   - Lines it inserted stay.
//   - In the run of '-' and '+' lines that the cut falls into, the first new
//     line stands for the first removed one, and so on; removed lines whose
//     replacement has not come yet are put back. So the cut never leaves a hole:
//     at most, text that was meant to go is still there.
//   - A whole file or a search/replace block keeps what it has not reached.
//   - A hunk without a place fails, and so does the section's move.
//
// The placer may go on with another stream afterwards.
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
