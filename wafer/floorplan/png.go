package floorplan

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
)

// WritePNG writes a scene as a PNG with scale pixels per unit.
func (s *Scene) WritePNG(w io.Writer, scale float64) error {
	c := newCanvas(int(math.Ceil(s.Width*scale)), int(math.Ceil(s.Height*scale)), scale)
	for _, m := range s.marks {
		c.paint(m)
	}
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	return enc.Encode(w, c.img)
}

// canvas paints shapes with antialiasing.
type canvas struct {
	img   *image.RGBA
	scale float64
}

func newCanvas(width, height int, scale float64) *canvas {
	c := &canvas{image.NewRGBA(image.Rect(0, 0, width, height)), scale}
	for i := range c.img.Pix {
		c.img.Pix[i] = 255
	}
	return c
}

func (c *canvas) paint(m any) {
	k := c.scale
	switch m := m.(type) {
	case box:
		c.box(m)
	case line:
		for i := 1; i < len(m.points); i++ {
			c.capsule(m.points[i-1], m.points[i], m.width/2, m.color)
		}
	case disc:
		c.capsule(m.at, m.at, m.radius, m.color)
	case arrow:
		c.triangle([3]point{m.corner[0].times(k), m.corner[1].times(k), m.corner[2].times(k)}, m.color)
	case words:
		c.words(m)
	}
}

func (p point) times(k float64) point { return point{p.x * k, p.y * k} }

// blend covers a part of a pixel.
func (c *canvas) blend(x, y int, col color.RGBA, part float64) {
	if part <= 0 || !(image.Point{x, y}).In(c.img.Rect) {
		return
	}
	p := c.img.Pix[c.img.PixOffset(x, y):]
	to := mix(color.RGBA{p[0], p[1], p[2], 255}, col, min(1, part))
	p[0], p[1], p[2] = to.R, to.G, to.B
}

func (c *canvas) box(b box) {
	if b.fill.A > 0 {
		c.rect(b.x, b.y, b.w, b.h, b.fill)
	}
	if t := b.border; t > 0 {
		c.rect(b.x, b.y, b.w, t, b.stroke)
		c.rect(b.x, b.y+b.h-t, b.w, t, b.stroke)
		c.rect(b.x, b.y+t, t, b.h-2*t, b.stroke)
		c.rect(b.x+b.w-t, b.y+t, t, b.h-2*t, b.stroke)
	}
}

func (c *canvas) rect(x, y, w, h float64, col color.RGBA) {
	x0, y0, x1, y1 := x*c.scale, y*c.scale, (x+w)*c.scale, (y+h)*c.scale
	for py := int(y0); float64(py) < y1; py++ {
		rows := min(y1, float64(py+1)) - max(y0, float64(py))
		for px := int(x0); float64(px) < x1; px++ {
			c.blend(px, py, col, rows*(min(x1, float64(px+1))-max(x0, float64(px))))
		}
	}
}

// capsule paints a line with round ends.
func (c *canvas) capsule(a, b point, radius float64, col color.RGBA) {
	a, b, radius = a.times(c.scale), b.times(c.scale), radius*c.scale
	c.around([]point{a, b}, radius+1, func(p point) float64 { return radius - fromSegment(p, a, b) }, col)
}

// around paints the pixels near some points, by how far inside they are.
func (c *canvas) around(points []point, far float64, inside func(point) float64, col color.RGBA) {
	low, high := points[0], points[0]
	for _, p := range points {
		low, high = point{min(low.x, p.x), min(low.y, p.y)}, point{max(high.x, p.x), max(high.y, p.y)}
	}
	for y := int(low.y - far); float64(y) <= high.y+far; y++ {
		for x := int(low.x - far); float64(x) <= high.x+far; x++ {
			c.blend(x, y, col, inside(point{float64(x) + 0.5, float64(y) + 0.5})+0.5)
		}
	}
}

func fromSegment(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	at := 0.0
	if long := dx*dx + dy*dy; long > 0 {
		at = min(1, max(0, ((p.x-a.x)*dx+(p.y-a.y)*dy)/long))
	}
	return math.Hypot(p.x-a.x-at*dx, p.y-a.y-at*dy)
}

// triangle paints the points on the same side of its three edges.
func (c *canvas) triangle(t [3]point, col color.RGBA) {
	if (t[1].x-t[0].x)*(t[2].y-t[0].y)-(t[1].y-t[0].y)*(t[2].x-t[0].x) < 0 {
		t[1], t[2] = t[2], t[1]
	}
	c.around(t[:], 1, func(p point) float64 {
		least := math.Inf(1)
		for i, a := range t {
			b := t[(i+1)%3]
			long := distance(a, b)
			if long == 0 {
				return -1
			}
			least = min(least, ((b.x-a.x)*(p.y-a.y)-(b.y-a.y)*(p.x-a.x))/long)
		}
		return least
	}, col)
}
