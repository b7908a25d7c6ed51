// Package localtest writes small model files for tests of what runs them: random weights, a
// vocabulary of bytes and the control tokens of ChatML. What such a model says means nothing, but
// it always says the same.
package localtest

import (
	"fmt"
	"os"

	"waferpair/engine/gguf"
	"waferpair/wafer/transformer"
)

// Template has the markers of ChatML.
const Template = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"

// bytes is the number of tokens that are text: one for each byte, and one that merges two of them.
const (
	bytes  = 256 + 1
	merged = "th"
)

var controls = []string{"<|endoftext|>", "<|im_start|>", "<|im_end|>"}

// Shape returns the shape of a model of a family with so many layers of a width.
func Shape(family string, layers, width int) transformer.Config {
	c := transformer.Defaults(family)
	c.Name, c.BlockCount, c.ContextLength, c.EmbeddingLength, c.FeedForwardLength = "tiny", layers, 4096, width, 2*width
	c.HeadCount, c.HeadCountKV, c.KeyLength, c.VocabSize = width/32, max(1, width/64), 32, bytes+len(controls)
	return c
}

// Write writes a model file.
func Write(path string, c transformer.Config, matrices gguf.Type, seed uint64) (err error) {
	pairs, tensors := gguf.Sources(c, transformer.Random(c, seed), matrices)
	pairs = append(pairs, vocabulary()...)
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write a model: %w", err)
	}
	if err := gguf.Write(f, pairs, tensors); err != nil {
		_ = f.Close()
		return fmt.Errorf("write the model %s: %w", path, err)
	}
	return f.Close()
}

// vocabulary spells bytes as GPT-2 does.
func vocabulary() []gguf.Pair {
	var names []string
	var kinds []int32
	for b := range 256 {
		names, kinds = append(names, letter(byte(b))), append(kinds, 1)
	}
	names, kinds = append(names, merged), append(kinds, 1)
	for _, name := range controls {
		names, kinds = append(names, name), append(kinds, 3)
	}
	return []gguf.Pair{
		{Key: "tokenizer.ggml.model", Value: "gpt2"},
		{Key: "tokenizer.ggml.pre", Value: "qwen2"},
		{Key: "tokenizer.ggml.tokens", Value: names},
		{Key: "tokenizer.ggml.token_type", Value: kinds},
		{Key: "tokenizer.ggml.merges", Value: []string{merged[:1] + " " + merged[1:]}},
		{Key: "tokenizer.ggml.eos_token_id", Value: uint32(bytes + 2)},
		{Key: "tokenizer.chat_template", Value: Template},
	}
}

// letter returns the character that stands for a byte in GPT-2's vocabularies: itself if it is printable,
// otherwise the next one from 256 on.
func letter(b byte) string {
	printable := func(b int) bool { return b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae }
	if printable(int(b)) {
		return string(rune(b))
	}
	n := 256
	for i := range int(b) {
		if !printable(i) {
			n++
		}
	}
	return string(rune(n))
}
