package floorplan

import (
	"container/heap"
	"slices"
)

// A route is the shortest path along horizontal and vertical lines from one point to
// another that avoids all regions if it can: Dijkstra's algorithm over a grid of lines
// beside and through what is drawn.

// rect is an area that a route should avoid.
type rect struct{ x, y, w, h float64 }

// within returns how much of a horizontal or vertical line is inside.
func (r rect) within(a, b point) float64 {
	part := func(from, to, low, high float64) float64 { return min(max(from, to), high) - max(min(from, to), low) }
	dx, dy := part(a.x, b.x, r.x, r.x+r.w), part(a.y, b.y, r.y, r.y+r.h)
	switch {
	case a.y == b.y && a.y > r.y && a.y < r.y+r.h:
		return max(0, dx)
	case a.x == b.x && a.x > r.x && a.x < r.x+r.w:
		return max(0, dy)
	}
	return 0
}

const (
	crossing = 6.0  // the factor of lengths inside a region
	bend     = 14.0 // the cost of a turn
)

// router is the grid for one route.
type router struct {
	xs, ys  []float64
	blocked []rect
}

// newRouter returns a grid with lines through both ends, and beside every obstacle.
func newRouter(from, to point, blocked []rect, beside float64) *router {
	r := &router{xs: []float64{from.x, to.x}, ys: []float64{from.y, to.y}, blocked: blocked}
	for _, b := range blocked {
		r.xs = append(r.xs, b.x-beside, b.x+b.w+beside)
		r.ys = append(r.ys, b.y-beside, b.y+b.h+beside)
	}
	slices.Sort(r.xs)
	slices.Sort(r.ys)
	r.xs, r.ys = slices.Compact(r.xs), slices.Compact(r.ys)
	return r
}

// place is a crossing of lines, with the direction in which it was reached.
type place struct {
	x, y  int
	along bool
}

type step struct {
	place
	cost float64
}

type steps []step

func (s steps) Len() int           { return len(s) }
func (s steps) Less(i, j int) bool { return s[i].cost < s[j].cost }
func (s steps) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *steps) Push(x any)        { *s = append(*s, x.(step)) }
func (s *steps) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// route returns the corners of the path, including both ends.
func (r *router) route(from, to point) []point {
	start, end := r.at(from), r.at(to)
	came := map[place]place{}
	cost := map[place]float64{}
	open := &steps{}
	for _, along := range []bool{false, true} {
		start.along = along
		cost[start] = 0
		heap.Push(open, step{start, 0})
	}
	for open.Len() > 0 {
		s := heap.Pop(open).(step)
		if s.cost > cost[s.place] {
			continue
		}
		if s.x == end.x && s.y == end.y {
			return r.back(came, s.place)
		}
		for _, next := range r.neighbours(s.place) {
			c := s.cost + r.length(s.place, next)
			if old, seen := cost[next]; !seen || c < old {
				cost[next], came[next] = c, s.place
				heap.Push(open, step{next, c})
			}
		}
	}
	return []point{from, to} // unreachable: the grid is connected
}

func (r *router) at(p point) place {
	x, _ := slices.BinarySearch(r.xs, p.x)
	y, _ := slices.BinarySearch(r.ys, p.y)
	return place{x: x, y: y}
}

func (r *router) point(p place) point { return point{r.xs[p.x], r.ys[p.y]} }

func (r *router) neighbours(p place) []place {
	var list []place
	for _, n := range []place{{p.x - 1, p.y, true}, {p.x + 1, p.y, true}, {p.x, p.y - 1, false}, {p.x, p.y + 1, false}} {
		if n.x >= 0 && n.y >= 0 && n.x < len(r.xs) && n.y < len(r.ys) {
			list = append(list, n)
		}
	}
	return list
}

func (r *router) length(a, b place) float64 {
	p, q := r.point(a), r.point(b)
	long := max(p.x-q.x, q.x-p.x) + max(p.y-q.y, q.y-p.y)
	for _, b := range r.blocked {
		long += (crossing - 1) * b.within(p, q)
	}
	if a.along != b.along {
		long += bend
	}
	return long
}

// back follows the path to its start, and drops points on straight lines.
func (r *router) back(came map[place]place, p place) []point {
	list := []point{r.point(p)}
	for {
		before, ok := came[p]
		if !ok {
			break
		}
		q := r.point(before)
		if n := len(list); n > 1 && (list[n-1].x == q.x && list[n-2].x == q.x || list[n-1].y == q.y && list[n-2].y == q.y) {
			list[n-1] = q
		} else {
			list = append(list, q)
		}
		p = before
	}
	slices.Reverse(list)
	return list
}
