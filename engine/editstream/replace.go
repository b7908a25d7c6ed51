package editstream

import (
	"fmt"
	"strings"
	"unicode"

	"waferpair/workspace/text"
)

// differ applies a Replace hunk: new lines arrive one by one for lines [cur, end) of the
// index, and those that occur in both stay untouched.
//
// A new line that equals line cur keeps it. Any other new line is inserted before cur,
// unless it shows that old lines were left out: when the latest new lines equal old lines
// further down (more of them the further away, so that a chance "}" does not skip a
// function), the old lines up to there are deleted, and so are the copies that had been
// inserted meanwhile.
//
//	old  a b c d      new  a x c      a kept; x inserted; c found: b deleted, c kept
type differ struct {
	end   int
	run   lineRun // lines inserted since the last kept one, right before cur
	jump  int     // old line that the first of the last `fits` new lines equals
	fits  int
	sure  bool // one of those lines occurs only there
	lines int  // number of new lines so far
	whole bool
	was   rewritten // whole
	drop  bool      // the hunk's empty last old line did not count: nor does the last new one
}

// insertedLine is an inserted line, its line break, and its length in the file with it.
type insertedLine struct {
	text string
	eol  string
	n    text.Byte
}

type lineRun []insertedLine

// beginWhole replaces the content of a file, or creates it.
func (p *Placer) beginWhole() {
	h, f := p.hunk, p.hunk.f
	if !f.exists && p.sec.Label != "" {
		p.fail(Refused, fmt.Sprintf("%s does not exist: a comment in a block makes no file; "+
			"write the path above the fence, on a line of its own, or the file as a patch", f.path), nil)
		return
	}
	if !f.exists {
		p.create()
		return
	}
	x := f.index()
	p.open(0)
	h.diff = &differ{end: len(x.lines), whole: true, was: rewrites(x)}
	h.diff.was.bare = p.sec.Bare
	if label := p.sec.Label; label != "" {
		if h.diff.was.named = true; x.same(0, label, trailing) {
			p.diffLine(Line{'+', label})
		}
	}
}

// beginReplace places a search/replace hunk when its search lines are complete.
func (p *Placer) beginReplace() {
	h, f := p.hunk, p.hunk.f
	switch {
	case !f.exists && len(h.lines) > 0:
		p.fail(Missing, fmt.Sprintf("Failed to read file to update %s: no such file", f.path), nil)
	case !f.exists:
		p.create()
	case len(h.lines) == 0 && f.length > 0:
		p.fail(Refused, fmt.Sprintf("Failed to create %s: it exists already; an empty SEARCH is for new files", f.path), nil)
	case len(h.lines) == 0:
		p.open(0)
		h.diff = &differ{}
	default:
		p.openReplace()
	}
}

func (p *Placer) openReplace() {
	h := p.hunk
	if p.refresh(); h.over {
		return
	}
	at, n, ok := p.choose(false)
	if !ok {
		return
	}
	h.diff = &differ{end: at + n, drop: n < len(h.search.old)}
	for i, line := range h.search.old[:n] {
		h.indents.learn('-', line, h.f.x.text(at+i))
	}
	h.lines, h.search = nil, nil
	p.open(at)
}

// settleReplace handles the first new line of a search/replace hunk.
func (p *Placer) settleReplace(l Line) {
	h := p.hunk
	if p.beginReplace(); h.over {
		return
	}
	p.line(l)
}

func (p *Placer) diffLine(l Line) {
	h, f := p.hunk, p.hunk.f
	d := h.diff
	if l.Kind != '+' {
		p.fail(Malformed, fmt.Sprintf("%s: an old line after new ones", f.path), nil)
		return
	}
	l.Text = h.indents.fit(l.Text)
	x := f.index()
	d.lines++
	d.was.take(l.Text)
	if f.cur < d.end && x.same(f.cur, l.Text, exact) {
		f.cur++
		f.above++
		d.run, d.fits = nil, 0
		return
	}
	if d.follow(x, f.cur, l.Text); d.fits > 0 && d.fits >= d.need(f.cur) {
		p.skipToMatch(l.Text)
		return
	}
	p.diffInsert(l)
}

func (p *Placer) diffInsert(l Line) {
	b := p.batch()
	before := p.hunk.f.shift
	if b.insert(l) {
		p.hunk.diff.run = append(p.hunk.diff.run, insertedLine{l.Text, p.hunk.plus, p.hunk.f.shift - before})
		b.flush()
	}
}

