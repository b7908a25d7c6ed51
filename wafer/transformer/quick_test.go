package transformer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// anyShape returns a random shape that the pass runs.
func anyShape(r *rand.Rand) Config {
	c := Defaults(Families[r.IntN(len(Families))])
	c.Name, c.BlockCount, c.VocabSize = "any", 1+r.IntN(3), 5+r.IntN(60)
	c.HeadCountKV = 1 + r.IntN(3)
	c.HeadCount = c.HeadCountKV * (1 + r.IntN(3))
	c.KeyLength = 2 * (1 + r.IntN(9))
	c.EmbeddingLength, c.FeedForwardLength = 1+r.IntN(50), 1+r.IntN(70)
	c.TieWordEmbeddings = r.IntN(2) == 0
	c.RMSEpsilon = []float64{1e-5, 1e-6, 1e-2}[r.IntN(3)]
	c.SlidingWindow = max(0, r.IntN(12)-4)
	if r.IntN(3) == 0 {
		c.Rope.Scaling = Scaling{Type: []string{Linear, Yarn}[r.IntN(2)], Factor: 4, OriginalContextLength: 16}
	}
	return c
}

// anyTokens returns n random tokens of a shape.
func anyTokens(r *rand.Rand, c Config, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = r.IntN(c.VocabSize)
	}
	return list
}

// withFactors adds factors of the rotated pairs now and then, as files of llama 3 have them.
func withFactors(r *rand.Rand, c Config, w Weights) Weights {
	if c.Halves() || r.IntN(2) == 0 {
		return w
	}
	t := Tensor{Rows: 1, Cols: c.KeyLength / 2, Data: make([]float32, c.KeyLength/2)}
	for i := range t.Data {
		t.Data[i] = 1 + 7*r.Float32()
	}
	return changed(w, Weights{"rope_freqs.weight": t})
}

// far is the most that the quick pass is apart from the plain one: its sums are float32.
const far = 2e-4

// TestQuick compares the quick pass with the plain one on random shapes and random pieces of
// random sequences: logits, keys and values.
func TestQuick(t *testing.T) {
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 0))
		c := anyShape(r)
		m, err := New(c, withFactors(r, c, Random(c, seed)), Float32)
		if err != nil {
			t.Fatal(err)
		}
		q := m.Quick()
		var plain, quick []*State
		for range 1 + r.IntN(5) {
			plain, quick = append(plain, m.NewState()), append(quick, m.NewState())
		}
		for round := range 4 {
			var pieces []Piece
			var want [][]float32
			for i, s := range plain {
				tokens := anyTokens(r, c, 1+r.IntN(3)*r.IntN(14))
				pieces = append(pieces, Piece{quick[i], tokens})
				var logits []float32
				for _, token := range tokens {
					if logits, err = m.Step(s, token); err != nil {
						t.Fatal(err)
					}
				}
				want = append(want, logits)
			}
			ends, err := q.Extend(pieces)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range ends {
				if off := apart([][]float32{m.Logits(x)}, want[i:i+1]); !(off < far) {
					t.Fatalf("seed %d, round %d, sequence %d: logits are %v apart\n%+v", seed, round, i, off, c)
				}
				for l := range plain[i].Keys {
					if k, v := apart(quick[i].Keys[l], plain[i].Keys[l]),
						apart(quick[i].Values[l], plain[i].Values[l]); !(max(k, v) < far) ||
						quick[i].Len() != plain[i].Len() {
						t.Fatalf("seed %d, round %d, layer %d: keys are %v apart, values %v\n%+v", seed, round, l, k, v, c)
					}
				}
			}
		}
	}
}

// TestQuickLogits: logits of some tokens are those of all, whatever is asked for.
func TestQuickLogits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	c := small("llama")
	m, err := New(c, Random(c, 1), Float32)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, c.EmbeddingLength)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	all := m.Logits(x)
	tokens := []int{7, 0, 49, 7}
	for i, v := range m.Quick().LogitsOf(x, tokens) {
		if math.Abs(float64(v-all[tokens[i]])) > far {
			t.Errorf("the logit of token %d is %v, and %v of all", tokens[i], v, all[tokens[i]])
		}
	}
}

// TestBatchIsOneByOne: sequences of a batch that fork one prompt get, to the bit, the numbers
// that each would get alone, whatever the number of processors; and forks do not touch each
// other or what they came from.
func TestBatchIsOneByOne(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := anyShape(r)
		m, err := New(c, Random(c, seed), Float32)
		if err != nil {
			t.Fatal(err)
		}
		q := m.Quick()
		extend := func(pieces ...Piece) [][]float32 {
			runtime.GOMAXPROCS(1 + r.IntN(4))
			x, err := q.Extend(pieces)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		prompt := anyTokens(r, c, 1+r.IntN(40))
		shared := m.NewState()
		extend(Piece{shared, prompt})
		beam, answers := make([]*State, 1+r.IntN(6)), make([][]int, 6)
		for i := range beam {
			beam[i] = shared.Fork()
		}
		var last [][]float32
		for range 5 {
			var pieces []Piece
			for i, s := range beam {
				token := anyTokens(r, c, 1)
				answers[i] = append(answers[i], token...)
				pieces = append(pieces, Piece{s, token})
			}
			last = extend(pieces...)
		}
		for i := range beam {
			alone := m.NewState()
			x := extend(Piece{alone, prompt})[0]
			for _, token := range answers[i] {
				x = extend(Piece{alone, []int{token}})[0]
			}
			if !slices.Equal(x, last[i]) {
				t.Fatalf("seed %d: sequence %d of the batch has other numbers than alone\n%+v", seed, i, c)
			}
			whole := m.NewState()
			if y := extend(Piece{whole, slices.Concat(prompt, answers[i])})[0]; !slices.Equal(y, x) {
				t.Fatalf("seed %d: at once there are other numbers than token by token\n%+v", seed, c)
			}
		}
		if shared.Len() != len(prompt) {
			t.Errorf("the shared prompt has grown from %d to %d tokens", len(prompt), shared.Len())
		}
	}
}

