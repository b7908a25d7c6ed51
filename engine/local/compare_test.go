package local_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/engine/gguf"
	"waferpair/engine/infer"
	"waferpair/engine/local"
	"waferpair/engine/local/localtest"
	"waferpair/engine/token"
	"waferpair/wafer/transformer"
)

// compared compares a file on so many tokens of a text.
func compared(t *testing.T, path string, most int) local.Compared {
	t.Helper()
	far := 0.0
	got, err := local.Compare(t.Context(), path, local.Comparing{Most: most, Threads: 2, Note: func(share float64) {
		if share < far || share > 1+1e-9 {
			t.Errorf("progress: %v after %v", share, far)
		}
		far = share
	}})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(far-1) > 1e-9 {
		t.Errorf("it ended at %v", far)
	}
	return got
}

// TestCompareIsThePlainPass: what Compare says of a file is its distance from the plain pass, over more
// positions than are in memory at a time.
func TestCompareIsThePlainPass(t *testing.T) {
	const most = 100
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := localtest.Write(path, localtest.Shape("qwen3", 2, 64), gguf.Q8_0, 5); err != nil {
		t.Fatal(err)
	}
	got := compared(t, path, most)
	if got.Positions() != most || got.Tokens != most || !got.Integers || !got.Within() || got.Same() < 0.9 {
		t.Errorf("%+v", got)
	}
	want, surprise := plainDistance(t, path, most)
	if want.RMS() < 1e-3 || math.Abs(got.RMS()/want.RMS()-1) > 1e-2 || math.Abs(got.KL()/want.KL()-1) > 1e-2 {
		t.Errorf("relative RMS %v, KL %v; of the plain pass %v, %v", got.RMS(), got.KL(), want.RMS(), want.KL())
	}
	if math.Abs(got.FloatPerplexity/math.Exp(surprise)-1) > 1e-4 || math.Abs(got.Perplexity/got.FloatPerplexity-1) > 0.01 {
		t.Errorf("perplexity %v, %v; of the plain pass %v", got.Perplexity, got.FloatPerplexity, math.Exp(surprise))
	}
}

// plainDistance returns the engine's distance from the plain pass, and the mean surprise of that.
func plainDistance(t *testing.T, path string, most int) (d infer.Distance, surprise float64) {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, w, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	plain, err := transformer.New(c, w, transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	v, err := token.New(f)
	if err != nil {
		t.Fatal(err)
	}
	m, err := infer.Load(f, infer.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	s, err := m.NewState(0)
	if err != nil {
		t.Fatal(err)
	}
	tokens, state := v.Encode(nil, local.OwnText, token.Options{BOS: true})[:most], plain.NewState()
	for i, id := range tokens {
		want, err := plain.Step(state, int(id))
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Forward(t.Context(), s, tokens[i:i+1], infer.Last)
		if err != nil {
			t.Fatal(err)
		}
		d.Add(got, want)
		if i+1 < len(tokens) {
			surprise += infer.Surprise(want, tokens[i+1]) / float64(len(tokens)-1)
		}
	}
	return d, surprise
}

// TestCompareOfOthers: a file of floats is nearer, one whose inputs are too uneven for eight bits is too far.
func TestCompareOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	c := localtest.Shape("llama", 2, 64)
	if err := localtest.Write(path, c, gguf.F16, 5); err != nil {
		t.Fatal(err)
	}
	if got := compared(t, path, 20); got.Integers || got.RMS() > 1.5e-3 || got.RMS() == 0 {
		t.Errorf("floats: %+v", got)
	}
	if err := localtest.WriteUneven(path, c, gguf.Q8_0, 5); err != nil {
		t.Fatal(err)
	}
	if got := compared(t, path, 20); got.Within() || !(got.RMS() > infer.MostRMS) {
		t.Errorf("uneven: %v, %v", got.RMS(), got.KL())
	}
}

// TestCompareEnds: with its context, and with texts that have nothing to compare.
func TestCompareEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := localtest.Write(path, localtest.Shape("qwen2", 3, 64), gguf.Q4_0, 5); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := local.Compare(ctx, path, local.Comparing{Most: 20, Note: func(float64) { cancel() }}); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	for _, o := range []local.Comparing{{Text: "x", Most: 20}, {Text: "long enough", Most: 1}} {
		if _, err := local.Compare(t.Context(), path, o); err == nil || !strings.Contains(err.Error(), "too short") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
