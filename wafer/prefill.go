package wafer

import (
	"fmt"
	"waferpair/wafer/kernel"
)

// prompt is the way of a prompt through the regions of decode, and its cycles until the
// first token of the answer.
type prompt struct {
	method string
	cycles float64
	costs  []Cost // of the whole prompt, in one region after the other
}

// prompt returns the faster of two ways through the pipeline of regions:
//
//   - token by token, with the kernels of decode;
//   - in chunks, with MeshGEMM, of as many rows of tokens in a core as fit its SRAM beside the
//     weights.
//
// Both take (n - 1) stages of the slowest region, and the time of the last one through all
// of them. Attention is evaluated at the middle of the prompt. If one region has the whole
// model and timing is as emulated, the faster of them is compared with the prefill of the
// event level, which takes the whole prompt at once.
func (s *search) prompt(c candidate) prompt {
	best := s.byToken(c)
	if p, ok := s.atOnce(c); ok && p.cycles < best.cycles {
		best = p
	}
	for rows := 1; rows == 1 || (rows-1)*c.P < s.Input; rows *= 2 {
		if !s.chunkFits(c, rows) {
			break
		}
		if p := s.byChunk(c, rows); p.cycles < best.cycles {
			best = p
		}
	}
	return best
}

func (s *search) byToken(c candidate) prompt {
	layer := s.layer(c, s.behind+ceil(s.Input, 2))
	hand := s.hand(c)
	return s.pipeline(c, "token by token, with the kernels of decode", s.Input, layer, hand)
}

// atOnce returns the time of the event level's prefill, if a core has room for it.
func (s *search) atOnce(c candidate) (prompt, bool) {
	if s.behind > 0 || s.assume.Timing != Emulated || c.spot != inLayers || kernel.Prefillable(s.Model) != nil {
		return prompt{}, false
	}
	m := s.mesh(c.P)
	m.Groups = 0 // routes of its own, with as many groups as suit it
	l := m.prefillLayout(&s.Model, s.Input, 0, 0)
	if _, err := l.SRAM(); err != nil {
		return prompt{}, false
	}
	costs := append(scale(l.LayerCosts(), float64(s.Model.BlockCount)), l.LastCosts()...)
	return prompt{"the whole prompt at once, with MeshGEMM", l.Cycles(), costs}, true
}

func (s *search) byChunk(c candidate, rows int) prompt {
	seen := positions(s.Model.Sees(s.behind+ceil(s.Input, 2)), c.P)
	l := s.mesh(c.P).prefillLayout(&s.Model, rows*c.P, seen, 0)
	layer := l.LayerCosts()
	hand := s.hand(c)
	if c.hands() > 0 {
		hand = s.mesh(c.P).hand(rows*ceil(s.Model.EmbeddingLength, c.P), s.assume.TransferSoftware)
	}
	chunk := rows * c.P
	method := fmt.Sprintf("in chunks of %d tokens, with MeshGEMM", chunk)
	return s.pipeline(c, method, ceil(s.Input, chunk), layer, hand)
}

// pipeline returns the time of n items through all regions.
func (s *search) pipeline(c candidate, method string, n int, layer []Cost, hand Cost) prompt {
	stage := float64(c.layersOf(s.Model))*kernel.Total(layer) + hand.Cycles()
	fill := float64(s.Model.BlockCount)*kernel.Total(layer) + float64(c.hands())*hand.Cycles() +
		s.headCost(c).Cycles() + s.assume.SamplingTail + s.crossings(c)
	costs := scale(layer, float64(n*s.Model.BlockCount))
	hands := hand.Times(float64(n * c.hands()))
	hands.Kernel = "between regions"
	return prompt{method, float64(n-1)*stage + fill, append(costs, hands, s.headCost(c))}
}

// chunkFits reports whether a chunk's activations fit beside weights and cache.
func (s *search) chunkFits(c candidate, rows int) bool {
	t := tileOf(s.Model, c.P)
	u := s.placedUse(c)
	return prefillBuffers(s.Model, t, rows, positions(s.Model.Sees(s.Context), c.P)) <= u.Free+u.Buffers
}
