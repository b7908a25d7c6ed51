package floorplan

import (
	"fmt"
	"image/color"
	"strconv"

	"waferpair/wafer"
)

func number(n int) string { return strconv.Itoa(n) }

// fill returns the color of a region: that of its middle layer.
func (s Subject) fill(r wafer.Region) color.RGBA {
	switch r.Kind {
	case wafer.EmbeddingRegion:
		return embedding
	case wafer.HeadRegion:
		return head
	}
	if s.Report.Placement.Layout == wafer.WaferLLM {
		return layerColor(2, 7)
	}
	return layerColor(r.FirstLayer+r.Layers/2, s.Model.BlockCount)
}

// labels returns names for the content of a region, from long to short.
func (s Subject) labels(r wafer.Region) []string {
	switch r.Kind {
	case wafer.EmbeddingRegion:
		return []string{"embedding", "emb", "E"}
	case wafer.HeadRegion:
		if s.Model.TieWordEmbeddings {
			return []string{"embedding, head", "emb+head", "head", "H"}
		}
		return []string{"head", "H"}
	case wafer.WholeRegion:
		return []string{fmt.Sprintf("embedding, layers %s, head", span(r)), "layers " + span(r), span(r)}
	}
	if s.Report.Placement.Layout == wafer.WaferLLM {
		return []string{fmt.Sprintf("one layer, %d times", s.Model.BlockCount), "one layer", "1"}
	}
	if r.Layers == 1 {
		return []string{"layer " + span(r), span(r)}
	}
	return []string{"layers " + span(r), span(r)}
}

// span formats a region's layers, counted from 0 as in GGUF files.
func span(r wafer.Region) string {
	if r.Layers == 1 {
		return number(r.FirstLayer)
	}
	return fmt.Sprintf("%d–%d", r.FirstLayer, r.FirstLayer+r.Layers-1)
}
