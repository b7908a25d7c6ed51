package prompt

import (
	"fmt"
	"strings"
)

// Attached texts get the larger share of the room: a request that is about them is of little use
// without them. What does not fit is cut behind a line, or left out, and said.

// leastAttached is the number of tokens below which the beginning of a text says too little.
const leastAttached = 200

func (b *builder) gatherAttached() {
	room := b.budget() * 3 / 5
	for _, a := range b.r.Attached {
		if !b.wanted(Changes, a.Name, a.Path) {
			continue
		}
		p := b.counted(Part{Kind: Changes, Name: a.Name, Path: a.Path, Text: a.Text, Reason: a.Reason, Cut: a.Cut,
			Removable: true})
		if p.Tokens+overhead > room {
			p = b.cutTo(p, room-overhead)
		}
		if p.Text == "" {
			b.left(Left{Changes, a.Name, a.Path, b.count(a.Text), tooLong})
			continue
		}
		room -= p.Tokens + overhead
		b.attached = append(b.attached, p)
	}
}

// cutTo shortens a part to a number of tokens, behind a line; the text is "" if little would be left.
func (b *builder) cutTo(p Part, tokens int) Part {
	all := strings.Count(p.Text, "\n")
	if tokens < leastAttached {
		p.Text = ""
		return p
	}
	text := p.Text
	for n := p.Tokens; n > tokens; n = b.count(text) {
		text = text[:min(len(text)-1, int(float64(len(text))*float64(tokens)/float64(n)))]
		text = text[:strings.LastIndexByte(text, '\n')+1]
		if text == "" {
			p.Text = ""
			return p
		}
	}
	left := fmt.Sprintf("the last %d of %d lines: %s", all-strings.Count(text, "\n"), all, tooLong)
	p.Text, p.Cut = text+"(More is left out: the prompt would be too long.)\n", left
	return b.counted(p)
}

// noteText is what stands right before the request.
func (b *builder) noteText(lines string) string {
	s := Note(b.r.Target, b.r.ReadOnly && b.r.Task == "", lines)
	if b.r.Task != "" {
		s += strings.TrimRight(b.r.Task, "\n") + "\n"
	}
	return s
}
