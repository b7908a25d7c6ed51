package wafer

import (
	"math"
	"strings"
	"testing"
)

// The presets have about as many parameters as their names say.
func TestPresetsHaveTheirSize(t *testing.T) {
	billions := map[string]float64{
		"llama3-8b": 8.0, "llama3-70b": 70.6, "llama2-13b": 13.0, "codellama-34b": 33.7, "qwen2-72b": 72.7,
		"qwen3-1.7b": 1.72, "qwen2.5-coder-0.5b": 0.494, "qwen2.5-coder-1.5b": 1.54, "qwen2.5-coder-7b": 7.62, "gpt-oss-120b": 116.8,
	}
	for _, m := range Presets() {
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		got, want := float64(m.Weights())/1e9, billions[m.Name]
		if math.Abs(got/want-1) > 0.01 {
			t.Errorf("%s has %.3f billion parameters, not %.3f", m.Name, got, want)
		}
		delete(billions, m.Name)
	}
	if len(billions) > 0 {
		t.Errorf("presets missing: %v", billions)
	}
}

func TestPresetByName(t *testing.T) {
	for name, want := range map[string]string{"llama3.1-8b": "llama3-8b", "Llama-3.1-70B": "llama3-70b", "qwen3-1.7b": "qwen3-1.7b"} {
		if m, err := Preset(name); err != nil || m.Name != want {
			t.Errorf("%s is %q, %v", name, m.Name, err)
		}
	}
	if _, err := Preset("gpt-9"); err == nil || !strings.Contains(err.Error(), "llama3-8b") {
		t.Errorf("an unknown preset: %v; it should name those that there are", err)
	}
}

const parameters = `{"llama.block_count": 24, "embedding_length": 896, "attention.head_count": 14, "attention.head_count_kv": 2,
	"feed_forward_length": 4864, "vocab_size": 151936, "tie_word_embeddings": true, "bits_per_weight": 16}`

func TestParametersOfAPreset(t *testing.T) {
	m, err := ReadModel(strings.NewReader(parameters), "qwen2.5-coder-0.5b")
	if err != nil {
		t.Fatal(err)
	}
	if want := mustPreset("qwen2.5-coder-0.5b"); m != want {
		t.Errorf("%+v\nis not %+v", m, want)
	}
}

func TestParametersOfExperts(t *testing.T) {
	m, err := ReadModel(strings.NewReader(`{"block_count": 2, "embedding_length": 64, "attention.head_count": 3, "attention.key_length": 32,
		"feed_forward_length": 512, "vocab_size": 100, "expert_count": 8, "expert_used_count": 2, "expert_feed_forward_length": 96}`), "x")
	if err != nil {
		t.Fatal(err)
	}
	if m.FeedForward != 96 || m.KVHeads != 3 || m.HeadDim != 32 || m.active() != 2 || m.BitsPerWeight != 16 {
		t.Errorf("%+v", m)
	}
}

// Each mistake in the parameters is named.
func TestBadParameters(t *testing.T) {
	for _, c := range []struct{ change, to, says string }{
		{parameters, ``, "not a JSON object"},
		{parameters, `[1]`, "not a JSON object"},
		{`16}`, `16} {}`, "more after"},
		{`"llama.block_count": 24,`, ``, "block_count missing"},
		{`24`, `0`, "layers is 0"},
		{`24`, `-3`, "layers is -3"},
		{`24`, `2.5`, "2.5 is not a whole number"},
		{`24`, `"24"`, "is not a whole number"},
		{`24`, `1e300`, "is not a whole number"},
		{`"embedding_length": 896`, `"embedding_length": 897`, "do not divide the width"},
		{`"attention.head_count_kv": 2`, `"attention.head_count_kv": 3`, "cannot share 3 KV heads"},
		{`"attention.head_count_kv": 2`, `"attention.head_count_kv": 0`, "KV heads is 0"},
		{`"vocab_size"`, `"vocabulary"`, `no parameter is called "vocabulary"`},
		{`"vocab_size": 151936`, `"vocab_size": 151936, "x.vocab_size": 1`, "vocab_size is there twice"},
		{`true`, `3`, "true or false"},
		{`"bits_per_weight": 16`, `"bits_per_weight": 0.5`, "0.5 bits per weight"},
		{`"bits_per_weight": 16`, `"bits_per_weight": 16, "expert_count": 4`, "0 of 4 experts"},
	} {
		text := strings.Replace(parameters, c.change, c.to, 1)
		if _, err := ReadModel(strings.NewReader(text), "x"); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s for %s: %v; want %q", c.to, c.change, err, c.says)
		}
	}
}

func TestLoadModelNamesTheFile(t *testing.T) {
	if _, err := LoadModel("no/such/file.json"); err == nil || !strings.Contains(err.Error(), "no/such/file.json") {
		t.Errorf("a missing file: %v", err)
	}
}
