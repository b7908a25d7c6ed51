package live

import (
	"context"
	"fmt"
	"time"

	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace/text"
)

// DraftEvery is the interval at which unrecorded text is journaled. A crash loses at
// most this much of an unfinished edit, which nobody has acknowledged.
const DraftEvery = 100 * time.Millisecond

// JournalHunk journals the open hunk at intervals; a hunk that ends before the first
// draft is due needs none. waits is true when text begins to wait for the next draft:
// then Keep must run, in case the model writes nothing more.
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

// keepHunk journals the open hunk when a draft is due, and returns when to check again.
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

// journal writes drafts of both layers. The interval between two grows with the time
// that one takes, so that a hunk or burst of any length spends at most a tenth of its
// time on drafts.
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

// undraft removes a stale draft from the journal. Otherwise the next start would
// recover it as text that the program did not get to record. If removal fails, the
// next recording tries again.
func (d *Document) undraft(ctx context.Context, stale bool) {
	if stale && !d.Moving() {
		d.journal(ctx)
	}
}

// drafts returns the drafts of layers whose head history holds as m. An empty draft
// removes the journaled one.
func (d *Document) drafts(l *Layers, m text.Text, redacted bool) (out []history.Draft, err error) {
	if !d.Tracked() {
		return nil, nil
	}
	hunk := history.Draft{Turn: d.Turn, Path: d.Path, Author: history.Model, Base: m}
	typed := history.Draft{Path: d.Path, Author: history.User}
	if l.Writing() {
		if hunk.Changes, m, redacted, err = d.maskHunk(l, m, redacted); err != nil {
			return nil, err
		}
	}
	if l.Typing() {
		typed.Base = m
		if typed.Changes, err = d.maskTyped(l, m, redacted); err != nil {
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

func (d *Document) maskHunk(l *Layers, m text.Text, redacted bool) (text.ChangeSet, text.Text, bool, error) {
	cs, err := l.Hunk()
	if err != nil {
		return cs, m, redacted, err
	}
	mid, err := l.Mid()
	if err != nil {
		return cs, m, redacted, err
	}
	return mask.Change(d.Path, m, cs, mid, redacted)
}

func (d *Document) maskTyped(l *Layers, m text.Text, redacted bool) (text.ChangeSet, error) {
	cs, err := l.Typed()
	if err != nil {
		return cs, err
	}
	cs, _, _, err = mask.Change(d.Path, m, cs, l.Live(), redacted)
	return cs, err
}

// drafted notes which layers have a draft in the journal.
func (d *Document) drafted(drafts []history.Draft) {
	for _, x := range drafts {
		if x.Turn == 0 {
			d.typeDrafted = !x.Changes.Empty()
		} else {
			d.hunkDrafted = !x.Changes.Empty()
		}
	}
}

// redactions returns the secrets that the edit about to be recorded completes.
func (d *Document) redactions(cs text.ChangeSet, after text.Text, redacted bool) *history.Hide {
	if !redacted || cs.Empty() {
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

// longestHunk bounds the age of a hunk's first journaled letters.
const longestHunk = time.Hour

// journaling tracks which drafts the journal holds of a document's layers.
//
//	head --draft of the turn--> mid --draft of turn 0--> live
//
// Both drafts are written in one commit, together with every edit that changes head,
// so that each draft fits its base whenever the program dies.
type journaling struct {
	draftDue    time.Time // when to journal the open hunk; zero: it has only begun
	draftNext   time.Time // the earliest time of the next draft
	hunkDrafted bool      // the journal has a draft of the turn
	typeDrafted bool      // it has one of what the user typed
	undrafted   bool      // the user typed since
	unjournaled bool      // the model wrote since
}