// TestForkAndCut: a fork keeps its tokens when what it came from is cut and continues.
func TestForkAndCut(t *testing.T) {
	c := small("qwen3")
	m, err := New(c, Random(c, 5), Float32)
	if err != nil {
		t.Fatal(err)
	}
	q, s := m.Quick(), m.NewState()
	if _, err := q.Extend([]Piece{{s, sentence}}); err != nil {
		t.Fatal(err)
	}
	f := s.Fork()
	kept := slices.Clone(f.Keys[1])
	s.Cut(4)
	if _, err := q.Extend([]Piece{{s, []int{7, 7, 7}}}); err != nil {
		t.Fatal(err)
	}
	for p := range kept {
		if !slices.Equal(f.Keys[1][p], kept[p]) {
			t.Errorf("the fork's position %d has changed", p)
		}
	}
}

// TestQuickRefuses: on an error no sequence has changed.
func TestQuickRefuses(t *testing.T) {
	c := small("llama")
	m, err := New(c, Random(c, 1), Float32)
	if err != nil {
		t.Fatal(err)
	}
	q, s, o := m.Quick(), m.NewState(), m.NewState()
	for says, pieces := range map[string][]Piece{
		"token 50 is not in a vocabulary of 50": {{o, []int{1}}, {s, []int{1, 50}}},
		"token -1":                              {{s, []int{-1}}},
		"there is no token":                     {{o, []int{1}}, {s, nil}},
		"one of them is there twice":            {{s, []int{1}}, {s, []int{2}}},
	} {
		if _, err := q.Extend(pieces); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
	if s.Len()+o.Len() > 0 {
		t.Errorf("after errors there are %d tokens", s.Len()+o.Len())
	}
}

// TestQuickAtOnce: several goroutines use one quick model.
func TestQuickAtOnce(t *testing.T) {
	c := small("qwen2")
	m, err := New(c, Random(c, 3), Float32)
	if err != nil {
		t.Fatal(err)
	}
	q := m.Quick()
	want, err := q.Extend([]Piece{{m.NewState(), sentence}})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := q.Extend([]Piece{{m.NewState(), sentence}}); err != nil || !slices.Equal(got[0], want[0]) {
				t.Errorf("other numbers beside other goroutines, or %v", err)
			}
		})
	}
	all.Wait()
}

// decoderShape is that of the built-in model's decoder.
func decoderShape() Config {
	c := Defaults("llama")
	c.Name, c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = "decoder", 4, 192, 512, 4000
	c.HeadCount, c.HeadCountKV, c.KeyLength, c.ContextLength, c.TieWordEmbeddings = 6, 6, 32, 256, true
	return c
}

// BenchmarkQuick has a prompt of 62 tokens, and ten steps of a beam of four, by the quick
// pass; the ratio is how much sooner than the plain pass, which runs once.
func BenchmarkQuick(b *testing.B) {
	c := decoderShape()
	m, err := New(c, Random(c, 1), Float32)
	if err != nil {
		b.Fatal(err)
	}
	q, r := m.Quick(), rand.New(rand.NewPCG(1, 0))
	prompt := anyTokens(r, c, 62)
	begin, s := time.Now(), m.NewState()
	for _, token := range prompt[:16] {
		if _, err := m.Step(s, token); err != nil {
			b.Fatal(err)
		}
	}
	plain := time.Since(begin) * 62 / 16
	b.Run("prompt", func(b *testing.B) {
		for b.Loop() {
			if _, err := q.Extend([]Piece{{m.NewState(), prompt}}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(plain)*float64(b.N)/float64(b.Elapsed()), "ratio")
	})
	shared := m.NewState()
	if _, err := q.Extend([]Piece{{shared, prompt}}); err != nil {
		b.Fatal(err)
	}
	for _, width := range []int{1, 4} {
		b.Run(fmt.Sprintf("beam%d", width), func(b *testing.B) {
			for b.Loop() {
				pieces := make([]Piece, width)
				for i := range pieces {
					pieces[i] = Piece{shared.Fork(), []int{i}}
				}
				for range 10 {
					if _, err := q.Extend(pieces); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(plain)/62*10*float64(width)*float64(b.N)/float64(b.Elapsed()), "ratio")
		})
	}
}
