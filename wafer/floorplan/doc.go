// Package floorplan draws the placement of a model on wafers.
//
//	Subject -> New    -> Scene -> WriteSVG, WritePNG   svg.go, png.go
//	        -> Wafers -'
//	        -> WriteText                               text.go
//
// Wafers is for a page that has words and figures of its own: the same wafers without a legend, on no paper.
// Its SVG names regions (data-region, the index in Placement.Regions) and what is around them (classes), so that the
// page can color them and show which region works.
//
// A scene is a list of rectangles, lines, discs and words in the order in which they are
// painted: the two picture formats show the same, because neither decides anything. Wafers,
// regions and the halo are to scale, and the arrows follow the activations of one token.
// Layers go from light to dark, so that their order is visible in grey as well; whatever
// colors say, words say too.
package floorplan

import (
	"waferpair/wafer"
	"waferpair/wafer/transformer"
)

// Subject is the input of a drawing.
type Subject struct {
	Machine wafer.Machine
	Model   transformer.Config
	Report  wafer.Report
}

// panel is one wafer of the drawing. Layout waferllm has two panels of the same wafer, one
// for each phase.
type panel struct {
	title   string
	regions []wafer.Region
}

func (s Subject) panels() []panel {
	p := s.Report.Placement
	if p.Layout == wafer.WaferLLM {
		one := func(side int) []wafer.Region { return []wafer.Region{{Kind: wafer.LayerRegion, P: side, Layers: 1}} }
		return []panel{{"prefill", one(p.PrefillMesh)}, {"decode", one(p.Mesh)}}
	}
	list := make([]panel, p.Wafers)
	for i := range list {
		list[i].title = "wafer " + number(i+1)
	}
	for _, r := range p.Regions {
		list[r.Wafer].regions = append(list[r.Wafer].regions, r)
	}
	return list
}

// halo returns the columns and rows before the first one for programs. The memory copies of
// the vendor's SDK take one column more on the left than on the right.
func (s Subject) halo() (left, top int) {
	return (s.Machine.HaloColumns + 1) / 2, (s.Machine.HaloRows + 1) / 2
}
