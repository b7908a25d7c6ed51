package editstream

import "path"

// Repeats keeps a hunk that a turn has made from being made again, when its model writes the same
// patch in its text and as a call, or once more in a later round. It stands before a Placer:
//
//	HunkBegin, Line ...   kept back as long as they are those of a hunk that was made
//	another line          the hunk is a new one: everything passes
//	HunkEnd               the result is in the file, and the hunk fits nowhere else: skipped
//	                      else the hunk is for another place: everything passes
//
// So the same lines can be inserted at a second place, but not again where they are. The zero value
// knows no hunks.
type Repeats struct {
	made  []Hunk
	path  string
	open  *Hunk   // the hunk that comes
	held  []Event // of it, as long as it may be one that was made
	cands []int   // of made
}

// Handle takes an event and passes on what is to be made. inPlace says whether the result of a hunk
// is in its file already, skip is called instead of passing such a hunk.
func (r *Repeats) Handle(ev Event, pass func(Event), inPlace func(Hunk) bool, skip func(Hunk)) {
	switch ev := ev.(type) {
	case FileBegin:
		r.flush(pass)
		if r.path = ""; ev.Op == Update {
			r.path = path.Clean(ev.Path)
		}
	case HunkBegin:
		r.begin(ev)
	case Line:
		if r.open != nil {
			r.open.Lines = append(r.open.Lines, ev)
			r.narrow(len(r.open.Lines)-1, ev, pass)
		}
	case HunkEnd:
		if h := r.open; h != nil && r.held != nil {
			h.AtEOF = ev.AtEOF
			if r.known(*h) && inPlace(*h) {
				r.open, r.held = nil, nil
				skip(*h)
				return
			}
			r.flush(pass)
		}
	default:
		r.flush(pass)
	}
	if r.held != nil {
		r.held = append(r.held, ev)
		return
	}
	pass(ev)
}

// begin opens a hunk.
func (r *Repeats) begin(ev HunkBegin) {
	r.open, r.held, r.cands = nil, nil, r.cands[:0]
	if r.path == "" {
		return
	}
	r.open = &Hunk{Path: r.path, Header: ev.Header, Replace: ev.Replace}
	for i, h := range r.made {
		if h.Path == r.path && h.Header == ev.Header && h.Replace == ev.Replace {
			r.cands = append(r.cands, i)
		}
	}
	if len(r.cands) > 0 {
		r.held = []Event{}
	}
}

// narrow lets the hunk pass once its line n is that of no hunk that was made.
func (r *Repeats) narrow(n int, l Line, pass func(Event)) {
	if r.held == nil {
		return
	}
	still := r.cands[:0]
	for _, i := range r.cands {
		if h := r.made[i]; n < len(h.Lines) && h.Lines[n] == l {
			still = append(still, i)
		}
	}
	if r.cands = still; len(still) == 0 {
		r.flush(pass)
	}
}

func (r *Repeats) known(h Hunk) bool {
	for _, i := range r.cands {
		if m := r.made[i]; len(m.Lines) == len(h.Lines) && m.AtEOF == h.AtEOF {
			return true
		}
	}
	return false
}

func (r *Repeats) flush(pass func(Event)) {
	held := r.held
	r.held = nil
	for _, ev := range held {
		pass(ev)
	}
}

// Made notes that the newest hunk was made, whole.
func (r *Repeats) Made() {
	if r.open != nil {
		r.made, r.open = append(r.made, *r.open), nil
	}
}

// Cut ends a stream in the middle, and reports whether it ended in a hunk that was kept back.
func (r *Repeats) Cut() bool {
	inside := r.held != nil
	r.open, r.held, r.path = nil, nil, ""
	return inside
}

// InPlace reports whether the result of a hunk is in its file, and the hunk fits nowhere else: each
// place that its old lines match is in a result.
func (p *Placer) InPlace(h Hunk) bool {
	f := p.file(h.Path)
	if !f.exists || f.refusal != nil {
		return false
	}
	var old, result []string
	for _, l := range h.Lines {
		if l.Kind != '+' {
			old = append(old, l.Text)
		}
		if l.Kind == '+' || l.Kind == ' ' {
			result = append(result, l.Text)
		}
	}
	t := f.view()
	x := newIndex(f.enc, t, 0, t.Len())
	results := placesOf(x, result, 0)
	if len(result) > 0 && len(results) == 0 {
		return false
	}
	var places []int
	switch {
	case len(old) == 0:
	case h.Header != "":
		for _, at := range x.lineMatches(h.Header, 0) {
			if all := placesOf(x, old, at+1); len(all) > 0 {
				places = append(places, all[0])
			}
		}
	default:
		places = placesOf(x, old, 0)
	}
	for _, at := range places {
		if !within(at, len(old), results, len(result)) {
			return false
		}
	}
	return true
}

// placesOf returns where lines occur, from a line on.
func placesOf(x *index, lines []string, start int) []int {
	if len(lines) == 0 {
		return nil
	}
	return (&search{x: x, old: lines}).places(len(lines), start)
}

// within reports whether n lines at a line are in one of some stretches of lines.
func within(at, n int, stretches []int, size int) bool {
	for _, s := range stretches {
		if at >= s && at+n <= s+size {
			return true
		}
	}
	return false
}
