package infer

import (
	"fmt"
	"math"
	"unsafe"

	"waferpair/engine/infer/kernel"
)

// State is one sequence of tokens: their keys and values. One goroutine at a time uses it. Its blocks of positions
// may be those of other sequences that begin alike: who writes into one that is shared takes a copy (own).
type State struct {
	model    *Model
	n        int
	capacity int
	blocks   []*uint16 // of kernel.Positions
	logits   []float32
}

// NewState returns an empty sequence with room for so many tokens; 0 is the context that
// the model was trained for, or as much as there is memory, if that is unknown. Memory is
// taken as the sequence grows.
func (m *Model) NewState(capacity int) (*State, error) {
	m.pass.Lock()
	defer m.pass.Unlock()
	if m.backend == nil {
		return nil, fmt.Errorf("begin a sequence: %w", errClosed)
	}
	if capacity <= 0 {
		capacity = m.config.ContextLength
	}
	if capacity == 0 {
		capacity = math.MaxInt32 - mostTokens
	}
	if capacity < 0 || capacity > math.MaxInt32-mostTokens {
		return nil, fmt.Errorf("begin a sequence of %d tokens: at most %d are run", capacity, math.MaxInt32-mostTokens)
	}
	s := &State{model: m, capacity: capacity}
	m.states[s] = true
	return s, nil
}

// Len returns the number of tokens in the sequence, Capacity how many there may be.
func (s *State) Len() int      { return s.n }
func (s *State) Capacity() int { return s.capacity }

// Truncate keeps the first n tokens. It keeps the memory of the others.
func (s *State) Truncate(n int) { s.n = max(0, min(n, s.n)) }

// Fork returns another sequence with the first n tokens of this one. It takes no memory of its own for them.
func (s *State) Fork(n int) (*State, error) {
	m := s.model
	m.pass.Lock()
	defer m.pass.Unlock()
	if m.backend == nil {
		return nil, fmt.Errorf("fork a sequence: %w", errClosed)
	}
	f := &State{model: m, capacity: s.capacity, n: max(0, min(n, s.n))}
	f.blocks = append(f.blocks, s.blocks[:blocksFor(f.n)]...)
	for _, b := range f.blocks {
		m.shared[b]++
	}
	m.states[f] = true
	return f, nil
}

// blocksFor returns how many blocks hold n positions.
func blocksFor(n int) int { return (n + kernel.Positions - 1) / kernel.Positions }

// BytesOf returns how much memory sequences of the model take together. What several share counts once.
func (m *Model) BytesOf(states ...*State) int64 {
	m.pass.Lock()
	defer m.pass.Unlock()
	seen := map[*uint16]bool{}
	for _, s := range states {
		for _, b := range s.blocks {
			seen[b] = true
		}
	}
	return int64(len(seen)) * m.blockBytes()
}

// Close gives the memory of the sequence back, which is then empty.
func (s *State) Close() {
	m := s.model
	m.pass.Lock()
	defer m.pass.Unlock()
	s.release()
	delete(m.states, s)
}

// release gives the blocks back; the model's lock is held.
func (s *State) release() {
	for _, b := range s.blocks {
		s.model.drop(b)
	}
	s.blocks, s.n, s.logits = nil, 0, nil
}

// drop gives a block back, unless another sequence has it.
func (m *Model) drop(b *uint16) {
	switch n := m.shared[b]; {
	case n > 1:
		m.shared[b] = n - 1
	case n == 1:
		delete(m.shared, b)
	default:
		m.backend.freeBlock(b)
		m.blocks.Add(-1)
	}
}

// grow gives the sequence the blocks for n tokens, and sees that it alone has those behind its present ones; the
// lock is held. Without the memory it keeps what it has.
func (s *State) grow(n int) error {
	m, need, have := s.model, blocksFor(n), len(s.blocks)
	missing := max(0, need-have)
	for i := s.n / kernel.Positions; i < min(need, have); i++ {
		if m.shared[s.blocks[i]] > 0 {
			missing++
		}
	}
	if missing == 0 {
		return nil
	}
	if err := roomFor(int64(missing)*m.blockBytes(), "keys and values"); err != nil {
		return err
	}
	for i := s.n / kernel.Positions; i < need; i++ {
		if i < have && m.shared[s.blocks[i]] == 0 {
			continue
		}
		b, err := m.backend.newBlock()
		if err != nil {
			return fmt.Errorf("make room for keys and values: %w", err)
		}
		m.blocks.Add(1)
		if i >= have {
			s.blocks = append(s.blocks, b)
			continue
		}
		if i*kernel.Positions < s.n {
			copy(unsafe.Slice(b, m.blockBytes()/2), unsafe.Slice(s.blocks[i], m.blockBytes()/2))
		}
		m.drop(s.blocks[i])
		s.blocks[i] = b
	}
	return nil
}

// blockBytes returns the size of a block of the cache: keys and values in two bytes each,
// of heads padded to 16.
func (m *Model) blockBytes() int64 {
	c := m.config
	return int64(c.BlockCount) * int64(c.HeadCountKV) * int64((c.KeyLength+15)/16*16) * 2 * 2 * kernel.Positions
}
