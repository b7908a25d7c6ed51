package floorplan

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"waferpair/wafer"
)

// A picture has a title, the wafers in rows, and beside or below them the legend and the
// figures.
const (
	margin    = 40.0
	titleRoom = 92.0 // above the wafers' own titles
	gap       = 46.0 // between wafers, for the arrows
	nameRoom  = 34.0 // a wafer's title
)

// drawing is a picture under construction.
type drawing struct {
	Subject
	*Scene
	panels  []panel
	columns int
	k       float64 // picture units per core
	edge    point   // the top left corner of the first wafer, with its title
}

// The classes of marks in a page's picture. The page colors what is not a region, and shows which region works.
const (
	haloClass   = "halo"
	unusedClass = "unused"
	regionClass = "region"
	titleClass  = "title"
)

// pageScale makes wafers smaller, and so words larger beside them: a page shows a picture in its own size.
const pageScale = 0.5

// Wafers draws the wafers of a subject and nothing else, for a page that has the words beside them.
func Wafers(s Subject) *Scene {
	d := drawing{Subject: s, Scene: &Scene{Title: s.headline() + ": " + s.subline(), page: true}, panels: s.panels(),
		edge: point{gap / 2, 0}}
	broad, low := d.wafers()
	d.Width, d.Height = broad+gap/2, low+gap/2
	return d.Scene
}

// New draws a subject.
func New(s Subject) *Scene {
	d := drawing{Subject: s, Scene: &Scene{Title: s.headline()}, panels: s.panels(), edge: point{margin, titleRoom}}
	d.header(s.headline(), s.subline())
	broad, low := d.wafers()
	if d.columns <= 2 {
		x := broad + gap + 10
		y := d.keys(x, titleRoom+nameRoom)
		y = d.figures(x, y+26)
		d.Width, d.Height = x+figuresWidth+margin, max(low, y)+margin
	} else {
		y := max(d.keys(margin, low+gap), d.figures(margin+keysWidth+gap, low+gap))
		d.Width, d.Height = max(broad, margin+keysWidth+gap+figuresWidth)+margin, y+margin
	}
	d.Width = max(d.Width, margin*2+wide(s.headline(), 22), margin*2+wide(s.subline(), 13))
	return d.Scene
}

// wafers draws the wafers, and returns their right and lower ends.
func (d *drawing) wafers() (broad, low float64) {
	tall := 0.0
	if d.columns, tall = layout(len(d.panels)); d.page {
		tall *= pageScale
	}
	d.k = tall / float64(d.Machine.Height)
	rows := (len(d.panels) + d.columns - 1) / d.columns
	for i := range d.panels {
		d.wafer(i)
	}
	d.flow()
	return d.edge.x + float64(d.columns)*(d.waferWidth()+gap) - gap, d.edge.y + float64(rows)*(nameRoom+tall+gap) - gap
}

// layout returns how many wafers are side by side, and how tall they are.
func layout(wafers int) (columns int, tall float64) {
	switch {
	case wafers <= 2:
		return wafers, 640
	case wafers <= 4:
		return wafers, 500
	case wafers <= 12:
		return (wafers + (wafers-1)/6) / (1 + (wafers-1)/6), 400
	case wafers <= 60:
		return 10, 230
	}
	return 24, 110
}

func (s Subject) headline() string {
	return fmt.Sprintf("%s on %s", s.Model.Name, strings.ToUpper(s.Machine.Name))
}

// subline describes the placement in one line.
func (s Subject) subline() string {
	p := s.Report.Placement
	if p.Layout == wafer.WaferLLM {
		return fmt.Sprintf("layout of WaferLLM's benchmarks: prefill on %d × %d cores, then decode on %d × %d", p.PrefillMesh,
			p.PrefillMesh, p.Mesh, p.Mesh)
	}
	return fmt.Sprintf("%s in %s of %d × %d cores, on %s", plural(s.Model.BlockCount, "layer"),
		plural(p.LayerRegions, "region"), p.Mesh, p.Mesh, plural(p.Wafers, "wafer"))
}

