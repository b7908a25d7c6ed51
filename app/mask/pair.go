package mask

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// pairing finds the secret that each mask stands for, among those in the lines that the same hunk
// removes:
//
//  1. the lines are the same: a line that was moved, indented, or put back
//  2. in one stretch of changed lines, the name in front of the two is the same: token = "<masked>"
//  3. in one stretch, only one of the secrets has the mask's length
//  4. in one stretch, one secret and one mask are left, or all secrets are the same
//
// Nothing else is certain. What is left over is an error: a mask, because the secret would have to be
// guessed, and a secret, because the history could not bring it back.
type pairing struct {
	t     text.Text
	seals []text.Range
	plain bool
	gone  []gone
	come  []come
	parts []part
}

// part is a stretch of a hunk: lines that are removed, and those that replace them.
type part struct {
	text.Change
	same bool // it changes nothing
}

// gone is a secret in lines that are removed; a mask that the file itself has counts as one.
type gone struct {
	secret  string
	line    string // as the model sees it
	name    string
	in      int // part
	literal bool
	used    bool
}

// come is a mask in new lines.
type come struct {
	from, to int // in the part's text, with all of the cut piece at its end
	whole    int // bytes of it in whole repetitions
	line     string
	name     string
	in       int
	of       *gone
}

func newPairing(t text.Text, seals []text.Range, plain bool) *pairing {
	return &pairing{t: t, seals: seals, plain: plain}
}

// region adds a stretch of changed lines.
func (p *pairing) region(c text.Change) error {
	n := len(p.parts)
	was := p.t.Slice(c.From, c.To).Bytes()
	var inside []text.Range
	for _, s := range p.seals {
		switch {
		case s.To <= c.From || s.From >= c.To:
		case s.From < c.From || s.To > c.To:
			return errors.New("the edit changes a part of a secret that the model cannot see; edit it by hand")
		default:
			inside = append(inside, text.Range{From: s.From - c.From, To: s.To - c.From})
		}
	}
	masked := slices.Clone(was)
	for _, s := range inside {
		cover(masked[s.From:s.To])
	}
	p.parts = append(p.parts, part{c, string(masked) == c.Insert})
	if p.parts[n].same {
		return nil
	}
	shown := string(masked)
	at := 0
	for _, s := range inside {
		p.literals(shown, at, int(s.From), n)
		at = int(s.To)
		line, before := lineAround(shown, int(s.From), int(s.To))
		p.gone = append(p.gone, gone{secret: string(was[s.From:s.To]), line: line, name: nameIn(before), in: n})
	}
	p.literals(shown, at, len(shown), n)
	p.masks(c.Insert, n)
	return nil
}

// cover overwrites a secret as secrets.Mask does.
func cover(b []byte) {
	for i := range b {
		if b[i] != '\n' && b[i] != '\r' {
			b[i] = secrets.Filler[i%len(secrets.Filler)]
		}
	}
}

// literals adds the masks that the file itself has, between two secrets.
func (p *pairing) literals(s string, from, to, in int) {
	for from < to {
		at, whole, end := run(s[:to], from)
		if at < 0 {
			return
		}
		end = max(at+whole, min(end, to))
		line, before := lineAround(s, at, end)
		p.gone = append(p.gone, gone{secret: s[at : at+whole], line: line, name: nameIn(before), in: in, literal: true})
		from = end
	}
}

// masks adds the masks of new lines. A secret of several lines has one that is copied as it is.
func (p *pairing) masks(s string, in int) {
	type spanned struct {
		from int
		of   *gone
	}
	var long []spanned
	for i := range p.gone {
		g := &p.gone[i]
		if g.used || !strings.Contains(g.secret, "\n") {
			continue
		}
		m := []byte(g.secret)
		cover(m)
		if at := strings.Index(s, string(m)); at >= 0 &&
			!slices.ContainsFunc(long, func(l spanned) bool { return l.from == at }) {
			long = append(long, spanned{at, g})
			g.used = true
		}
	}
	for at := 0; at < len(s); {
		from, whole, to := run(s, at)
		if from < 0 {
			from = len(s)
		}
		i := slices.IndexFunc(long, func(l spanned) bool { return l.from >= at && l.from <= from })
		if i >= 0 {
			l := long[i]
			p.come = append(p.come, come{from: l.from, to: l.from + len(l.of.secret), whole: len(l.of.secret), in: in,
				of: &gone{secret: l.of.secret}})
			at = l.from + len(l.of.secret)
			continue
		}
		if from == len(s) {
			return
		}
		line, before := lineAround(s, from, to)
		p.come = append(p.come, come{from: from, to: to, whole: whole, line: line, name: nameIn(before), in: in})
		at = to
	}
}

