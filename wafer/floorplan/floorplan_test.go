package floorplan

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"

	"waferpair/wafer"
	"waferpair/wafer/machine"
)

// subjects returns every preset on one of the machines, one in WaferLLM's layout, and one
// with many regions.
var subjects = sync.OnceValue(func() map[string]Subject {
	list := map[string]Subject{}
	add := func(name string, r wafer.Request) {
		report, err := wafer.Estimate(r)
		if err != nil {
			panic(name + ": " + err.Error())
		}
		list[name] = Subject{r.Machine, r.Model, report}
	}
	for i, m := range wafer.Presets() {
		hw := []wafer.Machine{machine.WSE3(), machine.WSE2()}[i%2]
		add(m.Name+" "+hw.Name, wafer.Request{Machine: hw, Model: m})
	}
	m, err := wafer.Preset("llama3-8b")
	if err != nil {
		panic(err)
	}
	add("waferllm", wafer.Request{Machine: machine.WSE2(), Model: m, Layout: wafer.WaferLLM,
		PrefillMesh: 660, DecodeMesh: 360})
	add("small regions", wafer.Request{Machine: machine.WSE3(), Model: m, DecodeMesh: 125})
	return list
})

// TestMarksAreInside checks that every mark is inside the picture.
func TestMarksAreInside(t *testing.T) {
	for name, s := range subjects() {
		checkInside(t, name, New(s))
		checkInside(t, name+", in a page", Wafers(s))
	}
}

func checkInside(t *testing.T, name string, scene *Scene) {
	t.Helper()
	inside := func(points ...point) {
		for _, p := range points {
			if !(p.x >= 0 && p.y >= 0 && p.x <= scene.Width && p.y <= scene.Height) {
				t.Errorf("%s: %v is outside %g x %g", name, p, scene.Width, scene.Height)
			}
		}
	}
	for _, m := range scene.marks {
		switch m := m.(type) {
		case box:
			inside(point{m.x, m.y}, point{m.x + m.w, m.y + m.h})
		case line:
			inside(m.points...)
		case disc:
			inside(m.at)
		case arrow:
			inside(m.corner[:]...)
		case words:
			long := wide(m.text, m.size) * []float64{1, 0.5, 0}[m.align]
			inside(m.at, point{m.at.x + long, m.at.y})
		}
	}
}

// TestAPageFindsEachRegion checks that the picture for a page has each region once, under its index in the
// placement, and that the other picture has no classes.
func TestAPageFindsEachRegion(t *testing.T) {
	for name, s := range subjects() {
		var page, paper strings.Builder
		if err := errors.Join(Wafers(s).WriteSVG(&page), New(s).WriteSVG(&paper)); err != nil {
			t.Fatal(err)
		}
		if s.Report.Placement.Layout != wafer.WaferLLM {
			for i, r := range s.Report.Placement.Regions {
				box := regexp.MustCompile(
					fmt.Sprintf(`<rect class="region" data-region="%d" [^>]*><title>[^<]*column %d, row %d</title>`,
						i, r.X, r.Y))
				if n := len(box.FindAllString(page.String(), -1)); n != 1 {
					t.Errorf("%s: region %d, %+v, is there %d times", name, i, r, n)
				}
			}
		}
		if strings.Contains(paper.String(), "class=") || strings.Contains(page.String(), "#fff\"/>") {
			t.Errorf("%s: a page's picture has its own paper, or another one has classes", name)
		}
	}
}

// TestRegionsAreToScale checks that regions are where the placement has them, to scale,
// with the names of their layers.
func TestRegionsAreToScale(t *testing.T) {
	for name, s := range subjects() {
		d := drawing{Subject: s, Scene: New(s), panels: s.panels(), edge: point{margin, titleRoom}}
		tall := 0.0
		d.columns, tall = layout(len(d.panels))
		d.k = tall / float64(s.Machine.Height)
		boxes := map[rect]string{}
		for _, m := range d.marks {
			if b, ok := m.(box); ok {
				boxes[rect{b.x, b.y, b.w, b.h}] = b.tip
			}
		}
		for i, p := range d.panels {
			for _, r := range p.regions {
				q := d.square(i, r)
				if tip, ok := boxes[q]; !ok ||
					!strings.Contains(tip, fmt.Sprintf("%d × %d cores from column %d, row %d", r.P, r.P, r.X, r.Y)) {
					t.Errorf("%s: %+v is not drawn at %+v: %q", name, r, q, tip)
				}
				c := d.corner(i)
				if q.x < c.x || q.y < c.y || q.x+q.w > c.x+d.waferWidth()+1e-6 || q.y+q.h > c.y+tall+1e-6 {
					t.Errorf("%s: %+v is beyond the wafer", name, r)
				}
			}
		}
	}
}

// TestHandsFollowTheLayers checks that the arrows lead from the embedding through all
// layers in order to the head.
func TestHandsFollowTheLayers(t *testing.T) {
	for name, s := range subjects() {
		if name == "waferllm" {
			continue
		}
		pairs, first, last := s.hands(s.panels())
		layer := 0
		for i, h := range pairs {
			if i > 0 && pairs[i-1][1] != h[0] {
				t.Errorf("%s: from %+v, after to %+v", name, h[0], pairs[i-1][1])
			}
			if h[0].Kind == wafer.LayerRegion {
				if h[0].FirstLayer != layer {
					t.Errorf("%s: %+v follows layer %d", name, h[0], layer-1)
				}
				layer += h[0].Layers
			}
		}
		if layer != s.Model.BlockCount && len(pairs) > 0 {
			t.Errorf("%s: arrows leave %d layers of %d", name, layer, s.Model.BlockCount)
		}
		if s.has(wafer.HeadRegion) && (last[0].Kind != wafer.HeadRegion ||
			s.Model.TieWordEmbeddings != (first[0].Kind == wafer.HeadRegion)) {
			t.Errorf("%s: from %+v to %+v", name, first[0], last[0])
		}
	}
}

