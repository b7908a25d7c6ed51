package cache_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"waferpair/engine/gguf"
	"waferpair/engine/infer"
	"waferpair/engine/infer/cache"
	"waferpair/engine/local/localtest"
)

// model loads a tiny model.
func model(t *testing.T) *infer.Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := localtest.Write(path, localtest.Shape("qwen2", 2, 64), gguf.Q8_0, 1); err != nil {
		t.Fatal(err)
	}
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := infer.Load(f, infer.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// continued takes a prompt from a cache, computes what is new in pieces of random length, and returns the
// sequence and the logits of the prompt's last token.
func continued(t *testing.T, r *rand.Rand, m *infer.Model, c *cache.Cache, prompt []int32) (cache.Sequence, []float32,
	int) {
	t.Helper()
	s, err := c.Take(prompt)
	if err != nil {
		t.Fatal(err)
	}
	kept := len(s.Tokens)
	if kept != s.State.Len() || kept >= len(prompt) || !slices.Equal(s.Tokens, prompt[:kept]) {
		t.Fatalf("%d tokens were taken, %d are in the state, of a prompt of %d", kept, s.State.Len(), len(prompt))
	}
	var logits []float32
	for len(s.Tokens) < len(prompt) {
		part := prompt[len(s.Tokens):]
		part = part[:1+r.IntN(len(part))]
		if logits, err = m.Forward(t.Context(), s.State, part, infer.Last); err != nil {
			t.Fatal(err)
		}
		s.Tokens = append(s.Tokens, part...)
	}
	return s, slices.Clone(logits), kept
}

// plain computes a prompt from its beginning.
func plain(t *testing.T, m *infer.Model, prompt []int32) []float32 {
	t.Helper()
	s, err := m.NewState(0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	logits, err := m.Forward(t.Context(), s, prompt, infer.Last)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(logits)
}

func anyTokens(r *rand.Rand, n int) (list []int32) {
	for range n {
		list = append(list, int32(r.IntN(250)))
	}
	return list
}

// near reports whether logits are the same but for the last bits of attention, which pieces may change, and what
// rounding to eight bits makes of them.
func near(got, want []float32) bool {
	var d infer.Distance
	d.Add(got, want)
	return d.RMS() < infer.MostRMS
}

// TestAnyConversations: what conversations that go on, fork and go back find in a cache gives the logits that
// their prompts have from the beginning, and goes on to do so while others write behind the same beginning.
func TestAnyConversations(t *testing.T) {
	m := model(t)
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := cache.New(m, 4, func() int64 { return 1 << 30 })
		all := [][]int32{anyTokens(r, 300)}
		var open []cache.Sequence // that somebody goes on with
		for range 25 {
			from := all[r.IntN(len(all))]
			prompt := append(slices.Clone(from[:1+r.IntN(len(from))]), anyTokens(r, 1+r.IntN(150))...)
			s, got, _ := continued(t, r, m, c, prompt)
			if want := plain(t, m, prompt); !near(got, want) {
				t.Fatalf("seed %d: another result for a prompt of %d tokens", seed, len(prompt))
			}
			all = append(all, prompt)
			if r.IntN(2) == 0 {
				if err := c.KeepSoFar(s); err != nil {
					t.Fatal(err)
				}
			}
			if open = append(open, s); len(open) > 3 {
				c.Keep(open[0])
				open = open[1:]
			}
		}
		for _, s := range open {
			c.Keep(s)
		}
	}
}

// TestForksShareTheirBeginning: of memory and of time, whether they begin in turns or at the same time.
func TestForksShareTheirBeginning(t *testing.T) {
	m := model(t)
	r := rand.New(rand.NewPCG(9, 9))
	c := cache.New(m, 8, func() int64 { return 1 << 30 })
	common := anyTokens(r, 4*256)
	s, _, _ := continued(t, r, m, c, common)
	c.Keep(s)
	one := c.Bytes()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		prompt := append(slices.Clone(common), anyTokens(r, 20)...)
		own := rand.New(rand.NewPCG(r.Uint64(), 0))
		all.Go(func() {
			s, got, kept := continued(t, own, m, c, prompt)
			mu.Lock()
			defer mu.Unlock()
			if want := plain(t, m, prompt); !near(got, want) || kept != len(common) {
				t.Errorf("a fork finds %d of %d tokens", kept, len(common))
			}
			c.Keep(s)
		})
	}
	all.Wait()
	if got := c.Bytes(); got != 2*one { // a block of its own for each of four forks, besides the four in common
		t.Errorf("four forks take %d bytes, and their beginning %d", got, one)
	}
}

// TestWhoLeaves: the sequence that was used longest ago, by number and by memory; the last one stays.
func TestWhoLeaves(t *testing.T) {
	m := model(t)
	r := rand.New(rand.NewPCG(5, 5))
	most := int64(1 << 30)
	c := cache.New(m, 2, func() int64 { return most })
	prompts := [][]int32{anyTokens(r, 40), anyTokens(r, 50), anyTokens(r, 60)}
	found := func(i int) bool {
		s, err := c.Take(append(slices.Clone(prompts[i]), 1))
		if err != nil {
			t.Fatal(err)
		}
		defer s.State.Close()
		return len(s.Tokens) > 0
	}
	for i := range 2 {
		s, _, _ := continued(t, r, m, c, prompts[i])
		c.Keep(s)
	}
	if !found(0) { // so that 1 was used longest ago
		t.Error("the first of two has gone")
	}
	s, _, _ := continued(t, r, m, c, prompts[2])
	c.Keep(s)
	if !found(0) || found(1) || !found(2) {
		t.Error("another one than that which was used longest ago has left")
	}
	most = 1
	s, _, _ = continued(t, r, m, c, prompts[1])
	c.Keep(s)
	if found(0) || !found(1) || found(2) {
		t.Error("without memory, others than the last one stay")
	}
}
