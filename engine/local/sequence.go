package local

import (
	"context"
	"fmt"

	"waferpair/engine/infer"
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

// maxKept is how many sequences a model keeps: that of the last turns of two sessions, and that of
// small jobs beside them.
const maxKept = 3

// sequence returns the kept sequence that begins most like a prompt, cut to what they have in common,
// or a new one. At least the prompt's last token is left to compute: its logits are wanted.
func (w *weights) sequence(tokens []int32) (*sequence, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answering++
	best, length := -1, 0
	for i, s := range w.kept {
		if n := common(s.tokens, tokens); n > length {
			best, length = i, n
		}
	}
	// little in common is a system message: the other session will want its own again
	if best < 0 || length < len(tokens)/2 && len(w.kept) < maxKept {
		state, err := w.model.NewState(0)
		if err == nil {
			return &sequence{state: state}, nil
		}
		if best < 0 {
			w.answering--
			return nil, err
		}
	}
	s := w.kept[best]
	w.kept = append(w.kept[:best], w.kept[best+1:]...)
	s.cut(min(length, len(tokens)-1))
	return s, nil
}

// keep keeps a sequence for the next prompt, and drops older ones that are too many, or take more than an
// eighth of the computer's memory together.
func (w *weights) keep(s *sequence) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.calls, s.passed = nil, nil
	w.answering--
	w.kept = append(w.kept, s)
	for len(w.kept) > 1 && (len(w.kept) > maxKept || w.keptBytes() > mostKept()) {
		w.kept[0].state.Close()
		w.kept = append([]*sequence(nil), w.kept[1:]...)
	}
}

// mostKept is how much memory kept sequences may take.
func mostKept() int64 { return Installed() / 8 }

// keptBytes is the memory of the kept sequences; the lock is held.
func (w *weights) keptBytes() (sum int64) {
	for _, s := range w.kept {
		sum += s.state.Bytes()
	}
	return sum
}

func common(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

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
