package linear

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"waferpair/engine/spark/link"
)

// small is a model with random weights.
func small(seed uint64) *Model {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := &Model{Header: Header{Classes: []string{"a", "b", Decline}, Vocabulary: []string{"x", "y"},
		Labels: map[string][]string{"a": {None, "p", "q"}, "b": {None}}, Fixed: map[string][]string{"a": {"k=1", "k=2"}}},
		Ops: make([]float32, 1<<10), Slots: make([]float32, 1<<10)}
	for i := range m.Ops {
		m.Ops[i], m.Slots[i] = rng.Float32()-0.5, rng.Float32()-0.5
	}
	return m
}

func units(n int) ([]string, []link.Unit) {
	words, us := make([]string, n), make([]link.Unit, n)
	for i := range n {
		words[i] = fmt.Sprint("w", i%5)
		us[i] = link.Unit{From: i, To: i + 1, Text: words[i], Kind: link.Word}
	}
	return words, us
}

// TestFile: a model comes back from its file as it was, up to the rounding of its weights.
func TestFile(t *testing.T) {
	m := small(1)
	file, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Unmarshal(file)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Classes, got.Labels, got.Fixed, got.Vocabulary) != fmt.Sprint(m.Classes, m.Labels,
		m.Fixed, m.Vocabulary) {
		t.Errorf("header %+v, want %+v", got.Header, m.Header)
	}
	for i, w := range m.Ops {
		if math.Abs(float64(got.Ops[i]-w)) > float64(got.OpScale)*0.51 {
			t.Fatalf("weight %d is %v, was %v", i, got.Ops[i], w)
		}
	}
}

// TestDamagedFile: whatever byte of the file is wrong or missing, it is refused.
func TestDamagedFile(t *testing.T) {
	file, err := small(2).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(file); i += 7 {
		bad := slices.Clone(file)
		bad[i] ^= 0x40
		if _, err := Unmarshal(bad); !errors.Is(err, errDamaged) {
			t.Fatalf("byte %d of %d changed: %v", i, len(file), err)
		}
		if _, err := Unmarshal(file[:i]); !errors.Is(err, errDamaged) {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
	}
}

// TestBest: the beam finds the same labellings as trying all of them, on short requests.
func TestBest(t *testing.T) {
	for seed := range uint64(20) {
		m := small(seed)
		words, us := units(4)
		tagger := NewTagger("a", m.Labels["a"], m.Slots)
		emissions := tagger.Emissions(SlotFeaturesOf(words, us))
		best, want := tagger.Best(emissions, 1)[0], math.Inf(-1)
		for code := range 81 {
			labels := []int{code % 3, code / 3 % 3, code / 9 % 3, code / 27}
			if score, ok := scoreOf(tagger, emissions, labels); ok {
				want = max(want, score)
			}
		}
		if math.Abs(best.Score-want) > 1e-4 {
			t.Errorf("seed %d: the beam finds %v, trying all finds %v", seed, best.Score, want)
		}
	}
}

// scoreOf is the plain sum of a labelling, false if a slot is two runs.
func scoreOf(t *Tagger, emissions [][]float32, labels []int) (float64, bool) {
	from, sum := len(t.labels), 0.0
	for i, l := range labels {
		if l > 0 && l != from && slices.Contains(labels[:i], l) {
			return 0, false
		}
		sum += float64(emissions[i][l] + t.table[t.trans[from][l]])
		from = l
	}
	return sum, true
}

// TestLongRequests: no request makes the model look at more than its first units.
func TestLongRequests(t *testing.T) {
	m := small(3)
	words, us := units(5000)
	if g := m.Guesses(words, us); len(g) != 3 {
		t.Errorf("%d guesses", len(g))
	}
	if got := m.Taggings("a", words, us, 2); len(got) != 2 || len(got[0].Labels) != longest {
		t.Errorf("%d taggings of %d labels", len(got), len(got[0].Labels))
	}
}
