package transformer

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
)

// rowsOf reads rows of weights in memory.
func rowsOf(w Weights) Rows {
	return func(name string, first, rows int) ([]float32, error) {
		t := w[name]
		return t.Data[min(first*t.Cols, len(t.Data)):min((first+rows)*t.Cols, len(t.Data))], nil
	}
}

// TestStreamed: read layer by layer, a model has the logits of the plain pass, at each position.
func TestStreamed(t *testing.T) {
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := anyShape(r)
		w := withFactors(r, c, Random(c, seed))
		m, err := New(c, w, Float32)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewStreamed(c, rowsOf(w))
		if err != nil {
			t.Fatal(err)
		}
		s.part = 1 + r.IntN(2*c.VocabSize)
		tokens, layers := anyTokens(r, c, 1+r.IntN(40)), 0
		streams, err := s.Residuals(t.Context(), tokens, func(n int) { layers = n })
		if err != nil || layers != c.BlockCount {
			t.Fatalf("%d layers: %v", layers, err)
		}
		state := m.NewState()
		from := r.IntN(len(tokens))
		got, err := s.Logits(t.Context(), streams[from:])
		if err != nil {
			t.Fatal(err)
		}
		for i, token := range tokens {
			want, err := m.Step(state, token)
			if err != nil {
				t.Fatal(err)
			}
			if i < from {
				continue
			}
			if off := apart([][]float32{got[(i-from)*c.VocabSize:][:c.VocabSize]}, [][]float32{want}); !(off < far) {
				t.Fatalf("seed %d, position %d: logits are %v apart\n%+v", seed, i, off, c)
			}
		}
	}
}

// TestStreamedEnds: with its context, and with what cannot be read.
func TestStreamedEnds(t *testing.T) {
	c := small("qwen2")
	w := Random(c, 1)
	gone := errors.New("gone")
	bad := ""
	s, err := NewStreamed(c, func(name string, first, rows int) ([]float32, error) {
		if name == bad {
			return nil, gone
		}
		return rowsOf(w)(name, first, rows)
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := s.Residuals(ctx, []int{1, 2}, func(int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, bad = range []string{"token_embd.weight", Layer(1, "ffn_up.weight")} {
		if _, err := s.Residuals(t.Context(), []int{1, 2}, func(int) {}); !errors.Is(err, gone) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	bad = "output.weight"
	if c.TieWordEmbeddings {
		bad = "token_embd.weight"
	}
	if _, err := s.Logits(t.Context(), [][]float32{make([]float32, c.EmbeddingLength)}); !errors.Is(err, gone) {
		t.Error(err)
	}
}
