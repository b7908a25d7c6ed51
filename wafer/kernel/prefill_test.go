package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// prompt is random tokens.
func prompt(r *rand.Rand, n, vocab int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = r.IntN(vocab)
	}
	return list
}

// run lays a model, and takes a prompt with it.
func prefill(t *testing.T, m machine.Machine, mesh int, w Weights, prompt []int, o tile.Options) (*Prefill, Token) {
	t.Helper()
	f, err := NewPrefill(m, mesh, w.Shape, len(prompt), tile.F32)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Load(w); err != nil {
		t.Fatal(err)
	}
	got, err := f.Run(context.Background(), prompt, w.Embedding, o)
	if err != nil {
		t.Fatal(err)
	}
	return f, got
}

// A prompt in one go gives what its tokens one after the other do: the keys and
// values of every layer, the logits of the last one and the greatest of them.
func TestPrefillAgreesWithReference(t *testing.T) {
	for _, c := range []struct {
		name         string
		mesh, tokens int
		shape        Shape
	}{
		{"one core", 1, 5, Shape{Layers: 2, Width: 16, Heads: 2, KVHeads: 1, HeadSize: 8, Feed: 24, Vocab: 40, Epsilon: 1e-5, RopeBase: 1e4}},
		{"two by two", 2, 7, Shape{Layers: 2, Width: 16, Heads: 2, KVHeads: 2, HeadSize: 8, Feed: 24, Vocab: 40, Epsilon: 1e-5, RopeBase: 1e4}},
		{"even", 4, 16, Shape{Layers: 2, Width: 32, Heads: 4, KVHeads: 4, HeadSize: 8, Feed: 64, Vocab: 64, Epsilon: 1e-5, RopeBase: 1e4}},
		{"shared keys", 4, 13, Shape{Layers: 2, Width: 32, Heads: 4, KVHeads: 2, HeadSize: 8, Feed: 64, Vocab: 64, Epsilon: 1e-5, RopeBase: 1e4}},
		{"nothing divides", 5, 23, Shape{Layers: 2, Width: 33, Heads: 6, KVHeads: 3, HeadSize: 6, Feed: 47, Vocab: 71, Epsilon: 1e-5, RopeBase: 1e4}},
		{"more cores than numbers", 7, 3, Shape{Layers: 1, Width: 6, Heads: 1, KVHeads: 1, HeadSize: 4, Feed: 5, Vocab: 3, Epsilon: 1e-5, RopeBase: 1e4}},
		{"three layers", 8, 20, Shape{Layers: 3, Width: 64, Heads: 4, KVHeads: 2, HeadSize: 16, Feed: 96, Vocab: 200, Epsilon: 1e-5, RopeBase: 1e4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := RandomWeights(c.shape, 5)
			tokens := prompt(rand.New(rand.NewPCG(1, 2)), c.tokens, c.shape.Vocab)
			f, got := prefill(t, machine.Test(c.mesh, c.mesh), c.mesh, w, tokens, tile.Options{})
			ref := NewReference(w)
			var logits []float64
			for _, token := range tokens {
				logits = ref.Step(token)
			}
			agree(t, f, ref)
			best := greatest(logits)
			if math.Abs(logits[best]-float64(got.Logit)) > 4e-3*math.Max(1, math.Abs(logits[best])) || got.ID != best && logits[best]-logits[got.ID] > 4e-3 {
				t.Errorf("token %d with %v, want %d with %v", got.ID, got.Logit, best, logits[best])
			}
			off := float64(f.PrefillCycles())/float64(got.Cycles) - 1
			t.Logf("%d cycles, formula %+.3f; %d, %v off", got.Cycles, off, got.ID, got.Logit-float32(logits[best]))
			if math.Abs(off) > 0.05 && c.mesh >= 4 {
				t.Errorf("%d cycles, formula %d", got.Cycles, f.PrefillCycles())
			}
		})
	}
}

// agree compares keys and values of all layers with a reference.
func agree(t *testing.T, f *Prefill, ref *Reference) {
	t.Helper()
	for i, l := range f.layers {
		worst := 0.0
		f.plan.cores(func(at fabric.At) {
			keys, values := f.plan.Grid.Read(at, l.keys), f.plan.Grid.Read(at, l.values)
			rows := f.tokens.part()
			for _, r := range f.heads.runs(at.X) {
				for n := r.from; n < r.to; n++ {
					for token := range f.tokens.valid(at.Y) {
						number, position := r.head*f.shape.HeadSize+r.at+n-r.from, at.Y*rows+token
						key, value := keys[n*rows+token], values[rows*r.from+token*(r.to-r.from)+n-r.from]
						worst = max(worst, ulps([]float32{key, value}, narrow([]float64{ref.keys[i][position][number], ref.values[i][position][number]})))
					}
				}
			}
		})
		t.Logf("layer %d: keys and values %.2f ulp", i, worst)
	}
}

// The layer, the attention and the whole of it agree with the reference and
// their formulas, on meshes, prompts and models of any size.
func TestPrefillKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for _, name := range []string{"prefill-attention", "prefill-layer", "prefill"} {
		for i, mesh := range []int{1, 2, 3, 4, 5, 7, 8, 11, 16} {
			o := Options{Machine: machines()[i%4], Width: mesh, N: 4 * (1 + r.IntN(2*mesh)), K: 1 + r.IntN(10*mesh), M: 1 + r.IntN(4*mesh), Sums: tile.F32, Seed: r.Uint64()}
			spec, err := Named(name)
			if err != nil {
				t.Fatal(err)
			}
			out, err := spec.Run(context.Background(), o)
			if err != nil {
				t.Fatalf("%s %d x %d, %d wide, %d feed-forward, %d tokens: %v", name, mesh, mesh, o.N, o.K, o.M, err)
			}
			off := float64(out.AnalyticCycles)/float64(out.Cycles) - 1
			t.Logf("%s %d x %d, %d wide, %d feed-forward, %d tokens: %d cycles, formula %+.3f, %.2f ulp, %v, %d colors", name, mesh, mesh, o.N, o.K, o.M, out.Cycles, off, out.Ulps, out.MaxAbsError, len(out.Colors))
			if math.Abs(off) > 0.05 && mesh >= 4 {
				t.Errorf("%s %d x %d, %d wide, %d tokens: %d cycles, formula %d", name, mesh, mesh, o.N, o.M, out.Cycles, out.AnalyticCycles)
			}
		}
	}
}
