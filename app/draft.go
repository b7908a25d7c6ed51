package app

import (
	"context"
	"fmt"
	"time"

	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace/text"
)

// draftEvery is how often what is being written or typed is journaled: what a
// crash may cost of an edit that is not finished, and so not acknowledged.
const draftEvery = 100 * time.Millisecond

// journalHunk journals the open hunk from time to time. A hunk that ends before
// the first draft is due has none.
func (p *documents) journalHunk(ctx context.Context, d *document) {
	now := time.Now()
	switch {
	case d.draftDue.IsZero():
		d.draftDue = now.Add(draftEvery)
	case now.After(d.draftDue):
		p.journal(ctx, d)
	}
}

// journal writes drafts of both layers. The time between two grows with what
// one takes, so that a hunk or a burst of any length spends at most a tenth of
// its time on them.
func (p *documents) journal(ctx context.Context, d *document) {
	began := time.Now()
	drafts, err := d.drafts(&d.Layers, d.masked, d.hidden)
	if err == nil {
		err = p.store.PutDraft(ctx, drafts...)
	}
	if err == nil {
		d.drafted(drafts)
	} else {
		p.trouble(d.path, fmt.Errorf("journal what is being written in %s: %w", d.path, err))
	}
	d.undrafted = false
	d.draftNext = time.Now().Add(max(draftEvery, 10*time.Since(began)))
	d.draftDue = d.draftNext
}

// drafts are the drafts of layers whose head history holds as m. One that is
// empty now and was not before removes what the journal has.
func (d *document) drafts(l *live.Layers, m text.Text, hidden bool) (out []history.Draft, err error) {
	if !d.kept() {
		return nil, nil
	}
	hunk := history.Draft{Turn: d.turn, Path: d.path, Author: history.Model, Base: m}
	typed := history.Draft{Path: d.path, Author: history.User}
	if l.Writing() {
		if hunk.Changes, m, hidden, err = d.maskHunk(l, m, hidden); err != nil {
			return nil, err
		}
	}
	if l.Typing() {
		typed.Base = m
		if typed.Changes, err = d.maskTyped(l, m, hidden); err != nil {
			return nil, err
		}
	}
	if d.hunkDrafted || !hunk.Changes.Empty() {
		out = append(out, hunk)
	}
	if d.typeDrafted || !typed.Changes.Empty() {
		out = append(out, typed)
	}
	return out, nil
}

func (d *document) maskHunk(l *live.Layers, m text.Text, hidden bool) (text.ChangeSet, text.Text, bool, error) {
	cs, err := l.Hunk()
	if err != nil {
		return cs, m, hidden, err
	}
	mid, err := l.Mid()
	if err != nil {
		return cs, m, hidden, err
	}
	return mask.Change(d.path, m, cs, mid, hidden)
}

func (d *document) maskTyped(l *live.Layers, m text.Text, hidden bool) (text.ChangeSet, error) {
	cs, err := l.Typed()
	if err != nil {
		return cs, err
	}
	cs, _, _, err = mask.Change(d.path, m, cs, l.Live(), hidden)
	return cs, err
}

// drafted remembers what the journal has now.
func (d *document) drafted(drafts []history.Draft) {
	for _, x := range drafts {
		if x.Turn == 0 {
			d.typeDrafted = !x.Changes.Empty()
		} else {
			d.hunkDrafted = !x.Changes.Empty()
		}
	}
}

// hides is what an edit that is to be recorded finishes of secrets.
func (d *document) hides(cs text.ChangeSet, after text.Text, hidden bool) *history.Hide {
	if !hidden || cs.Empty() {
		return nil
	}
	h := mask.Hide(d.path, d.Head(), d.masked, cs, after, d.typeDrafted || d.hunkDrafted)
	if h != nil {
		h.Since = d.began
		if h.Since.IsZero() {
			h.Since = time.Now().Add(-longestHunk)
		}
	}
	return h
}

// longestHunk is how long ago the first letters of a hunk may have been journaled.
const longestHunk = time.Hour
