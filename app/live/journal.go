package live

import (
	"context"
	"fmt"
	"time"

	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace/text"
)

// DraftEvery is how often what is being written or typed is journaled: what a
// crash may cost of an edit that is not finished, and so not acknowledged.
const DraftEvery = 100 * time.Millisecond

// JournalHunk journals the open hunk from time to time. A hunk that ends before
// the first draft is due has none. It is true when from now on something waits for the
// next time: Keep sees to that, should the model write nothing more until then.
func (d *Document) JournalHunk(ctx context.Context) (waits bool) {
	now, waited := time.Now(), d.unjournaled
	d.unjournaled = d.Tracked()
	switch {
	case d.draftDue.IsZero():
		d.draftDue = now.Add(DraftEvery)
	case now.After(d.draftDue):
		d.journal(ctx)
	}
	return d.unjournaled && !waited
}

// keepHunk journals the open hunk when that is due, and says when to look again.
func (d *Document) keepHunk(ctx context.Context, now time.Time) (next time.Time, more bool) {
	switch {
	case !d.unjournaled || !d.Writing():
		d.unjournaled = false
		return next, false
	case d.Moving():
		return now.Add(DraftEvery), true
	case now.Before(d.draftDue):
		return d.draftDue, true
	}
	d.journal(ctx)
	return next, false
}

// journal writes drafts of both layers. The time between two grows with what
// one takes, so that a hunk or a burst of any length spends at most a tenth of
// its time on them.
func (d *Document) journal(ctx context.Context) {
	began := time.Now()
	drafts, err := d.drafts(&d.Layers, d.masked, d.redacted)
	if err == nil {
		err = d.host.Draft(ctx, drafts...)
	}
	if err == nil {
		d.drafted(drafts)
	} else {
		d.host.Trouble(d.Path, fmt.Errorf("journal what is being written in %s: %w", d.Path, err))
	}
	d.undrafted, d.unjournaled = false, false
	d.draftNext = time.Now().Add(max(DraftEvery, 10*time.Since(began)))
	d.draftDue = d.draftNext
}

// undraft removes from the journal what came to nothing since: the next start would
// take it for something that the program did not get to record. Where that fails, it
// is tried again when something else is recorded.
func (d *Document) undraft(ctx context.Context, stale bool) {
	if stale && !d.Moving() {
		d.journal(ctx)
	}
}

// drafts are the drafts of layers whose head history holds as m. One that is
// empty now and was not before removes what the journal has.
func (d *Document) drafts(l *Layers, m text.Text, hidden bool) (out []history.Draft, err error) {
	if !d.Tracked() {
		return nil, nil
	}
	hunk := history.Draft{Turn: d.Turn, Path: d.Path, Author: history.Model, Base: m}
	typed := history.Draft{Path: d.Path, Author: history.User}
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

func (d *Document) maskHunk(l *Layers, m text.Text, hidden bool) (text.ChangeSet, text.Text, bool, error) {
	cs, err := l.Hunk()
	if err != nil {
		return cs, m, hidden, err
	}
	mid, err := l.Mid()
	if err != nil {
		return cs, m, hidden, err
	}
	return mask.Change(d.Path, m, cs, mid, hidden)
}

func (d *Document) maskTyped(l *Layers, m text.Text, hidden bool) (text.ChangeSet, error) {
	cs, err := l.Typed()
	if err != nil {
		return cs, err
	}
	cs, _, _, err = mask.Change(d.Path, m, cs, l.Live(), hidden)
	return cs, err
}

// drafted remembers what the journal has now.
func (d *Document) drafted(drafts []history.Draft) {
	for _, x := range drafts {
		if x.Turn == 0 {
			d.typeDrafted = !x.Changes.Empty()
		} else {
			d.hunkDrafted = !x.Changes.Empty()
		}
	}
}

// redactions is what an edit that is to be recorded finishes of secrets.
func (d *Document) redactions(cs text.ChangeSet, after text.Text, hidden bool) *history.Hide {
	if !hidden || cs.Empty() {
		return nil
	}
	h := mask.Hide(d.Path, d.Head(), d.masked, cs, after, d.typeDrafted || d.hunkDrafted)
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

// journaling is what the journal has of a document's layers.
//
//	head --draft of the turn--> mid --draft of turn 0--> live
//
// The two are always written in one commit, and with every edit that makes
// another head: so that each has its place when the program dies at any moment.
type journaling struct {
	draftDue    time.Time // when the open hunk is to be journaled; zero: it has only begun
	draftNext   time.Time // when anything may be journaled again
	hunkDrafted bool      // the journal has a draft of the turn
	typeDrafted bool      // it has one of what the user typed
	undrafted   bool      // the user typed since
	unjournaled bool      // the model wrote since
}
