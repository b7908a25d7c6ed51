package sample

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

// slow is the obvious version: it sorts all tokens, and cuts the list step by step.
type slow struct {
	o      Options
	random *rand.Rand
}

func (s slow) kept(logits []float32) []candidate {
	best := float32(math.Inf(-1))
	for _, l := range logits {
		if l > best {
			best = l
		}
	}
	var list []candidate
	for id, l := range logits {
		if l >= best-depth*float32(math.Max(1, s.o.Temperature)) {
			list = append(list, candidate{l, int32(id)})
		}
	}
	unsorted := append([]candidate(nil), list...)
	sort.SliceStable(list, func(i, j int) bool { return list[i].logit > list[j].logit })
	if s.o.TopK > 0 && len(list) > s.o.TopK {
		list = list[:s.o.TopK]
	}
	if s.o.TopK > 0 {
		unsorted = list
	}
	if s.o.TopP > 0 && s.o.TopP < 1 {
		wanted, sum := 0.0, 0.0
		for _, c := range unsorted { // in this order, so that the sums are equal to the last bit
			wanted += s.o.TopP * float64(exp(c.logit-best))
		}
		for i, c := range list {
			if sum += float64(exp(c.logit - best)); sum >= wanted {
				list = list[:i+1]
				break
			}
		}
	}
	for i, c := range list {
		if i > 0 && s.o.MinP > 0 && c.logit < best+float32(math.Log(s.o.MinP)) {
			return list[:i]
		}
	}
	return list
}

func (s slow) next(logits []float32) int32 {
	list := s.kept(logits)
	if s.o.Temperature == 0 {
		return list[0].id
	}
	total := 0.0
	for _, c := range list {
		total += math.Exp(float64(c.logit-list[0].logit) / s.o.Temperature)
	}
	at, sum := s.random.Float64()*total, 0.0
	for _, c := range list {
		if sum += math.Exp(float64(c.logit-list[0].logit) / s.o.Temperature); at < sum {
			return c.id
		}
	}
	return list[len(list)-1].id
}

func rowsOf(t *rapid.T) []float32 {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "row"), 1))
	logits := make([]float32, rapid.IntRange(1, 300).Draw(t, "size"))
	steps := rapid.SampledFrom([]float64{1, 4, 1e6}).Draw(t, "steps") // few steps make equal logits
	width := rapid.SampledFrom([]float64{0.1, 3, 30}).Draw(t, "width")
	for i := range logits {
		logits[i] = float32(math.Round(r.NormFloat64()*steps) / steps * width)
		if r.IntN(50) == 0 {
			logits[i] = float32(math.Inf(-1))
		}
		if r.IntN(50) == 0 {
			logits[i] = float32(math.NaN())
		}
	}
	logits[r.IntN(len(logits))] = 1
	return logits
}

// TestSlow compares every choice with the slow version's.
func TestSlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Temperature: rapid.SampledFrom([]float64{0, 0.2, 0.8, 1, 1.7}).Draw(t, "temperature"),
			TopK:        rapid.SampledFrom([]int{0, 1, 2, 5, 40, 1000}).Draw(t, "top-k"),
			TopP:        rapid.SampledFrom([]float64{0, 0.01, 0.5, 0.95, 1}).Draw(t, "top-p"),
			MinP:        rapid.SampledFrom([]float64{0, 0.05, 0.5, 1}).Draw(t, "min-p"),
			Seed:        rapid.Uint64().Draw(t, "seed"),
		}
		logits := rowsOf(t)
		s, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		plain := slow{o, rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15))}
		for range 20 {
			got, err := s.Next(logits)
			if want := plain.next(logits); err != nil || got.ID != want {
				t.Fatalf("%+v: token %d (%v), want %d", o, got.ID, logits[got.ID], want)
			}
		}
	})
}

// TestLogprobs compares log-probabilities with plain ones.
func TestLogprobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logits, n := rowsOf(t), rapid.IntRange(1, MaxLogprobs).Draw(t, "n")
		s, err := New(Options{Temperature: 1, Logprobs: n, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Next(logits)
		if err != nil {
			t.Fatal(err)
		}
		list, sum := []candidate(nil), 0.0
		for id, l := range logits {
			if l == l {
				list = append(list, candidate{l, int32(id)})
				sum += math.Exp(float64(l))
			}
		}
		sort.SliceStable(list, func(i, j int) bool { return list[i].logit > list[j].logit })
		near := func(got float64, id int32) bool {
			want := float64(logits[id]) - math.Log(sum)
			return got == want || math.Abs(got-want) < 1e-5
		}
		if len(c.Top) != min(n, len(list)) || !near(c.Logprob, c.ID) {
			t.Fatalf("%+v", c)
		}
		for i, l := range c.Top {
			if l.ID != list[i].id || !near(l.Logprob, l.ID) {
				t.Fatalf("place %d: %+v, want token %d", i, l, list[i].id)
			}
		}
	})
}

