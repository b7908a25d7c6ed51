package local

import (
	"context"

	"waferpair/engine/draft"
	"waferpair/engine/infer"
	"waferpair/engine/model"
	"waferpair/engine/sample"
)

// writer writes the tokens that follow a sequence.
type writer struct {
	model   *infer.Model
	seq     *sequence
	sampler *sample.Sampler
	guesses *draft.Lookup // nil: none
	most    int           // tokens that may still be written; negative: no limit

	drafted, accepted int
}

// write calls say for each token until it reports the end, the limit is reached or the sequence is
// full. It begins with the logits of the first token.
//
// A guess is scored in the pass of the token before it. Each of its tokens counts only if the
// sampler, given the logits before it, chooses that very token: so with guesses and without them a
// text is drawn from the same distribution, and the most likely text is the same but for near ties.
func (w *writer) write(ctx context.Context, logits []float32,
	say func(c sample.Choice) (end bool, err error)) (full bool,
	err error) {
	c, err := w.sampler.Next(logits)
	if err != nil {
		return false, err
	}
	for {
		if w.most == 0 {
			return true, nil
		}
		w.most--
		if end, err := say(c); end || err != nil {
			return false, err
		}
		if len(w.seq.tokens) >= w.seq.state.Capacity() {
			return true, nil
		}
		if c, full, err = w.next(ctx, c, say); full || err != nil || c.ID < 0 {
			return full, err
		}
	}
}

// ended is the choice after an end.
var ended = sample.Choice{ID: -1}

// next computes the pass of a token and a guess behind it, says the part of the guess that is
// right, and returns the choice behind that.
func (w *writer) next(ctx context.Context, c sample.Choice, say func(sample.Choice) (bool, error)) (sample.Choice, bool,
	error) {
	guess := w.guess(c.ID)
	depth, wanted := len(w.seq.tokens), infer.Last
	if len(guess) > 0 {
		wanted = infer.All
	}
	rows, err := w.seq.forward(ctx, w.model, append([]int32{c.ID}, guess...), wanted)
	if err != nil {
		return ended, false, err
	}
	w.seq.calls[len(w.seq.calls)-1].Drafted = len(guess)
	width := len(rows) / (1 + len(guess))
	for i := 0; ; i++ {
		if c, err = w.sampler.Next(rows[i*width : (i+1)*width]); err != nil {
			return ended, false, err
		}
		if i == len(guess) || c.ID != guess[i] || w.most == 0 {
			w.scored(i, len(guess))
			w.seq.tell(model.Pass{Tokens: 1 + len(guess), Depth: depth, Drafted: len(guess), Written: i + 1})
			w.seq.cut(depth + 1 + i)
			return c, false, nil
		}
		w.most--
		if end, err := say(c); end || err != nil {
			w.scored(i+1, len(guess))
			w.seq.tell(model.Pass{Tokens: 1 + len(guess), Depth: depth, Drafted: len(guess), Written: i + 1})
			w.seq.cut(depth + 2 + i)
			return ended, false, err
		}
		if w.guesses != nil {
			w.guesses.Add(c.ID)
		}
	}
}

// guess returns the guess behind a token that was written.
func (w *writer) guess(id int32) []int32 {
	if w.guesses == nil {
		return nil
	}
	w.guesses.Add(id)
	most := w.seq.state.Capacity() - len(w.seq.tokens) - 1
	if w.most >= 0 {
		most = min(most, w.most)
	}
	return w.guesses.Next(max(0, most))
}

func (w *writer) scored(right, guessed int) {
	w.drafted, w.accepted = w.drafted+guessed, w.accepted+right
	if guessed > 0 {
		w.guesses.Scored(right, guessed)
	}
}
