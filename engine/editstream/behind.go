package editstream

// behind is where the hunks of a section end that an earlier answer made: hunks of the section come
// after them. The cursor cannot tell, because it begins at the top.
type behind struct {
	line int // of the file's index
	gen  int // of the file's base, which the index is of
}

// goBehind finds the hunks in place, each after the one before it. One that somebody has changed
// since is left out.
func (p *Placer) goBehind(ev Behind) {
	s := p.sec
	if s == nil || !s.f.exists || s.f.refusal != nil {
		return
	}
	x, at := s.f.index(), 0
	for _, h := range ev.Hunks {
		start := at
		if h.Header != "" {
			if found := x.lineMatches(h.Header, at); len(found) > 0 {
				start = found[0] + 1
			}
		}
		now := &search{x: x}
		for _, l := range h.Lines {
			if l.Kind == '+' || l.Kind == ' ' && !h.Replace {
				now.old = append(now.old, l.Text)
			}
		}
		if len(now.old) == 0 {
			continue
		}
		if found := now.places(len(now.old), start); len(found) > 0 {
			at = found[0] + len(now.old)
		}
	}
	s.behind = behind{at, s.f.gen}
}

// first returns the one place of several that is behind the hunks in place, if there is one, and
// otherwise all of them.
func (b behind) first(f *file, places []int) []int {
	if len(places) < 2 || b.line == 0 || b.gen != f.gen {
		return places
	}
	var after []int
	for _, at := range places {
		if at >= b.line {
			after = append(after, at)
		}
	}
	if len(after) == 1 {
		return after
	}
	return places
}
