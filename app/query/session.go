package query

import (
	"context"
	"strconv"
	"time"

	"waferpair/history"
)

// SessionInfo is a conversation as a list shows it.
type SessionInfo struct {
	ID      history.SessionID `json:"id"`
	Title   string            `json:"title"`
	Created time.Time         `json:"created"`
	Last    time.Time         `json:"last"`  // when its newest turn began
	Turns   int               `json:"turns"` // on the current fork
}

// SessionMark is where the history keeps which session requests go to.
const SessionMark = "session"

// Session is the session that was resumed or started last, to which requests go;
// 0 when there is none.
func (c Core) Session(ctx context.Context) (history.SessionID, error) {
	v, err := c.History.Mark(ctx, SessionMark)
	if err != nil || v == "" {
		return 0, err
	}
	n, err := strconv.ParseInt(v, 10, 64)
	return history.SessionID(n), err
}

// Sessions lists the conversations of the current fork, oldest first, and says to
// which one requests go; 0 when there is none yet.
func (c Core) Sessions(ctx context.Context) ([]SessionInfo, history.SessionID, error) {
	current, err := c.Session(ctx) // first, so that it is among the sessions
	if err != nil {
		return nil, 0, err
	}
	all, err := c.History.Sessions(ctx)
	if err != nil {
		return nil, 0, err
	}
	out := []SessionInfo{}
	for _, s := range all {
		if s.Count > 0 || s.Elsewhere == 0 || s.ID == current {
			out = append(out, sessionInfo(s))
		}
	}
	return out, current, nil
}

func sessionInfo(s history.Session) SessionInfo {
	return SessionInfo{s.ID, s.Title, s.Created, s.Last, s.Count}
}
