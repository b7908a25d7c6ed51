package app

import (
	"context"
	"strings"

	"waferpair/app/query"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/engine/prompt"
	"waferpair/history"
)

// A model that goes on at the byte (model.Info.GoesOn) need not be told that its answer broke off: its
// prompt ends in the answer, as far as that came. Of a turn that was continued before, the answers are
// joined to one. What of the turn is in place, and which edit was taken back, is the same for all models;
// see continue.go.
//
//	turn 3   request, answer, cut         ─┐
//	turn 4   "Continue: ...", rest, cut   ─┼─> request, answer and rest, open: engine.Request.Open
//	turn 5   "Continue: ..."              ─┘

// goesOn reports whether the answer that broke off may go on at the byte: the user adds no words, and only
// the edit that it broke off in was taken back.
func (on resumed) goesOn(r EditRequest) bool { return !r.Continue.adds && (on.broken == nil || on.one) }

// openPrompt returns the prompt that ends in the answer that broke off; nil where that cannot go on.
func (p *turns) openPrompt(ctx context.Context, of prompt.Request, session history.SessionID, before history.TurnID,
	on resumed) *prompt.Context {
	all, err := p.sessions.store.Turns(ctx, session, before, maxTurnsBack)
	if err != nil || len(all) == 0 {
		return nil
	}
	first, said := openEnd(all)
	if said == nil || !canRejoin(on.broken, said[len(said)-1]) {
		return nil
	}
	of.GoesOn, of.Turns = true, append(of.Turns[:first:first], turnOf(all[first], said))
	c, err := prompt.Build(ctx, of)
	if err != nil { // it does not fit, or was taken out of the prompt
		return nil
	}
	return &c
}

// canRejoin reports whether what follows the text in which an answer broke off can be read behind it. open is
// the item that has it.
func canRejoin(b *engine.Broken, open model.Item) bool {
	if b == nil {
		return true
	}
	_, ok := editstream.Rejoin(b.Text, b.Call)
	return ok && b.Call == open.Kind.IsCall()
}

// openEnd returns the items of the last turn and of those that it went on with, as of one, and which turn
// that is; the last item is the model's. nil: the answer cannot be put together.
func openEnd(all []history.Turn) (first int, out []model.Item) {
	first = len(all) - 1
	for first > 0 && continuedBy(all[first]) == all[first-1].ID {
		first--
	}
	if continuedBy(all[first]) != 0 { // by a turn that is not right before it
		return 0, nil
	}
	for n, t := range all[first:] {
		next := readAgain(t)
		if n > 0 { // its request, and what the program told the model
			for len(next) > 0 && next[0].Kind == model.Message && next[0].Role != model.RoleAssistant {
				next = next[1:]
			}
		}
		if out = joinedAnswers(out, next, query.ModeOf(t) == string(ModeAsk)); out == nil {
			return 0, nil
		}
	}
	n := own(out)
	if n == 0 || out[n-1].Text() == "" {
		return 0, nil
	}
	return first, out[:n]
}

// own returns the number of items up to the last one if that is the model's and can be continued, or 0. The
// output of its call is left out.
func own(list []model.Item) int {
	n := len(list)
	for n > 0 && list[n-1].Kind.IsOutput() {
		n--
	}
	if n == 0 {
		return 0
	}
	switch i := list[n-1]; {
	case i.Kind == model.CustomCall, i.Kind == model.Message && i.Role == model.RoleAssistant:
		return n
	}
	return 0
}

// joinedAnswers returns the items of two turns, of which the second goes on with the answer of the first; nil
// if it does not.
func joinedAnswers(before, after []model.Item, question bool) []model.Item {
	n := own(before)
	if n == 0 || len(after) == 0 || own(after[:1]) == 0 { // nothing of the answer had come
		return append(before, after...)
	}
	a, b := before[n-1], after[0]
	if a.Kind != b.Kind {
		return nil
	}
	rest := b.Text()
	if !question {
		seam, ok := editstream.Rejoin(a.Text(), a.Kind.IsCall())
		if !ok {
			return nil
		}
		if rest, ok = strings.CutPrefix(rest, seam.Before()); !ok {
			return nil
		}
	}
	whole := a.Text() + rest
	if b.Kind.IsCall() {
		b.Input = whole
	} else {
		b.Parts = model.Assistant(whole).Parts
	}
	return append(append(before[:n-1:n-1], b), after[1:]...)
}
