package floorplan

import (
	"image/color"
	"math"
)

// Scene is a picture: its marks in painting order, in units of about a pixel.
type Scene struct {
	Width, Height float64
	Title         string
	page          bool  // it is part of a page, whose styles color it
	marks         []any // box, line, disc, arrow, words
}

type point struct{ x, y float64 }

// box is a rectangle with a border of the given width inside it.
type box struct {
	x, y, w, h   float64
	fill, stroke color.RGBA // no border if its width is 0
	border       float64
	tip          string // a tooltip
	role         role
}

// line has round ends and joints.
type line struct {
	points []point
	width  float64
	color  color.RGBA
}

type disc struct {
	at     point
	radius float64
	color  color.RGBA
}

// arrow is a filled arrowhead.
type arrow struct {
	corner [3]point // the tip first
	color  color.RGBA
}

// words is a line of text; at is its left end, middle or right end, at the middle of its
// capitals.
type words struct {
	text  string
	at    point
	size  float64
	color color.RGBA
	bold  bool
	align align
	role  role
}

// role says what a mark is, for the styles of a page.
type role struct {
	class  string
	region int // of the class region: its index in Placement.Regions
}

type align int

const (
	left align = iota
	middle
	right
)

func (s *Scene) add(marks ...any) { s.marks = append(s.marks, marks...) }

// wide returns an upper estimate of a text's width, because fonts differ.
func wide(text string, size float64) float64 { return float64(len([]rune(text))) * size * advance }

// advance is the width of a character relative to its size: that of the PNG's letters, and
// more than most of a proportional font's.
const advance = 0.57

// headAt returns the arrowhead at the end of a line from a to b.
func headAt(a, b point, size float64, c color.RGBA) arrow {
	angle := math.Atan2(b.y-a.y, b.x-a.x)
	back := func(turn float64) point {
		return point{b.x - size*math.Cos(angle+turn), b.y - size*math.Sin(angle+turn)}
	}
	return arrow{[3]point{b, back(0.45), back(-0.45)}, c}
}