func (s Subject) has(kind wafer.RegionKind) bool {
	d := drawing{Subject: s}
	return d.has(kind)
}

func TestPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for name, s := range subjects() {
		scene := New(s)
		var out bytes.Buffer
		if err := scene.WriteSVG(&out); err != nil {
			t.Fatal(err)
		}
		if err := wellFormed(out.String()); err != nil {
			t.Errorf("%s: SVG: %v", name, err)
		}
		for _, m := range scene.marks {
			if w, ok := m.(words); ok {
				for _, r := range w.text {
					if glyphOf(r) == unknown {
						t.Errorf("%s: no glyph for %q in %q", name, r, w.text)
					}
				}
			}
		}
	}
	s := subjects()["llama3-8b wse-3"]
	var out bytes.Buffer
	if err := New(s).WritePNG(&out, 0.5); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	d := drawing{Subject: s, Scene: New(s), panels: s.panels(), columns: 1, edge: point{margin, titleRoom},
		k: 640 / float64(s.Machine.Height)}
	r := s.Report.Placement.Regions[len(s.Report.Placement.Regions)/2]
	q := d.square(0, r)
	if got := img.At(int((q.x+q.w*0.2)/2), int((q.y+q.h*0.8)/2)); fmt.Sprint(got) != fmt.Sprint(s.fill(r)) {
		t.Errorf("the PNG has %v where %+v is, which is %v", got, r, s.fill(r))
	}
}

func wellFormed(text string) error {
	dec := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := dec.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// TestText checks that text for a pipe is plain and no wider than asked; in color, every
// line ends without color.
func TestText(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	colored := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for name, s := range subjects() {
		for _, columns := range []int{0, 40, 200} {
			for _, c := range []Colors{Plain, Colors(1 + columns/200)} {
				var out strings.Builder
				if err := WriteText(&out, s, TextOptions{columns, c}); err != nil {
					t.Fatal(err)
				}
				checkLines(t, name, out.String(), max(80, columns), c, colored)
			}
		}
	}
}

func checkLines(t *testing.T, name, text string, columns int, c Colors, colored *regexp.Regexp) {
	t.Helper()
	drawn := false
	for line := range strings.Lines(text) {
		bare := []rune(colored.ReplaceAllString(strings.TrimSuffix(line, "\n"), ""))
		if framed := strings.HasPrefix(string(bare), "#") || strings.HasPrefix(string(bare), "│"); framed {
			drawn = true
			if len(bare) > columns {
				t.Errorf("%s: %d characters in %q", name, len(bare), string(bare))
			}
		}
		if c == Plain && (strings.Contains(line, "\x1b") ||
			strings.ContainsFunc(line, func(r rune) bool { return r > 126 })) {
			t.Errorf("%s: not plain: %q", name, line)
		}
		if marks := colored.FindAllString(line, -1); len(marks) > 0 && marks[len(marks)-1] != "\x1b[0m" {
			t.Errorf("%s: the colour is not taken back in %q", name, line)
		}
	}
	if !drawn {
		t.Errorf("%s: no wafer in %q", name, text)
	}
}

// TestRoute checks that a route begins and ends where it should, runs along the axes, and
// is not worse than the two routes with one corner.
func TestRoute(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	at := func() point { return point{float64(r.IntN(300)), float64(r.IntN(300))} }
	for range 200 {
		from, to := at(), at()
		var blocked []rect
		for range r.IntN(12) {
			p := at()
			blocked = append(blocked, rect{p.x, p.y, float64(1 + r.IntN(90)), float64(1 + r.IntN(90))})
		}
		way := newRouter(from, to, blocked, 5).route(from, to)
		if way[0] != from || way[len(way)-1] != to {
			t.Fatalf("from %v to %v: %v", from, to, way)
		}
		cost := wayCost(t, way, blocked)
		for _, corner := range []point{{from.x, to.y}, {to.x, from.y}} {
			if other := wayCost(t, []point{from, corner, to}, blocked); cost > other+1e-6 {
				t.Errorf("from %v to %v: %v costs %g, by %v it is %g", from, to, way, cost, corner, other)
			}
		}
	}
}

// wayCost computes a cost the slow, obvious way: step by step.
func wayCost(t *testing.T, way []point, blocked []rect) float64 {
	t.Helper()
	cost := 0.0
	heading := point{}
	for i := 1; i < len(way); i++ {
		a, b := way[i-1], way[i]
		if a.x != b.x && a.y != b.y {
			t.Fatalf("askew from %v to %v", a, b)
		}
		long := distance(a, b)
		if long == 0 {
			continue
		}
		now := point{(b.x - a.x) / long, (b.y - a.y) / long}
		if heading != (point{}) && heading.x*now.y != heading.y*now.x {
			cost += bend
		}
		heading = now
		for s := 0.5; s < long; s++ {
			p := along(a, b, s)
			cost++
			for _, q := range blocked {
				if p.x > q.x && p.x < q.x+q.w && p.y > q.y && p.y < q.y+q.h {
					cost += (crossing - 1)
				}
			}
		}
	}
	return cost
}
