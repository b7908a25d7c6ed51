package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/adrg/xdg"

	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/app/spare"
	"waferpair/history"
)

// stall keeps what the user types while nothing can be recorded.
type stall struct {
	*documents
	mu sync.Mutex // guards the fields that are also read outside the autosaver
	unrecorded
}

// changed notes that the texts are newer than the spare file, and reports whether the
// autosaver has to act on that.
func (p *stall) changed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stale = true
	return p.why != nil
}

// isOn reports whether unrecorded text is waiting for the end of a stall.
func (p *stall) isOn() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why != nil
}

// begin notes why nothing can be recorded.
func (p *stall) begin(why error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why == nil {
		p.why, p.stale, p.next = why, true, now
	}
}

// isStale reports whether the texts are newer than the spare file.
func (p *stall) isStale() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stale
}

// Unrecorded is the message for the user while nothing can be recorded; "" when recording
// works.
func (p *stall) Unrecorded() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unrecorded.says
}

// keepElsewhere writes the spare file if that is due, and returns when to run again.
func (p *stall) keepElsewhere(ctx context.Context, why error, now time.Time) time.Time {
	p.begin(why, now)
	if p.isStale() && !now.Before(p.next) {
		at, err := p.spareAll(ctx)
		p.next = time.Now().Add(max(live.DraftEvery, 10*time.Since(now)))
		p.tellUnrecorded(unrecordedText(why, at, err))
	}
	if p.isStale() {
		return p.next
	}
	return now.Add(live.RetryAfter)
}

func unrecordedText(why error, at string, err error) string {
	switch {
	case err != nil:
		return fmt.Sprintf(
			"What you type cannot be recorded now. It is only in memory, and is recorded when this is over: %v; %v.", why, err)
	case at != "":
		return fmt.Sprintf("What you type cannot be recorded now. It is kept in %s, and is recorded when this is over: %v.",
			at, why)
	}
	return fmt.Sprintf("Nothing can be recorded now. What you type is kept, and is recorded when this is over: %v.", why)
}

func (p *stall) tellUnrecorded(says string) {
	p.mu.Lock()
	was := p.says
	p.says = says
	p.mu.Unlock()
	if was == says {
		return
	}
	if was == "" {
		p.notice(says)
	}
	p.opt.Listener.Unrecorded(says)
}

// spareAll writes the spare file; at is "" when there is nothing to keep. Typing during the
// write makes the file stale again. If the write fails, the last spare file is still there.
func (p *stall) spareAll(ctx context.Context) (at string, err error) {
	p.setStale(false)
	docs := p.unrecordedDocs(ctx)
	if len(docs) == 0 {
		p.spareDone()
		return "", nil
	}
	if at, err = p.spares().Write(docs); err != nil {
		p.setStale(true)
		return at, err
	}
	p.at = at
	return at, nil
}

func (p *stall) setStale(yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stale = yes
}

// unrecordedDocs lists the files whose current text is not durably in the history.
func (p *stall) unrecordedDocs(ctx context.Context) (out []spare.Doc) {
	for _, d := range p.table.all() {
		_ = p.with(ctx, d, func(ctx context.Context) error {
			if s, missing := p.unrecordedDoc(ctx, d); missing {
				out = append(out, s)
			}
			return nil
		})
	}
	return out
}

func (p *stall) unrecordedDoc(ctx context.Context, d *live.Document) (s spare.Doc, missing bool) {
	if !d.Tracked() || !d.Exists() || d.Settled() && !d.Newborn() && !d.Dirty() && !d.State().Failed() &&
		!d.Disk.Unsaved() {
		return s, false
	}
	m, _ := mask.Text(d.Path, d.Live())
	s = spare.Doc{Path: d.Path, Mode: d.Mode, Text: m.Bytes()}
	if d.State().Known() {
		s.Head = d.HeadHash()
	}
	if v, err := p.store.Head(ctx, d.Path); err == nil && v.Exists { // the durable version
		if s.Before = v.Hash; v.Hash == history.HashBytes(s.Text) {
			return s, false
		}
	}
	return s, true
}

// recordAgain records unrecorded text once that is possible; it is called again until it
// succeeds. The spare file holds everything that it records: if the program ends before
// the file is removed, the next start finds the same text there.
func (p *stall) recordAgain(ctx context.Context) error {
	if err := p.holdingAll(ctx, p.recordLocked); err != nil {
		return err
	}
	p.notice("Everything that you typed is recorded again.")
	p.opt.Listener.Unrecorded("")
	return nil
}

func (p *stall) recordLocked(ctx context.Context) error {
	if p.at != "" && p.isStale() {
		_, _ = p.spareAll(ctx) // if this fails, the last spare file is still there
	}
	var errs []error
	for _, d := range p.table.all() {
		if !d.Moving() && (!d.Settled() || d.Newborn()) {
			errs = append(errs, d.Flush(ctx))
		}
	}
	if err := errors.Join(append(errs, p.store.Flush(ctx))...); err != nil {
		return err
	}
	p.spareDone()
	p.over()
	return nil
}

// over ends the stall.
func (p *stall) over() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unrecorded = unrecorded{}
}

// leaveUnrecorded keeps unrecorded text when the project is closed, and says where.
func (p *stall) leaveUnrecorded(ctx context.Context) error {
	why := p.store.Flush(ctx)
	if why == nil {
		why = p.recordAtEnd(ctx)
	}
	if why == nil {
		return nil
	}
	at, err := p.spareAll(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("what you typed is lost: it could neither be recorded (%w) nor kept elsewhere (%w)", why, err)
	case at != "":
		return fmt.Errorf(
			"what you typed could not be recorded (%w): it is kept in %s, and taken in when the project is opened next", why, at)
	}
	return nil
}

// recordAtEnd records all unrecorded text when the program ends.
func (p *stall) recordAtEnd(ctx context.Context) error {
	err := errors.Join(p.holdingAll(ctx, p.flushAll), p.store.Flush(ctx))
	if err == nil {
		p.spareDone()
	}
	return err
}

// spareDone removes this process's spare file: its text is recorded.
func (p *stall) spareDone() {
	if p.unrecorded.at != "" {
		p.spares().Remove()
		p.unrecorded.at = ""
	}
}

// spares returns the places for spare files, never inside the project itself.
func (p *core) spares() spare.Place {
	root := p.folder.Root()
	homes := []string{
		filepath.Join(p.opt.StateHome, "waferpair"),
		filepath.Join(xdg.CacheHome, "waferpair"),
		filepath.Join(xdg.RuntimeDir, "waferpair"),
		filepath.Join(os.TempDir(), fmt.Sprintf("waferpair-%d", os.Getuid())),
	}
	return spare.Place{Root: root, History: history.Dir(p.opt.DataHome, root),
		Homes: slices.DeleteFunc(homes, func(home string) bool { return inside(root, home) })}
}
