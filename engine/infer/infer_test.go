package infer

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"waferpair/engine/gguf"
	"waferpair/wafer/transformer"
)

// shape returns a small shape of a family.
func shape(architecture string, change func(c *transformer.Config)) transformer.Config {
	c := transformer.Defaults(architecture)
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize, c.ContextLength = 2, 256, 512, 320, 2048
	c.HeadCount, c.HeadCountKV, c.KeyLength = 4, 2, 64
	if change != nil {
		change(&c)
	}
	return c
}

// file writes a model with matrices of the types that kind returns, and opens it.
func file(t testing.TB, c transformer.Config, w transformer.Weights, kind func(name string) gguf.Type) *gguf.File {
	t.Helper()
	pairs, tensors := gguf.Sources(c, w, gguf.F32)
	for i := range tensors {
		if len(tensors[i].Sizes) > 1 {
			tensors[i].Type = kind(tensors[i].Name)
		}
	}
	var b bytes.Buffer
	if err := gguf.Write(&b, pairs, tensors); err != nil {
		t.Fatal(err)
	}
	f, err := gguf.Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func all(kind gguf.Type) func(string) gguf.Type { return func(string) gguf.Type { return kind } }

// plainPass returns the reference's logits of all positions, of the numbers in the file.
func plainPass(t testing.TB, f *gguf.File, tokens []int32) (list []float32) {
	t.Helper()
	c, w, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	m, err := transformer.New(c, w, transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	s := m.NewState()
	for _, token := range tokens {
		row, err := m.Step(s, int(token))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row...)
	}
	return list
}

func loaded(t testing.TB, f *gguf.File, o Options) *Model {
	t.Helper()
	m, err := Load(f, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func begun(t testing.TB, m *Model) *State {
	t.Helper()
	s, err := m.NewState(0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t testing.TB, m *Model, s *State, tokens []int32, wanted Wanted) []float32 {
	t.Helper()
	list, err := m.Forward(t.Context(), s, tokens, wanted)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(list)
}

// paths are the ways to the logits of all tokens.
var paths = map[string]func(t testing.TB, m *Model, s *State, tokens []int32) []float32{
	"prompt": func(t testing.TB, m *Model, s *State, tokens []int32) []float32 {
		return run(t, m, s, tokens, All)
	},
	"token by token": func(t testing.TB, m *Model, s *State, tokens []int32) (list []float32) {
		for i := range tokens {
			list = append(list, run(t, m, s, tokens[i:i+1], Last)...)
		}
		return list
	},
	"cut and resume": func(t testing.TB, m *Model, s *State, tokens []int32) []float32 {
		half := len(tokens) / 2
		run(t, m, s, tokens[half:], None) // others
		s.Truncate(0)
		first := run(t, m, s, tokens, All)[:half*m.Config().VocabSize]
		s.Truncate(half)
		return append(first, run(t, m, s, tokens[half:], All)...)
	},
	"drafts": func(t testing.TB, m *Model, s *State, tokens []int32) (list []float32) {
		for i := 0; i < len(tokens); {
			n := min(len(tokens)-i, 1+i%7)
			list = append(list, run(t, m, s, tokens[i:i+n], All)...)
			i += n
		}
		return list
	},
}

func sequence(n, vocabulary int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32((i*i*7 + i*31 + 3) % vocabulary)
	}
	return list
}

// distance returns the relative RMS of the differences, and the mean KL divergence of the
// distributions.
func distance(got, want []float32, vocabulary int) (rms, kl float64) {
	var d Distance
	for at := 0; at < len(want); at += vocabulary {
		d.Add(got[at:at+vocabulary], want[at:at+vocabulary])
	}
	return d.RMS(), d.KL()
}

// bounds of the distance from the float run of the same file: of matrices of integers, whose
// inputs are rounded to eight bits, and of others, where keys and values are (fp16).
const (
	integerRMS, integerKL = MostRMS, MostKL
	floatRMS, floatKL     = 1.5e-3, 1e-6
)

// TestDistance: of two positions whose probabilities are known.
func TestDistance(t *testing.T) {
	var d Distance
	d.Add([]float32{0, 0}, []float32{float32(math.Log(3)), 0})               // 1/2, 1/2 for 3/4, 1/4
	d.Add([]float32{1001, 1000, -2000}, []float32{1001, 1000, -2000 + 4e-5}) // the same
	size := math.Log(3)*math.Log(3) + 1001*1001 + 1000*1000 + 2000*2000
	for what, of := range map[string][2]float64{
		"relative RMS": {d.RMS(), math.Log(3) / math.Sqrt(size)},
		"KL":           {d.KL(), (0.75*math.Log(1.5) + 0.25*math.Log(0.5)) / 2},
		"same":         {d.Same(), 1}, // of equal ones the first is chosen
	} {
		if math.Abs(of[0]-of[1]) > 1e-6 {
			t.Errorf("%s is %v, not %v", what, of[0], of[1])
		}
	}
	d.Add([]float32{0, 1}, []float32{1, 0})
	if got := d.Same(); math.Abs(got-2.0/3) > 1e-9 || d.Positions() != 3 {
		t.Errorf("%v of %d are the same", got, d.Positions())
	}
	if got := Surprise([]float32{1, 1, 1, 1}, 2); math.Abs(got-math.Log(4)) > 1e-9 {
		t.Errorf("one of four is a surprise of %v", got)
	}
	if got := (&Distance{}).KL(); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

var integerTypes = []gguf.Type{gguf.Q8_0, gguf.Q4_0, gguf.Q5_0, gguf.Q5_1, gguf.Q4_K, gguf.Q5_K, gguf.Q6_K}
var floatTypes = []gguf.Type{gguf.F32, gguf.F16, gguf.BF16}

func near(t *testing.T, got, want []float32, vocabulary int, floats bool) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d logits, want %d", len(got), len(want))
	}
	rms, kl := distance(got, want, vocabulary)
	mostRMS, mostKL := integerRMS, integerKL
	if floats {
		mostRMS, mostKL = floatRMS, floatKL
	}
	t.Logf("relative RMS %.2g, KL %.2g", rms, kl)
	if !(rms <= mostRMS && kl <= mostKL) {
		t.Errorf("relative RMS %.2g, KL %.2g; at most %.2g and %.2g", rms, kl, mostRMS, mostKL)
	}
}

// TestFamiliesTypesPaths checks each family, type, backend and path against the plain pass.
func TestFamiliesTypesPaths(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot")
	}
	for _, architecture := range transformer.Families {
		for _, kind := range slices.Concat(floatTypes, integerTypes) {
			t.Run(fmt.Sprintf("%s %s", architecture, kind), func(t *testing.T) {
				c := shape(architecture, nil)
				f := file(t, c, transformer.Random(c, 7), all(kind))
				tokens := sequence(37, c.VocabSize)
				want := plainPass(t, f, tokens)
				for _, backend := range Backends() {
					m := loaded(t, f, Options{Backend: backend, Threads: 2})
					for path, do := range paths {
						t.Run(backend+" "+path, func(t *testing.T) {
							near(t, do(t, m, begun(t, m), tokens), want, c.VocabSize, slices.Contains(floatTypes, kind))
						})
					}
				}
			})
		}
	}
}

// TestDepth runs past several blocks of the cache.
func TestDepth(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot")
	}
	for _, architecture := range transformer.Families {
		for window, kind := range map[int]gguf.Type{0: gguf.F16, 300: gguf.Q8_0} {
			t.Run(fmt.Sprintf("%s %s", architecture, kind), func(t *testing.T) {
				c := shape(architecture, func(c *transformer.Config) {
					c.EmbeddingLength, c.FeedForwardLength, c.VocabSize, c.SlidingWindow = 64, 64, 64, window
					c.KeyLength, c.HeadCount, c.HeadCountKV = 32, 3, 1
				})
				f := file(t, c, transformer.Random(c, 9), all(kind))
				tokens := sequence(700, c.VocabSize)
				want := plainPass(t, f, tokens)
				for _, backend := range Backends() {
					m := loaded(t, f, Options{Backend: backend, Threads: 3})
					s := begun(t, m)
					got := run(t, m, s, tokens[:650], All)
					for i := 650; i < len(tokens); i++ {
						got = append(got, run(t, m, s, tokens[i:i+1], Last)...)
					}
					near(t, got, want, c.VocabSize, kind == gguf.F16)
				}
			})
		}
	}
}

