package wafer

// time sets the cycles of a candidate: a token passes all layers, a hand-on
// from the embedding, between regions and to the head, and the wafers' edges.
//
//	token = L layer + (regions + 1) xfer + head + sampling + wafers IO
func (s *search) time(c *candidate, layer float64) {
	hand := s.hand(*c).Cycles()
	head := s.headCost(*c).Cycles()
	c.token = float64(s.Model.BlockCount)*layer + float64(c.hands())*hand + head + s.assume.SamplingTail + s.crossings(*c)
	c.stage = max(float64(c.layersOf(s.Model))*layer+hand, head)
	if c.spot == inLayers {
		c.stage = c.token - s.assume.SamplingTail
	}
}

// floor sets the cycles to what they are at least, without the head, which
// takes longest to work out.
func (s *search) floor(c *candidate, layer float64) {
	hand := s.hand(*c).Cycles()
	c.token = float64(s.Model.BlockCount)*layer + float64(c.hands())*hand
	c.stage = float64(c.layersOf(s.Model))*layer + hand
}

// hands is how often a token is handed on between regions.
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

func (s *search) headCost(c candidate) Cost {
	side, _ := c.tables(c.spot)
	n := max(1, c.head)
	return s.mesh(side).head(ceil(s.Model.EmbeddingLength, side), ceil(s.Model.VocabSize, side*n), n)
}

// crossings is the time between wafers, and back from the last to the first:
// 2 d bytes and the latency each. One wafer: none.
func (s *search) crossings(c candidate) float64 {
	if c.wafers == 1 {
		return 0
	}
	bits := float64(8 * fp16 * s.Model.EmbeddingLength)
	seconds := s.Machine.IOLatency + bits/s.Machine.IOBitsPerSecond
	return float64(c.wafers) * seconds * s.assume.ClockGHz * 1e9
}
