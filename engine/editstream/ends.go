package editstream

import (
	"sort"
	"strings"

	"waferpair/workspace/text"
)

// How an inserted line ends. A file may mix line breaks, so each new line takes its line
// break from the nearest of these lines:
//
//	the line that it replaces   the first new line of a group replaces the first removed one, and so on
//	the line above              the last one there that has a line break
//	the line below
//	the file's first line
//
// Lines of a file that is being created end with "\n".

// lineBreak returns the line break of the next line that the batch inserts.
func (b *batch) lineBreak() string {
	h, f := b.h, b.h.f
	if h.created {
		return f.eol
	}
	if h.come < len(h.gone) {
		if eol := f.enc.lastBreak(h.gone[h.come]); eol != "" {
			return eol
		}
	}
	if h.inRun() && h.plus != "" {
		return h.plus // even when others insert lines in between
	}
	if eol := b.breakAbove(); eol != "" {
		return eol
	}
	if f.cur < len(f.x.lines) {
		if eol := f.x.lineBreak(f.cur); eol != "" {
			return eol
		}
	}
	return f.eol
}

// inRun reports whether the hunk inserted the line above.
func (h *hunk) inRun() bool {
	if h.diff != nil {
		return len(h.diff.run) > 0
	}
	return h.come > 0
}

// breakOfOpen returns the line break to add to the file's last line, which has none, when
// lines follow it.
func (b *batch) breakOfOpen() string {
	if eol := b.breakAbove(); eol != "" && !b.h.created {
		return eol
	}
	return b.h.f.eol
}

// breakAbove returns the last line break before the cursor, or "".
func (b *batch) breakAbove() string {
	f := b.h.f
	return f.breakBefore(f.x.offset(f.cur), b.base)
}

// breakAtEnd returns the last line break of the file, for lines that are appended.
func (f *file) breakAtEnd() string {
	for _, eol := range []string{f.enc.lastBreak(string(f.tail)), f.breakBefore(f.base.Len(), nil)} {
		if eol != "" {
			return eol
		}
	}
	return f.eol
}

// breakBefore returns the last line break before the base offset, which begins a line or is
// the file's end: that of text inserted there, or else that of the base above the text
// removed there. The changes of the open batch come after the pending ones.
func (f *file) breakBefore(at text.Byte, batch []text.Change) string {
	k := len(f.pending) + len(batch)
	for {
		for k--; k >= 0; k-- {
			c := text.Change{}
			if n := k - len(f.pending); n >= 0 {
				c = batch[n]
			} else {
				c = f.pending[k]
			}
			if c.To != at {
				break
			}
			if eol := f.enc.lastBreak(c.Insert); eol != "" {
				return eol
			}
			at = c.From
		}
		k++
		eol, from := f.baseBreak(at)
		if eol != "" || from == at {
			return eol
		}
		at = from // the file's last line, without a line break
	}
}

// baseBreak returns the line break of the base's line before the offset, and where that
// line begins.
func (f *file) baseBreak(at text.Byte) (eol string, from text.Byte) {
	near := func(from, to text.Byte) string {
		return f.enc.lastBreak(f.base.Slice(max(from, to-4), to).String())
	}
	switch i := sort.Search(len(f.x.lines), func(i int) bool { return f.x.offset(i) >= at }) - 1; {
	case at > f.limit: // appended by an earlier hunk
		return near(f.limit, at), f.limit
	case i >= 0:
		return f.x.lineBreak(i), f.x.offset(i)
	}
	return near(0, at), at
}

// lineBreak returns the line break of line i, or "".
func (x *index) lineBreak(i int) string { return x.str[x.lines[i].end:x.lines[i].next] }

// mixed reports whether the lines of the stretch end in different ways.
func (x *index) mixed() bool {
	if x.ends == 0 {
		x.ends = 1
		for i := range x.lines {
			if eol := x.lineBreak(i); eol != "" && eol != x.lineBreak(0) {
				x.ends = 2
				break
			}
		}
	}
	return x.ends == 2
}

