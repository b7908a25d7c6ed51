package floorplan

import (
	"math"
	"slices"

	"waferpair/wafer"
)

// The arrows: the way of a token's activations, from the embedding to the head.

// spot is a region of a panel.
type spot struct {
	panel int
	wafer.Region
}

const (
	maxRouted = 400 // regions that an arrow is routed around; with more, arrows are straight
	maxJoined = 60  // with more wafers there are no arrows between them
)

func (d *drawing) flow() {
	hands, first, last := d.hands(d.panels)
	for _, h := range hands {
		d.hand(h[0], h[1])
	}
	if len(first) > 0 {
		d.ends(first[0], last[len(last)-1])
	}
}

// hands returns the pairs of regions between which activations are transferred, and the
// regions in which a token enters and in which the next one is found. A table that is cut
// over several regions transfers from its nearest one: they work side by side. A table that
// is both embedding and head is at both ends.
func (s Subject) hands(panels []panel) (pairs [][2]spot, first, last []spot) {
	if s.Report.Placement.Layout == wafer.WaferLLM {
		return nil, nil, nil
	}
	var path [][]spot
	var embeddings, heads []spot
	for i, p := range panels {
		for _, r := range p.regions {
			switch r.Kind {
			case wafer.EmbeddingRegion:
				embeddings = append(embeddings, spot{i, r})
			case wafer.HeadRegion:
				heads = append(heads, spot{i, r})
			default:
				path = append(path, []spot{{i, r}})
			}
		}
	}
	if len(heads) > 0 && s.Model.TieWordEmbeddings {
		embeddings = heads
	}
	path = slices.DeleteFunc(append(append([][]spot{embeddings}, path...), heads), func(l []spot) bool {
		return len(l) == 0
	})
	for i := 1; i < len(path); i++ {
		pairs = append(pairs, nearest(path[i-1], path[i]))
	}
	return pairs, path[0], path[len(path)-1]
}

// nearest returns the pair with the smallest distance between centers.
func nearest(from, to []spot) [2]spot {
	best, least := [2]spot{}, math.Inf(1)
	for _, a := range from {
		for _, b := range to {
			dx, dy := float64(2*(b.X-a.X)+b.P-a.P), float64(2*(b.Y-a.Y)+b.P-a.P)
			if apart := math.Hypot(dx, dy); apart < least {
				best, least = [2]spot{a, b}, apart
			}
		}
	}
	return best
}

// hand draws the arrow from a region to the next.
func (d *drawing) hand(a, b spot) {
	from, to := d.square(a.panel, a.Region), d.square(b.panel, b.Region)
	if a.panel != b.panel && len(d.panels) > maxJoined {
		return
	}
	if way, ok := across(from, to); ok && a.panel == b.panel {
		d.thread(way, from.w, to.w)
		return
	}
	var blocked []rect
	for _, i := range []int{a.panel, b.panel} {
		for _, r := range d.panels[i].regions {
			if q := d.square(i, r); q != from && q != to {
				blocked = append(blocked, q)
			}
		}
		if a.panel == b.panel {
			break
		}
	}
	if len(blocked) > maxRouted {
		d.thread([]point{from.center(), to.center()}, from.w, to.w)
		return
	}
	blocked = append(append(blocked, d.others(a.panel, b.panel)...), d.title(a.panel), d.title(b.panel))
	if a.panel != b.panel { // the next transfer from there leaves to the right
		c := d.corner(b.panel)
		blocked = append(blocked, rect{c.x + d.waferWidth(), c.y, gap, float64(d.Machine.Height) * d.k})
	}
	way := newRouter(from.center(), to.center(), blocked, 9).route(from.center(), to.center())
	d.thread(way, from.w, to.w)
}

// title returns the place of a wafer's name.
func (d *drawing) title(i int) rect {
	c := d.corner(i)
	return rect{c.x, c.y - 28, d.waferWidth(), 12}
}

// others returns the wafers that an arrow between two must not cross.
func (d *drawing) others(a, b int) []rect {
	var list []rect
	for i := range d.panels {
		if i != a && i != b && i/d.columns >= a/d.columns && i/d.columns <= b/d.columns {
			c := d.corner(i)
			list = append(list, rect{c.x, c.y - nameRoom, d.waferWidth(), float64(d.Machine.Height)*d.k + nameRoom})
		}
	}
	return list
}

func (r rect) center() point { return point{r.x + r.w/2, r.y + r.h/2} }

// across returns the straight arrow between two adjacent squares, through the middle of
// their common side.
func across(a, b rect) ([]point, bool) {
	const near = 0.01
	shared := func(from, long, from2, long2 float64) (float64, bool) {
		low, high := max(from, from2), min(from+long, from2+long2)
		return (low + high) / 2, high-low > 0.3*min(long, long2)
	}
	if y, ok := shared(a.y, a.h, b.y, b.h); ok && (math.Abs(a.x+a.w-b.x) < near || math.Abs(b.x+b.w-a.x) < near) {
		return []point{{a.center().x, y}, {b.center().x, y}}, true
	}
	x, ok := shared(a.x, a.w, b.x, b.w)
	return []point{{x, a.center().y}, {x, b.center().y}}, ok && (math.Abs(a.y+a.h-b.y) < near ||
		math.Abs(b.y+b.h-a.y) < near)
}

// thread draws an arrow between the centers of two regions with these sides, and leaves the
// centers themselves to the labels.
func (d *drawing) thread(way []point, fromSide, toSide float64) {
	inside := max(min(6, 0.2*min(fromSide, toSide)), 0.09*min(fromSide, toSide)) // its visible length in a region
	n := len(way)
	most := 0.95 // of the first and the last leg
	if n == 2 {
		most = 0.45
	}
	first := along(way[0], way[1], min(fromSide/2-inside, most*distance(way[0], way[1])))
	last := along(way[n-1], way[n-2], min(toSide/2-inside, most*distance(way[n-1], way[n-2])))
	way[0] = first
	thick := min(2.6, max(min(1.5, toSide*0.06), min(fromSide, toSide)*0.028))
	size := thick * 4.2
	way[n-1] = along(last, way[n-2], size*0.7)
	tip := headAt(way[n-2], last, size, flow)
	shadow := headAt(way[n-2], along(last, way[n-2], -thick*0.9), size+thick*2.2, paper)
	d.add(line{way, thick + 2.4, paper}, shadow, line{way, thick, flow}, tip)
}

func distance(a, b point) float64 { return math.Hypot(a.x-b.x, a.y-b.y) }

// along returns the point at distance far from a towards b.
func along(a, b point, far float64) point {
	all := distance(a, b)
	if all == 0 {
		return a
	}
	return point{a.x + (b.x-a.x)*far/all, a.y + (b.y-a.y)*far/all}
}

// ends marks where a token enters, and where the next one leaves.
func (d *drawing) ends(first, last spot) {
	a, b := d.square(first.panel, first.Region), d.square(last.panel, last.Region)
	radius := func(r rect) float64 { return min(6, r.w*0.07) }
	at := func(r rect, part float64) point { return point{r.x + r.w*part, r.y + r.h*part} }
	d.add(disc{at(a, 0.15), radius(a) + 1.5, paper}, disc{at(a, 0.15), radius(a), flow})
	r, c := radius(b), at(b, 0.85)
	d.add(box{x: c.x - r - 1.5, y: c.y - r - 1.5, w: 2*r + 3, h: 2*r + 3, fill: paper},
		box{x: c.x - r, y: c.y - r, w: 2 * r, h: 2 * r, fill: flow})
}