// TestDistribution checks that draws have the probabilities that were asked for.
func TestDistribution(t *testing.T) {
	s, err := New(Options{Temperature: 0.5, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	logits := []float32{0, 1, float32(math.Log(4)), -40}
	var counts [4]int
	for range 20000 {
		c, err := s.Next(logits)
		if err != nil {
			t.Fatal(err)
		}
		counts[c.ID]++
	}
	weights := []float64{1, math.Exp(2), 16, 0}
	for id, w := range weights {
		if want := w / (1 + math.Exp(2) + 16) * 20000; math.Abs(float64(counts[id])-want) > 4*math.Sqrt(want+1) {
			t.Errorf("token %d came %d times, want about %.0f", id, counts[id], want)
		}
	}
}

// TestBroken checks logits and options that mean nothing.
func TestBroken(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, temperature := range []float64{0, 1} {
		s, err := New(Options{Temperature: temperature, TopK: 2, TopP: 0.5, MinP: 0.1, Logprobs: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, logits := range [][]float32{nil, {}, {nan}, {-inf, nan, -inf}} {
			if _, err := s.Next(logits); err == nil || !strings.Contains(err.Error(), "no token has a finite logit") {
				t.Errorf("%v: %v", logits, err)
			}
		}
		for _, logits := range [][]float32{{nan, 3, nan}, {-inf, inf}, {-1e38, 1e38}} {
			if c, err := s.Next(logits); err != nil || c.ID != 1 || math.IsNaN(c.Logprob) {
				t.Errorf("%v: %+v, %v", logits, c, err)
			}
		}
	}
	for says, o := range map[string]Options{
		"the temperature is -1": {Temperature: -1}, "the temperature is NaN": {Temperature: math.NaN()},
		"top-k is -1": {TopK: -1}, "top-p is 1.5": {TopP: 1.5}, "min-p is NaN": {MinP: math.NaN()},
		"21 log-probabilities": {Logprobs: 21},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
}

func TestArgmax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logits := rowsOf(t)
		want := int32(-1)
		for id, l := range logits {
			if want < 0 && l == l || want >= 0 && l > logits[want] {
				want = int32(id)
			}
		}
		if got := Argmax(logits); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}

func TestExp(t *testing.T) {
	for x := float32(-87); x <= 0; x += 1e-3 {
		if want := math.Exp(float64(x)); math.Abs(float64(exp(x))/want-1) > 4e-6 {
			t.Fatalf("exp(%v) is %v, want %v", x, exp(x), want)
		}
	}
}

// TestStops cuts texts at random places: what comes out is the text before the stop text that ends
// first.
func TestStops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,4}`)
		texts := rapid.SliceOfN(word, 0, 4).Draw(t, "stops")
		text := rapid.StringMatching(`[abcd]{0,40}`).Draw(t, "text")
		want, found := text, false
		for end := 0; end <= len(text) && !found; end++ {
			longest := ""
			for _, stop := range texts {
				if stop != "" && strings.HasSuffix(text[:end], stop) && len(stop) > len(longest) {
					longest = stop
				}
			}
			if longest != "" {
				want, found = text[:end-len(longest)], true
			}
		}
		s, got, stopped := NewStops(texts), "", false
		for rest := text; rest != "" && !stopped; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "part")
			var part string
			part, stopped = s.Add(rest[:n])
			got, rest = got+part, rest[n:]
			if !strings.HasPrefix(want, got) {
				t.Fatalf("%q of %q is out too early, with %q", got, text, texts)
			}
		}
		if got += s.End(); got != want || stopped != found {
			t.Fatalf("%q, %v of %q with %q; want %q, %v", got, stopped, text, texts, want, found)
		}
		if part, again := s.Add("x"); stopped && (part != "" || !again) {
			t.Fatal("it goes on after its end")
		}
	})
}

// TestStopsHold checks that no more is held back than could begin a stop text.
func TestStopsHold(t *testing.T) {
	s := NewStops([]string{"\n\n", "END"})
	var out []string
	for _, part := range []string{"a\n", "b EN", "C\nE", "N", "d"} {
		text, _ := s.Add(part)
		out = append(out, text)
	}
	if want := []string{"a", "\nb ", "ENC\n", "", "ENd"}; !slices.Equal(out, want) {
		t.Errorf("%q, want %q", out, want)
	}
}

func benchmark(b *testing.B, o Options, width float64) {
	r := rand.New(rand.NewPCG(1, 2))
	logits := make([]float32, 151936)
	for i := range logits {
		logits[i] = float32(r.NormFloat64() * width)
	}
	s, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	begin := used()
	for b.Loop() {
		if _, err := s.Next(logits); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((used()-begin).Microseconds())/float64(b.N), "cpu-µs/op")
}

// used returns the processor time of this process: on a busy computer it says more than the clock.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkGreedy(b *testing.B) { benchmark(b, Options{}, 3) }
func BenchmarkUsual(b *testing.B) {
	benchmark(b, Options{Temperature: 0.8, TopK: 40, TopP: 0.95, MinP: 0.05}, 3)
}
func BenchmarkNoTopK(b *testing.B) { benchmark(b, Options{Temperature: 0.8, TopP: 0.95}, 3) }
func BenchmarkFlat(b *testing.B)   { benchmark(b, Options{Temperature: 0.8, TopP: 0.95}, 0.1) }
func BenchmarkLogprobs(b *testing.B) {
	benchmark(b, Options{Temperature: 0.8, TopK: 40, TopP: 0.95, Logprobs: 20}, 3)
}
