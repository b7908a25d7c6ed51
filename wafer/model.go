package wafer

import (
	"errors"
	"fmt"
)

// Model is the shape of a transformer: what its placement and cycles depend on.
// Widths are in elements.
type Model struct {
	Name    string `json:"name"`
	Layers  int    `json:"layers"`
	Width   int    `json:"width"` // of the residual stream
	Heads   int    `json:"heads"`
	KVHeads int    `json:"kv_heads"`
	HeadDim int    `json:"head_dim"`

	// FeedForward is the hidden width of the SwiGLU block, or of one expert.
	FeedForward int `json:"feed_forward"`
	Vocabulary  int `json:"vocabulary"`

	// Experts of a layer, and how many of them a token passes. Cycles count the
	// active ones, SRAM all of them: every expert is tiled over the whole region,
	// so no token travels to its experts. 0 experts: a dense block.
	Experts       int `json:"experts,omitempty"`
	ActiveExperts int `json:"active_experts,omitempty"`

	// Tied: the embedding table and the head are one.
	Tied bool `json:"tied,omitempty"`

	// Bits of a stored weight, with its share of scales. Arithmetic, activations
	// and the KV cache are fp16; unpacking narrower weights is not charged.
	BitsPerWeight float64 `json:"bits_per_weight"`
	ExpertBits    float64 `json:"expert_bits,omitempty"` // 0: as the others
}

// QueryWidth and KVWidth are the widths of a token's queries, and of its keys
// (or values).
func (m Model) QueryWidth() int { return m.Heads * m.HeadDim }
func (m Model) KVWidth() int    { return m.KVHeads * m.HeadDim }

// active is how many feed-forward blocks a token passes.
func (m Model) active() int { return max(1, m.ActiveExperts) }

func (m Model) expertBits() float64 {
	if m.ExpertBits > 0 {
		return m.ExpertBits
	}
	return m.BitsPerWeight
}

// Weights is the number of parameters, norms left out.
func (m Model) Weights() int64 {
	tables := 2
	if m.Tied {
		tables = 1
	}
	d, f := int64(m.Width), int64(m.FeedForward)
	attention := 2*d*int64(m.QueryWidth()) + 2*d*int64(m.KVWidth())
	blocks := 3*d*f*int64(max(1, m.Experts)) + d*int64(m.Experts)
	return int64(m.Layers)*(attention+blocks) + int64(tables)*int64(m.Vocabulary)*d
}

// largest is a bound on every size: products of three still fit in 63 bits.
const largest = 1 << 20

// Check says everything that is wrong with the shape.
func (m Model) Check() error {
	var wrong []error
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	for _, size := range []struct {
		name  string
		value int
	}{{"layers", m.Layers}, {"width", m.Width}, {"heads", m.Heads}, {"KV heads", m.KVHeads},
		{"head size", m.HeadDim}, {"feed-forward width", m.FeedForward}, {"vocabulary", m.Vocabulary}} {
		if size.value < 1 || size.value > largest {
			bad("%s is %d; it has to be from 1 to %d", size.name, size.value, largest)
		}
	}
	if m.KVHeads > 0 && m.Heads%m.KVHeads != 0 {
		bad("%d heads cannot share %d KV heads evenly", m.Heads, m.KVHeads)
	}
	if m.HeadDim > 0 && m.HeadDim%2 != 0 {
		bad("the head size is %d; a rotary embedding needs an even one", m.HeadDim)
	}
	if m.Experts < 0 || m.Experts > largest || m.ActiveExperts < 0 || m.ActiveExperts > m.Experts || (m.Experts > 0) != (m.ActiveExperts > 0) {
		bad("%d of %d experts are active; it has to be at least 1 of them, or no experts at all", m.ActiveExperts, m.Experts)
	}
	if !(m.BitsPerWeight >= 1 && m.BitsPerWeight <= 32) {
		bad("%v bits per weight; it has to be from 1 to 32", m.BitsPerWeight)
	}
	if m.ExpertBits != 0 && !(m.ExpertBits >= 1 && m.ExpertBits <= 32) {
		bad("%v bits per weight of experts; it has to be from 1 to 32", m.ExpertBits)
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("the shape of model %q: %w", m.Name, errors.Join(wrong...))
}

// ceil is a/b, rounded up: the elements of the core that has most of a when b
// cores share them.
func ceil(a, b int) int { return (a + b - 1) / b }
