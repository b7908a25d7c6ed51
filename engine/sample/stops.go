package sample

import "strings"

// Stops ends a text at the first of some texts. What could be the beginning of one is held back
// until it is known; the answer is the same however the text is cut into parts.
type Stops struct {
	texts   []string
	held    string
	stopped bool
}

// NewStops returns an end at each of the texts. Empty ones are ignored.
func NewStops(texts []string) *Stops {
	s := &Stops{}
	for _, text := range texts {
		if text != "" {
			s.texts = append(s.texts, text)
		}
	}
	return s
}

// Add returns the text that is certain with one more part of it, and whether a stop text ended it.
// The stop text whose end comes first counts; of several with the same end, the longest. It is not
// part of the text, and what comes after it is dropped.
func (s *Stops) Add(part string) (text string, stopped bool) {
	if s.stopped {
		return "", true
	}
	all := s.held + part
	begin, end := -1, len(all)+1
	for _, stop := range s.texts {
		at := strings.Index(all, stop)
		if at < 0 {
			continue
		}
		if to := at + len(stop); to < end || to == end && at < begin {
			begin, end = at, to
		}
	}
	if begin >= 0 {
		s.held, s.stopped = "", true
		return all[:begin], true
	}
	keep := s.open(all)
	s.held = all[len(all)-keep:]
	return all[:len(all)-keep], false
}

// open returns the length of the longest end of a text that begins a stop text.
func (s *Stops) open(text string) int {
	longest := 0
	for _, stop := range s.texts {
		for n := min(len(stop)-1, len(text)); n > longest; n-- {
			if strings.HasSuffix(text, stop[:n]) {
				longest = n
			}
		}
	}
	return longest
}

// End returns what is still held back: the text ended in the middle of what might have been a stop
// text.
func (s *Stops) End() string {
	held := s.held
	s.held = ""
	return held
}
