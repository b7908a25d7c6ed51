package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Before there were items, table message held the conversation, and turn.parts what pages
// showed of a turn. At the first Open with Options.Items, both become items, some turns at
// a time, each time in one transaction with the operation that covers it: a kill in
// between leaves the rest for the next Open.
//
//	op 40  said  t5:09f2... m12: m13: i1:77ab... i2:4c01...   turn 5 has items now
//
// From then on both are empty. They remain in the schema: the chain covers all columns of
// a turn, and turns that a full disk kept from moving are read from there. A row that was
// altered before stays marked: the items of its turn have the mark.

// OldTurn is a turn as earlier versions recorded it.
type OldTurn struct {
	Turn
	Messages []Message
	Parts    json.RawMessage // what the page showed of it; the first versions recorded none
}

// Message is one message as earlier versions recorded it.
type Message struct {
	Role string
	Text string
	Time time.Time
}

// itemsMark is the key in table meta that says that no old turn is left.
const itemsMark = "items"

// moveTurnsAt is how many turns move in one transaction.
const moveTurnsAt = 50

// moveOld turns all old conversations into items.
func (s *Store) moveOld(ctx context.Context) error {
	if s.opts.Items == nil {
		return nil
	}
	var n int
	err := s.w.conn.QueryRowContext(ctx, "SELECT count(*) FROM meta WHERE key = ?", itemsMark).Scan(&n)
	if err != nil || n > 0 {
		return err
	}
	if err := s.settled(ctx); err != nil {
		return err
	}
	m := mover{s: s, ctx: ctx}
	if err := m.know(); err != nil {
		return err
	}
	for more := true; more; {
		if more, err = m.step(); err != nil {
			return err
		}
	}
	return m.wait(s.submit(ctx, 0, func(g *group) error {
		return g.exec("INSERT OR REPLACE INTO meta (key, value) VALUES (?, 1)", itemsMark)
	}))
}

type mover struct {
	s    *Store
	ctx  context.Context
	rows conversationCheck // the chain's hashes of the rows
	last TurnID            // the last turn that moved
}

func (m *mover) wait(p *promise, err error) error {
	if err == nil {
		err = p.wait(m.ctx)
	}
	return err
}

// know reads the chain's hashes of the conversation.
func (m *mover) know() error {
	rows, err := m.s.read.QueryContext(m.ctx, "SELECT coalesce(note, '') FROM op WHERE kind = ? ORDER BY id",
		int(opConversation))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var note string
		if err := rows.Scan(&note); err != nil {
			return err
		}
		m.rows.op(note)
	}
	return rows.Err()
}

// step moves some turns; it returns false when none is left.
func (m *mover) step() (more bool, err error) {
	turns, err := m.s.rows().queryTurns(m.ctx, `t.id IN (SELECT id FROM turn WHERE id > ?1
		AND (parts IS NOT NULL OR id IN (SELECT turn FROM message WHERE turn > ?1)) ORDER BY id LIMIT ?2)`, int64(m.last), moveTurnsAt)
	if err != nil || len(turns) == 0 {
		return false, err
	}
	var all []itemRow
	var covered []conversationRow
	altered, size := map[conversationRow]bool{}, 0
	for _, t := range turns {
		rows, of, err := m.turn(t, altered)
		if err != nil {
			return false, fmt.Errorf("turn %d: %w", t.ID, err)
		}
		for _, r := range rows {
			size += len(r.Body)
		}
		all, covered = append(all, rows...), append(covered, of...)
	}
	m.last = turns[len(turns)-1].ID
	m.s.mu.Lock()
	op := m.s.conversationOp()
	m.s.mu.Unlock()
	return true, m.wait(m.s.submit(m.ctx, size, func(g *group) error {
		if err := g.putItems(all); err != nil {
			return err
		}
		for _, t := range turns {
			if err := errors.Join(g.exec("DELETE FROM message WHERE turn = ?", int64(t.ID)),
				g.exec("UPDATE turn SET parts = NULL WHERE id = ?", int64(t.ID))); err != nil {
				return err
			}
		}
		return g.coverRows(op, covered, altered)
	}))
}

// turn converts a turn to items and returns them with the rows that this changes.
func (m *mover) turn(t Turn, altered map[conversationRow]bool) ([]itemRow, []conversationRow, error) {
	items, err := m.s.oldItems(m.ctx, t)
	if err != nil {
		return nil, nil, err
	}
	rows, _, err := itemRows(t.ID, items)
	if err != nil {
		return nil, nil, err
	}
	was, bad, err := m.were(t.ID)
	if err != nil {
		return nil, nil, err
	}
	m.s.mu.Lock()
	now := m.s.number(rows)
	m.s.mu.Unlock()
	for _, r := range now {
		altered[r] = bad
	}
	return rows, append(was, now...), nil
}

// were returns the rows that a turn was stored in, and whether one of them was altered.
func (m *mover) were(turn TurnID) (rows []conversationRow, altered bool, err error) {
	for _, q := range []struct{ letter, where string }{{"t", "id = ?"}, {"m", "turn = ? ORDER BY id"}} {
		t, _ := tableOf(q.letter)
		err := t.eachWhere(m.ctx, m.s.read, q.where, []any{int64(turn)},
			func(r conversationRow, h rowHash, was func(rowHash) bool) {
				want, known := m.rows.want[r]
				rows, altered = append(rows, r), altered || !known || want != h && !was(want) || slices.Contains(m.rows.altered, r)
			})
		if err != nil {
			return nil, false, err
		}
	}
	return rows, altered, nil
}

// oldItems converts a turn that earlier versions recorded to items.
func (s *Store) oldItems(ctx context.Context, t Turn) ([]Item, error) {
	if s.opts.Items == nil {
		return nil, nil
	}
	old := OldTurn{Turn: t}
	var parts sql.NullString
	err := s.read.QueryRowContext(ctx, "SELECT parts FROM turn WHERE id = ?", int64(t.ID)).Scan(&parts)
	if err != nil {
		return nil, err
	}
	if old.Parts = rawJSON(parts); old.Parts != nil && !json.Valid(old.Parts) {
		old.Parts = nil // damaged: the messages are still useful
	}
	if old.Messages, err = s.rows().messagesOf(ctx, t.ID); err != nil || len(old.Messages) == 0 && old.Parts == nil {
		return nil, err
	}
	return s.opts.Items(old), nil
}

func (r reader) messagesOf(ctx context.Context, turn TurnID) (out []Message, err error) {
	rows, err := r.q.QueryContext(ctx, "SELECT role, text, at FROM message WHERE turn = ? ORDER BY id", int64(turn))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var m Message
		var at int64
		if err := rows.Scan(&m.Role, &m.Text, &at); err != nil {
			return nil, err
		}
		m.Time = time.UnixMilli(at)
		out = append(out, m)
	}
	return out, rows.Err()
}
