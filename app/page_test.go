package app_test

import (
	"context"
	"errors"
	"fmt"

	"waferpair/app"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// page is a window on one file that works like the real one: it applies typing at once to
// its own copy, sends one change at a time, and rebases what is not confirmed onto the
// changes of others, by the same rule as the buffer.
type page struct {
	p    *app.Project
	name string
	path string
	id   int64

	base    text.Text // the version that the project confirmed
	version workspace.Version
	now     text.Text        // base with everything unconfirmed
	sent    *text.ChangeSet  // sent and not confirmed: base -> ...
	waiting []text.ChangeSet // typed after it
	serial  int
}

func openPage(ctx context.Context, p *app.Project, name, path string) (*page, error) {
	f, err := p.Show(ctx, path)
	return &page{p: p, name: name, path: path, id: f.ID, base: f.Text, now: f.Text, version: f.Version}, err
}

// replace types s in place of a range.
func (g *page) replace(from, to text.Byte, s string) error {
	cs, err := text.NewChangeSet(g.now.Len(), text.Change{From: from, To: to, Insert: s})
	if err != nil {
		return err
	}
	g.waiting = append(g.waiting, cs)
	g.now, err = cs.Apply(g.now)
	return err
}

// origin returns the name of the change that was sent.
func (g *page) origin() string { return fmt.Sprintf("%s-%d", g.name, g.serial) }

// push sends what was typed, unless a sent change is not confirmed yet.
func (g *page) push(ctx context.Context) error {
	if g.sent != nil || len(g.waiting) == 0 {
		return nil
	}
	all := g.waiting[0]
	for _, cs := range g.waiting[1:] {
		var err error
		if all, err = all.Compose(cs); err != nil {
			return err
		}
	}
	g.serial++
	err := g.p.Type(ctx, g.path, g.id, g.version, all, g.origin())
	var old *workspace.VersionError
	if errors.Is(err, app.ErrReplaced) || errors.As(err, &old) {
		return g.showAgain(ctx)
	}
	g.sent, g.waiting = &all, nil
	return err
}

// pull applies the changes that the project made.
func (g *page) pull(ctx context.Context) error {
	u, err := g.p.Since(g.path, g.id, g.version)
	var old *workspace.VersionError
	if errors.Is(err, app.ErrReplaced) || errors.As(err, &old) {
		return g.showAgain(ctx)
	}
	for _, c := range u.List {
		if err == nil {
			err = g.take(c)
		}
	}
	if err == nil && !g.base.Equal(u.Text) {
		err = fmt.Errorf("%s has %q, the project %q", g.name, g.base, u.Text)
	}
	return err
}

// take applies one change, which confirms the page's own or is somebody else's.
func (g *page) take(c app.Update) (err error) {
	if g.base, err = c.Changes.Apply(g.base); err != nil {
		return err
	}
	g.version = c.Version
	if g.sent != nil && c.Origin == g.origin() {
		g.sent = nil
		return nil
	}
	return g.over(c.Changes, c.Author != string(history.User))
}

// over rebases what is unconfirmed onto a change of somebody else.
func (g *page) over(theirs text.ChangeSet, first bool) (err error) {
	move := func(mine *text.ChangeSet) {
		if err != nil {
			return
		}
		var moved text.ChangeSet
		if moved, err = mine.Map(theirs, first); err == nil {
			theirs, err = theirs.Map(*mine, !first)
			*mine = moved
		}
	}
	if g.sent != nil {
		move(g.sent)
	}
	for i := range g.waiting {
		move(&g.waiting[i])
	}
	if err == nil {
		g.now, err = theirs.Apply(g.now)
	}
	return err
}

// showAgain starts from a new snapshot. A change that was sent may have arrived or not:
// either it is in the snapshot, or the page sends it again.
func (g *page) showAgain(ctx context.Context) error {
	f, err := g.p.Show(ctx, g.path)
	if err != nil {
		return err
	}
	if g.sent != nil { // it was acknowledged: the snapshot has it
		if g.base, err = g.sent.Apply(g.base); err != nil {
			return err
		}
		g.sent = nil
	}
	theirs := text.Diff(g.base, f.Text)
	g.id, g.base, g.version = f.ID, f.Text, f.Version
	return g.over(theirs, true)
}
