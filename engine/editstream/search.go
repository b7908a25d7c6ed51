package editstream

// search follows the places where a hunk may go while its old lines arrive.
//
// It keeps two witnesses, the first two places that fit all old lines so far at
// the loosest level, and only moves them forward: a place that stopped fitting
// never fits again. So a search costs, over all lines of a hunk, as many steps
// as the first line has places, and knows at every line whether none, one or
// more than one place is left.
type search struct {
	x     *index
	start int // first line that may match
	old   []string
	sum   uint64  // hash of old, loose
	cands []int32 // places of old[0] from start on
	a, b  int     // witnesses: positions in cands, len(cands) when there is none
}

func newSearch(x *index, start int) *search { return &search{x: x, start: start} }

// add takes the next old line.
func (s *search) add(line string) {
	s.old = append(s.old, line)
	s.sum = s.sum*rollBase + lineHash(line, loose)
	if len(s.old) == 1 {
		s.cands = s.x.lookup(line, s.start)
		s.a, s.b = 0, min(1, len(s.cands))
		return
	}
	if !s.fits(s.a) {
		s.a = s.next(s.b)
		s.b = s.next(s.a + 1)
	} else if !s.fits(s.b) {
		s.b = s.next(s.b + 1)
	}
}

func (s *search) fits(c int) bool {
	if c >= len(s.cands) {
		return false
	}
	at := int(s.cands[c])
	return at+len(s.old) <= len(s.x.lines) && s.x.run(at, len(s.old), loose) == s.sum
}

func (s *search) next(c int) int {
	for c < len(s.cands) && !s.fits(c) {
		c++
	}
	return min(c, len(s.cands))
}

// none reports that no place fits.
func (s *search) none() bool { return len(s.old) > 0 && s.a >= len(s.cands) }

// only is the one place that fits, when there is exactly one.
func (s *search) only() (at int, ok bool) {
	if len(s.old) == 0 || s.a >= len(s.cands) || s.b < len(s.cands) {
		return 0, false
	}
	return int(s.cands[s.a]), s.verify(int(s.cands[s.a]), loose)
}

// verify compares line by line, so that equal hashes decide nothing alone.
func (s *search) verify(at int, l level) bool {
	for i, want := range s.old {
		if !s.x.same(at+i, want, l) {
			return false
		}
	}
	return true
}

// places gives every place from line start on that fits the first n old lines at the
// closest level that has any: the winning pass.
func (s *search) places(n, start int) []int {
	for l := exact; l < levels; l++ {
		var sum uint64
		for _, line := range s.old[:n] {
			sum = sum*rollBase + lineHash(line, l)
		}
		var out []int
		for _, c := range s.x.lookup(s.old[0], start) {
			if at := int(c); at+n <= len(s.x.lines) && s.x.run(at, n, l) == sum {
				out = append(out, at)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// lineMatches gives the lines from start on that equal line at the closest level that has any.
func (x *index) lineMatches(line string, start int) []int {
	s := &search{x: x, old: []string{line}}
	return s.places(1, start)
}
