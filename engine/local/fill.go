package local

import (
	"context"
	"errors"
	"fmt"

	"waferpair/engine/model"
	"waferpair/engine/sample"
	"waferpair/engine/token"
)

// Filling in, for models that were trained for it (arXiv 2207.14255): their vocabulary has tokens for what is
// before and after a place, and for the place.
//
//	PREFIX text before SUFFIX text after MIDDLE --> the text of the place

// errNoFill means that a model was not trained to fill in.
var errNoFill = errors.New("its vocabulary has no tokens for the text between two others: " +
	"take a model that was trained to fill in, as Qwen2.5-Coder")

// fillTokens returns the prompt for the text between two others, of so many tokens at most: those nearest to the
// place.
func fillTokens(v *token.Vocabulary, before, after string, most int) ([]int32, error) {
	fim, is := v.FIM()
	if !is {
		return nil, errNoFill
	}
	out := v.Encode(nil, "", token.Options{BOS: true})
	room := most - len(out) - 3
	if room < 1 {
		return nil, fmt.Errorf("a context of %d tokens is too small to fill in", most)
	}
	first, last := nearest(v.Encode(nil, before, token.Options{Joined: true}),
		v.Encode(nil, after, token.Options{Joined: true}), room)
	out = append(append(out, fim.Prefix), first...)
	out = append(append(out, fim.Suffix), last...)
	return append(out, fim.Middle), nil
}

// nearest returns the end of one text and the beginning of another that fit into so many tokens together. The
// second has a quarter of them, and what the first does not need.
func nearest(before, after []int32, room int) (first, last []int32) {
	last = after[:min(len(after), max(room/4, room-len(before)))]
	return before[max(0, len(before)-(room-len(last))):], last
}

// Fill writes the text between two others. It implements model.Filler.
func (m *Model) Fill(ctx context.Context, before, after string, yield func(model.Delta) error) (model.Result, error) {
	a := m.answer(yield)
	err := a.fill(ctx, before, after)
	return a.result, err
}

func (a *answer) fill(ctx context.Context, before, after string) error {
	sampler, err := sample.New(sample.Options{})
	if err != nil {
		return err
	}
	w, err := a.load(ctx)
	if err != nil {
		return err
	}
	defer a.model.shelf.give(w)
	tokens, err := fillTokens(w.vocab, before, after, a.model.info.Context*3/4)
	if err != nil {
		return fmt.Errorf("fill in with %s: %w", a.model.info.Name, err)
	}
	a.begin(w.vocab, &plainText{}, nil, nil)
	return a.from(ctx, w, tokens, sampler, 0)
}

// plainText makes a message of a text.
type plainText struct{ begun bool }

// Add returns the deltas of more text.
func (p *plainText) Add(text string) (out []model.Delta) {
	if text == "" {
		return nil
	}
	if !p.begun {
		p.begun = true
		out = append(out, model.Begin{Item: model.Item{Kind: model.Message, Role: model.RoleAssistant}})
	}
	return append(out, model.Text{Text: text})
}

// End returns the delta of the text's end.
func (p *plainText) End() []model.Delta {
	if !p.begun {
		return nil
	}
	return []model.Delta{model.End{}}
}
