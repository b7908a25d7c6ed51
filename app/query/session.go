package query

import (
	"context"
	"strconv"

	"waferpair/history"
)

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
