package editstream

import "strings"

// commonLine is the number of places beyond which a line tells little about where a hunk
// belongs.
const commonLine = 200

// nearest finds where most of the old lines match, in the whole file: each old line votes
// for the places of the hunk at which that line would match.
func (f *file) nearest(old []string) *Nearest {
	t := f.view()
	x := newIndex(f.enc, t, 0, t.Len())
	votes := make(map[int]int)
	for i, line := range old {
		if strings.TrimSpace(line) == "" {
			continue
		}
		at := x.lookup(line, 0)
		for _, l := range at[:min(len(at), commonLine)] {
			votes[int(l)-i]++
		}
	}
	best, most := 0, 0
	for at, n := range votes {
		if n > most || n == most && at < best {
			best, most = at, n
		}
	}
	if most == 0 {
		return nil
	}
	return x.compare(old, best)
}

// compare counts the old lines that match at line at, and finds the first that does not.
func (x *index) compare(old []string, at int) *Nearest {
	near := &Nearest{Line: at + 1, Of: len(old)}
	differs := false
	for i, want := range old {
		if at+i >= 0 && x.same(at+i, want, loose) {
			near.Matched++
			continue
		}
		if !differs {
			differs = true
			near.Line, near.Expected = max(at+i, 0)+1, want
			if at+i >= 0 && at+i < len(x.lines) {
				near.Got = x.text(at + i)
			}
		}
	}
	return near
}

// similar finds a line that contains the header: a header must be a whole line.
func (f *file) similar(header string) *Nearest {
	want := normal(header, loose)
	t := f.view()
	x := newIndex(f.enc, t, 0, t.Len())
	for i := range x.lines {
		if got := x.text(i); strings.Contains(normal(got, loose), want) {
			return &Nearest{Line: i + 1, Expected: header, Got: got, Of: 1}
		}
	}
	return nil
}
