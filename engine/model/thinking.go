package model

import "strings"

// Thinking separates the thought at the beginning of an answer from the answer: servers that do not know
// a model's format pass on <think>...</think> as it wrote it. What a model considers is no edit. Tags
// later in the answer are its text. The zero value is the beginning of an answer.
type Thinking struct {
	// Inside means that the answer begins within a thought, as those of the model before it did. It stays
	// true as long as that thought has no end; if it never has one, all of it is answer.
	Inside bool

	state thinkState
	held  string          // the beginning of a tag, perhaps
	kept  strings.Builder // while Inside: it may be answer
}

type thinkState int

const (
	beforeThought thinkState = iota
	withinThought
	afterThought // only space has come since
	noThought
)

const (
	thinkBegins = "<think>"
	thinkEnds   = "</think>"
)

// Push returns what of a text is thought, and what behind it is the answer.
func (t *Thinking) Push(text string) (thought, answer string) {
	text, t.held = t.held+text, ""
	if t.state == beforeThought {
		begun := strings.TrimLeft(text, " \r\n\t")
		switch {
		case strings.HasPrefix(begun, thinkBegins):
			t.state, t.Inside, text = withinThought, false, begun[len(thinkBegins):]
		case strings.HasPrefix(thinkBegins, begun):
			t.held = text
			return "", ""
		case t.Inside:
			t.state = withinThought
		default:
			t.state = noThought
		}
	}
	if t.state == withinThought && t.Inside {
		if thought, text = t.keep(text); t.Inside {
			return "", ""
		}
		t.state = afterThought
	}
	if t.state == withinThought {
		var ended bool
		if thought, text, ended = strings.Cut(text, thinkEnds); !ended {
			n := tagAtEnd(thought)
			t.held = thought[len(thought)-n:]
			return thought[:len(thought)-n], ""
		}
		t.state = afterThought
	}
	if t.state == afterThought {
		if text = strings.TrimLeft(text, " \r\n\t"); text != "" {
			t.state = noThought
		}
	}
	return thought, text
}

// keep holds text back until the end of the thought is there.
func (t *Thinking) keep(text string) (thought, answer string) {
	from := max(0, t.kept.Len()-len(thinkEnds)+1)
	t.kept.WriteString(text)
	all := t.kept.String()
	at := strings.Index(all[from:], thinkEnds)
	if at < 0 {
		return "", ""
	}
	t.Inside = false
	return all[:from+at], all[from+at+len(thinkEnds):]
}

// tagAtEnd returns how many bytes at the end of a text may be the beginning of the tag that ends a
// thought.
func tagAtEnd(text string) int {
	for n := min(len(text), len(thinkEnds)-1); n > 0; n-- {
		if strings.HasSuffix(text, thinkEnds[:n]) {
			return n
		}
	}
	return 0
}

// Close returns what was held back: there is no more.
func (t *Thinking) Close() (thought, answer string) {
	held := t.held
	t.held = ""
	if t.state == withinThought && t.Inside {
		return "", t.kept.String()
	}
	if t.state == withinThought {
		return held, ""
	}
	return "", held
}
