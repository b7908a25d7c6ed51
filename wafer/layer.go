package wafer

import (
	"slices"

	"waferpair/wafer/kernel"
	"waferpair/wafer/transformer"
)

// tile is one core's part of a layer on a P x P region: each width divided by P, rounded
// up, as in the slowest core. Shorter tiles are padded. Keys and values are distributed by
// pairs of numbers that are rotated together, and queries are with their keys.
type tile struct {
	Width       int // d_p
	Query       int // q_p
	KV          int // of keys, and of values
	FeedForward int // f_p, of one expert
	Experts     int // router outputs
}

func tileOf(m transformer.Config, p int) tile {
	kv := 2 * ceil(m.KVWidth()/2, p)
	return tile{
		Width: ceil(m.EmbeddingLength, p), Query: kv * m.Group(), KV: kv,
		FeedForward: ceil(m.FeedForwardLength, p), Experts: ceil(m.ExpertCount, p),
	}
}

// prefillLayer returns the costs of a chunk of a prompt in one layer by MeshGEMM, with rows
// of its tokens and s earlier and own positions in each core. silu is how many numbers of a
// token SiLU runs over; 0 means the feed-forward width.
func (m mesh) prefillLayer(model transformer.Config, rows, s, silu int) []Cost {
	t := tileOf(model, m.P)
	d, q, kv := t.Width, t.Query, t.KV
	heads := model.HeadCount
	scores := kernel.Tiles{M: rows, K: q, N: s, Sums: heads * rows * s, Right: kv * s}
	values := kernel.Tiles{M: rows, K: s, N: q, Left: heads * rows * s, Right: kv * s}
	softmax := kernel.Sum("softmax", m.allreduce(heads*rows), m.allreduce(heads*rows),
		kernel.Elementwise(heads*rows*s, m.Timing.Exp))
	list := []Cost{
		kernel.Sum("attention norm", m.allreduce(rows)),
		kernel.Sum("query, key, value", m.gemm(rows, d, q), m.gemm(rows, d, kv), m.gemm(rows, d, kv)),
		m.normHeads(model, rows),
		kernel.Sum("scores", kernel.MeshGEMMTCost(m.Machine, m.P, scores, m.sums)),
		softmax,
		kernel.Sum("values", kernel.MeshGEMMCost(m.Machine, m.P, values, m.sums)),
		kernel.Sum("output", m.gemm(rows, q, d)),
		kernel.Sum("feed-forward norm", m.allreduce(rows)),
	}
	list = slices.DeleteFunc(list, func(c Cost) bool { return c.Kernel == "" })
	if model.ExpertCount == 0 {
		return append(list, m.swigluChunk(1, rows, d, t.FeedForward, silu)...)
	}
	pick := Cost{Compute: float64(rows*model.ExpertUsedCount) * kernel.VectorCycles(m.Machine, model.ExpertCount, m.sums)}
	list = append(list, kernel.Sum("router", m.gemm(rows, d, t.Experts), m.allreduce(rows*model.ExpertCount), pick))
	// The chunk's tokens spread evenly over as many experts as they can reach.
	passes := rows * m.P * model.ExpertUsedCount
	used := min(model.ExpertCount, passes)
	return append(list, m.swigluChunk(used, ceil(ceil(passes, used), m.P), d, t.FeedForward, silu)...)
}

// normHeads returns the cost of the sums of squares of a chunk's queries and keys, if heads
// are normed.
func (m mesh) normHeads(model transformer.Config, rows int) Cost {
	if !model.QKNorm {
		return Cost{}
	}
	return kernel.Sum("query, key norm", m.allreduce(rows*(model.HeadCount+model.HeadCountKV)))
}

// swigluChunk returns the costs of the feed-forward block for a chunk, with rows of tokens
// in a core for each expert, one expert after the other.
func (m mesh) swigluChunk(experts, rows, d, f, silu int) []Cost {
	if silu == 0 {
		silu = f
	}
	e := float64(experts)
	return []Cost{
		kernel.Sum("up, gate", m.gemm(rows, d, f).Times(2*e)),
		kernel.Sum("silu", kernel.Elementwise(rows*silu*experts, m.Timing.Silu)),
		kernel.Sum("down", m.gemm(rows, f, d).Times(e)),
	}
}
