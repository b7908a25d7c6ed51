package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Session is a conversation: a sequence of turns.
type Session struct {
	ID      SessionID
	Title   string
	Created time.Time
	Last    time.Time // the time of its newest turn
	// Count is how many turns it has on the current branch's line, Elsewhere how many are
	// only on other lines.
	Count, Elsewhere int
	Turns            []Turn // on the current line; set by Session, not by Sessions
}

// Turn is one request and its outcome.
type Turn struct {
	ID       TurnID
	Session  SessionID
	Branch   string // the current branch when it began
	Request  string
	Model    string
	Settings json.RawMessage // scope, files and other state that app resumes with
	Status   string          // "" while it runs; Interrupted if its process died
	Message  string
	Timing   json.RawMessage
	Started  time.Time
	Ended    time.Time
	Items    []Item // not set in lists
}

// Interrupted is the status of a turn whose process died.
const Interrupted = "interrupted"

// StartSession begins a conversation. It returns once the row is queued; the row is written
// before anything that is recorded later.
func (s *Store) StartSession(ctx context.Context, title string) (SessionID, error) {
	s.mu.Lock()
	id := SessionID(s.next.session)
	s.next.session++
	at := s.now()
	s.mu.Unlock()
	_, err := s.sendConversation(ctx, len(title), func(g *group) error {
		return g.exec("INSERT OR REPLACE INTO session (id, title, created) VALUES (?, ?, ?)", int64(id), title, at)
	}, sessionRow(id))
	if err != nil {
		return 0, fmt.Errorf("start a session: %w", err)
	}
	return id, nil
}

