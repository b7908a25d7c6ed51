package local

import (
	"context"
	"fmt"

	"waferpair/engine/infer"
	"waferpair/engine/infer/cache"
	"waferpair/engine/model"
)

// sequence is the tokens that a state has the keys and values of.
type sequence struct {
	tokens []int32 // as many as the state's
	state  *infer.State
	calls  []Call           // of the model, for the answer that uses it
	passed func(model.Pass) // is told of them; nil: nobody is
}

// Call is a pass of the model: so many tokens at a depth, of which the last ones were guessed.
type Call struct{ Tokens, Depth, Drafted int }

// maxKept is how many sequences a model keeps: those of the last turns of a few sessions and forks, and of small
// jobs beside them. What they share takes memory once.
const maxKept = 8

// sequence returns a sequence with what is kept of the beginning of a prompt.
func (w *weights) sequence(tokens []int32) (*sequence, error) {
	s, err := w.kept.Take(tokens)
	if err != nil {
		return nil, err
	}
	w.answering.Add(1)
	return &sequence{tokens: s.Tokens, state: s.State}, nil
}

// keep keeps a sequence for the next prompt.
func (w *weights) keep(s *sequence) {
	w.answering.Add(-1)
	w.kept.Keep(cache.Sequence{Tokens: s.tokens, State: s.state})
}

// mostKept is how much memory kept sequences may take.
func mostKept() int64 { return Installed() / 8 }

func (s *sequence) cut(n int) {
	s.state.Truncate(n)
	s.tokens = s.tokens[:n]
}

// pass is how many tokens of a prompt are computed between two reports of progress.
const pass = 512

// read computes a prompt behind what the sequence has of it, and returns the logits of the next token.
func (s *sequence) read(ctx context.Context, m *infer.Model, tokens []int32, note func(done int) error) ([]float32,
	error) {
	for {
		done := len(s.tokens)
		part, wanted := tokens[done:], infer.Last
		if len(part) > pass {
			part, wanted = part[:pass], infer.None
		}
		logits, err := s.forward(ctx, m, part, wanted)
		if err == nil {
			s.tell(model.Pass{Tokens: len(part), Depth: done})
		}
		if err != nil || wanted == infer.Last {
			return logits, err
		}
		if err := note(len(s.tokens)); err != nil {
			return nil, err
		}
	}
}

func (s *sequence) forward(ctx context.Context, m *infer.Model, tokens []int32, wanted infer.Wanted) ([]float32,
	error) {
	logits, err := m.Forward(ctx, s.state, tokens, wanted)
	if err != nil {
		return nil, fmt.Errorf("compute %d tokens behind %d: %w", len(tokens), len(s.tokens), err)
	}
	s.calls = append(s.calls, Call{Tokens: len(tokens), Depth: len(s.tokens)})
	s.tokens = append(s.tokens, tokens...)
	return logits, nil
}

// tell passes a pass on whose result is known.
func (s *sequence) tell(p model.Pass) {
	if s.passed != nil {
		s.passed(p)
	}
}
