// Package floorplan draws where a model lies on wafers.
//
//	Subject -> New -> Scene  -> WriteSVG, WritePNG   svg.go, png.go
//	        -> WriteText                             text.go
//
// A scene is a list of rectangles, lines, discs and words in the order in which
// they are painted: the two picture formats show the same, as neither decides
// anything. Wafers, regions and the halo are to scale, and the arrows follow the
// activations of one token. Layers go from light to dark, so that their order is
// to be seen in grey as well; whatever colour says, words say too.
package floorplan

import (
	"waferpair/wafer"
	"waferpair/wafer/transformer"
)

// Subject is what is drawn.
type Subject struct {
	Machine wafer.Machine
	Model   transformer.Config
	Report  wafer.Report
}

// panel is one wafer as it is drawn. In layout waferllm there are two of the
// same wafer, one for each phase.
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

// halo is the columns and rows before the first that programs have. The memory
// copies of the vendor's SDK take one column more on the left than on the right.
func (s Subject) halo() (left, top int) {
	return (s.Machine.HaloColumns + 1) / 2, (s.Machine.HaloRows + 1) / 2
}
