package wafer

import "waferpair/wafer/kernel"

// Step is a stretch of a decode step: a token passes through one after the other, and their cycles add up
// to those of a token.
type Step struct {
	What    StepKind
	Layer   int   // of a layer, from 0
	Regions []int // where it happens, in Placement.Regions, at the same time; none: between regions
	Cycles  float64
}

// StepKind is what happens in a step.
type StepKind string

// The steps of a token: it is looked up, goes through the layers, from region to region and from wafer to
// wafer, and ends in the choice of the next one.
const (
	StepEmbedding StepKind = "embedding"
	StepLayer     StepKind = "layer"
	StepHead      StepKind = "head"
	StepTransfer  StepKind = "between regions"
	StepCrossing  StepKind = "between wafers"
)

// steps returns the steps of a token on a placement, in their order.
func (s *search) steps(c candidate, p Placement, layer []Cost) []Step {
	w := walk{search: s, c: c, hand: s.hand(c).Cycles(), crossing: s.crossings(c) / float64(c.wafers)}
	layerCycles := kernel.Total(layer)
	w.add(StepEmbedding, s.tablesAt(p, EmbeddingRegion), s.firstCycles(c))
	wafer := 0
	for i, r := range p.Regions {
		if r.Layers == 0 {
			continue
		}
		w.pass(r.Wafer != wafer)
		wafer = r.Wafer
		for l := range r.Layers {
			w.list = append(w.list, Step{StepLayer, r.FirstLayer + l, []int{i}, layerCycles})
		}
	}
	w.pass(wafer != c.wafers-1) // the head is on the last one
	w.add(StepHead, s.tablesAt(p, HeadRegion), s.headCycles(c)+s.assume.SamplingTail)
	if w.crossing > 0 { // the next token begins on the first wafer
		w.add(StepCrossing, nil, w.crossing)
	}
	return w.list
}

// walk is the way of a token.
type walk struct {
	*search
	c              candidate
	hand, crossing float64
	list           []Step
}

func (w *walk) add(what StepKind, regions []int, cycles float64) {
	w.list = append(w.list, Step{what, 0, regions, cycles})
}

// pass goes on to the next region, which may be on another wafer.
func (w *walk) pass(crossing bool) {
	if w.c.hands() > 0 {
		w.add(StepTransfer, nil, w.hand)
	}
	if crossing {
		w.add(StepCrossing, nil, w.crossing)
	}
}

// tablesAt returns the regions of a table: its own, those of the head if both share a table, or the one
// region of everything.
func (s *search) tablesAt(p Placement, kind RegionKind) (list []int) {
	for i, r := range p.Regions {
		if r.Kind == kind || r.Kind == WholeRegion || s.Model.TieWordEmbeddings && r.Kind == HeadRegion {
			list = append(list, i)
		}
	}
	return list
}
