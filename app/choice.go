package app

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"waferpair/app/mask"
	"waferpair/app/query"
	"waferpair/history"
)

// NoChoice says why there is nothing to choose, or not that.
type NoChoice struct{ Why string }

func (e *NoChoice) Error() string { return e.Why }

// chosen returns the request that was chosen, as the turn offered it: about the same file, lines and
// scope, and for the same model. It must do what it did when it was tried, which does identifies.
func (p *sessions) chosen(ctx context.Context, r EditRequest) (_ EditRequest, does string, err error) {
	t, err := p.offering(ctx, r)
	if err != nil {
		return r, "", err
	}
	n, list := r.Choice.N, t.Nearest
	switch {
	case len(list) == 0:
		return r, "", &NoChoice{fmt.Sprintf("the last request, %q, listed nothing to choose from", firstLine(t.Request, 80))}
	case r.Text != "" && mask.Words(r.Text) != t.Request:
		return r, "", &NoChoice{fmt.Sprintf("the last request was another one: %q; send this one without a choice first",
			firstLine(t.Request, 80))}
	case n < 1 || n > len(list):
		return r, "", &NoChoice{fmt.Sprintf("there is no choice %d: the list has the numbers 1 to %d", n, len(list))}
	case list[n-1].Hidden:
		return r, "", &NoChoice{fmt.Sprintf("choice %d has a secret in it, which the history does not keep; write it out", n)}
	}
	r.Text, r.Model, r.Choice.Turn = list[n-1].Request, t.Model, t.Turn
	r.Target.File, r.Target.From, r.Target.To, r.Scope = t.Target.File, t.Target.From, t.Target.To, t.Target.Scope
	return r, list[n-1].Does, nil
}

// offering returns the turn that the choice is about.
func (p *sessions) offering(ctx context.Context, r EditRequest) (query.PastTurn, error) {
	if r.Choice.Turn != 0 {
		return p.query.Turn(ctx, r.Choice.Turn)
	}
	session, err := p.currentSession(ctx)
	if r.Session != "" { // a new one has no turn
		n, _ := strconv.ParseInt(r.Session, 10, 64)
		session = history.SessionID(n)
	}
	t := query.PastTurn{}
	if err == nil && session != 0 {
		t, err = p.query.LastTurn(ctx, session)
	}
	if t.Turn == 0 {
		err = cmp.Or(err, error(&NoChoice{"no request was sent in this session yet"}))
	}
	return t, err
}
