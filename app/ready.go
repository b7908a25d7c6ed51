package app

import (
	"context"
	"errors"
	"fmt"

	"waferpair/app/live"
	"waferpair/history"
)

// Compare recovers, and compares the folder with its history, in the background; Ready
// waits for it. In a large folder it keeps a processor busy for a while, so callers start
// it when the user already sees what they opened.
func (p *Project) Compare() {
	r := p.core.ready
	r.once.Do(func() {
		close(r.begun)
		go func() {
			r.err = p.start(r.ctx)
			close(r.done)
			p.docs.refreshPages()
			if p.query.EndEarly(p.intake.List.All()) {
				p.core.opt.Listener.FilesChanged()
			}
		}()
	})
}

// start recovers and reconciles. A second instance only reads.
func (p *Project) start(ctx context.Context) error {
	if err := p.core.store.ReadOnlyReason(); err != nil {
		if errors.Is(err, history.ErrReadOnly) {
			err = ErrReadOnly
		}
		p.core.notice(fmt.Sprintf("%v: you can read its history here, but not change anything", err))
		return p.recovery.Scan(ctx)
	}
	return p.recovery.Run(ctx)
}

// Comparing is closed when the comparison begins.
func (p *Project) Comparing() <-chan struct{} { return p.core.ready.begun }

// Ready waits until the history has been compared with the disk.
func (p *Project) Ready(ctx context.Context) error {
	p.Compare()
	select {
	case <-p.core.ready.done:
		return p.core.ready.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refreshPages lets pages show again what they opened before.
func (p *documents) refreshPages() {
	for path, d := range p.table.all() {
		if d.State().Track == live.Shown {
			p.opt.Listener.TextChanged(path)
		}
	}
}
