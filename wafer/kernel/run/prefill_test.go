package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"waferpair/wafer/kernel"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// prompt returns random tokens.
func prompt(r *rand.Rand, n, vocab int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = r.IntN(vocab)
	}
	return list
}

// laid places a model and runs a prompt.
func laid(t *testing.T, m machine.Machine, mesh int, c transformer.Config, w transformer.Weights,
	prompt []int, o tile.Options) (*kernel.Prefill, kernel.Token) {
	t.Helper()
	f, err := kernel.NewPrefill(m, mesh, c, len(prompt), tile.F32)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Load(w); err != nil {
		t.Fatal(err)
	}
	got, err := f.Run(context.Background(), prompt, w["token_embd.weight"].Data, o)
	if err != nil {
		t.Fatal(err)
	}
	return f, got
}

// A prompt in one go gives what its tokens one after the other do: the keys and
// values of every layer, the logits of the last one and the greatest of them.
func TestPrefillAgreesWithReference(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, c := range []struct {
		name         string
		mesh, tokens int
		shape        transformer.Config
	}{
		{"one core", 1, 5, shape(2, 16, 2, 1, 8, 24, 40)},
		{"two by two", 2, 7, shape(2, 16, 2, 2, 8, 24, 40)},
		{"even", 4, 16, shape(2, 32, 4, 4, 8, 64, 64)},
		{"shared keys", 4, 13, shape(2, 32, 4, 2, 8, 64, 64)},
		{"pairs of halves", 4, 13, halves(shape(2, 32, 4, 2, 8, 64, 64))},
		{"nothing divides", 5, 23, shape(2, 33, 6, 3, 6, 47, 71)},
		{"more cores than numbers", 7, 3, shape(1, 6, 1, 1, 4, 5, 3)},
		{"three layers", 6, 12, shape(3, 24, 4, 2, 8, 48, 200)},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := transformer.Random(c.shape, 5)
			tokens := prompt(rand.New(rand.NewPCG(1, 2)), c.tokens, c.shape.VocabSize)
			f, got := laid(t, machine.Test(c.mesh, c.mesh), c.mesh, c.shape, w, tokens, tile.Options{})
			ref, err := newPlain(c.shape, w)
			if err != nil {
				t.Fatal(err)
			}
			var logits []float64
			for _, token := range tokens {
				logits = widen(ref.step(token))
			}
			agree(t, f, ref)
			best := 0
			for i, v := range logits {
				if v > logits[best] {
					best = i
				}
			}
			if math.Abs(logits[best]-float64(got.Logit)) > 4e-3*math.Max(1, math.Abs(logits[best])) ||
				got.ID != best && logits[best]-logits[got.ID] > 4e-3 {
				t.Errorf("token %d with %v, want %d with %v", got.ID, got.Logit, best, logits[best])
			}
			off := float64(f.Cycles())/float64(got.Cycles) - 1
			t.Logf("%d cycles, formula %+.3f; %d, %v off", got.Cycles, off, got.ID, got.Logit-float32(logits[best]))
			if math.Abs(off) > 0.05 && c.mesh >= 4 {
				t.Errorf("%d cycles, formula %.0f", got.Cycles, f.Cycles())
			}
		})
	}
}

// agree compares keys and values of all layers with a reference. Numbers that
// were rounded the other way are seen in all that follows.
func agree(t *testing.T, f *kernel.Prefill, ref plain) {
	t.Helper()
	for i := range ref.state.Keys {
		keys, values := f.Cache(i)
		wantKeys, wantValues := slices.Concat(ref.state.Keys[i]...), slices.Concat(ref.state.Values[i]...)
		if off := max(maxDifference(keys, wantKeys), maxDifference(values, wantValues)); off > 4e-3 {
			t.Errorf("layer %d: keys and values are %v off", i, off)
		}
	}
}

