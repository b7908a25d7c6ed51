package drivertest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"waferpair/engine/model"
)

// Speaker is a model that streams fixed answers token by token. A test can cut it at each
// token: in text, in reasoning, in the input of a call.
//
// It keeps the deltas that yield accepted, for the test to compare.
type Speaker struct {
	// Answers are the items of each generation, in order. A generation beyond them is
	// empty.
	Answers [][]model.Item
	// Language makes it a language model: it is asked again for what its answers wait for.
	Language bool
	Context  int // tokens of prompt and answer together; 0: unknown
	// GoesOn makes it say, behind a prompt that ends in an incomplete item, only the rest of its answer's first
	// item. What that item has must be how it begins.
	GoesOn bool
	// Ends says how an answer ends, from 0; nil: each by itself. An answer that ends otherwise
	// leaves its last item open.
	Ends func(n int) (model.Stop, error)
	// Rand cuts the texts into tokens of a few characters; nil: each character is one.
	Rand *rand.Rand
	// After At tokens of all the answers, the speaker calls Reached once, from a goroutine
	// of its own, and waits to be cut. With Stubborn it does not wait and goes on after the
	// cut.
	At       int
	Reached  func()
	Stubborn bool

	mu       sync.Mutex
	prompts  []model.Prompt
	happened []*model.Output
	tokens   int
	refused  int
}

// Info describes it.
func (s *Speaker) Info() model.Info {
	return model.Info{Name: "speaker", Kind: "test", Offline: true, Language: s.Language, Context: s.Context,
		GoesOn: s.GoesOn}
}

// Prompts returns the prompts that it received.
func (s *Speaker) Prompts() []model.Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.prompts)
}

// Happened returns the items of all answers, as far as yield accepted them.
func (s *Speaker) Happened() (out []model.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.happened {
		out = append(out, o.Items()...)
	}
	return out
}

// Tokens returns the number of tokens that yield accepted.
func (s *Speaker) Tokens() int { s.mu.Lock(); defer s.mu.Unlock(); return s.tokens }

// Refused returns the number of deltas that yield refused.
func (s *Speaker) Refused() int { s.mu.Lock(); defer s.mu.Unlock(); return s.refused }

// Generate streams the next answer.
func (s *Speaker) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	n, out := s.asked(p)
	say := func(d model.Delta) error {
		err := yield(d)
		s.mu.Lock()
		defer s.mu.Unlock()
		if err != nil {
			s.refused++
			return err
		}
		return out.Take(d)
	}
	used := model.Usage{Input: len(p.Items)}
	if n >= len(s.Answers) {
		return model.Result{Stop: model.StopEnd, Usage: used}, nil
	}
	stop, failed := model.StopEnd, error(nil)
	if s.Ends != nil {
		stop, failed = s.Ends(n)
	}
	answer := s.Answers[n]
	if s.GoesOn {
		var err error
		if answer, err = restOf(answer, p.Items); err != nil {
			return model.Result{Usage: used}, err
		}
	}
	for at, i := range answer {
		open := at == len(answer)-1 && stop != model.StopEnd
		if err := s.sayItem(ctx, at, i, open, say, &used); err != nil {
			return model.Result{Stop: model.StopCut, Usage: used, Cursor: s.cursor()}, err
		}
	}
	return model.Result{Stop: stop, Usage: used, Cursor: s.cursor()}, failed
}

// restOf returns what of an answer a prompt has not yet.
func restOf(answer, prompt []model.Item) ([]model.Item, error) {
	last := prompt[len(prompt)-1]
	if last.Status != model.Incomplete {
		return answer, nil
	}
	rest, is := strings.CutPrefix(answer[0].Text(), last.Text())
	if !is || answer[0].Kind != last.Kind {
		return nil, fmt.Errorf("the open %s is %q, and the answer is the %s %q", last.Kind, last.Text(),
			answer[0].Kind, answer[0].Text())
	}
	i := answer[0]
	if i.Kind.IsCall() {
		i.Input = rest
	} else {
		i.Parts = model.Assistant(rest).Parts
	}
	return append([]model.Item{i}, answer[1:]...), nil
}

// cursor identifies the accepted tokens.
func (s *Speaker) cursor() model.Cursor { return model.Cursor(fmt.Sprint("after ", s.Tokens())) }

func (s *Speaker) asked(p model.Prompt) (n int, out *model.Output) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, out = len(s.prompts), &model.Output{}
	s.prompts, s.happened = append(s.prompts, p), append(s.happened, out)
	return n, out
}

func (s *Speaker) sayItem(ctx context.Context, at int, i model.Item, open bool, say func(model.Delta) error,
	used *model.Usage) error {
	words := i.Text()
	i.Parts, i.Input = nil, ""
	if err := say(model.Begin{At: at, Item: i}); err != nil {
		return err
	}
	for words != "" {
		n := s.token(words)
		if err := say(model.Text{At: at, Text: words[:n], Tokens: 1}); err != nil {
			return err
		}
		words = words[n:]
		used.Output++
		if s.counted() {
			go s.Reached()
			if !s.Stubborn {
				<-ctx.Done()
			}
		}
	}
	if open {
		return nil
	}
	return say(model.End{At: at})
}

// counted counts a token and reports whether it is the one at which the test cuts.
func (s *Speaker) counted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens++
	return s.tokens == s.At && s.Reached != nil
}

// token returns the length of the next token.
func (s *Speaker) token(words string) int {
	want := 1
	if s.Rand != nil {
		s.mu.Lock() // an answer that a turn has given up may go on beside the next one
		want = 1 + s.Rand.IntN(4)
		s.mu.Unlock()
	}
	n := len(words)
	for at := range words { // the offsets at which characters begin
		if at >= want {
			n = at
			break
		}
	}
	return n
}
