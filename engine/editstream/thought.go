package editstream

import "strings"

// Many models that people run themselves write what they think into the answer, in tags. What stands
// there is a draft: it is prose, whatever it looks like.
//
//	<think>         the first thing in the answer, or a line of its own
//	...             no edit begins here
//	</think>        what follows on its line is a line of the answer
//
// A thought that has no end is prose to the end of the answer.

// thoughtTags are the tags that models use.
var thoughtTags = [...]string{"think", "thinking", "thought", "reasoning"}

// thought follows the tags; it is valid only outside of edits.
type thought struct {
	tag     string // of the open thought; "": none is open
	written bool   // the answer has a line that is not empty
}

// begins reports whether a thought begins with the line.
func (t *thought) begins(line string) bool {
	text, first := strings.TrimSpace(line), !t.written
	t.written = t.written || text != ""
	if !strings.HasPrefix(text, "<") {
		return false
	}
	for _, tag := range thoughtTags {
		if rest, is := strings.CutPrefix(text, "<"+tag+">"); is && (first || rest == "") {
			t.tag = tag
			return true
		}
	}
	return false
}

// ends returns what follows the end of the thought, if the line has it.
func (t *thought) ends(line string) (rest string, is bool) {
	_, rest, is = strings.Cut(line, "</"+t.tag+">")
	if is {
		t.tag = ""
	}
	return rest, is
}

// thinks takes a line that belongs to a thought, and returns false for all others. What follows the end of a
// thought is read as a line.
func (p *blocks) thinks(l piece) bool {
	if p.thought.tag == "" {
		if !p.between() || l.long() || !p.thought.begins(l.text) {
			return false
		}
		p.flush()
	}
	rest, is := p.thought.ends(l.text)
	if !is || strings.TrimSpace(rest) == "" {
		p.emit(Prose{l.whole()})
		return true
	}
	p.emit(Prose{l.text[:len(l.text)-len(rest)]})
	l.text = rest
	p.line(l)
	return true
}

// between reports whether the line that comes is outside of edits, and of fences.
func (p *blocks) between() bool {
	if p.patch != nil {
		return p.patch.state == v4aOutside && p.patch.wrap == nil
	}
	return p.state == blockOutside && p.run == "" && !p.diff.active()
}