// TestRandomShapes draws shapes, types for each tensor, threads and cuts.
func TestRandomShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot")
	}
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 5))
			pick := func(list ...int) int { return list[r.IntN(len(list))] }
			floats := seed%3 == 0
			c := randomShape(r, floats)
			kind := func(string) gguf.Type {
				if floats {
					return floatTypes[r.IntN(3)]
				}
				return slices.Concat(floatTypes, integerTypes[:4])[r.IntN(7)]
			}
			w := transformer.Random(c, seed)
			if !c.Halves() && r.IntN(2) == 0 { // factors of pairs, as llama 3 has them
				freqs := make([]float32, c.KeyLength/2)
				for i := range freqs {
					freqs[i] = 1 + 7*r.Float32()
				}
				w["rope_freqs.weight"] = transformer.Tensor{Rows: 1, Cols: len(freqs), Data: freqs}
			}
			f := file(t, c, w, kind)
			tokens := sequence(pick(1, 2, 3, 5, 21, 40), c.VocabSize)
			want := plainPass(t, f, tokens)
			for _, backend := range Backends() {
				m := loaded(t, f, Options{Backend: backend, Threads: pick(1, 2, 3, 5)})
				s := begun(t, m)
				var got []float32
				for done := 0; done < len(tokens); {
					n := min(len(tokens)-done, pick(1, 2, 4, 5, 17, 40))
					got = append(got, run(t, m, s, tokens[done:done+n], All)...)
					done += n
				}
				t.Logf("%s %d %d %d heads %d/%d x %d", backend, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize, c.HeadCount,
					c.HeadCountKV, c.KeyLength)
				near(t, got, want, c.VocabSize, floats)
			}
		})
	}
}

