package infer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"waferpair/engine/infer/kernel"
)

// Wanted is which tokens' logits a Forward computes. A vocabulary is often a quarter of a
// model's weights.
type Wanted int

const (
	Last Wanted = iota // of the last token: one row
	None
	All // a row for each token
)

// Forward appends tokens to a sequence, and returns the logits that are wanted, row after
// row of VocabSize. They are valid until the next Forward of the same state. When the context
// is cancelled it stops at the next layer. After an error the state is as it was.
func (m *Model) Forward(ctx context.Context, s *State, tokens []int32, wanted Wanted) ([]float32, error) {
	m.pass.Lock()
	defer m.pass.Unlock()
	logits, err := m.forward(ctx, s, tokens, wanted)
	if err != nil {
		return nil, fmt.Errorf("run %d tokens after %d: %w", len(tokens), s.n, err)
	}
	s.n += len(tokens)
	return logits, nil
}

func (m *Model) forward(ctx context.Context, s *State, tokens []int32, wanted Wanted) ([]float32, error) {
	if err := m.refuse(s, tokens); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.grow(s.n + len(tokens)); err != nil {
		return nil, err
	}
	var stop uint32
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, func() { atomic.StoreUint32(&stop, 1) })()
	}
	logits := s.room(len(tokens), wanted)
	for done := 0; done < len(tokens); {
		part := tokens[done:min(len(tokens), done+m.most)]
		p := kernel.Pass{Tokens: part, First: s.n + done, Blocks: s.blocks, Stop: &stop,
			Turns: m.turns.of(s.n+done, len(part)), Logits: rowsOf(logits, done, len(part), len(tokens), wanted)}
		if !m.backend.run(p) {
			return nil, ctx.Err()
		}
		done += len(part)
	}
	return logits, nil
}

// refuse returns why tokens cannot be run.
func (m *Model) refuse(s *State, tokens []int32) error {
	switch {
	case m.backend == nil:
		return errClosed
	case s.model != m:
		return errors.New("the sequence is one of another model")
	case len(tokens) == 0:
		return errors.New("there are none: give at least one")
	case len(tokens) > s.capacity-s.n:
		return fmt.Errorf("the sequence has room for %d: cut it, or begin one with more", s.capacity)
	}
	for _, t := range tokens {
		if t < 0 || int(t) >= m.config.VocabSize {
			return fmt.Errorf("token %d is not in a vocabulary of %d: give some from 0 to %d", t, m.config.VocabSize,
				m.config.VocabSize-1)
		}
	}
	return nil
}

// room returns the rows that n tokens' logits take.
func (s *State) room(n int, wanted Wanted) []float32 {
	rows := 0
	switch wanted {
	case Last:
		rows = 1
	case All:
		rows = n
	case None:
	}
	need := rows * s.model.config.VocabSize
	s.logits = slices.Grow(s.logits[:0], need)[:need]
	return s.logits
}

// rowsOf returns the rows that the tokens of a pass fill: n of them from done on, of a total.
func rowsOf(logits []float32, done, n, total int, wanted Wanted) []float32 {
	switch {
	case wanted == All:
		row := len(logits) / total
		return logits[done*row : (done+n)*row]
	case wanted == Last && done+n == total:
		return logits
	}
	return nil
}
