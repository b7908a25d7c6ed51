package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waferpair/app/mask"
	"waferpair/engine/model"
	"waferpair/history"
)

// again goes back to the moment before a turn, on a fork of the edits and the conversation, and
// returns the turn's request, or other words in its place. A turn that edited nothing needs no fork.
// The line with the turn keeps everything. What others have edited since is on that line alone, so it
// takes their word to leave it there.
func (p *forker) again(ctx context.Context, r EditRequest) (EditRequest, error) {
	t, err := p.sessions.offering(ctx, EditRequest{Session: r.Session, Choice: Choice{Turn: r.Again.Turn}})
	if err != nil {
		return r, err
	}
	if t.Status == "" {
		return r, stillRunning(t.Turn)
	}
	if err := r.onlyAsks(t.Turn, t.Mode); err != nil {
		return r, err
	}
	if r.Text == "" && mask.Has(t.Request) {
		return r, &NotContinued{"the request has a secret in it, which the history does not keep; write it out"}
	}
	same := r.Text == ""
	r.Text, r.Model = cmp.Or(r.Text, t.Request), cmp.Or(r.Model, t.Model)
	r.Mode, r.Kind = Mode(t.Mode), Kind(t.Kind)
	r.Target, r.Scope = model.Target{File: t.Target.File, From: t.Target.From, To: t.Target.To}, t.Target.Scope
	if _, err := p.models.Open(r.Model); err != nil { // before anything changes
		return r, err
	}
	whole, err := p.store.Turn(ctx, t.Turn)
	if err != nil {
		return r, err
	}
	r.Session = strconv.FormatInt(int64(whole.Session), 10)
	if on := continuedBy(whole); on != 0 && same { // it goes on with the same answer once more
		_, words, _ := strings.Cut(t.Request, "\n")
		r.Continue, r.Text = &Continuation{Turn: on}, words
	}
	if err := p.flushAll(ctx); err != nil { // what was typed until now counts as edits since
		return r, err
	}
	before, since, err := p.before(ctx, t.Turn)
	if err != nil || since == nil {
		return r, err
	}
	if paths := since.byOthers(); len(paths) > 0 && !r.Again.Leave {
		return r, &LeftBehind{t.Turn, paths}
	}
	name, err := p.freeName(ctx, fmt.Sprintf("before turn %d", t.Turn))
	if err == nil {
		_, err = p.Fork(ctx, name, before)
	}
	return r, err
}

// before returns the newest edit before those of a turn on the current line, and the line from the
// first of these on; nil when the turn made none there.
func (p *forker) before(ctx context.Context, id history.TurnID) (at history.EditID, after *since, err error) {
	of, err := p.store.OfTurns(ctx, []history.TurnID{id})
	if err != nil || len(of.IDs) == 0 {
		return 0, nil, err
	}
	line, err := p.store.Columns(ctx)
	if err != nil {
		return 0, nil, err
	}
	i, on := slices.BinarySearch(line.IDs, of.IDs[0])
	if !on {
		return 0, nil, nil
	}
	if i > 0 {
		at = line.IDs[i-1]
	}
	return at, &since{line, i}, nil
}

// since is a line of edits from one of them on.
type since struct {
	line history.Columns
	from int
}

// byOthers returns the files with edits that are no model's and not reverted.
func (s *since) byOthers() (paths []string) {
	authors := history.AuthorNames()
	for i := s.from; i < len(s.line.IDs); i++ {
		by := authors[s.line.Authors[i]]
		if by != history.User && by != history.Outside {
			continue
		}
		if _, undone := slices.BinarySearch(s.line.Undone, s.line.IDs[i]); undone {
			continue
		}
		if path := s.line.Names[s.line.Paths[i]]; !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// freeName returns a name that no fork has.
func (p *forker) freeName(ctx context.Context, name string) (string, error) {
	all, err := p.store.Branches(ctx)
	if err != nil {
		return "", err
	}
	free := name
	for n := 2; slices.ContainsFunc(all, func(b history.Branch) bool { return b.Name == free }); n++ {
		free = fmt.Sprintf("%s, again %d", name, n)
	}
	return free, nil
}
