package infer

import (
	"fmt"
	"math"
)

// State is one sequence of tokens: their keys and values. One goroutine at a time uses it.
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

// Bytes returns how much memory the sequence takes.
func (s *State) Bytes() int64 { return int64(len(s.blocks)) * s.model.blockBytes() }

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
		s.model.backend.freeBlock(b)
	}
	s.model.blocks.Add(-int64(len(s.blocks)))
	s.blocks, s.n, s.logits = nil, 0, nil
}
