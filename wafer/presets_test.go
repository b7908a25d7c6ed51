package wafer

import (
	"math"
	"strings"
	"testing"

	"waferpair/wafer/transformer"
)

// TestPresetsHaveTheirSize checks that the presets have about as many parameters as their
// names say.
func TestPresetsHaveTheirSize(t *testing.T) {
	billions := map[string]float64{
		"llama3-8b": 8.0, "llama3-70b": 70.6, "llama2-13b": 13.0, "codellama-34b": 33.7, "qwen2-72b": 72.7,
		"qwen3-1.7b": 1.72, "qwen2.5-coder-0.5b": 0.494, "qwen2.5-coder-1.5b": 1.54, "qwen2.5-coder-7b": 7.62,
		"gpt-oss-120b": 116.8,
	}
	for _, m := range Presets() {
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		got, want := float64(m.Parameters())/1e9, billions[m.Name]
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
	for name, want := range map[string]string{"llama3.1-8b": "llama3-8b", "Llama-3.1-70B": "llama3-70b",
		"qwen3-1.7b": "qwen3-1.7b"} {
		if m, err := Preset(name); err != nil || m.Name != want {
			t.Errorf("%s is %q, %v", name, m.Name, err)
		}
	}
	if _, err := Preset("gpt-9"); err == nil || !strings.Contains(err.Error(), "llama3-8b") {
		t.Errorf("an unknown preset: %v; it should name those that there are", err)
	}
}

// TestParametersOfAPreset checks that a file of parameters gives the preset's figures.
func TestParametersOfAPreset(t *testing.T) {
	got, err := transformer.ReadConfig(strings.NewReader(`{"qwen2.block_count": 24, "embedding_length": 896, "attention.head_count": 14,
		"attention.head_count_kv": 2, "feed_forward_length": 4864, "vocab_size": 151936, "tie_word_embeddings": true}`), "qwen2.5-coder-0.5b")
	if want := mustPreset("qwen2.5-coder-0.5b"); err != nil || got != want {
		t.Errorf("%+v, %v\nis not %+v", got, err, want)
	}
}
