// Package cache keeps the keys and values of sequences that a model has read, for prompts that begin as one of
// them.
//
//	prompt --Take--> Sequence: what is kept of its beginning, to be continued by its caller alone
//	                    |
//	                  Keep --> the next prompt's beginning
//
// A kept sequence never changes: what is taken is a fork of it, which shares the blocks of their common beginning
// and copies one when it writes there (infer.State.Fork). So any number of conversations that begin alike, at the
// same time or in turns, have one copy of that and compute it once, and each finds its own continuation again.
//
// The sequences stand for an index of blocks by their content: there are few of them, and comparing their tokens
// finds the longest common beginning to the token, where blocks would find it to the block. Those that were used
// longest ago leave first.
package cache

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"waferpair/engine/infer"
)

// Sequence is tokens, and the state that has their keys and values. Len(State) is len(Tokens).
type Sequence struct {
	Tokens []int32
	State  *infer.State
}

// Cache keeps sequences of a model. Any number of goroutines may use it.
type Cache struct {
	model *infer.Model
	most  int
	bytes func() int64

	mu   sync.Mutex
	kept []Sequence // the one that was used last at the end
	n    atomic.Int32
}

// New returns a cache of so many sequences, which together take so many bytes; the last one stays in any case.
func New(m *infer.Model, most int, bytes func() int64) *Cache {
	return &Cache{model: m, most: most, bytes: bytes}
}

// least is how many tokens in common are worth a fork: it will copy a block of 256 positions, and fewer are
// computed as soon.
const least = 16

// Take returns a sequence with what is kept of the beginning of a prompt. At least the prompt's last token is
// left to compute: its logits are wanted.
func (c *Cache) Take(prompt []int32) (Sequence, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	best, length := -1, 0
	for i, s := range c.kept {
		if n := min(common(s.Tokens, prompt), len(prompt)-1); n > length {
			best, length = i, n
		}
	}
	if length < least {
		state, err := c.model.NewState(0)
		return Sequence{State: state}, err
	}
	from := c.kept[best]
	state, err := from.State.Fork(length)
	if err != nil {
		return Sequence{}, fmt.Errorf("go on from %d kept tokens: %w", length, err)
	}
	c.kept = append(slices.Delete(c.kept, best, best+1), from)
	return Sequence{slices.Clone(prompt[:length]), state}, nil
}

// Keep keeps a sequence, which its caller uses no longer.
func (c *Cache) Keep(s Sequence) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.n.Store(int32(len(c.kept))) }()
	if len(s.Tokens) == 0 || slices.ContainsFunc(c.kept, func(k Sequence) bool { return begins(k, s) }) {
		s.State.Close()
		return
	}
	c.kept = slices.DeleteFunc(c.kept, func(k Sequence) bool {
		if !begins(s, k) {
			return false
		}
		k.State.Close()
		return true
	})
	c.kept = append(c.kept, s)
	for len(c.kept) > 1 && (len(c.kept) > c.most || c.size() > c.bytes()) {
		c.kept[0].State.Close()
		c.kept = slices.Delete(c.kept, 0, 1)
	}
}

// KeepSoFar keeps what a sequence has at present, of which its caller goes on.
func (c *Cache) KeepSoFar(s Sequence) error {
	fork, err := s.State.Fork(len(s.Tokens))
	if err != nil {
		return err
	}
	c.Keep(Sequence{slices.Clone(s.Tokens), fork})
	return nil
}

// Len returns the number of kept sequences. It does not wait for a pass to end, as the other methods may.
func (c *Cache) Len() int { return int(c.n.Load()) }

// Bytes returns the memory of the kept sequences.
func (c *Cache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size()
}

func (c *Cache) size() int64 {
	states := make([]*infer.State, len(c.kept))
	for i, s := range c.kept {
		states[i] = s.State
	}
	return c.model.BytesOf(states...)
}

// begins reports whether a sequence begins with all of another one, so that it stands for it.
func begins(s, with Sequence) bool { return common(s.Tokens, with.Tokens) == len(with.Tokens) }

func common(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
