package app

import (
	"context"
	"path"
	"slices"
	"sync"

	"waferpair/history"
)

// mark is what the tree shows beside a file, or a folder for what is below it.
type mark struct {
	unreviewed int
	changed    bool
}

// markCache are the marks as of a stamp of the history: the tree asks for every
// folder that is open, after every edit.
type markCache struct {
	mu      sync.Mutex
	stamp   history.Stamp
	session history.SessionID
	marks   map[string]mark
}

// marks are the marks of all files that have one, and of the folders above them.
func (p *Project) marks(ctx context.Context) (map[string]mark, error) {
	stamp, err := p.store.Stamp(ctx)
	if err != nil {
		return nil, err
	}
	session, err := p.currentSession(ctx)
	if err != nil {
		return nil, err
	}
	c := &p.reads.marks
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.marks != nil && c.stamp == stamp && c.session == session {
		return c.marks, nil
	}
	marks, err := p.findMarks(ctx, session)
	if err == nil {
		c.stamp, c.session, c.marks = stamp, session, marks
	}
	return marks, err
}

func (p *Project) findMarks(ctx context.Context, session history.SessionID) (map[string]mark, error) {
	marks := map[string]mark{}
	waiting, err := p.store.ReviewAll(ctx)
	if err != nil {
		return nil, err
	}
	for _, h := range waiting {
		markUp(marks, h.Path, func(m *mark) { m.unreviewed++ })
	}
	cols, err := p.store.Columns(ctx)
	if err != nil {
		return nil, err
	}
	first, err := p.sessionStart(ctx, session, cols)
	if err != nil {
		return nil, err
	}
	for i := first; i < len(cols.IDs); i++ {
		name := cols.Names[cols.Paths[i]]
		if to := cols.To[i]; to >= 0 {
			name = cols.Names[to]
		}
		if !marks[name].changed {
			markUp(marks, name, func(m *mark) { m.changed = true })
		}
	}
	return marks, nil
}

// markUp marks a file and all folders above it.
func markUp(marks map[string]mark, name string, set func(*mark)) {
	for ; name != "." && name != "/"; name = path.Dir(name) {
		m := marks[name]
		set(&m)
		marks[name] = m
	}
}

// sessionStart is the index of the first edit of a session's time: the first one
// of its turns, and what the user did before it since the session was made. Edits
// go by their order: the clock may have been set back meanwhile.
func (p *Project) sessionStart(ctx context.Context, id history.SessionID, cols history.Columns) (int, error) {
	if id == 0 {
		return 0, nil
	}
	all, err := p.store.Sessions(ctx)
	if err != nil {
		return 0, err
	}
	turns, err := p.store.AllTurns(ctx)
	if err != nil {
		return 0, err
	}
	s := slices.IndexFunc(all, func(s history.Session) bool { return s.ID == id })
	if s < 0 {
		return 0, nil
	}
	first, created := len(cols.IDs), all[s].Created.UnixMilli()
	if t := slices.IndexFunc(turns, func(t history.Turn) bool { return t.Session == id }); t >= 0 {
		if i := slices.IndexFunc(cols.Turns, func(x history.TurnID) bool { return x >= turns[t].ID }); i >= 0 {
			first = i
		}
	}
	for first > 0 && cols.Turns[first-1] == 0 && cols.Times[first-1] >= created {
		first--
	}
	return first, nil
}
