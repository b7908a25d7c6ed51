package run

import (
	"context"
	"math"
	"testing"
	"time"

	"waferpair/wafer/kernel"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// shape returns the shape of a small llama.
func shape(layers, width, heads, kvHeads, headSize, ffn, vocab int) transformer.Config {
	c := transformer.Defaults("llama")
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = layers, width, ffn, vocab
	c.HeadCount, c.HeadCountKV, c.KeyLength = heads, kvHeads, headSize
	return c
}

// halves returns a shape whose pairs are the halves of a head, as in qwen's models.
func halves(c transformer.Config) transformer.Config {
	c.Architecture = "qwen2"
	return c
}

// biased returns the shape of a qwen2.
func biased(c transformer.Config) transformer.Config {
	c = halves(c)
	c.QKVBias = true
	return c
}

// normed returns the shape of a qwen3.
func normed(c transformer.Config) transformer.Config {
	c = halves(c)
	c.Architecture, c.QKNorm = "qwen3", true
	return c
}

// slides returns a shape with a sliding window.
func slides(window int, c transformer.Config) transformer.Config {
	c.SlidingWindow = window
	return c
}

func TestDecoderAgreesWithReference(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, c := range []struct {
		name  string
		mesh  int
		shape transformer.Config
		steps int
	}{
		{"one core", 1, shape(1, 16, 2, 1, 8, 24, 40), 5},
		{"even", 4, shape(2, 32, 4, 4, 8, 64, 64), 14},
		{"shared keys", 4, shape(2, 32, 4, 2, 8, 64, 64), 9},
		{"factors of pairs", 2, shape(1, 16, 2, 1, 8, 24, 40), 6},
		{"pairs of halves", 4, halves(shape(2, 32, 4, 2, 8, 64, 64)), 9},
		{"pairs of halves, nothing divides", 3, halves(shape(1, 33, 6, 3, 6, 47, 71)), 7},
		{"biases", 3, biased(shape(2, 32, 6, 3, 8, 40, 50)), 7},
		{"norms of heads", 4, normed(shape(2, 32, 4, 2, 8, 64, 64)), 9},
		{"norms of heads, nothing divides", 5, normed(shape(2, 33, 6, 3, 6, 47, 71)), 8},
		{"norms of many heads in a core", 3, normed(shape(1, 24, 16, 8, 4, 20, 30)), 5},
		{"norms of heads, more cores than numbers", 7, normed(shape(1, 6, 2, 1, 4, 5, 3)), 9},
		{"norms of heads, one core", 1, normed(shape(1, 16, 2, 1, 8, 24, 40)), 5},
		{"a window of two rows", 4, slides(2, shape(2, 32, 4, 2, 8, 64, 64)), 11},
		{"a window of as many as rows", 4, slides(4, shape(1, 32, 4, 4, 8, 64, 64)), 13},
		{"a window, nothing divides", 3, slides(7, normed(shape(2, 33, 6, 3, 6, 47, 71))), 25},
		{"a window of one", 3, slides(1, shape(1, 24, 2, 2, 8, 20, 30)), 5},
		{"a window on one core", 1, slides(3, shape(1, 16, 2, 1, 8, 24, 40)), 9},
		{"a window that is not full", 2, slides(50, shape(1, 16, 2, 1, 8, 24, 40)), 6},
		{"nothing divides", 5, shape(2, 33, 6, 3, 6, 47, 71), 12},
		{"more cores than numbers", 7, shape(1, 6, 1, 1, 4, 5, 3), 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := transformer.Random(c.shape, 5)
			if c.name == "factors of pairs" {
				w["rope_freqs.weight"] = transformer.Tensor{Rows: 1, Cols: 4, Data: []float32{1, 1.5, 4, 8}}
			}
			d, err := kernel.NewDecoder(machine.Test(c.mesh, c.mesh), c.mesh, c.shape, c.steps, tile.F32)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Load(w); err != nil {
				t.Fatal(err)
			}
			ref, err := newPlain(c.shape, w)
			if err != nil {
				t.Fatal(err)
			}
			token := 1
			for i := range c.steps {
				want := d.StepCycles()
				got, err := d.Step(context.Background(), token, tile.Options{})
				if err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
				logits := widen(ref.step(token))
				best := 0
				for j, v := range logits {
					if v > logits[best] {
						best = j
					}
				}
				if math.Abs(logits[best]-float64(got.Logit)) > 4e-3*math.Max(1, math.Abs(logits[best])) ||
					got.ID != best && logits[best]-logits[got.ID] > 4e-3 {
					t.Errorf("step %d: token %d with %v, want %d with %v", i, got.ID, got.Logit, best, logits[best])
				}
				off := float64(want)/float64(got.Cycles) - 1
				t.Logf("step %d: %d cycles, formula %.0f, %+.3f; %d %v", i, got.Cycles, want, off, got.ID,
					got.Logit-float32(logits[best]))
				token = got.ID
			}
		})
	}
}

// Of the model whose answer is known, the cores know it.
func TestDecoderRepeats(t *testing.T) {
	const mesh, cycle = 4, 5
	c, w := transformer.Repeater()
	d, err := kernel.NewDecoder(machine.Test(mesh, mesh), mesh, c, 2*cycle+2, tile.F32)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Load(w); err != nil {
		t.Fatal(err)
	}
	at := func(i int) int { return i * 3 % cycle }
	token := c.VocabSize - 1 // the first, which does not come again
	for i := range 2 * cycle {
		got, err := d.Step(context.Background(), token, tile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if token = at(i); i > cycle && got.ID != token {
			t.Errorf("step %d: token %d, want %d", i, got.ID, token)
		}
	}
}

func TestSmallModel(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	w := transformer.Random(kernel.Small(), 5)
	d, err := kernel.NewDecoder(machine.Test(32, 32), 32, kernel.Small(), 64, tile.F32)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Load(w); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	want := d.StepCycles()
	got, err := d.Step(context.Background(), 1, tile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hops := d.Total().Net.Hops()
	took := time.Since(begin)
	t.Logf("%v cycles %d formula %.0f hops %d %.1f M/s", took, got.Cycles, want, hops, float64(hops)/took.Seconds()/1e6)
}
