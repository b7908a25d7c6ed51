package wafer

import "waferpair/wafer/transformer"

// tile is what one core of a P x P region holds of a layer: each width divided
// by P, rounded up, as the slowest core has it. Shorter tiles are padded.
type tile struct {
	Width       int // d_p
	Query       int // q_p
	KV          int // of keys, and of values
	FeedForward int // f_p, of one expert
	Experts     int // router outputs
	Silu        int // elements that SiLU runs over
}

func tileOf(m transformer.Config, p int) tile {
	f := ceil(m.FeedForwardLength, p)
	return tile{
		Width: ceil(m.EmbeddingLength, p), Query: ceil(m.QueryWidth(), p), KV: ceil(m.KVWidth(), p),
		FeedForward: f, Experts: ceil(m.ExpertCount, p), Silu: f * m.Active(),
	}
}

// decodeLayer is one token through one layer, with s positions of the KV cache
// in a core. Ten allreduces, on the axis that the vector is spread over:
//
//	norm(1,y)  qkv(q+2kv,y)  scores(s,x)  max(1,y) sum(1,y)  values(q,y)
//	output(d,x)  norm(1,y)  up+gate(2f,y)  down(d,x)
//
// Queries, keys and values share an allreduce, and so do up and gate, but each
// is a GEMV of its own. Attention is composed as in WaferLLM, as one head: with
// several, each reduces its scores over its own part of a line, which is no
// longer. Grouped queries make keys and values narrower. The kernels are added
// to list.
func (m mesh) decodeLayer(list []Cost, model transformer.Config, t tile, s int, reconfigure bool) []Cost {
	d, q, kv := t.Width, t.Query, t.KV
	list = append(list,
		sum("attention norm", m.norm(1)),
		sum("query, key, value", m.gemv(d, q), m.gemv(d, kv), m.gemv(d, kv), m.allreduce(q+2*kv)),
		sum("scores", m.gemv(q, s), m.allreduce(s)),
		sum("softmax", m.softmax(1, s)),
		sum("values", m.gemv(s, q), m.allreduce(q)),
		sum("output", m.gemv(q, d), m.allreduce(d)),
		sum("feed-forward norm", m.norm(1)))
	if model.ExpertCount > 0 {
		list = append(list, m.route(d, t.Experts, model))
	}
	list = append(m.swiglu(list, d, t.FeedForward, t.Silu, model.Active()), m.operations())
	if reconfigure && m.Timing.Reconfigure > 0 {
		list = append(list, Cost{Kernel: "routes laid anew", Launch: m.Timing.Reconfigure})
	}
	return list
}

// route chooses experts: their scores, of which every core gets all, and the
// greatest ones, each by a pass over the scores.
func (m mesh) route(d, experts int, model transformer.Config) Cost {
	pick := Cost{Compute: float64(model.ExpertUsedCount) * m.vector(model.ExpertCount)}
	return sum("router", m.gemv(d, experts), m.allreduce(model.ExpertCount), pick)
}

// swiglu is the feed-forward block, for each of a token's experts one after the
// other; their sums are taken together.
func (m mesh) swiglu(list []Cost, d, f, silu, active int) []Cost {
	a := float64(active)
	return append(list,
		sum("up, gate", m.gemv(d, f).times(2*a), m.allreduce(2*f*active)),
		sum("silu", m.scalar(m.Timing.Silu, silu)),
		sum("down", m.gemv(f, d).times(a), m.allreduce(d)))
}

// prefillLayer is a chunk of a prompt through one layer by MeshGEMM, rows of its
// tokens in a core, with s earlier and own positions in a core.
func (m mesh) prefillLayer(model transformer.Config, t tile, rows, s int) []Cost {
	d, q, kv, f := t.Width, t.Query, t.KV, t.FeedForward
	list := []Cost{
		sum("attention norm", m.norm(rows)),
		sum("query, key, value", m.gemm(rows, d, q), m.gemm(rows, d, kv), m.gemm(rows, d, kv)),
		sum("scores", m.gemmT(rows, q, s)),
		sum("softmax", m.softmax(rows, s)),
		sum("values", m.gemm(rows, s, q)),
		sum("output", m.gemm(rows, q, d)),
		sum("feed-forward norm", m.norm(rows)),
	}
	if model.ExpertCount == 0 {
		return append(list, m.swigluChunk(1, rows, d, f)...)
	}
	pick := Cost{Compute: float64(rows*model.ExpertUsedCount) * m.vector(model.ExpertCount)}
	list = append(list, sum("router", m.gemm(rows, d, t.Experts), m.allreduce(rows*model.ExpertCount), pick))
	// The chunk's tokens spread evenly over as many experts as they can reach.
	passes := rows * m.P * model.ExpertUsedCount
	used := min(model.ExpertCount, passes)
	return append(list, m.swigluChunk(used, ceil(ceil(passes, used), m.P), d, f)...)
}

// swigluChunk is the feed-forward block for a chunk, with so many rows of tokens
// in a core for each of the experts, one expert after the other.
func (m mesh) swigluChunk(experts, rows, d, f int) []Cost {
	e := float64(experts)
	return []Cost{
		sum("up, gate", m.gemm(rows, d, f).times(2*e)),
		sum("silu", m.scalar(m.Timing.Silu, rows*f*experts)),
		sum("down", m.gemm(rows, f, d).times(e)),
	}
}

// head is the final norm, the product with the vocabulary and the greedy choice:
// the greatest of a core's v logits, then of the line's, as pairs of value and
// token. The vocabulary may be cut over several regions, which work at once;
// their winners are handed on to the last one.
func (m mesh) head(d, v, slices int) Cost {
	choose := sum("", Cost{Compute: m.vector(v)}, m.allreduce(2), m.hand(2, 0).times(float64(slices-1)))
	return sum("head", m.norm(1), m.gemv(d, v), m.allreduce(v), choose)
}

func total(costs []Cost) float64 {
	all := 0.0
	for _, c := range costs {
		all += c.Cycles()
	}
	return all
}

// ceil is a/b, rounded up: the elements of the core that has most of a when b
// cores share them.
func ceil(a, b int) int { return (a + b - 1) / b }
