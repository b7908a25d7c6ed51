// Package localtest writes small model files for tests of what runs them, with a vocabulary of bytes and
// the control tokens of ChatML: Write, with random weights, whose answers mean nothing and are always
// the same; Answering, with weights set by hand, whose answer is known.
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
	end    = bytes + 2 // <|im_end|>
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
	return write(path, c, transformer.Random(c, seed), matrices, nil)
}

// WriteUneven writes a model file as Write does, in which a few inputs of each matrix are by far the largest: rounded
// together with them to eight bits, the others are lost.
func WriteUneven(path string, c transformer.Config, matrices gguf.Type, seed uint64) error {
	const far = 1000
	w := transformer.Random(c, seed)
	for i := range c.BlockCount {
		for norm, readers := range map[string][]string{"attn_norm.weight": {"attn_q.weight",
			"attn_k.weight", "attn_v.weight"},
			"ffn_norm.weight": {"ffn_gate.weight", "ffn_up.weight"}} {
			gain := w[transformer.Layer(i, norm)].Data
			for at := 0; at < len(gain); at += 32 {
				gain[at] *= far
				for _, name := range readers {
					t := w[transformer.Layer(i, name)]
					for r := range t.Rows {
						t.Row(r)[at] /= far
					}
				}
			}
		}
	}
	return write(path, c, w, matrices, nil)
}

// Answering writes a model that answers everything with the same lines, each of which is a token of its own,
// and may be there once. Its blocks add nothing; the head follows the line that was last, or the line
// break that begins an answer, with the next one, by a wide margin.
func Answering(path string, matrices gguf.Type, lines ...string) error {
	c := Shape("llama", 1, 0)
	c.VocabSize += len(lines)
	c.EmbeddingLength, c.FeedForwardLength = (c.VocabSize+255)/256*256, 256 // as every type needs it
	c.HeadCount, c.HeadCountKV = 8, 1
	w := transformer.Random(c, 1)
	for name, t := range w {
		if t.Rows > 1 {
			clear(t.Data)
			w[name] = t
		}
	}
	for id := range c.VocabSize {
		next := end
		switch {
		case id == '\n' && len(lines) > 0:
			next = bytes + len(controls)
		case id >= bytes+len(controls) && id+1 < c.VocabSize:
			next = id + 1
		}
		w["token_embd.weight"].Row(id)[id] = 1
		w["output.weight"].Row(next)[id] = 1
	}
	return write(path, c, w, matrices, lines)
}

func write(path string, c transformer.Config, w transformer.Weights, matrices gguf.Type, lines []string) (err error) {
	pairs, tensors := gguf.Sources(c, w, matrices)
	pairs = append(pairs, vocabulary(lines)...)
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

// vocabulary spells bytes as GPT-2 does. Lines are tokens that a user has defined.
func vocabulary(lines []string) []gguf.Pair {
	var names []string
	var kinds []int32
	for b := range 256 {
		names, kinds = append(names, letter(byte(b))), append(kinds, 1)
	}
	names, kinds = append(names, merged), append(kinds, 1)
	for _, name := range controls {
		names, kinds = append(names, name), append(kinds, 3)
	}
	for _, line := range lines {
		names, kinds = append(names, line), append(kinds, 4)
	}
	return []gguf.Pair{
		{Key: "tokenizer.ggml.model", Value: "gpt2"},
		{Key: "tokenizer.ggml.pre", Value: "qwen2"},
		{Key: "tokenizer.ggml.tokens", Value: names},
		{Key: "tokenizer.ggml.token_type", Value: kinds},
		{Key: "tokenizer.ggml.merges", Value: []string{merged[:1] + " " + merged[1:]}},
		{Key: "tokenizer.ggml.eos_token_id", Value: uint32(end)},
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
