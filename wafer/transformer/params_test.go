package transformer

import (
	"strings"
	"testing"
)

const parameters = `{"qwen2.block_count": 24, "embedding_length": 896, "attention.head_count": 14, "attention.head_count_kv": 2,
	"feed_forward_length": 4864, "vocab_size": 151936, "tie_word_embeddings": true, "bits_per_weight": 16}`

func TestParametersOfExperts(t *testing.T) {
	m, err := ReadConfig(strings.NewReader(`{"block_count": 2, "embedding_length": 64, "attention.head_count": 3, "attention.key_length": 32,
		"feed_forward_length": 512, "vocab_size": 100, "expert_count": 8, "expert_used_count": 2, "expert_feed_forward_length": 96}`), "x")
	if err != nil {
		t.Fatal(err)
	}
	if m.FeedForwardLength != 96 || m.HeadCountKV != 3 || m.KeyLength != 32 || m.Active() != 2 || m.BitsPerWeight != 16 {
		t.Errorf("%+v", m)
	}
}

// TestBadParameters checks that the errors name each mistake in the parameters.
func TestBadParameters(t *testing.T) {
	for _, c := range []struct{ change, to, says string }{
		{parameters, ``, "not a JSON object of parameters: it ends too early"},
		{parameters, `{"vocab_size": 1`, "it ends too early"},
		{parameters, `{"vocab_size": ten}`, "byte 17 is wrong"},
		{parameters, `[1]`, "not a JSON object of parameters: it is something else"},
		{`16}`, `16} {}`, "more after"},
		{`"qwen2.block_count": 24,`, ``, "block_count missing"},
		{`24`, `0`, "layers is 0"},
		{`24`, `-3`, "layers is -3"},
		{`24`, `2.5`, "2.5 is not a whole number"},
		{`24`, `"24"`, "is not a whole number"},
		{`24`, `1e300`, "1e300 is too large: numbers up to 1000000000 are read"},
		{`"embedding_length": 896`, `"embedding_length": 897`, "do not divide the width"},
		{`"attention.head_count_kv": 2`, `"attention.head_count_kv": 3`, "cannot share 3 KV heads"},
		{`"attention.head_count_kv": 2`, `"attention.head_count_kv": 0`, "KV heads is 0"},
		{`"vocab_size"`, `"vocabulary"`, `no parameter is called "vocabulary"`},
		{`"vocab_size": 151936`, `"vocab_size": 151936, "x.vocab_size": 1`, "vocab_size is there twice"},
		{`true`, `3`, "true or false"},
		{`"vocab_size"`, `"attention.value_length": 32, "vocab_size"`,
			"attention.value_length is 32 and the heads are of 64"},
		{`"vocab_size"`, `"qwen2.rope.dimension_count": 32, "vocab_size"`,
			"rope.dimension_count is 32 and the heads are of 64"},
		{`"bits_per_weight": 16`, `"bits_per_weight": 0.5`, "0.5 bits per weight"},
		{`"bits_per_weight": 16`, `"bits_per_weight": 16, "expert_count": 4`, "0 of 4 experts"},
	} {
		text := strings.Replace(parameters, c.change, c.to, 1)
		if _, err := ReadConfig(strings.NewReader(text), "x"); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s for %s: %v; want %q", c.to, c.change, err, c.says)
		}
	}
}

// TestSizeOfHeadsOverAgain checks that GGUF files may repeat some parameters.
func TestSizeOfHeadsOverAgain(t *testing.T) {
	text := strings.Replace(parameters, `"vocab_size"`,
		`"attention.value_length": 64, "qwen2.rope.dimension_count": 64, "vocab_size"`, 1)
	if c, err := ReadConfig(strings.NewReader(text), "x"); err != nil || c.KeyLength != 64 {
		t.Errorf("heads of %d, %v", c.KeyLength, err)
	}
}

func TestLoadConfigNamesTheFile(t *testing.T) {
	if _, err := LoadConfig("no/such/file.json"); err == nil || !strings.Contains(err.Error(), "no/such/file.json") {
		t.Errorf("a missing file: %v", err)
	}
}