// follow records whether the new line continues a match further down, or begins one.
func (d *differ) follow(x *index, cur int, line string) {
	if next := d.jump + d.fits; d.fits > 0 && next < d.end && x.same(next, line, exact) {
		d.fits++
	} else if at, ok := d.nearest(x, cur+1, line); ok {
		d.jump, d.fits, d.sure = at, 1, false
	} else {
		d.fits = 0
		return
	}
	if _, again := d.nearest(x, d.jump+d.fits, line); !again && distinctive(line) {
		d.sure = true
	}
}

// nearest returns the first old line from start on that equals line.
func (d *differ) nearest(x *index, start int, line string) (int, bool) {
	for _, c := range x.lookup(line, start) {
		if int(c) >= d.end {
			break
		}
		if x.same(int(c), line, exact) {
			return int(c), true
		}
	}
	return 0, false
}

// need returns how many lines must match before the old lines up to them count as left out.
// Lines that occur again further down are weak evidence: code repeats itself.
func (d *differ) need(cur int) int {
	dist := d.jump - cur
	switch {
	case !d.sure:
		return dist + 3
	case dist <= 3:
		return 1
	case dist <= 60:
		return 2
	}
	return 3
}

// distinctive reports whether a line is unlikely to be repeated by chance.
func distinctive(line string) bool {
	return strings.IndexFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 &&
		len(strings.TrimSpace(line)) >= 6
}

// skipToMatch deletes the old lines from cur to the match, and the inserted copies of the
// matched lines.
func (p *Placer) skipToMatch(line string) {
	f, d := p.hunk.f, p.hunk.diff
	copies, to := d.fits-1, d.jump
	for k := len(d.run) - copies; k > 0 && to > f.cur && f.x.same(to-1, d.run[k-1].text, exact); k-- {
		to--
		copies++
	}
	p.skip(to, copies)
	f.above += copies + 1
	f.cur = to + copies + 1
	d.run, d.fits = nil, 0
}

// skip deletes old lines [cur, to) and the last inserted lines, as one change.
func (p *Placer) skip(to, copies int) {
	h, f, d := p.hunk, p.hunk.f, p.hunk.diff
	b := p.batch()
	at, n := f.cursor(), text.Byte(0)
	for _, r := range d.run[len(d.run)-copies:] {
		n += r.n
	}
	p.fitBreaks(b, to, copies)
	if n > 0 {
		p.trimInserted(n)
		b.changes = append(b.changes, text.Change{From: at - n, To: at})
		b.length -= n
	}
	h.added -= copies
	f.above -= copies
	for ; f.cur < to; f.cur++ {
		if f.isForeign(f.cur) {
			f.above++
			continue
		}
		h.removed++
		b.replace(f.x.offset(f.cur), f.x.offset(f.cur+1), "")
		if f.cur+1 == len(f.x.lines) {
			f.openEnd = false
		}
	}
	b.flush()
}

// isForeign reports whether somebody else wrote in line i since the hunk began.
func (f *file) isForeign(i int) bool {
	from, to := f.x.offset(i), f.x.offset(i+1)
	for _, s := range f.foreign {
		if s.at < to && s.at+s.n > from {
			return true
		}
	}
	return false
}

// endDiff deletes the old lines that no new line matched. Inserted lines that equal the
// last old ones are removed in favour of those.
func (p *Placer) endDiff() {
	h, f, d := p.hunk, p.hunk.f, p.hunk.diff
	f.index()
	if k := len(d.run) - 1; d.drop && k >= 0 && d.run[k].text == "" {
		p.skip(f.cur, 1)
		d.run = d.run[:k]
	}
	copies := 0
	for k := len(d.run); !h.over && k > 0 && d.end-copies > f.cur &&
		f.x.same(d.end-copies-1, d.run[k-1].text, exact); k-- {
		copies++
	}
	if h.over {
		return
	}
	p.skip(d.end-copies, copies)
	f.cur += copies
	f.above += copies
	if d.whole && !h.over && d.lines > 0 && f.openEnd {
		p.closeLastLine()
	}
}

// closeLastLine adds a final line break to the file: a block always ends with one.
func (p *Placer) closeLastLine() {
	b := p.batch()
	f := p.hunk.f
	at := f.x.offset(f.cur)
	f.openEnd = false
	b.replace(at, at, b.breakOfOpen())
	b.flush()
}
