package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"waferpair/app/live"
	"waferpair/history"
	"waferpair/workspace"
)

// saveAttempts bounds how often a file is saved again because another program changed it
// meanwhile.
const saveAttempts = 5

// Settle records what the user typed and saves all files, including those whose save
// failed before, as the cause may be gone. A failure for a file of a running turn is left
// for that turn to report; a repeated failure is reported only to the user.
func (p *saver) Settle(ctx context.Context) error {
	errs := []error{p.recordAll(ctx)}
	p.saving.Lock()
	defer p.saving.Unlock()
	failed := p.unstick(ctx)
	for range saveAttempts {
		err := p.save(ctx, failed)
		if err != nil && !slices.ContainsFunc(errs, func(x error) bool { return x != nil && x.Error() == err.Error() }) {
			errs = append(errs, err)
		}
		if !p.unsavedFiles() {
			break
		}
	}
	return errors.Join(errs...)
}

// saveAgain saves all files that are not clean, including those whose save failed before.
// It reports repeated failures to the user.
func (p *saver) saveAgain(ctx context.Context) {
	if _, yes := p.table.find(func(d *live.Document) bool { return d.State().Save != live.Clean }); !yes {
		return
	}
	p.saving.Lock()
	defer p.saving.Unlock()
	if err := p.save(ctx, p.unstick(ctx)); err != nil {
		p.trouble("", err)
	}
}

func (p *saver) unsavedFiles() bool {
	_, yes := p.table.find((*live.Document).Dirty)
	return yes
}

// saveOnce writes every file whose head is not on disk. If another program's version turns
// up, it is merged, and the file stays dirty for the next round. The error covers the
// files that no running turn has.
func (p *saver) saveOnce(ctx context.Context) error { return p.save(ctx, nil) }

// save is saveOnce, but reports repeated failures of the files in failed to the user
// instead of returning them.
func (p *saver) save(ctx context.Context, failed map[*live.Document]bool) error {
	defer func() { p.last = time.Now() }()
	docs, writes := p.collect(ctx)
	waits := p.saveWaits(0)
	if len(writes) == 0 { // collected files must be written: nothing else would retry them
		return waits
	}
	saved, _ := p.folder.Save(ctx, writes) // each write carries its own error
	var errs, again []error
	var states []history.DiskState
	for i, d := range docs {
		_ = p.with(ctx, d, func(ctx context.Context) error {
			err := p.wrote(ctx, d, writes[i], saved[i])
			switch turn := p.table.turnOf(d.Path); {
			case turn != 0:
				p.faults.note(turn, d, err)
			case failed[d] && d.State().Failed():
				again = append(again, err)
			default:
				errs = append(errs, err)
			}
			if saved[i].Err == nil && d.Tracked() {
				states = append(states, p.diskState(d, writes[i], saved[i]))
			}
			return nil
		})
	}
	p.noteDisk(ctx, states...)
	p.autosave() // for the files that failed
	if len(again) > 0 {
		p.trouble("", errors.Join(again...))
	}
	return errors.Join(append(errs, waits)...)
}

// saveWaits returns why the dirty files of a turn (0: of none) cannot be saved now: a save
// first records its intent in the history.
func (p *saver) saveWaits(turn history.TurnID) error {
	why := p.store.Stalled()
	if why == nil {
		return nil
	}
	for path, d := range p.table.all() {
		if d.Dirty() && d.Tracked() && p.table.turnOf(path) == turn {
			return fmt.Errorf("save %s: %w", path, why)
		}
	}
	return nil
}

// collect begins the saves that are due and possible. A file that is being renamed is
// written later, under its new path.
func (p *saver) collect(ctx context.Context) (docs []*live.Document, writes []workspace.Write) {
	stalled, open := p.store.Stalled() != nil, p.table.all()
	if p.place.Away() {
		return nil, nil
	}
	due := func(d *live.Document) bool { return d.Dirty() && !d.Moving() && !(stalled && d.Tracked()) }
	maps.DeleteFunc(open, func(_ string, d *live.Document) bool { return !due(d) })
	for _, path := range slices.Sorted(maps.Keys(open)) {
		d := open[path]
		_ = p.with(ctx, d, func(context.Context) error {
			if !due(d) {
				return nil
			}
			if w, any := d.Saving(); any {
				docs, writes = append(docs, d), append(writes, w)
			}
			return nil
		})
	}
	return docs, writes
}
