package wafer

import "waferpair/wafer/transformer"

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
