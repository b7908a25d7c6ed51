package transformer

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Config is the shape of a transformer and everything else that its pass depends on besides
// the weights. Fields have the names of GGUF's keys, which follow each of them. Lengths are
// counts of numbers. Configs are comparable.
type Config struct {
	Name         string // general.name
	Architecture string // general.architecture: one of Families; empty is llama

	BlockCount        int // block_count: layers
	ContextLength     int // context_length: positions that it was trained for; 0: unknown
	EmbeddingLength   int // embedding_length: width of the residual stream
	FeedForwardLength int // feed_forward_length: hidden width of the SwiGLU block, or of one expert
	VocabSize         int // vocab_size, else the rows of token_embd

	HeadCount       int     // attention.head_count
	HeadCountKV     int     // attention.head_count_kv
	KeyLength       int     // attention.key_length and value_length: numbers of a head
	RMSEpsilon      float64 // attention.layer_norm_rms_epsilon
	SlidingWindow   int     // attention.sliding_window: positions that a token sees, including its own; 0: all
	Rope            Rope    // rope.*
	ExpertCount     int     // expert_count: per layer; 0: a dense block
	ExpertUsedCount int     // expert_used_count: per token

	// Properties that show only in the tensors of a file.
	TieWordEmbeddings bool // no output.weight: token_embd is also the head
	QKVBias           bool // attn_q.bias, attn_k.bias, attn_v.bias
	QKNorm            bool // attn_q_norm.weight, attn_k_norm.weight

	// The bits of a stored weight, including its share of scales, for placements. The pass
	// does not use them.
	BitsPerWeight float64
	ExpertBits    float64 // of experts; 0: as the other weights
}

// Families are the architectures that the pass supports.
var Families = []string{"llama", "qwen2", "qwen3"}

// of returns the shape with the properties of its architecture that have no key.
func (c Config) of(architecture string) Config {
	c.Architecture = architecture
	c.QKVBias = architecture == "qwen2"
	c.QKNorm = architecture == "qwen3"
	return c
}

// QueryWidth returns the width of a token's queries, KVWidth that of its keys, which is
// also that of its values.
func (c Config) QueryWidth() int { return c.HeadCount * c.KeyLength }
func (c Config) KVWidth() int    { return c.HeadCountKV * c.KeyLength }

// Group returns how many query heads share a key and value head.
func (c Config) Group() int { return c.HeadCount / c.HeadCountKV }

// Sees returns how many positions the last token of a sequence of n sees, including its
// own.
func (c Config) Sees(n int) int {
	if c.SlidingWindow > 0 {
		return min(n, c.SlidingWindow)
	}
	return n
}

// Active returns how many feed-forward blocks a token passes through.
func (c Config) Active() int { return max(1, c.ExpertUsedCount) }

// BitsPerExpertWeight returns the bits of a stored weight of an expert.
func (c Config) BitsPerExpertWeight() float64 {
	if c.ExpertBits > 0 {
		return c.ExpertBits
	}
	return c.BitsPerWeight
}

// Parameters returns the number of weights in matrices, without norms and biases.
func (c Config) Parameters() int64 {
	tables := 2
	if c.TieWordEmbeddings {
		tables = 1
	}
	d, f := int64(c.EmbeddingLength), int64(c.FeedForwardLength)
	attention := 2*d*int64(c.QueryWidth()) + 2*d*int64(c.KVWidth())
	blocks := 3*d*f*int64(max(1, c.ExpertCount)) + d*int64(c.ExpertCount)
	return int64(c.BlockCount)*(attention+blocks) + int64(tables)*int64(c.VocabSize)*d
}

// largest bounds every size, so that products of three still fit in 63 bits.
const largest = 1 << 20

