package editstream

import "path"

// Hunk is a hunk of an Update section as a model wrote it. Partial means that its stream was cut:
// Lines are what came.
type Hunk struct {
	Path    string
	Replace bool
	Lines   []Line
	Partial bool
}

// Hunks parses a text and returns the hunks of its Update sections, with their numbers as Numbering
// gives them, and the highest number. The last one is Partial when the text ends in it.
func Hunks(parser Parser, answer []byte, closed bool) (all map[int]Hunk, last int) {
	all = map[int]Hunk{}
	var n Numbering
	var sec FileBegin
	open := 0
	take := func(ev Event) {
		num := n.Next(ev)
		last = max(last, num)
		switch ev := ev.(type) {
		case FileBegin:
			sec = ev
		case HunkBegin:
			if sec.Op == Update {
				open = num
				all[num] = Hunk{Path: path.Clean(sec.Path), Replace: ev.Replace, Partial: true}
			}
		case Line:
			if h, ok := all[open]; ok {
				h.Lines = append(h.Lines, ev)
				all[open] = h
			}
		case HunkEnd:
			if h, ok := all[open]; ok {
				h.Partial = false
				all[open] = h
			}
			open = 0
		case Bad:
			delete(all, open)
			open = 0
		}
	}
	if parser.Push(answer, take); closed {
		parser.Close(take)
	}
	return all, last
}

// Landed keeps hunks that are in place from being applied again, when a model goes on with an
// answer that was cut and writes some of it once more. It stands between a Parser and a Placer:
//
//	HunkBegin, Line ...   kept back as long as they are those of a hunk in place
//	another line          the hunk is a new one: everything passes
//	HunkEnd               all of it is in place: nothing passes, skip is called
//
// A hunk that begins with all lines of a partial one passes with what is in place as its context,
// so that the rest of it is applied there; see rest. How far a partial block with
// Replace got, its lines do not tell: one that begins like it is skipped, as Partial.
//
// Each hunk in place counts once. The zero value has none, and passes everything.
type Landed struct {
	known []Hunk
	path  string
	held  []Event // of the open hunk
	lines []Line
	cands []int // of known: those whose lines the held ones are so far
	drop  bool  // the rest of the hunk is skipped
}

// NewLanded returns a filter for hunks that are in place.
func NewLanded(known []Hunk) *Landed { return &Landed{known: known} }

// Handle takes an event of the parser, and passes on what is not in place.
func (l *Landed) Handle(ev Event, pass func(Event), skip func(h Hunk)) {
	switch ev := ev.(type) {
	case FileBegin:
		l.path = ""
		if ev.Op == Update {
			l.path = path.Clean(ev.Path)
		}
	case HunkBegin:
		l.drop = false
		if l.begin(ev); len(l.cands) > 0 {
			l.held, l.lines = []Event{ev}, nil
			return
		}
	case Line:
		switch {
		case l.drop:
			return
		case l.held != nil:
			l.line(ev, pass, skip)
			return
		}
	case HunkEnd:
		if l.drop {
			l.drop = false
			return
		}
		if l.held != nil {
			l.end(ev, pass, skip)
			return
		}
	case Bad, FileEnd, Prose:
		l.drop = false
		l.flush(pass)
	}
	pass(ev)
}

// Cut ends a stream in the middle, and reports whether it ended in a hunk that was kept back: what
// came of it is in place.
func (l *Landed) Cut() bool {
	inside := l.held != nil
	l.held, l.drop, l.cands = nil, false, nil
	return inside
}

func (l *Landed) begin(ev HunkBegin) {
	l.cands = l.cands[:0]
	for i, h := range l.known {
		if h.Path == l.path && h.Replace == ev.Replace && len(h.Lines) > 0 {
			l.cands = append(l.cands, i)
		}
	}
}

// line keeps a line back as long as it is that of a hunk in place.
func (l *Landed) line(ev Line, pass func(Event), skip func(Hunk)) {
	n := len(l.lines)
	var still []int
	for _, i := range l.cands {
		if h := l.known[i]; n < len(h.Lines) && h.Lines[n] == ev {
			still = append(still, i)
		}
	}
	if len(still) > 0 {
		l.cands = still
		l.held, l.lines = append(l.held, ev), append(l.lines, ev)
		return
	}
	if i := l.matched(true); i >= 0 {
		if l.resume(i, pass, skip); l.drop {
			return
		}
	} else {
		l.flush(pass)
	}
	pass(ev)
}

// matched returns the hunk in place that is exactly what was held; -1: there is none.
func (l *Landed) matched(partial bool) int {
	for _, i := range l.cands {
		if h := l.known[i]; len(h.Lines) == len(l.lines) && h.Partial == partial {
			return i
		}
	}
	return -1
}

func (l *Landed) end(ev HunkEnd, pass func(Event), skip func(Hunk)) {
	if i := l.matched(false); i >= 0 {
		h := l.known[i]
		l.use(i)
		l.held = nil
		skip(h)
		return
	}
	if i := l.matched(true); i >= 0 {
		if l.resume(i, pass, skip); l.drop {
			l.drop = false
			return
		}
	} else {
		l.flush(pass)
	}
	pass(ev)
}

// resume passes the open hunk with what is in place of it as context.
func (l *Landed) resume(i int, pass func(Event), skip func(Hunk)) {
	h := l.known[i]
	l.use(i)
	if h.Replace {
		l.held, l.drop = nil, true
		skip(h)
		return
	}
	pass(l.held[0])
	l.held = nil
	for _, line := range rest(h.Lines) {
		pass(line)
	}
}

// rest returns the lines of a partial hunk as they are to be found in the file: as Placer.Cut left
// them. New lines are context, and in the run that was cut the removed lines without a replacement
// are still there, behind the new ones.
func rest(lines []Line) (out []Line) {
	var removed []Line
	added := 0
	for n, line := range lines {
		switch line.Kind {
		case '-':
			removed = append(removed, line)
		case '+':
			added++
			out = append(out, Line{' ', line.Text})
		default:
			out = append(out, line)
		}
		if n+1 == len(lines) || line.Kind != ' ' && lines[n+1].Kind == ' ' {
			if n+1 == len(lines) && line.Kind != ' ' {
				out = append(out, removed[min(added, len(removed)):]...)
			}
			removed, added = nil, 0
		}
	}
	return out
}

// use takes a hunk out of those in place.
func (l *Landed) use(i int) {
	l.known = append(l.known[:i:i], l.known[i+1:]...)
	l.cands = nil
}

func (l *Landed) flush(pass func(Event)) {
	for _, ev := range l.held {
		pass(ev)
	}
	l.held = nil
}
