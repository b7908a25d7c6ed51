package editstream

import "strings"

// Many models that people run themselves write what they think into the answer, in tags. What stands
// there is a draft: it is prose, whatever it looks like.
//
//	<think>         the first thing in the answer, or a line of its own
//	...             no edit begins here
//	</think>        what follows on its line is a line of the answer
//
// A thought that has no end is prose to the end of the answer. An end without a beginning, outside of edits
// and fences, says that the answer began with thought: see Thought. What it tells of the text before is void,
// so the parser begins anew there.

// thoughtTags are the tags that models use.
var thoughtTags = [...]string{"think", "thinking", "thought", "reasoning"}

// thought follows the tags; it is valid only outside of edits.
type thought struct {
	tag     string // of the open thought; "": none is open
	written bool   // the answer has a line that is not empty
	any     bool   // the answer has had a thought
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
			t.tag, t.any = tag, true
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

// loneEnd returns what follows the end of a thought that has not begun, at the beginning or the end of a line.
func (t *thought) loneEnd(line string) (before, rest string, is bool) {
	text := strings.TrimSpace(line)
	if t.any || !strings.Contains(text, "</") {
		return "", "", false
	}
	for _, tag := range thoughtTags {
		end := "</" + tag + ">"
		if before, rest, is := strings.Cut(line, end); is && (strings.HasPrefix(text, end) || strings.HasSuffix(text, end)) {
			return before + end, rest, true
		}
	}
	return "", "", false
}

// endsLone takes the line with an end whose beginning never came.
func (p *blocks) endsLone(l piece) bool {
	if l.long() || !p.between() {
		return false
	}
	before, rest, is := p.thought.loneEnd(l.text)
	if !is {
		return false
	}
	p.flush()
	if strings.TrimSpace(rest) == "" {
		before += rest + l.eol
	}
	p.emit(Prose{before})
	p.emit(Thought{})
	*p = blocks{in: p.in, emit: p.emit, sr: true, whole: true, diffs: true, auto: true,
		thought: thought{any: true, written: true}}
	if strings.TrimSpace(rest) != "" {
		l.text = rest
		p.line(l)
	}
	return true
}

// EndsThought reports whether a whole answer has the end of a thought that has not begun.
func EndsThought(answer string) (ends bool) {
	if !strings.Contains(answer, "</") {
		return false
	}
	p := NewAuto()
	take := func(ev Event) {
		if _, is := ev.(Thought); is {
			ends = true
		}
	}
	p.Push([]byte(answer), take)
	p.Close(take)
	return ends
}

// thinks takes a line that belongs to a thought, and returns false for all others. What follows the end of a
// thought is read as a line.
func (p *blocks) thinks(l piece) bool {
	if p.thought.tag == "" {
		if p.endsLone(l) {
			return true
		}
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