// StartTurn begins a turn of a session; it returns as StartSession does.
func (s *Store) StartTurn(ctx context.Context, t Turn) (TurnID, error) {
	size, err := s.reserve(ctx, len(t.Request))
	if err != nil {
		return 0, fmt.Errorf("start a turn: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuses(); err != nil {
		s.budget.Release(size)
		return 0, fmt.Errorf("start a turn: %w", err)
	}
	id, first, branch, at := TurnID(s.next.turn), s.next.op, s.current, s.now()
	s.next.turn++
	var settings any
	if len(t.Settings) > 0 {
		settings = string(t.Settings)
	}
	s.queueConversation(func(g *group) error {
		return g.exec("INSERT OR REPLACE INTO turn (id, session, request, model, settings, started, first_op, branch) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			int64(id), int64(t.Session), t.Request, t.Model, settings, at, first, branch)
	}, size, turnRow(id))
	s.turns[id] = t.Session
	return id, nil
}

// knowTurn refuses turns that do not exist. The caller holds s.mu.
func (s *Store) knowTurn(ctx context.Context, id TurnID) error {
	if id == 0 {
		return nil
	}
	if _, ok := s.turns[id]; ok {
		return nil
	}
	var session int64
	err := s.read.QueryRowContext(ctx, "SELECT session FROM turn WHERE id = ?", int64(id)).Scan(&session)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("record edit: turn %d: %w", id, ErrNotFound)
	}
	if err == nil {
		s.turns[id] = SessionID(session)
	}
	return err
}

// EndTurn records how a turn ended, and waits until that is durable.
func (s *Store) EndTurn(ctx context.Context, id TurnID, status, message string, timing json.RawMessage) error {
	s.mu.Lock() // first: even if the end cannot be recorded, the turn is over, and its items are
	maps.DeleteFunc(s.growing, func(_ int64, of TurnID) bool { return of == id })
	s.mu.Unlock()
	at := s.now()
	var t any
	if len(timing) > 0 {
		t = string(timing)
	}
	p, err := s.sendConversation(ctx, len(message), func(g *group) error {
		return g.exec("UPDATE turn SET status = ?, message = ?, timing = ?, ended = ?, last_op = ? WHERE id = ?",
			status, message, t, at, g.op, int64(id))
	}, turnRow(id))
	if err == nil {
		s.w.hurry() // a user waits
		err = p.wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("end turn %d: %w", id, err)
	}
	return nil
}

// Sessions returns all sessions, oldest first, without their turns. The title of a session
// without one is its first request.
func (s *Store) Sessions(ctx context.Context) ([]Session, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	in, args := s.inLine()
	rows, err := s.read.QueryContext(ctx, `SELECT id, title, created, coalesce(max(started) FILTER (WHERE here), created), coalesce(sum(here), 0), coalesce(sum(NOT here), 0)
		FROM (SELECT s.id, CASE WHEN s.title <> '' THEN s.title ELSE coalesce((SELECT request FROM turn WHERE session = s.id ORDER BY id LIMIT 1), '') END AS title,
			s.created, t.started, `+in+` AS here FROM session s LEFT JOIN turn t ON t.session = s.id)
		GROUP BY id ORDER BY id`, args...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	defer rows.Close()
	var out []Session
	for rows.Next() {
		var x Session
		var created, last int64
		if err := rows.Scan(&x.ID, &x.Title, &created, &last, &x.Count, &x.Elsewhere); err != nil {
			return nil, err
		}
		x.Created, x.Last = time.UnixMilli(created), time.UnixMilli(last)
		out = append(out, x)
	}
	return out, rows.Err()
}

// Session returns a session with its turns on the current line and their items.
func (s *Store) Session(ctx context.Context, id SessionID) (Session, error) {
	all, err := s.Sessions(ctx)
	if err != nil {
		return Session{}, err
	}
	for _, x := range all {
		if x.ID != id {
			continue
		}
		if x.Turns, err = s.turnsOf(ctx, id); err == nil {
			err = s.addItems(ctx, x.Turns)
		}
		if err != nil {
			err = fmt.Errorf("read session %d: %w", id, err)
		}
		return x, err
	}
	return Session{}, fmt.Errorf("session %d: %w; `waferpair sessions list` shows them", id, ErrNotFound)
}

// turnsOf returns the turns of a session on the current line.
func (s *Store) turnsOf(ctx context.Context, id SessionID) ([]Turn, error) {
	in, args := s.inLine()
	return s.rows().queryTurns(ctx, "t.session = ? AND "+in, append([]any{int64(id)}, args...)...)
}

// lastTurnsOf is turnsOf for the last turns before one, so that the length of a session costs nothing; 0
// stands for no bound.
func (s *Store) lastTurnsOf(ctx context.Context, id SessionID, before TurnID, limit int) ([]Turn, error) {
	in, args := s.inLine()
	where, args := "t.session = ? AND "+in, append([]any{int64(id)}, args...)
	if before > 0 {
		where, args = where+" AND t.id < ?", append(args, int64(before))
	}
	if limit <= 0 {
		return s.rows().queryTurns(ctx, where, args...)
	}
	turns, err := s.rows().queryTurnsBy(ctx, where+" ORDER BY t.id DESC LIMIT ?", append(args, limit)...)
	slices.Reverse(turns)
	return turns, err
}

// queryTurns reads the turns that match a condition, oldest first.
func (r reader) queryTurns(ctx context.Context, where string, args ...any) ([]Turn, error) {
	return r.queryTurnsBy(ctx, where+" ORDER BY t.id", args...)
}

// queryTurnsBy reads the turns that match a condition, in the order that follows it.
func (r reader) queryTurnsBy(ctx context.Context, where string, args ...any) ([]Turn, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT t.id, t.session, coalesce(b.name, ''), t.request, t.model, t.settings, coalesce(t.status, ''), coalesce(t.message, ''),
		t.timing, t.started, coalesce(t.ended, 0) FROM turn t LEFT JOIN branch b ON b.id = t.branch WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Turn
	for rows.Next() {
		var t Turn
		var settings, timing sql.NullString
		var started, ended int64
		if err := rows.Scan(&t.ID, &t.Session, &t.Branch, &t.Request, &t.Model, &settings, &t.Status, &t.Message, &timing,
			&started, &ended); err != nil {
			return nil, err
		}
		t.Settings, t.Timing = rawJSON(settings), rawJSON(timing)
		t.Started = time.UnixMilli(started)
		if ended != 0 {
			t.Ended = time.UnixMilli(ended)
		}
		out = append(out, t)
	}
	return out, rows.Err()
}

func rawJSON(s sql.NullString) json.RawMessage {
	if s.String == "" {
		return nil
	}
	return json.RawMessage(s.String)
}

// addItems reads the items of turns.
func (s *Store) addItems(ctx context.Context, turns []Turn) error {
	ids := make([]TurnID, len(turns))
	for i, t := range turns {
		ids[i] = t.ID
	}
	items, err := s.rows().itemsOf(ctx, ids)
	for i := range turns {
		t := &turns[i]
		if t.Items = items[t.ID]; err == nil && len(t.Items) == 0 {
			t.Items, err = s.oldItems(ctx, *t)
		}
	}
	return err
}
