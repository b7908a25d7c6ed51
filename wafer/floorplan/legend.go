package floorplan

import (
	"fmt"
	"image/color"
	"strings"

	"waferpair/wafer"
)

const (
	keysWidth    = 330.0
	figuresWidth = 430.0
	row          = 24.0
)

func (d *drawing) heading(x, y float64, text string) {
	d.add(words{text: strings.ToUpper(text), at: point{x, y}, size: 11, color: faint, bold: true})
}

// keys draws the legend of colors and marks, and returns its lower end.
func (d *drawing) keys(x, y float64) float64 {
	d.heading(x, y+6, "What is where")
	y += 32
	if d.Report.Placement.Layout == wafer.WaferLLM {
		y = d.key(x, y, d.fill(wafer.Region{Kind: wafer.LayerRegion}), "one layer; the benchmarks time it and multiply", none)
	} else {
		y = d.gradient(x, y)
	}
	if d.has(wafer.EmbeddingRegion) {
		y = d.key(x, y, embedding, "embedding table", up)
	}
	if d.has(wafer.HeadRegion) {
		text := "head: logits and sampling"
		if d.Model.TieWordEmbeddings {
			text = "embedding and head, one table"
		}
		y = d.key(x, y, head, text, down)
	}
	if d.has(wafer.WholeRegion) {
		d.add(words{text: "with embedding and head, in one region", at: point{x + 44, y}, size: 12, color: ink})
		y += row
	}
	y = d.key(x, y, unused, "cores that are not used", none)
	y = d.key(x, y, haloColor, fmt.Sprintf("halo for host copies: %d columns, %d rows", d.Machine.HaloColumns,
		d.Machine.HaloRows), none)
	if d.Report.Placement.Layout == wafer.WaferLLM {
		return y
	}
	d.thread([]point{{x - 30, y}, {x + 62, y}}, 75, 75)
	d.add(words{text: "activations of a token", at: point{x + 44, y}, size: 12, color: ink})
	y += row
	d.add(disc{point{x + 7, y}, 5, flow}, box{x: x + 20, y: y - 5, w: 10, h: 10, fill: flow},
		words{text: "where it comes in, and the next one out", at: point{x + 44, y}, size: 12, color: ink})
	return y + row
}

func (d *drawing) has(kind wafer.RegionKind) bool {
	for _, r := range d.Report.Placement.Regions {
		if r.Kind == kind {
			return true
		}
	}
	return false
}

type hatching int

const (
	none hatching = iota
	up
	down
)

func (d *drawing) key(x, y float64, c color.RGBA, text string, h hatching) float64 {
	d.add(box{x: x, y: y - 8, w: 32, h: 16, fill: c, stroke: hairline, border: 1})
	if h != none {
		for _, part := range []float64{0, 16} {
			d.hatch(rect{x + part + 1, y - 7, 14, 14}, mix(c, ink, 0.16), h == down)
		}
	}
	d.add(words{text: text, at: point{x + 44, y}, size: 12, color: ink})
	return y + row
}

// gradient draws the layers' colors in order.
func (d *drawing) gradient(x, y float64) float64 {
	n := min(d.Model.BlockCount, 64)
	const width = 180.0
	for i := range n {
		c := layerColor(i*max(1, d.Model.BlockCount-1)/max(1, n-1), d.Model.BlockCount)
		d.add(box{x: x + width*float64(i)/float64(n), y: y - 8, w: width/float64(n) + 0.3, h: 16, fill: c})
	}
	d.add(words{text: "layers " + span(wafer.Region{Layers: d.Model.BlockCount}), at: point{x + width + 12, y},
		size: 12, color: ink})
	return y + row
}

// figures draws the speeds and the content of a core, and returns its lower end.
func (d *drawing) figures(x, y float64) float64 {
	r, p := d.Report, d.Report.Placement
	d.heading(x, y+6, fmt.Sprintf("Estimated at %.2f GHz (assumptions: %s)", r.ClockGHz, r.Assumptions.Name))
	y += 32
	band := ""
	if r.Band != nil {
		band = fmt.Sprintf("  (%s to %s by assumptions)", digits(r.Band.Low), digits(r.Band.High))
	}
	lines := [][2]string{
		{"decode", digits(r.DecodeTokS) + " tokens/s" + band},
		{"prefill", digits(r.PrefillTokS) + " tokens/s"},
		{"whole request", fmt.Sprintf("%s tokens/s: %d in, %d out", digits(r.RequestTokS), r.Input, r.Output)},
		{"first token", fmt.Sprintf("%.3g ms", r.TTFTms)},
		{"KV cache", fmt.Sprintf("%d positions; room for %d", p.Context, p.ShiftTokens)},
		{"colors", fmt.Sprintf("%d of %d of a router", r.Colors, d.Machine.Colors)},
		{"energy", fmt.Sprintf("%.3g J a token", r.JoulesPerToken)},
	}
	for _, l := range lines {
		d.add(words{text: l[0], at: point{x, y}, size: 12, color: faint}, words{text: l[1], at: point{x + 104, y},
			size: 12, color: ink})
		y += row - 3
	}
	return d.sram(x, y+14)
}

// sram draws the memory of the fullest core as a bar.
func (d *drawing) sram(x, y float64) float64 {
	u := d.Report.Placement.SRAM
	of := "the fullest core"
	if d.Report.Placement.Layout == wafer.WaferLLM {
		of = "a core in decode"
	}
	d.heading(x, y+6, fmt.Sprintf("SRAM of %s: %d of %d bytes", of, u.Used(), d.Machine.SRAMBytes))
	y += 24
	parts := []struct {
		name  string
		bytes int
		color color.RGBA
	}{{"code and runtime", u.Reserved, haloColor}, {"weights", u.Weights, ramp[4]}, {"KV cache", u.KV, ramp[2]},
		{"buffers", u.Buffers, head}, {"free", u.Free, unused}}
	at := x
	for _, part := range parts {
		w := figuresWidth * float64(part.bytes) / float64(d.Machine.SRAMBytes)
		d.add(box{x: at, y: y, w: w, h: 18, fill: part.color, tip: fmt.Sprintf("%s: %d bytes", part.name, part.bytes)})
		at += w
	}
	d.add(box{x: x, y: y, w: figuresWidth, h: 18, stroke: faint, border: 1})
	y += 36
	for i, part := range parts {
		cx, cy := x+float64(i%2)*figuresWidth/2, y+float64(i/2)*(row-3)
		d.add(box{x: cx, y: cy - 6, w: 12, h: 12, fill: part.color, stroke: hairline, border: 1},
			words{text: fmt.Sprintf("%s %d", part.name, part.bytes), at: point{cx + 20, cy}, size: 12, color: ink})
	}
	return y + 3*(row-3)
}

// digits formats a number with three digits, from 100 on as an integer.
func digits(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
