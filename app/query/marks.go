package query

import (
	"context"
	"path"
	"slices"
	"sync"

	"waferpair/history"
)

// mark is shown in the tree beside a file, or beside a folder for the files below it.
type mark struct {
	unreviewed int
	changed    bool
}

// markCache caches the marks for a stamp of the history: the tree asks for every open folder
// after every edit.
type markCache struct {
	mu      sync.Mutex
	stamp   history.Stamp
	session history.SessionID
	marks   map[string]mark
}

// of returns the marks of all files that have one, and of the folders above them.
func (m *markCache) of(ctx context.Context, c Core) (map[string]mark, error) {
	stamp, err := c.History.Stamp(ctx)
	if err != nil {
		return nil, err
	}
	session, err := c.Session(ctx)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.marks != nil && m.stamp == stamp && m.session == session {
		return m.marks, nil
	}
	marks, err := c.findMarks(ctx, session)
	if err == nil {
		m.stamp, m.session, m.marks = stamp, session, marks
	}
	return marks, err
}

func (c Core) findMarks(ctx context.Context, session history.SessionID) (map[string]mark, error) {
	marks := map[string]mark{}
	waiting, err := c.History.ReviewAll(ctx)
	if err != nil {
		return nil, err
	}
	for _, h := range waiting {
		markUp(marks, h.Path, func(m *mark) { m.unreviewed++ })
	}
	cols, err := c.History.Columns(ctx)
	if err != nil {
		return nil, err
	}
	first, err := c.sessionStart(ctx, session, cols)
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

// sessionStart returns the index of the first edit that counts for a session: the first one of
// its turns, or an earlier one by the user after the session was created. It goes by the order
// of edits, because the clock may have been set back.
func (c Core) sessionStart(ctx context.Context, id history.SessionID, cols history.Columns) (int, error) {
	if id == 0 {
		return 0, nil
	}
	all, err := c.History.Sessions(ctx)
	if err != nil {
		return 0, err
	}
	turns, err := c.History.AllTurns(ctx)
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