// The layer, the attention and the whole of it agree with the reference and
// their formulas, on meshes, prompts and models of any size.
func TestPrefillKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	r := rand.New(rand.NewPCG(4, 9))
	for _, c := range []struct {
		name   string
		apart  float64
		meshes []int
	}{{"prefill-attention", 2e-3, []int{1, 4, 6, 9, 16}}, {"prefill-layer", 5e-3, []int{2, 4, 7, 11}},
		{"prefill", 1e-2, []int{3, 4, 5, 10}}} {
		for _, mesh := range c.meshes {
			o := Options{Machine: machines()[mesh%4], Width: mesh, N: 4 * (mesh/2 + 1 + r.IntN(mesh/2+1)), K: 1 + r.IntN(4*mesh),
				M: 1 + r.IntN(2*mesh), Sums: tile.F32, Seed: r.Uint64()}
			spec, err := Named(c.name)
			if err != nil {
				t.Fatal(err)
			}
			out, err := spec.Run(context.Background(), o)
			say := fmt.Sprintf("%s, %s, %d x %d, %d wide, %d feed-forward, %d tokens", c.name, o.Machine.Name, mesh,
				mesh, o.N, o.K, o.M)
			if err != nil {
				t.Fatalf("%s: %v", say, err)
			}
			off := float64(out.AnalyticCycles)/float64(out.Cycles) - 1
			t.Logf("%s: %d cycles, formula %+.3f, %.2f ulp, %.2g", say, out.Cycles, off, out.Ulps, out.MaxAbsError)
			if math.Abs(off) > 0.05 && mesh >= 4 {
				t.Errorf("%s: %d cycles, formula %d", say, out.Cycles, out.AnalyticCycles)
			}
			if out.MaxAbsError > c.apart || len(out.Colors) > 21 {
				t.Errorf("%s: %v off, %d colors", say, out.MaxAbsError, len(out.Colors))
			}
		}
	}
}

// A prefill is the same to the bit and the cycle with any number of workers.
func TestPrefillWorkers(t *testing.T) {
	o := Options{Machine: machines()[2], Width: 4, M: 7, N: 8, K: 5, Sums: tile.F16, Seed: 3}
	spec, err := Named("prefill-layer")
	if err != nil {
		t.Fatal(err)
	}
	run := func(workers int) Outcome {
		o.Run.Workers = workers
		out, err := spec.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	one := run(1)
	for _, workers := range []int{3, 8} {
		if many := run(workers); !reflect.DeepEqual(one, many) {
			t.Errorf("with %d workers %+v, with one %+v", workers, many, one)
		}
	}
}

// What cannot be is refused with a reason.
func TestPrefillRefusals(t *testing.T) {
	small := shape(1, 8, 1, 1, 8, 8, 10)
	lay := func(mesh, tokens int, change func(*transformer.Config)) error {
		s := small
		change(&s)
		_, err := kernel.NewPrefill(machine.Test(8, 8), mesh, s, tokens, tile.F32)
		return err
	}
	same := func(*transformer.Config) {}
	f, _ := laid(t, machine.Test(2, 2), 2, small, transformer.Random(small, 1), []int{1, 2, 3}, tile.Options{})
	run := func(tokens ...int) error {
		_, err := f.Run(context.Background(), tokens, transformer.Random(small, 1)["token_embd.weight"].Data, tile.Options{})
		return err
	}
	for _, c := range []struct {
		err  error
		says string
	}{
		{lay(0, 4, same), "mesh of 0 x 0"}, {lay(2, 0, same), "for 0 tokens"}, {lay(9, 4, same), "larger than the fabric"},
		{lay(2, 4, func(s *transformer.Config) { s.KeyLength = 3 }), "a rotary embedding needs an even one"},
		{lay(2, 4, func(s *transformer.Config) { s.EmbeddingLength = 4000 }), "bytes short"},
		{lay(2, 4, func(s *transformer.Config) { s.QKVBias = true }), "prefill has no biases"},
		{lay(2, 4, func(s *transformer.Config) { s.QKNorm = true }), "no norms of queries and keys"},
		{lay(2, 4, func(s *transformer.Config) { s.SlidingWindow = 3 }), "no sliding window"},
		{lay(2, 400, same), "bytes short"}, {run(1, 2), "the prefill was placed for 3"},
		{run(1, 10, 2), "token 1 of the prompt is 10"}, {run(1, -1, 2), "is -1"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%v, want an error about %q", c.err, c.says)
		}
	}
}
