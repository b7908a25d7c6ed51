package transformer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// small returns a shape of a family in which no two lengths are equal.
func small(architecture string) Config {
	c := Defaults(architecture)
	c.Name, c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = "small", 2, 24, 40, 50
	c.HeadCount, c.HeadCountKV, c.KeyLength = 6, 2, 8
	return c
}

// pass returns the logits of every position of a sequence.
func pass(t *testing.T, c Config, w Weights, tokens []int) (all [][]float32) {
	t.Helper()
	m, err := New(c, w, Float32)
	if err != nil {
		t.Fatal(err)
	}
	s := m.NewState()
	for _, token := range tokens {
		logits, err := m.Step(s, token)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, logits)
	}
	return all
}

// apart returns the greatest difference between the logits of two passes.
func apart(a, b [][]float32) (most float64) {
	for p := range a {
		for i := range a[p] {
			most = max(most, math.Abs(float64(a[p][i])-float64(b[p][i])))
		}
	}
	return most
}

var sentence = []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 35, 8, 9}

// changed returns the weights with some tensors replaced.
func changed(w Weights, with Weights) Weights {
	w = maps.Clone(w)
	maps.Copy(w, with)
	return w
}

// rows returns some rows of a tensor.
func rows(t Tensor, which []int) Tensor {
	out := Tensor{Rows: len(which), Cols: t.Cols}
	for _, r := range which {
		out.Data = append(out.Data, t.Row(r)...)
	}
	return out
}

// TestGroupedQueries checks that grouped queries give the same as heads with keys of their
// own when the heads of a group have equal ones.
func TestGroupedQueries(t *testing.T) {
	c := small("llama")
	w := Random(c, 1)
	want := pass(t, c, w, sentence)
	var each []int // the key row of each query row
	for i := range c.QueryWidth() {
		each = append(each, i/c.KeyLength/3*c.KeyLength+i%c.KeyLength)
	}
	with := Weights{}
	for i := range c.BlockCount {
		for _, name := range []string{"attn_k.weight", "attn_v.weight"} {
			with[Layer(i, name)] = rows(w[Layer(i, name)], each)
		}
	}
	c.HeadCountKV = c.HeadCount
	if off := apart(pass(t, c, changed(w, with), sentence), want); off != 0 {
		t.Errorf("logits are %v apart", off)
	}
}

// TestPairings checks that the two pairings are one rotation of rows in another order,
// which is why the converter permutes Q and K of llama files.
func TestPairings(t *testing.T) {
	neox := small("qwen2")
	neox.QKVBias = false
	w := Random(neox, 2)
	want := pass(t, neox, w, sentence)
	with := Weights{}
	for i := range neox.BlockCount {
		for _, name := range []string{"attn_q.weight", "attn_k.weight"} {
			from := w[Layer(i, name)]
			var order []int
			for r := range from.Rows {
				head, at := r/8*8, r%8
				order = append(order, head+at/2+at%2*4)
			}
			with[Layer(i, name)] = rows(from, order)
		}
	}
	norm := neox
	norm.Architecture = "llama"
	if off := apart(pass(t, norm, changed(w, with), sentence), want); off > 2e-6 {
		t.Errorf("logits are %v apart", off)
	}
	if off := apart(pass(t, norm, w, sentence), want); off < 1e-2 {
		t.Errorf("without the permutation logits are only %v apart: pairs are not told from each other", off)
	}
}

// TestWindow checks that, through one layer, a window of w positions equals the last w
// tokens by themselves: the rotary embedding depends on distances only.
func TestWindow(t *testing.T) {
	const window = 5
	c := small("llama")
	c.BlockCount = 1
	w := Random(c, 3)
	all := pass(t, c, w, sentence)
	c.SlidingWindow = window
	got := pass(t, c, w, sentence)
	c.SlidingWindow = 0
	for p := range sentence {
		alone := pass(t, c, w, sentence[max(0, p-window+1):p+1])
		if off := apart(got[p:p+1], alone[len(alone)-1:]); off > 2e-6 {
			t.Errorf("position %d: logits are %v apart", p, off)
		}
		if same := apart(got[p:p+1], all[p:p+1]) == 0; same != (p < window) {
			t.Errorf("position %d: with a window of %d logits are those of all positions: %v", p, window, same)
		}
	}
}

// TestTiedEmbeddings checks that a tied head equals a head of its own with the table's
// rows.
func TestTiedEmbeddings(t *testing.T) {
	c := small("qwen3")
	c.TieWordEmbeddings = true
	w := Random(c, 4)
	want := pass(t, c, w, sentence)
	c.TieWordEmbeddings = false
	if off := apart(pass(t, c, changed(w, Weights{"output.weight": w["token_embd.weight"]}), sentence), want); off != 0 {
		t.Errorf("logits are %v apart", off)
	}
}

