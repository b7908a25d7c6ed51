package query

import (
	"context"
	"strconv"
	"time"

	"waferpair/history"
)

// SessionInfo is a conversation in a list.
type SessionInfo struct {
	ID      history.SessionID `json:"id"`
	Title   string            `json:"title"`
	Created time.Time         `json:"created"`
	Last    time.Time         `json:"last"`  // when its newest turn began
	Turns   int               `json:"turns"` // on the current fork
}

// SessionMark stores the current session in the history.
const SessionMark = "session"

// Session returns the current session, which gets new requests: the one that was started or
// resumed last; 0 when there is none.
func (c Core) Session(ctx context.Context) (history.SessionID, error) {
	v, err := c.History.Mark(ctx, SessionMark)
	if err != nil || v == "" {
		return 0, err
	}
	n, err := strconv.ParseInt(v, 10, 64)
	return history.SessionID(n), err
}

// Sessions lists the conversations of the current fork, oldest first, and returns the current
// session; 0 when there is none.
func (c Core) Sessions(ctx context.Context) ([]SessionInfo, history.SessionID, error) {
	current, err := c.Session(ctx) // first, because it may be new
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
