package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"waferpair/app/mask"
	"waferpair/app/query"
	"waferpair/history"
)

// sessionMark keeps which session requests go to.
const sessionMark = query.SessionMark

// sessions is what is said, and which turns there were.
type sessions struct {
	*core
	query   *query.Reader
	running running
}

// NewSession starts a conversation and makes it the one that requests go to. An
// empty title is replaced by the first request.
func (p *sessions) NewSession(ctx context.Context, title string) (history.SessionID, error) {
	if err := p.writable(); err != nil {
		return 0, err
	}
	return p.session(ctx, "new", title)
}

// RenameSession gives a conversation another title.
func (p *sessions) RenameSession(ctx context.Context, id history.SessionID, title string) error {
	if err := p.writable(); err != nil {
		return err
	}
	return p.store.RenameSession(ctx, id, firstLine(mask.Words(strings.TrimSpace(title)), 200))
}

// ResumeSession makes a session the one that requests go to.
func (p *sessions) ResumeSession(ctx context.Context, id history.SessionID) error {
	if err := p.writable(); err != nil {
		return err
	}
	if _, err := p.store.Session(ctx, id); err != nil {
		return err
	}
	return p.store.SetMark(ctx, sessionMark, strconv.FormatInt(int64(id), 10))
}

// currentSession is the session that requests go to; 0 when there is none.
func (p *sessions) currentSession(ctx context.Context) (history.SessionID, error) {
	return p.query.Session(ctx)
}

// caretaker keeps the history within its bounds.
type caretaker struct {
	*saver
	running *running
}

// Purge removes what history holds of a file or of a session for good. The
// files of the project stay as they are, and count as first seen now: with all that
// was made of them, which is saved before. Nobody changes them meanwhile. A session
// in which a turn runs is refused.
func (p *caretaker) Purge(ctx context.Context, path string, session history.SessionID) (history.PurgeReport, error) {
	if err := p.writable(); err != nil {
		return history.PurgeReport{}, err
	}
	if path != "" {
		var err error
		if path, err = p.Path(path); err != nil {
			return history.PurgeReport{}, err
		}
	}
	if session != 0 {
		done, err := p.running.quiet(session)
		if err != nil {
			return history.PurgeReport{}, fmt.Errorf("purge: %w", err)
		}
		defer done()
	}
	if err := p.Settle(ctx); err != nil {
		return history.PurgeReport{}, fmt.Errorf("save the files before the purge: %w; nothing was purged", err)
	}
	p.saving.Lock()
	defer p.saving.Unlock()
	if name, stuck := p.failed(); stuck {
		return history.PurgeReport{}, fmt.Errorf("purge: %s could not be saved, and what was made of it is only in the history; see to that, then try again; nothing was purged", name)
	}
	var r history.PurgeReport
	err := p.holdingAll(ctx, func(ctx context.Context) (err error) { // nobody knows before which files a session wrote
		if r, err = p.store.Purge(ctx, history.PurgeRequest{Path: path, Session: session}); err != nil {
			return err
		}
		return p.keepPurged(ctx, r.Paths)
	})
	return r, err
}

// LimitHistory bounds what the history of this project takes on disk, in bytes
// (0: no bound), and gives back at once what is above that, as far as it may go:
// below is false when that is not enough.
func (p *caretaker) LimitHistory(ctx context.Context, bytes int64) (below bool, err error) {
	if err := p.CapHistory(ctx, bytes); err != nil {
		return false, err
	}
	return p.store.Reclaim(ctx)
}

// CapHistory sets the same bound; what is above it is given back in the
// background, and a notice says when that is not enough.
func (p *caretaker) CapHistory(ctx context.Context, bytes int64) error {
	if err := p.writable(); err != nil {
		return err
	}
	return p.store.SetCap(ctx, bytes)
}

// keepPurged goes on keeping files whose history was purged. After a crash
// before it, the next reconcile does the same.
func (p *caretaker) keepPurged(ctx context.Context, paths []string) error {
	for _, path := range paths {
		_, err := p.store.Head(ctx, path)
		if !errors.Is(err, history.ErrPurged) || p.exclusion(path) != "" {
			continue
		}
		if err := p.KeepAgain(ctx, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("keep %s again after the purge: %w", path, err)
		}
	}
	return nil
}

// session finds the session of a new turn: the named one, a new one, or the
// one that requests went to last.
func (p *sessions) session(ctx context.Context, which, title string) (history.SessionID, error) {
	if which != "" && which != "new" {
		n, err := strconv.ParseInt(which, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("session %q: give a number from 'waferpair sessions list', or 'new'", which)
		}
		return history.SessionID(n), p.ResumeSession(ctx, history.SessionID(n))
	}
	if which == "" {
		if id, err := p.currentSession(ctx); err != nil || id != 0 {
			return id, err
		}
	}
	id, err := p.store.StartSession(ctx, firstLine(mask.Words(title), 200))
	if err != nil {
		return 0, err
	}
	return id, p.store.SetMark(ctx, sessionMark, strconv.FormatInt(int64(id), 10))
}

// firstLine is the first line of s, at most n runes of it.
func firstLine(s string, n int) string {
	s, _, _ = strings.Cut(s, "\n")
	r := []rune(s)
	return string(r[:min(len(r), n)])
}