// Check returns an error with everything that is wrong with a shape to be placed.
func (c Config) Check() error {
	var wrong []error
	if !(c.BitsPerWeight >= 1 && c.BitsPerWeight <= 32) {
		wrong = append(wrong, fmt.Errorf("%v bits per weight; it has to be from 1 to 32", c.BitsPerWeight))
	}
	if c.ExpertBits != 0 && !(c.ExpertBits >= 1 && c.ExpertBits <= 32) {
		wrong = append(wrong, fmt.Errorf("%v bits per weight of experts; it has to be from 1 to 32", c.ExpertBits))
	}
	return c.joined(slices.Concat(c.sizesWrong(), wrong, c.numbersWrong()))
}

// sizesWrong returns what is wrong with the lengths and counts.
func (c Config) sizesWrong() []error {
	var wrong []error
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	for _, size := range []struct {
		name  string
		value int
	}{{"layers", c.BlockCount}, {"width", c.EmbeddingLength}, {"heads", c.HeadCount}, {"KV heads", c.HeadCountKV},
		{"head size", c.KeyLength}, {"feed-forward width", c.FeedForwardLength}, {"vocabulary", c.VocabSize}} {
		if size.value < 1 || size.value > largest {
			bad("%s is %d; it has to be from 1 to %d", size.name, size.value, largest)
		}
	}
	if c.HeadCountKV > 0 && c.HeadCount%c.HeadCountKV != 0 {
		bad("%d heads cannot share %d KV heads evenly", c.HeadCount, c.HeadCountKV)
	}
	if c.KeyLength > 0 && c.KeyLength%2 != 0 {
		bad("the head size is %d; a rotary embedding needs an even one", c.KeyLength)
	}
	if c.ExpertCount < 0 || c.ExpertCount > largest || c.ExpertUsedCount < 0 || c.ExpertUsedCount > c.ExpertCount ||
		(c.ExpertCount > 0) != (c.ExpertUsedCount > 0) {
		bad("%d of %d experts are active; it has to be at least 1 of them, or no experts at all",
			c.ExpertUsedCount, c.ExpertCount)
	}
	return wrong
}

// numbersWrong returns what is wrong with the parameters of norms, rotation and window.
func (c Config) numbersWrong() []error {
	var wrong []error
	if !(c.RMSEpsilon >= 0 && c.RMSEpsilon < 1) {
		wrong = append(wrong, fmt.Errorf("the epsilon of norms is %v; it has to be from 0 to less than 1", c.RMSEpsilon))
	}
	if c.SlidingWindow < 0 || c.ContextLength < 0 {
		wrong = append(wrong, fmt.Errorf("a sliding window of %d and a context of %d positions; neither can be negative",
			c.SlidingWindow, c.ContextLength))
	}
	return append(wrong, c.Rope.wrong()...)
}

// Runnable returns an error with everything that keeps the pass from running this shape.
func (c Config) Runnable() error {
	wrong := slices.Concat(c.sizesWrong(), c.numbersWrong())
	if c.Architecture != "" && !slices.Contains(Families, c.Architecture) {
		wrong = append(wrong, fmt.Errorf("the architecture %q is not one of %q", c.Architecture, Families))
	}
	if c.ExpertCount > 0 {
		wrong = append(wrong,
			fmt.Errorf("it is a mixture of %d experts, of which a token passes %d; only dense models are run", c.ExpertCount,
				c.ExpertUsedCount))
	}
	if base := c.Rope.FreqBase; !(base > 1 && base < math.Inf(1)) {
		wrong = append(wrong, fmt.Errorf("the base of its rotary embedding is %v; it has to be more than 1", base))
	}
	if !slices.Contains([]string{"", NoScaling, Linear, Yarn}, c.Rope.Scaling.Type) {
		wrong = append(wrong, fmt.Errorf("the scaling of its rotary embedding is %q; known are none, linear and yarn",
			c.Rope.Scaling.Type))
	}
	if c.Rope.Scaling.Type == Yarn && c.original() == 0 {
		wrong = append(wrong, errors.New("its yarn scaling needs rope.scaling.original_context_length or context_length"))
	}
	return c.joined(wrong)
}

func (c Config) joined(wrong []error) error {
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("the shape of model %q: %w", c.Name, errors.Join(wrong...))
}