func plural(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

func (d *drawing) header(title, sub string) {
	d.add(words{text: title, at: point{margin, 46}, size: 24, color: ink, bold: true},
		words{text: sub, at: point{margin, 74}, size: 13, color: faint})
}

func (d *drawing) waferWidth() float64 { return float64(d.Machine.Width) * d.k }

// corner returns the top left corner of a wafer, including its halo.
func (d *drawing) corner(i int) point {
	tall := float64(d.Machine.Height) * d.k
	return point{d.edge.x + float64(i%d.columns)*(d.waferWidth()+gap), d.edge.y + nameRoom +
		float64(i/d.columns)*(nameRoom+tall+gap)}
}

// square returns the place of a region in the picture.
func (d *drawing) square(i int, r wafer.Region) rect {
	c, side := d.corner(i), float64(r.P)*d.k
	x, y := d.halo()
	return rect{c.x + float64(r.X+x)*d.k, c.y + float64(r.Y+y)*d.k, side, side}
}

// wafer draws the fabric: halo, unused cores, and regions.
func (d *drawing) wafer(i int) {
	c, p := d.corner(i), d.panels[i]
	x, y := d.halo()
	width, height := d.Machine.Usable()
	d.add(words{text: p.title, at: point{c.x, c.y - 22}, size: 13, color: ink, bold: true, role: d.role(titleClass, 0)})
	if used := d.share(p); d.waferWidth() > 150 {
		d.add(words{text: digitsOf(100*used) + " % of the cores", at: point{c.x + d.waferWidth(), c.y - 22}, size: 11,
			color: faint, align: right, role: d.role(titleClass, 0)})
	}
	d.add(box{x: c.x, y: c.y, w: d.waferWidth(), h: float64(d.Machine.Height) * d.k, fill: haloColor,
		role: d.role(haloClass, 0),
		tip: fmt.Sprintf("fabric of %d × %d cores; the halo takes %d columns and %d rows", d.Machine.Width, d.Machine.Height,
			d.Machine.HaloColumns, d.Machine.HaloRows)},
		box{x: c.x + float64(x)*d.k, y: c.y + float64(y)*d.k, w: float64(width) * d.k, h: float64(height) * d.k, fill: unused,
			role: d.role(unusedClass, 0),
			tip:  fmt.Sprintf("%d × %d cores for programs", width, height)})
	for _, r := range p.regions {
		d.region(i, r)
	}
}

// digitsOf formats a percentage, with two digits if it is small.
func digitsOf(percent float64) string {
	if percent >= 10 {
		return fmt.Sprintf("%.0f", percent)
	}
	return fmt.Sprintf("%.2g", percent)
}

// share returns the used part of the cores for programs.
func (d *drawing) share(p panel) float64 {
	cores := 0
	for _, r := range p.regions {
		cores += r.P * r.P
	}
	width, height := d.Machine.Usable()
	return float64(cores) / float64(width*height)
}

// role returns what a mark is, where a page colors it.
func (d *drawing) role(class string, region int) role {
	if !d.page {
		return role{}
	}
	return role{class, region}
}

func (d *drawing) region(i int, r wafer.Region) {
	q, c := d.square(i, r), d.fill(r)
	d.add(box{x: q.x, y: q.y, w: q.w, h: q.h, fill: c, stroke: paper, border: min(1.5, q.w/12),
		role: d.role(regionClass, slices.Index(d.Report.Placement.Regions, r)),
		tip:  fmt.Sprintf("%s: %d × %d cores from column %d, row %d", d.labels(r)[0], r.P, r.P, r.X, r.Y)})
	if r.Kind == wafer.EmbeddingRegion || r.Kind == wafer.HeadRegion {
		d.hatch(rect{q.x + 2, q.y + 2, q.w - 4, q.h - 4}, mix(c, ink, 0.16), r.Kind == wafer.HeadRegion)
	}
	d.label(q, r)
}

// hatch distinguishes tables from layers where there is no color.
func (d *drawing) hatch(q rect, c color.RGBA, down bool) {
	const apart = 9
	for t := -q.w + apart/2; t < q.w; t += apart { // y = x + t, in the square
		from, to := point{max(0, -t), max(0, t)}, point{min(q.w, q.w-t), min(q.w, q.w+t)}
		if !down {
			from.x, to.x = q.w-from.x, q.w-to.x
		}
		d.add(line{[]point{{q.x + from.x, q.y + from.y}, {q.x + to.x, q.y + to.y}}, 0.8, c})
	}
}

// bolder is how much wider than regular letters bold ones of a proportional font may be.
const bolder = 1.12

// label writes the content of a region, as much as there is room for.
func (d *drawing) label(q rect, r wafer.Region) {
	room := q.w * 0.78
	c := d.fill(r)
	for _, text := range d.labels(r) {
		for _, size := range []float64{17, 15, 13, 11, 9.5} {
			if wide(text, size)*bolder > room || size > q.h/2.2 || size > 13 && q.w < 150 {
				continue
			}
			x, y := q.x+q.w/2, q.y+q.h/2
			second := fmt.Sprintf("%d × %d", r.P, r.P)
			two := q.h > 5*size && wide(second, size*0.75) < room
			if two {
				y -= size * 0.55
			}
			if r.Kind == wafer.EmbeddingRegion || r.Kind == wafer.HeadRegion {
				d.add(box{x: x - wide(text, size)/2 - 3, y: q.y + q.h/2 - size*1.3, w: wide(text, size) + 6,
					h: size * 2.6, fill: c})
			}
			d.add(words{text: text, at: point{x, y}, size: size, color: onTop(c), bold: true, align: middle})
			if two {
				d.add(words{text: second, at: point{x, y + size*1.35}, size: size * 0.75,
					color: mix(onTop(c), c, 0.2), align: middle})
			}
			return
		}
	}
}
