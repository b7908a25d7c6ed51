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

// sessionMark stores the current session.
const sessionMark = query.SessionMark

// sessions owns the conversations and their turns.
type sessions struct {
	*core
	query   *query.Reader
	running running
}

// NewSession starts a conversation and makes it the current one. The first request replaces
// an empty title.
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

// ResumeSession makes a session the current one.
func (p *sessions) ResumeSession(ctx context.Context, id history.SessionID) error {
	if err := p.writable(); err != nil {
		return err
	}
	if _, err := p.store.Session(ctx, id); err != nil {
		return err
	}
	return p.store.SetMark(ctx, sessionMark, strconv.FormatInt(int64(id), 10))
}

// currentSession returns the session that gets new requests; 0 when there is none.
func (p *sessions) currentSession(ctx context.Context) (history.SessionID, error) {
	return p.query.Session(ctx)
}

// caretaker limits and purges the history.
type caretaker struct {
	*saver
	running *running
}

// Purge permanently removes a file or a session from the history. The project's files stay
// as they are, are saved first, and count as first seen now. Nobody changes them meanwhile.
// It refuses a session with a running turn.
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
		done, err := p.running.quiet(session, "remove what it says")
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
		return history.PurgeReport{}, fmt.Errorf("purge: %s could not be saved, and its edits are only in the history; "+
			"see to that, then try again; nothing was purged", name)
	}
	var r history.PurgeReport
	err := p.holdingAll(ctx, func(ctx context.Context) (err error) { // a session's files are not known in advance
		if r, err = p.store.Purge(ctx, history.PurgeRequest{Path: path, Session: session}); err != nil {
			return err
		}
		return p.keepPurged(ctx, r.Paths)
	})
	return r, err
}

// LimitHistory limits the size of this project's history on disk, in bytes (0: no limit),
// and frees at once what may be freed; below is false if that is not enough.
func (p *caretaker) LimitHistory(ctx context.Context, bytes int64) (below bool, err error) {
	if err := p.CapHistory(ctx, bytes); err != nil {
		return false, err
	}
	return p.store.Reclaim(ctx)
}

// CapHistory sets the same limit and frees space in the background; a notice says if that
// is not enough.
func (p *caretaker) CapHistory(ctx context.Context, bytes int64) error {
	if err := p.writable(); err != nil {
		return err
	}
	return p.store.SetCap(ctx, bytes)
}

// keepPurged starts tracking purged files anew. If a crash prevents it, the next reconcile
// does the same.
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

// session returns the session for a new turn: the named one, a new one, or the current one.
func (p *sessions) session(ctx context.Context, which, title string) (history.SessionID, error) {
	if which != "" && which != "new" {
		n, err := strconv.ParseInt(which, 10, 64)
		if err != nil {
			return 0, noSession(which)
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

func noSession(which string) error {
	return fmt.Errorf("session %q: give a number from 'waferpair sessions list', or 'new'", which)
}

// firstLine returns the first line of s, cut to n runes.
func firstLine(s string, n int) string {
	s, _, _ = strings.Cut(s, "\n")
	r := []rune(s)
	return string(r[:min(len(r), n)])
}
