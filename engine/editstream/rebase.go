package editstream

import (
	"fmt"

	"waferpair/workspace/text"
)

// Rebase reports that somebody else changed a file. The change set is based on the placer's
// view: on the file as its last Changed and the earlier Rebases left it. Rebase may be
// called between two calls of Handle, or inside emit for the Changed that is being emitted
// (then it is based on the file after that change, or without it when it is dropped).
//
// The open hunk keeps its place if that still begins a line; text that others inserted at
// that very place goes before what the hunk inserts next.
func (p *Placer) Rebase(path string, others text.ChangeSet) {
	f := p.known[path]
	switch {
	case f == nil || others.Empty():
	case p.busy == f:
		p.late = append(p.late, others)
	default:
		p.rebase(f, others)
	}
}

func (p *Placer) rebase(f *file, others text.ChangeSet) {
	f.settle()
	x, h := f.index(), p.hunk
	if h == nil || h.f != f || h.over {
		h = nil
	}
	end := text.Byte(0)
	if h != nil && h.diff != nil {
		end = others.MapPos(x.offset(h.diff.end), -1)
	}
	cursor := f.cursor()
	atEnd := cursor == f.limit
	before, after := others.MapPos(cursor, -1), others.MapPos(cursor, 1)
	f.adopt(others, before, others.MapPos(f.limit, 1))
	if h == nil {
		return
	}
	h.rebase(others)
	if h.placed {
		p.keepPlace(h, before, after, atEnd)
	}
	if h.diff != nil {
		f.foreign = append(f.foreign, inserted(others)...)
		h.diff.rebase(f, end)
	}
}

// keepPlace moves the cursor of a placed hunk: after what others inserted there, if that
// ends a line, else before it.
func (p *Placer) keepPlace(h *hunk, at, after text.Byte, wasEnd bool) {
	f := h.f
	if after > at && f.lineStart(after) {
		at = after
	}
	if !f.lineStart(at) && !(wasEnd && at == f.limit) {
		h.broken = fmt.Sprintf("Failed to find expected lines in %s: the line was changed by somebody else", f.path)
		return
	}
	f.from = at
	f.above = f.enc.count(f.base.Slice(0, at).String())
}

// rebase maps the positions of the hunk.
func (h *hunk) rebase(others text.ChangeSet) {
	h.mark.at = others.MapPos(h.mark.at, -1)
	h.spans = mapSpans(h.spans, others)
}

// rebase finds the end of the old lines again.
func (d *differ) rebase(f *file, end text.Byte) {
	x := f.index()
	d.run, d.fits = nil, 0
	if d.whole {
		d.end = len(x.lines)
		return
	}
	d.end = 0
	for d.end < len(x.lines) && x.offset(d.end) < end {
		d.end++
	}
}

// mapSpans maps ranges over a change: text that others inserted inside a range does not
// become part of it.
func mapSpans(spans []span, others text.ChangeSet) []span {
	var out []span
	for _, s := range spans {
		out = append(out, mapSpan(s, others)...)
	}
	return out
}

func mapSpan(s span, others text.ChangeSet) []span {
	end := s.at + s.n
	if s.n == 0 {
		s.at = others.MapPos(s.at, -1)
		return []span{s}
	}
	var out []span
	from := s.at
	for c := range others.Changes {
		if c.Insert != "" && c.From > s.at && c.From < end {
			out = append(out, mapPart(from, c.From, others))
			from = c.To
		}
	}
	if from < end || len(out) == 0 {
		out = append(out, mapPart(min(from, end), end, others))
	}
	out[0].removed = s.removed
	return out
}

func mapPart(from, to text.Byte, others text.ChangeSet) span {
	a, b := others.MapPos(from, 1), others.MapPos(to, -1)
	return span{at: min(a, b), n: max(b-a, 0)}
}

// inserted returns the ranges that others wrote, in offsets of the new text.
func inserted(others text.ChangeSet) []span {
	var out []span
	grow := text.Byte(0)
	for c := range others.Changes {
		if n := text.Byte(len(c.Insert)); n > 0 {
			out = append(out, span{at: c.From + grow, n: n})
		}
		grow += text.Byte(len(c.Insert)) - (c.To - c.From)
	}
	return out
}

// Drop ends the open hunk of a file because its receiver refuses it, for example because
// the user is typing there. The placer ignores its remaining lines and reports it as Failed
// with the given reason.
//
// Inside emit, for a Changed: the receiver did not apply that change, and the placer
// reverts the hunk's earlier ones; of a hunk that has failed by itself, whose changes are being
// reverted, they stay. Between two calls of Handle: the receiver has applied
// all of its changes, and the placer reverts them through emit.
func (p *Placer) Drop(path, why string, emit func(Edit)) {
	f := p.known[path]
	switch {
	case f == nil:
	case p.busy == f:
		p.refused = why
	case p.hunk != nil && p.hunk.f == f && !p.hunk.over:
		p.emit = emit
		p.fail(Refused, why, nil)
	}
}
