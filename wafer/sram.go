package wafer

import (
	"math"

	"waferpair/wafer/transformer"
)

// SRAM is the use of the fullest core that holds layers, in bytes.
type SRAM struct {
	Reserved int `json:"reserved"` // code, stack, runtime
	Weights  int `json:"weights"`
	KV       int `json:"kv_cache"`
	Buffers  int `json:"buffers"` // activations
	Free     int `json:"free"`
}

// Used returns the bytes that are not free.
func (s SRAM) Used() int { return s.Reserved + s.Weights + s.KV + s.Buffers }

const fp16 = 2 // bytes of an activation, and of an element of the KV cache

// bytes returns the size of n weights of so many bits.
func bytes(n int, bits float64) int { return int(math.Ceil(float64(n) * bits / 8)) }

// layerBytes returns the size of a layer's tiles of weights in a core.
func layerBytes(m transformer.Config, t tile) int {
	attention := bytes(2*t.Width*t.Query+2*t.Width*t.KV+t.Width*t.Experts, m.BitsPerWeight)
	blocks := bytes(3*t.Width*t.FeedForward*max(1, m.ExpertCount), m.BitsPerExpertWeight())
	norms := 2 * t.Width
	if m.QKNorm {
		norms += t.Query + t.KV
	}
	return attention + blocks + norms*fp16
}

// positions returns how many entries of the KV cache the fullest row of a region holds:
// rows differ by one entry at most, because a full row passes its oldest entry to the row
// above when it takes a new one (WaferLLM's shift).
func positions(context, p int) int { return ceil(context, p) }

// entryBytes returns the size of a position of one layer's KV cache, in a core of its row.
func entryBytes(t tile) int { return 2 * t.KV * fp16 }

// decodeBuffers returns the size of a token's activations in a core: the residual stream,
// its norm and the sum in progress; queries, keys, values; scores of all heads; up and
// gate.
func decodeBuffers(m transformer.Config, t tile, s int) int {
	return fp16 * (3*t.Width + t.Query + 2*t.KV + m.HeadCount*s + 2*t.FeedForward*m.Active())
}

// prefillBuffers is the same for a chunk with rows of tokens in a core, and the second tile
// of each operand that MeshGEMM moves.
func prefillBuffers(m transformer.Config, t tile, rows, s int) int {
	activations := rows * (3*t.Width + t.Query + 2*t.KV + m.HeadCount*s + 2*t.FeedForward)
	left := rows * max(t.Width, t.Query, t.FeedForward, m.HeadCount*s)
	right := t.Width * max(t.Query, t.KV, t.FeedForward)
	return fp16*(activations+left) + bytes(right, max(m.BitsPerWeight, m.BitsPerExpertWeight()))
}

// tableBytes returns the size of a tile of the embedding table or the head, with the
// vocabulary cut over so many regions of side p, and of the buffers that its core needs to
// use it.
func tableBytes(m transformer.Config, p, slices int) int {
	d, v := ceil(m.EmbeddingLength, p), ceil(m.VocabSize, p*slices)
	return bytes(d*v, m.BitsPerWeight) + fp16*(2*d+v)
}

// tableSlices returns the fewest regions of side p, up to most, that hold a table, or 0 if
// even most of them do not.
func tableSlices(m transformer.Config, p, most, room int) int {
	d := ceil(m.EmbeddingLength, p)
	token := float64(d)*m.BitsPerWeight/8 + fp16     // bytes
	v := int(float64(max(0, room-2*fp16*d)) / token) // tokens that a core has room for
	for ; v > 0 && bytes(d*v, m.BitsPerWeight)+fp16*(2*d+v) > room; v-- {
	}
	if v == 0 {
		return 0
	}
	if n := ceil(m.VocabSize, p*v); n <= most {
		return n
	}
	return 0
}
