package transformer

import "math"

// Repeater returns a model with a known answer: two layers of one head each, with weights
// set by hand. It continues a sequence as the sequence continued after the previous
// occurrence of its last token (an induction head, arXiv 2209.11895), at any depth up to
// repeaterDepth, by a wide margin, so that tokens can be compared whatever the rounding.
//
//	token_embd      a code of the token, one number of 40, and a number that is always set
//	layer 0         every position attends to the one before it, and stores its code
//	layer 1         attends to where the stored code is that of the last token, and copies the code there
//	output          the token of that code
//
// Layer 0 uses the fast pairs of the rotary embedding, whose angles distinguish distances;
// layer 1 the slow ones, which hardly rotate, and so compare codes alone. Feed-forward
// blocks are zero. A token that did not occur before has no answer; the first one of a
// sequence stores itself, so it should not occur again.
func Repeater() (Config, Weights) {
	c := Defaults("llama")
	c.Name, c.BlockCount, c.ContextLength, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = "repeater", 2,
		repeaterDepth, 128, 32, codes
	c.HeadCount, c.HeadCountKV, c.KeyLength, c.Rope.FreqBase = 1, 1, 128, 1e12
	w := Weights{}
	for _, s := range c.Tensors() {
		if s.Optional {
			continue
		}
		w[s.Name] = Tensor{Rows: s.Rows, Cols: s.Cols, Data: make([]float32, s.Rows*s.Cols)}
		if isGain(s.Name) {
			for i := range w[s.Name].Data {
				w[s.Name].Data[i] = 1
			}
		}
	}
	for token := range codes {
		w.set("token_embd.weight", token, ownCode+token, 4)
		w.set("token_embd.weight", token, always, 4)
		w.set("output.weight", token, nextCode+token, 1)
	}
	w.lookBack(c)
	w.lookUp()
	return c, w
}

const (
	codes         = 40
	repeaterDepth = 1 << 15

	// Places in the residual stream.
	ownCode  = 0         // of the token at the position
	lastCode = codes     // of the previous token
	nextCode = 2 * codes // of the next token
	always   = 3 * codes

	fastPairs = 10 // from 1 to 4e-4 radians a position
	slowPairs = 64 // numbers from here on rotate by at most 1e-6 per position
)

func (w Weights) set(name string, row, col int, v float64) {
	w[name].Row(row)[col] = float32(v)
}

// lookBack sets layer 0: for a distance d, the score is the sum of cos(angle (d - 1)) over
// the fast pairs. The next best distance is behind by half a cosine.
func (w Weights) lookBack(c Config) {
	const sharp = 3.25
	for i := range fastPairs {
		angle := math.Pow(c.Rope.FreqBase, -2*float64(i)/float64(c.KeyLength))
		a, b := c.Pair(i)
		w.set("blk.0.attn_q.weight", a, always, sharp*math.Cos(angle))
		w.set("blk.0.attn_q.weight", b, always, -sharp*math.Sin(angle))
		w.set("blk.0.attn_k.weight", a, always, sharp)
	}
	for code := range codes {
		w.set("blk.0.attn_v.weight", code, ownCode+code, 1)
		w.set("blk.0.attn_output.weight", lastCode+code, code, 0.5)
	}
}

// lookUp sets layer 1: the score is the product of the last token's code and the stored
// ones.
func (w Weights) lookUp() {
	const sharp = 3.25
	for code := range codes {
		w.set("blk.1.attn_q.weight", slowPairs+code, ownCode+code, sharp)
		w.set("blk.1.attn_k.weight", slowPairs+code, lastCode+code, sharp)
		w.set("blk.1.attn_v.weight", code, ownCode+code, 1)
		w.set("blk.1.attn_output.weight", nextCode+code, code, 1)
	}
}
