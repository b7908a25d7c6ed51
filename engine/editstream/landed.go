package editstream

import (
	"path"
	"slices"
)

// Hunk is an edit as a model wrote it: a hunk, or what a section does to its file as a whole.
// Partial means that its stream was cut: Lines are what came.
type Hunk struct {
	Op      Op // of its section; Delete has no lines
	Path    string
	MoveTo  string // not "": the section's move, which has no lines
	Section int    // the sections of a text are numbered from 1
	Header  string
	AtEOF   bool // of Repeats
	Replace bool
	Lines   []Line
	Partial bool
}

// Hunks parses a text and returns its edits, with their numbers as Numbering gives them, and the
// highest number. The last one is Partial when the text ends in it.
func Hunks(parser Parser, answer []byte, closed bool) (all map[int]Hunk, last int) {
	all = map[int]Hunk{}
	var n Numbering
	var sec Hunk
	open := 0
	take := func(ev Event) {
		num := n.Next(ev)
		last = max(last, num)
		switch ev := ev.(type) {
		case FileBegin:
			sec = Hunk{Op: ev.Op, Path: path.Clean(ev.Path), MoveTo: ev.MoveTo, Section: sec.Section + 1}
			if ev.Op == Delete {
				all[num] = sec
			}
		case HunkBegin:
			open = num
			all[num] = Hunk{Op: sec.Op, Path: sec.Path, Section: sec.Section, Header: ev.Header, Replace: ev.Replace,
				Partial: true}
		case FileEnd:
			if num > 0 {
				sec.MoveTo = path.Clean(sec.MoveTo)
				all[num] = sec
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

// Landed keeps edits that are in place from being made again, when a model goes on with an answer
// that was cut and writes some of it once more. It stands between a Parser and a Placer:
//
//	HunkBegin, Line ...   kept back as long as they are those of a hunk in place
//	another line          the hunk is a new one: everything passes
//	HunkEnd               all of it is in place: nothing passes, skip is called
//	a section that        deletes or moves a file which is deleted or moved already: nothing of it
//	                      passes, skip is called for each of its edits
//
// The placer of the uncut answer would have been behind the hunks in place: Behind tells this one,
// with the first section of a file.
//
// A hunk that begins with all lines of a partial one passes with what is in place as its context,
// so that the rest of it is applied there; see rest. How far a partial block with
// Replace got, its lines do not tell: one that begins like it is skipped, as Partial.
//
// Each edit in place counts once.
type Landed struct {
	known []Hunk
	told  map[string]bool // the files whose placer knows what it is behind of
	sec   FileBegin       // with clean paths
	over  bool            // the section is in place: nothing of it passes
	held  []Event         // of the open hunk
	lines []Line
	cands []int // of known: those whose lines the held ones are so far
	drop  bool  // the rest of the hunk is skipped
}

// NewLanded returns a filter for edits that are in place.
func NewLanded(known []Hunk) *Landed {
	return &Landed{known: slices.Clone(known), told: map[string]bool{}}
}

// Add adds edits that are in place by now.
func (l *Landed) Add(made []Hunk) {
	l.known = append(l.known, made...)
	l.told = map[string]bool{}
}

// Handle takes an event of the parser, and passes on what is not in place.
func (l *Landed) Handle(ev Event, pass func(Event), skip func(h Hunk)) {
	switch ev := ev.(type) {
	case FileBegin:
		l.begins(ev, pass, skip)
		return
	case HunkBegin:
		if l.over {
			skip(Hunk{Path: l.sec.Path})
			return
		}
		l.drop = false
		if l.begin(ev); len(l.cands) > 0 {
			l.held, l.lines = []Event{ev}, nil
			return
		}
	case Line:
		switch {
		case l.drop, l.over:
			return
		case l.held != nil:
			l.line(ev, pass, skip)
			return
		}
	case HunkEnd:
		if l.drop || l.over {
			l.drop = false
			return
		}
		if l.held != nil {
			l.end(ev, pass, skip)
			return
		}
	case FileEnd:
		if l.over {
			l.ends(skip)
			return
		}
		l.drop = false
		l.flush(pass)
	case Narrow:
		switch {
		case l.drop, l.over:
			return
		case l.held != nil:
			l.held = append(l.held, ev)
			return
		}
	case Bad, Prose:
		l.drop = false
		l.flush(pass)
	}
	pass(ev)
}

// begins takes the beginning of a section.
func (l *Landed) begins(ev FileBegin, pass func(Event), skip func(Hunk)) {
	l.flush(pass)
	l.drop, l.sec = false, ev
	l.sec.Path = path.Clean(ev.Path)
	if ev.MoveTo != "" {
		l.sec.MoveTo = path.Clean(ev.MoveTo)
	}
	whole := slices.IndexFunc(l.known, func(h Hunk) bool {
		return h.Path == l.sec.Path && h.MoveTo == l.sec.MoveTo && (ev.Op == Delete && h.Op == Delete || h.MoveTo != "")
	})
	if l.over = whole >= 0; !l.over {
		pass(ev)
		l.behind(ev.Op, pass)
		return
	}
	if ev.Op == Delete {
		skip(l.known[whole])
	}
}

// ends takes the end of a section that is in place.
func (l *Landed) ends(skip func(Hunk)) {
	l.over = false
	l.known = slices.DeleteFunc(l.known, func(h Hunk) bool { // each counts once
		return h.Path == l.sec.Path && (h.Op == Delete) == (l.sec.Op == Delete)
	})
	if l.sec.MoveTo != "" {
		skip(Hunk{Path: l.sec.Path, MoveTo: l.sec.MoveTo})
	}
}

// Behind says that the hunks of the section come after these, which are in the file already. A
// hunk whose lines occur more than once has its place there, if there is only one.
type Behind struct{ Hunks []Hunk }

func (Behind) isEvent() {}

// behind tells the placer about the hunks in place of the last section of the file.
func (l *Landed) behind(op Op, pass func(Event)) {
	if op != Update || l.told[l.sec.Path] {
		return
	}
	var ev Behind
	for _, h := range l.known {
		if h.Path != l.sec.Path || h.Op != Update || h.MoveTo != "" || h.Partial {
			continue
		}
		if len(ev.Hunks) > 0 && ev.Hunks[0].Section != h.Section {
			ev.Hunks = nil
		}
		ev.Hunks = append(ev.Hunks, h)
	}
	if len(ev.Hunks) > 0 {
		l.told[l.sec.Path] = true
		pass(ev)
	}
}

// Cut ends a stream in the middle, and reports whether it ended in a hunk that was kept back: what
// came of it is in place.
func (l *Landed) Cut() bool {
	inside := l.held != nil
	l.held, l.drop, l.over, l.cands = nil, false, false, nil
	return inside
}

func (l *Landed) begin(ev HunkBegin) {
	l.cands = l.cands[:0]
	for i, h := range l.known {
		if h.Op == l.sec.Op && h.Path == l.sec.Path && h.MoveTo == "" && h.Replace == ev.Replace && len(h.Lines) > 0 &&
			!(h.Partial && h.Op != Update) {
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