// run finds the next mask in s: whole repetitions of the filler, and a cut one behind them.
func run(s string, from int) (at, whole, end int) {
	const filler = secrets.Filler
	at = strings.Index(s[from:], filler)
	if at < 0 {
		return -1, 0, 0
	}
	at += from
	end = at
	for strings.HasPrefix(s[end:], filler) {
		end += len(filler)
	}
	whole = end - at
	for n := 0; end < len(s) && s[end] == filler[n]; n++ {
		end++
	}
	return at, whole, end
}

// nameIn returns the last name of the text in front of a mask, behind another mask.
func nameIn(before string) string {
	if i := strings.LastIndex(before, secrets.Filler); i >= 0 {
		before = before[i+len(secrets.Filler):]
	}
	part := func(r rune) bool { return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	end := strings.LastIndexFunc(before, part)
	if end < 0 {
		return ""
	}
	start := strings.LastIndexFunc(before[:end], func(r rune) bool { return !part(r) }) + 1
	for start > 0 && start < len(before) && before[start]&0xC0 == 0x80 { // behind a character of several bytes
		start++
	}
	return before[start : end+1]
}

// exact reports whether a mask has the length of a secret.
func (c *come) exact(g *gone) bool {
	n := len(g.secret)
	return n >= c.whole && n <= c.to-c.from && n-c.whole < len(secrets.Filler)
}

// match pairs masks with secrets.
func (p *pairing) match() error {
	p.byLine()
	for in := range p.parts {
		p.byName(in)
		p.byLength(in)
		p.byRest(in)
	}
	return p.leftOver()
}

// may reports whether a mask may stand for a secret: it has its length, or no secret's.
func (p *pairing) may(c *come, g *gone) bool {
	return c.exact(g) || !slices.ContainsFunc(p.gone, func(o gone) bool { return !o.used && c.exact(&o) })
}

// open returns the secrets and the masks of a part that have no pair.
func (p *pairing) open(in int) (gs []*gone, cs []*come) {
	for i := range p.gone {
		if g := &p.gone[i]; !g.used && g.in == in {
			gs = append(gs, g)
		}
	}
	for i := range p.come {
		if c := &p.come[i]; c.of == nil && c.in == in {
			cs = append(cs, c)
		}
	}
	return gs, cs
}

func pair(g *gone, c *come) { g.used, c.of = true, g }

func (p *pairing) byLine() {
	gs, cs := map[string][]*gone{}, map[string][]*come{}
	for i := range p.gone {
		if g := &p.gone[i]; !g.used {
			gs[g.line] = append(gs[g.line], g)
		}
	}
	for i := range p.come {
		if c := &p.come[i]; c.of == nil {
			cs[c.line] = append(cs[c.line], c)
		}
	}
	for line, of := range gs {
		if len(cs[line]) == len(of) {
			for i, g := range of {
				pair(g, cs[line][i])
			}
		}
	}
}

func (p *pairing) byName(in int) {
	gs, cs := p.open(in)
	for _, c := range cs {
		named := func(name string) bool { return name == c.name }
		i := slices.IndexFunc(gs, func(g *gone) bool { return named(g.name) })
		if c.name == "" || i < 0 || !p.may(c, gs[i]) ||
			slices.ContainsFunc(gs[i+1:], func(g *gone) bool { return named(g.name) }) ||
			slices.ContainsFunc(cs, func(o *come) bool { return o != c && named(o.name) }) {
			continue
		}
		pair(gs[i], c)
	}
}

func (p *pairing) byLength(in int) {
	gs, cs := p.open(in)
	if len(gs) < 2 {
		return
	}
	for _, c := range cs {
		i := slices.IndexFunc(gs, func(g *gone) bool { return c.exact(g) })
		if i < 0 || slices.ContainsFunc(gs[i+1:], func(g *gone) bool { return c.exact(g) }) ||
			slices.ContainsFunc(cs, func(o *come) bool { return o != c && o.exact(gs[i]) }) {
			continue
		}
		pair(gs[i], c)
	}
}

func (p *pairing) byRest(in int) {
	gs, cs := p.open(in)
	if len(gs) == 0 || len(cs) == 0 || len(gs) > 1 && len(gs) != len(cs) ||
		slices.ContainsFunc(gs, func(g *gone) bool { return g.secret != gs[0].secret || g.literal != gs[0].literal }) {
		return
	}
	if len(gs) == 1 && len(cs) > 1 {
		return
	}
	for i, c := range cs {
		if p.may(c, gs[i]) {
			pair(gs[i], c)
		}
	}
}

// leftOver returns why the hunk cannot be made.
func (p *pairing) leftOver() error {
	lost := 0
	for i := range p.gone {
		g := &p.gone[i]
		if !g.used && !g.literal && !p.stays(g) {
			lost++
		}
	}
	open := 0
	for i := range p.come {
		if p.come[i].of == nil {
			open++
		}
	}
	switch {
	case open > 0 && lost > 0:
		return fmt.Errorf("it is not certain which secret each mask of the new text stands for (%d masks, %d secrets): "+
			"keep the name in front of each, or change each of these lines in a hunk of its own", open, lost)
	case lost > 0:
		return errors.New("the line holds a secret that the model cannot see, and the history could not bring it back, " +
			"so it was left as it is; remove it by hand")
	case open > 0 && !p.plain:
		return ErrAdded
	}
	return nil
}

// stays reports whether the text of a secret is in the file afterwards all the same.
func (p *pairing) stays(g *gone) bool {
	if slices.ContainsFunc(p.gone, func(o gone) bool { return o.used && o.secret == g.secret }) {
		return true
	}
	for _, s := range p.seals {
		removed := slices.ContainsFunc(p.parts, func(c part) bool { return !c.same && c.From < s.To && s.From < c.To })
		if !removed && p.t.Slice(s.From, s.To).String() == g.secret {
			return true
		}
	}
	return false
}

// revealed writes the secrets in place of their masks.
func (p *pairing) revealed(t text.Text, cs text.ChangeSet) (r Revealed, err error) {
	var changes, fixes []text.Change
	var seals []text.Range                    // those that are written
	grown, seen := text.Byte(0), text.Byte(0) // how far later places move, in the true text and in the model's
	for n, c := range p.parts {
		if c.same {
			continue
		}
		var b strings.Builder
		at := 0
		for i := range p.come {
			m := &p.come[i]
			if m.in != n || m.of == nil {
				continue
			}
			b.WriteString(c.Insert[at:m.from])
			end := m.end()
			if !m.of.literal {
				from := c.From + grown + text.Byte(b.Len())
				seals = append(seals, text.Range{From: from, To: from + text.Byte(len(m.of.secret))})
			}
			if end-m.from != len(m.of.secret) {
				full := []byte(m.of.secret)
				cover(full)
				fixes = append(fixes, text.Change{From: c.From + seen + text.Byte(m.from), To: c.From + seen + text.Byte(end),
					Insert: string(full)})
			}
			b.WriteString(m.of.secret)
			at = end
		}
		b.WriteString(c.Insert[at:])
		changes = append(changes, text.Change{From: c.From, To: c.To, Insert: b.String()})
		grown += text.Byte(b.Len()) - (c.To - c.From)
		seen += text.Byte(len(c.Insert)) - (c.To - c.From)
	}
	if r.Changes, err = text.NewChangeSet(t.Len(), changes...); err != nil {
		return r, err
	}
	if r.Fix, err = text.NewChangeSet(cs.NewLen(), fixes...); err != nil {
		return r, err
	}
	moved := Veil{seals: slices.Clone(p.seals)}
	moved.Moved(r.Changes)
	r.seals = append(moved.seals, seals...)
	slices.SortFunc(r.seals, func(a, b text.Range) int { return int(a.From - b.From) })
	return r, nil
}

// end is where a mask ends: at its secret's length, or as far as it is certainly a mask.
func (c *come) end() int {
	if c.exact(c.of) {
		return c.from + len(c.of.secret)
	}
	if cut := c.to - c.from - c.whole; cut < 3 { // "<" or "<m" may belong to what follows
		return c.from + c.whole
	}
	return c.to
}
