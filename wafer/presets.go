package wafer

import (
	"fmt"
	"slices"
	"strings"

	"waferpair/wafer/transformer"
)

// presets are the shapes in the models' published configurations, with 16-bit weights.
// Parameters that do not matter for a placement (epsilon, the base of the rotary embedding)
// have GGUF's defaults. gpt-oss-120b stores its experts as MXFP4: 4 bits, and 8 of scale
// for every 32.
var presets = []transformer.Config{
	dense("llama", "llama3-8b", 32, 4096, 32, 8, 128, 14336, 128256, false),
	dense("llama", "llama3-70b", 80, 8192, 64, 8, 128, 28672, 128256, false),
	dense("llama", "llama2-13b", 40, 5120, 40, 40, 128, 13824, 32000, false),
	dense("llama", "codellama-34b", 48, 8192, 64, 8, 128, 22016, 32000, false),
	dense("qwen2", "qwen2-72b", 80, 8192, 64, 8, 128, 29568, 152064, false),
	dense("qwen3", "qwen3-1.7b", 28, 2048, 16, 8, 128, 6144, 151936, true),
	dense("qwen2", "qwen2.5-coder-0.5b", 24, 896, 14, 2, 64, 4864, 151936, true),
	dense("qwen2", "qwen2.5-coder-1.5b", 28, 1536, 12, 2, 128, 8960, 151936, true),
	dense("qwen2", "qwen2.5-coder-7b", 28, 3584, 28, 4, 128, 18944, 152064, false),
	gptOSS(),
}

// aliases are other names of presets: newer models with the same shape.
var aliases = map[string]string{
	"llama3.1-8b": "llama3-8b", "llama-3.1-8b": "llama3-8b", "llama-3-8b": "llama3-8b",
	"llama3.1-70b": "llama3-70b", "llama-3.1-70b": "llama3-70b", "llama3.3-70b": "llama3-70b", "llama-3-70b": "llama3-70b",
	"llama-2-13b": "llama2-13b",
}

func dense(architecture, name string, layers, width, heads, kvHeads, headDim, feedForward, vocabulary int,
	tied bool) transformer.Config {
	c := transformer.Defaults(architecture)
	c.Name, c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = name, layers, width,
		feedForward, vocabulary
	c.HeadCount, c.HeadCountKV, c.KeyLength, c.TieWordEmbeddings = heads, kvHeads, headDim, tied
	return c
}

// gptOSS has experts: feedForward is the width of one of them.
func gptOSS() transformer.Config {
	c := dense("gpt-oss", "gpt-oss-120b", 36, 2880, 64, 8, 64, 2880, 201088, false)
	c.ExpertCount, c.ExpertUsedCount, c.ExpertBits = 128, 4, 4.25
	return c
}

// Presets returns the shapes that have names.
func Presets() []transformer.Config { return slices.Clone(presets) }

// Preset returns the shape with a name.
func Preset(name string) (transformer.Config, error) {
	wanted := strings.ToLower(name)
	if of, ok := aliases[wanted]; ok {
		wanted = of
	}
	var names []string
	for _, m := range presets {
		if m.Name == wanted {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return transformer.Config{}, fmt.Errorf("no preset is called %q; there are %s, or give a file of parameters", name,
		strings.Join(names, ", "))
}