func randomShape(r *rand.Rand, floats bool) transformer.Config {
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	c := transformer.Defaults(transformer.Families[r.IntN(3)])
	c.BlockCount, c.ContextLength, c.VocabSize = 1+r.IntN(3), 512, 33+r.IntN(200)
	c.HeadCountKV, c.KeyLength = pick(1, 2, 3), pick(16, 32, 64, 80, 96, 112, 128)
	c.HeadCount = c.HeadCountKV * pick(1, 2, 3, 7, 9)
	c.EmbeddingLength, c.FeedForwardLength = 32*(2+r.IntN(8)), 32*(1+r.IntN(12))
	if floats {
		c.EmbeddingLength, c.FeedForwardLength, c.KeyLength = 20+r.IntN(200), 20+r.IntN(200), 2*(3+r.IntN(40))
	}
	if c.KeyLength*c.HeadCount%32 != 0 {
		c.HeadCountKV, c.HeadCount = 2, 4
	}
	c.TieWordEmbeddings, c.QKVBias = r.IntN(2) == 0, r.IntN(2) == 0
	if r.IntN(3) == 0 {
		c.SlidingWindow = 1 + r.IntN(20)
	}
	switch r.IntN(3) {
	case 0:
		c.Rope.Scaling = transformer.Scaling{Type: transformer.Linear, Factor: 4}
	case 1:
		c.Rope.Scaling = transformer.Scaling{Type: transformer.Yarn, Factor: 4, OriginalContextLength: 16}
	}
	return c
}