// TestCut checks that a sequence that is cut and continued differently equals that other
// sequence.
func TestCut(t *testing.T) {
	c := small("qwen2")
	w := Random(c, 5)
	want := pass(t, c, w, sentence)
	m, err := New(c, w, Float32)
	if err != nil {
		t.Fatal(err)
	}
	s := m.NewState()
	for _, token := range append(slices.Clone(sentence[:6]), 17, 18, 19) {
		if _, err := m.Step(s, token); err != nil {
			t.Fatal(err)
		}
	}
	s.Cut(6)
	for p, token := range sentence[6:] {
		got, err := m.Step(s, token)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want[6+p]) {
			t.Fatalf("position %d after the cut has other logits", 6+p)
		}
	}
	if s.Len() != len(sentence) {
		t.Errorf("%d tokens, want %d", s.Len(), len(sentence))
	}
}

// TestStorage checks that the pass in binary16 is near that in float32, and that every
// number stored is a binary16.
func TestStorage(t *testing.T) {
	for _, architecture := range Families {
		c := small(architecture)
		w := Random(c, 6)
		want := pass(t, c, w, sentence)
		m, err := New(c, w, Float16)
		if err != nil {
			t.Fatal(err)
		}
		s := m.NewState()
		for p, token := range sentence {
			got, err := m.Step(s, token)
			if err != nil {
				t.Fatal(err)
			}
			if off := apart([][]float32{got}, want[p:p+1]); off > 0.03 || off == 0 {
				t.Errorf("%s, position %d: logits are %v apart", architecture, p, off)
			}
		}
		for _, list := range slices.Concat(s.Keys[1], s.Values[1]) {
			if !slices.Equal(list, Float16.all(slices.Clone(list))) {
				t.Errorf("%s: keys or values are not binary16", architecture)
			}
		}
	}
}

// TestWeightsThatDoNotFit checks that the errors name weights that do not fit the shape.
func TestWeightsThatDoNotFit(t *testing.T) {
	c := small("qwen2")
	for says, change := range map[string]func(w Weights){
		"tensor blk.1.attn_k.bias is missing": func(w Weights) { delete(w, "blk.1.attn_k.bias") },
		"tensor blk.0.ffn_up.weight is 24 x 40": func(w Weights) {
			w["blk.0.ffn_up.weight"] = w["blk.0.ffn_down.weight"]
		},
		"the shape asks for 40 x 24": func(w Weights) {
			w["blk.0.ffn_up.weight"] = w["blk.0.ffn_down.weight"]
		},
		"tensor blk.0.ffn_up.bias has no place in a dense model": func(w Weights) { w["blk.0.ffn_up.bias"] = Tensor{} },
		"tensor rope_freqs.weight has no place":                  func(w Weights) { w["rope_freqs.weight"] = Tensor{} },
		"tensor blk.0.attn_q_norm.weight has no place in a dense": func(w Weights) {
			w["blk.0.attn_q_norm.weight"] = Tensor{}
		},
		"and 19 more": func(w Weights) { clear(w) },
	} {
		w := Random(c, 7)
		change(w)
		if _, err := New(c, w, Float32); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
}

// TestNotRunnable checks that shapes without a known pass are refused with a reason.
func TestNotRunnable(t *testing.T) {
	for says, change := range map[string]func(c *Config){
		`architecture "gemma3" is not one of ["llama" "qwen2" "qwen3"]`: func(c *Config) { c.Architecture = "gemma3" },
		"a mixture of 4 experts, of which a token passes 2": func(c *Config) {
			c.ExpertCount, c.ExpertUsedCount = 4, 2
		},
		"base of its rotary embedding is 0":             func(c *Config) { c.Rope.FreqBase = 0 },
		"yarn scaling needs":                            func(c *Config) { c.Rope.Scaling.Type = Yarn },
		`scaling of its rotary embedding is "longrope"`: func(c *Config) { c.Rope.Scaling.Type = "longrope" },
		"parameter of its rotary embedding is NaN": func(c *Config) {
			c.Rope.Scaling.Factor = math.NaN()
		},
		"epsilon of norms is -1": func(c *Config) { c.RMSEpsilon = -1 },
		"sliding window of -1":   func(c *Config) { c.SlidingWindow = -1 },
		"head size is 7":         func(c *Config) { c.KeyLength = 7 },
	} {
		c := small("llama")
		change(&c)
		if err := c.Runnable(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
	m, err := New(small("llama"), Random(small("llama"), 1), Float32)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []int{-1, 50} {
		if _, err := m.Step(m.NewState(), token); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("token %d is not in a vocabulary of 50", token)) {
			t.Errorf("token %d: %v", token, err)
		}
	}
}
