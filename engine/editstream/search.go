package editstream

// search follows the places where a hunk may go while its old lines arrive.
//
// It examines the places of one old line, the rarest so far, and keeps two witnesses: the
// first two places that match all old lines at the loosest level. Witnesses only move
// forward, because a place that stopped matching never matches again. So a search takes,
// over all lines of a hunk, about as many steps as its rarest line has places, and knows at
// every line whether none, one or more than one place is left.
type search struct {
	x      *index
	start  int // first line that may match
	old    []string
	sum    uint64  // hash of old, loose
	anchor int     // the old line whose places are examined
	cands  []int32 // the lines that equal it
	a, b   int     // witnesses: positions in cands, len(cands) when there is none
}

func newSearch(x *index, start int) *search { return &search{x: x, start: start} }

// add adds the next old line.
func (s *search) add(line string) {
	s.old = append(s.old, line)
	s.sum = s.sum*rollBase + lineHash(line, loose)
	n := len(s.old)
	if left := len(s.cands) - s.a; n > 1 && left <= 2 {
		s.advance()
		return
	}
	if cands := s.x.lookup(line, s.start+n-1); n == 1 || len(cands) < len(s.cands)-s.a {
		s.anchor, s.cands, s.a, s.b = n-1, cands, 0, 0
		s.a = s.next(0)
		s.b = s.next(s.a + 1)
		return
	}
	s.advance()
}

// advance moves the witnesses to places that also match the last line.
func (s *search) advance() {
	if !s.fits(s.a) {
		s.a = s.next(s.b)
		s.b = s.next(s.a + 1)
	} else if !s.fits(s.b) {
		s.b = s.next(s.b + 1)
	}
}

// place returns the line where the hunk begins if its anchor is at candidate c.
func (s *search) place(c int) int { return int(s.cands[c]) - s.anchor }

func (s *search) fits(c int) bool {
	if c >= len(s.cands) {
		return false
	}
	at := s.place(c)
	return at >= s.start && at+len(s.old) <= len(s.x.lines) && s.x.run(at, len(s.old), loose) == s.sum
}

func (s *search) next(c int) int {
	for c < len(s.cands) && !s.fits(c) {
		c++
	}
	return min(c, len(s.cands))
}

// only returns the one place that matches, if there is exactly one.
func (s *search) only() (at int, ok bool) {
	if len(s.old) == 0 || s.a >= len(s.cands) || s.b < len(s.cands) {
		return 0, false
	}
	at = s.place(s.a)
	return at, s.verify(at, loose)
}

// verify compares line by line, because equal hashes prove nothing.
func (s *search) verify(at int, l level) bool {
	for i, want := range s.old {
		if !s.x.same(at+i, want, l) {
			return false
		}
	}
	return true
}

// places returns every place from line start on that matches the first n old lines, at the
// closest level that has any: the winning pass.
func (s *search) places(n, start int) []int {
	cands := s.x.lookup(s.old[0], start)
	for l := exact; l < levels && len(cands) > 0; l++ {
		var sum uint64
		for _, line := range s.old[:n] {
			sum = sum*rollBase + lineHash(line, l)
		}
		var out []int
		for _, c := range cands {
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

// lineMatches returns the lines from start on that equal line, at the closest level that
// has any.
func (x *index) lineMatches(line string, start int) []int {
	s := &search{x: x, old: []string{line}}
	return s.places(1, start)
}