// lastBreak returns the last line break in s, or "".
func (e encoding) lastBreak(s string) string {
	if !e.wide() {
		end := strings.LastIndexByte(s, '\n')
		if end > 0 && s[end-1] == '\r' {
			return s[end-1 : end+1]
		}
		return s[max(end, 0) : end+1]
	}
	for at := len(s) - 2; at >= 0; at -= 2 {
		if e.unit(s, at) != '\n' {
			continue
		}
		if at >= 2 && e.unit(s, at-2) == '\r' {
			return s[at-2 : at+2]
		}
		return s[at : at+2]
	}
	return ""
}

// fitBreaks gives inserted lines the line breaks of lines [cur, to), which they replace and
// which are about to be removed: only now this is known. The last copies of the inserted
// lines are removed too.
func (p *Placer) fitBreaks(b *batch, to, copies int) {
	f, d := p.hunk.f, p.hunk.diff
	kept := d.run[:len(d.run)-copies]
	if len(kept) == 0 || to <= f.cur || !f.x.mixed() {
		return
	}
	at := f.cursor()
	for _, r := range d.run {
		at -= r.n
	}
	var fixes []text.Change
	twins := d.twins(f.x, f.cur, to, kept)
	for i := range kept {
		r := &kept[i]
		at += r.n
		if want := kept.breakOf(f.x, twins[i], i); want != r.eol {
			fixes = append(fixes, text.Change{From: at - text.Byte(len(r.eol)), To: at, Insert: want})
			r.n += text.Byte(len(want) - len(r.eol))
			r.eol = want
		}
	}
	if len(fixes) > 0 {
		p.rewrite(b, fixes)
	}
}

// breakOf returns the line break of inserted line i, which replaces line twin: that line's
// break, or else that of the line above it.
func (run lineRun) breakOf(x *index, twin, i int) string {
	if twin >= 0 {
		if eol := x.lineBreak(twin); eol != "" {
			return eol
		}
	}
	return run[max(0, i-1)].eol
}

// rewrite changes line breaks in what the hunk inserted last.
func (p *Placer) rewrite(b *batch, fixes []text.Change) {
	h, f := p.hunk, p.hunk.f
	from := fixes[0].From
	was := f.lastInserted(f.cursor() - from)
	p.trimInserted(text.Byte(len(was)))
	var now strings.Builder
	at := 0
	for _, c := range fixes {
		now.WriteString(was[at:c.From-from] + c.Insert)
		at = int(c.To - from)
		b.length += text.Byte(len(c.Insert)) - (c.To - c.From)
	}
	now.WriteString(was[at:])
	base := f.x.offset(f.cur)
	f.pending = append(f.pending, text.Change{From: base, To: base, Insert: now.String()})
	f.shift += text.Byte(now.Len())
	h.spans[len(h.spans)-1].n += text.Byte(now.Len())
	b.changes = append(b.changes, fixes...)
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

// lastInserted returns the last n bytes that were inserted at the cursor.
func (f *file) lastInserted(n text.Byte) string {
	out := ""
	for k := len(f.pending) - 1; text.Byte(len(out)) < n; k-- {
		ins := f.pending[k].Insert
		out = ins[max(0, len(ins)-int(n)+len(out)):] + out
	}
	return out
}

// twins returns, for each inserted line, the removed line of [cur, to) that it replaces, or
// -1: the line with the same text, and between those the first for the first, the second
// for the second, and so on.
func (d *differ) twins(x *index, cur, to int, run lineRun) []int {
	out := make([]int, len(run))
	next := cur
	for i, r := range run {
		out[i] = -1
		if at, ok := d.nearest(x, next, r.text); ok && at < to && distinctive(r.text) {
			out[i], next = at, at+1
		}
	}
	end, next := to, 0
	for i := len(run) - 1; i >= 0; i = next - 1 {
		if next = i; out[i] >= 0 {
			end = out[i]
			continue
		}
		for next > 0 && out[next-1] < 0 {
			next--
		}
		start := cur
		if next > 0 {
			start = out[next-1] + 1
		}
		for k := next; k <= i && start < end; k, start = k+1, start+1 {
			out[k] = start
		}
	}
	return out
}
