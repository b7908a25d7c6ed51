package wafer

import (
	"waferpair/wafer/kernel"
)

// time sets the cycles of a candidate: a token passes through all layers, through the
// transfers from the embedding, between regions and to the head, and between wafers.
//
//	token = embedding + L layer + (regions + 1) xfer + head + sampling + wafers IO
func (s *search) time(c *candidate, layer float64) {
	hand := s.hand(*c).Cycles()
	head := s.headCycles(*c)
	c.token = s.firstCycles(*c) + float64(s.Model.BlockCount)*layer + float64(c.hands())*hand + head +
		s.assume.SamplingTail + s.crossings(*c)
	c.stage = max(float64(c.layersOf(s.Model))*layer+hand, head)
	if c.spot == inLayers {
		c.stage = c.token - s.assume.SamplingTail
	}
}

// floor sets the cycles to a lower bound, without the head, whose cost takes longest to
// compute.
func (s *search) floor(c *candidate, layer float64) {
	hand := s.hand(*c).Cycles()
	c.token = s.firstCycles(*c) + float64(s.Model.BlockCount)*layer + float64(c.hands())*hand
	c.stage = float64(c.layersOf(s.Model))*layer + hand
}

// hands returns how often a token is transferred between regions.
func (c cut) hands() int {
	if c.spot == inLayers {
		return 0
	}
	return c.regions + 1
}

func (s *search) hand(c candidate) Cost {
	if c.hands() == 0 {
		return Cost{}
	}
	return s.mesh(c.P).hand(ceil(s.Model.EmbeddingLength, c.P), s.assume.TransferSoftware)
}

// firstCost returns the cost of the look-up of the token's embedding.
func (s *search) firstCost(c candidate) Cost {
	l := s.tableLayout(c)
	return l.FirstCosts()[0]
}

// lastCosts returns the costs of the logits and of the greedy choice. The vocabulary may be
// cut over several regions, which work at the same time; their winners are passed to the
// last one.
func (s *search) lastCosts(c candidate) (head, sampling Cost) {
	l := s.tableLayout(c)
	last := l.LastCosts()
	side, _ := c.tables(c.spot)
	return last[0], kernel.Sum("sampling", last[1], s.mesh(side).hand(2, 0).Times(float64(max(1, c.head)-1)))
}

// headCost returns the sum of both.
func (s *search) headCost(c candidate) Cost {
	head, sampling := s.lastCosts(c)
	return kernel.Sum("head", head, sampling)
}

// firstCycles and headCycles are cached for a search, by the side of a region.
func (s *search) firstCycles(c candidate) float64 {
	side, _ := c.tables(c.spot)
	known := &s.known.first[side]
	if *known == 0 {
		*known = s.firstCost(c).Cycles()
	}
	return *known
}

func (s *search) headCycles(c candidate) float64 {
	if c.head > maxHeads { // as many as its table needs
		return s.headCost(c).Cycles()
	}
	side, _ := c.tables(c.spot)
	known := &s.known.last[side*(maxHeads+1)+c.head]
	if *known == 0 {
		*known = s.headCost(c).Cycles()
	}
	return *known
}

// tableLayout returns the layout of a region with the embedding or a part of the head.
func (s *search) tableLayout(c candidate) kernel.Layout {
	side, _ := c.tables(c.spot)
	part := s.Model
	part.VocabSize = ceil(part.VocabSize, max(1, c.head))
	return s.mesh(side).layout(&part, s.Context, 0)
}

// crossings returns the time between wafers, and back from the last to the first: that of 2
// d bytes and the latency each, or 0 for one wafer.
func (s *search) crossings(c candidate) float64 {
	if c.wafers == 1 {
		return 0
	}
	bits := float64(8 * fp16 * s.Model.EmbeddingLength)
	seconds := s.Machine.IOLatency + bits/s.Machine.IOBitsPerSecond
	return float64(c.wafers) * seconds * s.assume.ClockGHz * 1e9
}
