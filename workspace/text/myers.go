package text

// middle returns a point on a shortest edit path from a to b (Myers 1986, linear-space
// refinement): a search from the start and one from the end, each with the furthest point
// per diagonal, meet after half the edits. a and b must not be empty nor start or end with
// equal lines. middle gives up when the budget is spent.
func (d *lineDiff) middle(a, b []int32) (x, y int, ok bool) {
	n, m := len(a), len(b)
	s := snake{a: a, b: b, n: n, m: m, budget: &d.budget}
	s.fwd, s.bwd = d.scratch(2*min(n+m, maxEdits) + 3)
	for e := 0; e <= min((n+m+1)/2, maxEdits) && d.budget > 0; e++ {
		if x, y, ok := s.forward(e); ok {
			return x, y, divides(x, y, n, m)
		}
		if x, y, ok := s.backward(e); ok {
			return x, y, divides(x, y, n, m)
		}
	}
	return 0, 0, false
}

// maxEdits bounds the length of each of the two searches of middle. Documents that differ
// more than this between two anchors are better shown as one block.
const maxEdits = 2000

// divides guards the recursion: a corner of the box does not divide it.
func divides(x, y, n, m int) bool { return x+y > 0 && x+y < n+m }

func (d *lineDiff) scratch(n int) (fwd, bwd []int) {
	d.budget -= n / 4 // for clearing
	if len(d.fwd) < n {
		d.fwd, d.bwd = make([]int, n), make([]int, n)
	}
	clear(d.fwd[:n])
	clear(d.bwd[:n])
	return d.fwd[:n], d.bwd[:n]
}

// snake is one search for a middle. Diagonal k has the points with x-y == k; a backward
// diagonal k is the same seen from the end, where it is n-m-k. Diagonals index fwd and bwd
// modulo their length.
type snake struct {
	a, b     []int32
	n, m     int
	fwd, bwd []int
	budget   *int
}

func at(v []int, k int) *int {
	if k < 0 {
		k += len(v)
	}
	return &v[k]
}

// diagonals returns those that e edits can reach inside the box.
func (s *snake) diagonals(e int) (lo, hi int) {
	return -(e - 2*max(0, e-s.m)), e - 2*max(0, e-s.n)
}

// start returns how far e edits get on diagonal k before following equal lines.
func start(v []int, k, e int) int {
	if k == -e || k != e && *at(v, k-1) < *at(v, k+1) {
		return *at(v, k+1)
	}
	return *at(v, k-1) + 1
}

func (s *snake) forward(e int) (x, y int, met bool) {
	lo, hi := s.diagonals(e)
	odd := (s.n-s.m)&1 != 0
	for k := lo; k <= hi; k += 2 {
		x = start(s.fwd, k, e)
		y = x - k
		from := x
		for x < s.n && y < s.m && s.a[x] == s.b[y] {
			x++
			y++
		}
		*at(s.fwd, k) = x
		*s.budget -= x - from + 1
		if other := s.n - s.m - k; odd && abs(other) < e && x+*at(s.bwd, other) >= s.n {
			return x, y, true
		}
	}
	return 0, 0, false
}

func (s *snake) backward(e int) (x, y int, met bool) {
	lo, hi := s.diagonals(e)
	odd := (s.n-s.m)&1 != 0
	for k := lo; k <= hi; k += 2 {
		x = start(s.bwd, k, e)
		y = x - k
		from := x
		for x < s.n && y < s.m && s.a[s.n-1-x] == s.b[s.m-1-y] {
			x++
			y++
		}
		*at(s.bwd, k) = x
		*s.budget -= x - from + 1
		if other := s.n - s.m - k; !odd && abs(other) <= e && x+*at(s.fwd, other) >= s.n {
			return s.n - x, s.m - y, true
		}
	}
	return 0, 0, false
}

func abs(n int) int { return max(n, -n) }
