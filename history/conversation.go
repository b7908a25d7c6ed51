package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Turns returns the newest turns of a session on the current branch's line, with their
// items, oldest first: at most limit of them (0: all), and only turns older than before, if
// that is set.
func (s *Store) Turns(ctx context.Context, id SessionID, before TurnID, limit int) ([]Turn, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	turns, err := s.lastTurnsOf(ctx, id, before, limit)
	if err != nil {
		return nil, fmt.Errorf("read session %d: %w", id, err)
	}
	if err := s.addItems(ctx, turns); err != nil {
		return nil, fmt.Errorf("read session %d: %w", id, err)
	}
	return turns, nil
}

// Turn returns one turn of any line, with its items.
func (s *Store) Turn(ctx context.Context, id TurnID) (Turn, error) {
	if err := s.settled(ctx); err != nil {
		return Turn{}, err
	}
	turns, err := s.rows().queryTurns(ctx, "t.id = ?", int64(id))
	if err != nil {
		return Turn{}, fmt.Errorf("read turn %d: %w", id, err)
	}
	if len(turns) == 0 {
		return Turn{}, fmt.Errorf("turn %d: %w; `waferpair sessions list` shows the turns", id, ErrNotFound)
	}
	err = s.addItems(ctx, turns)
	return turns[0], err
}

// AllTurns returns the turns of all sessions on the current branch's line, oldest first,
// without their items.
func (s *Store) AllTurns(ctx context.Context) ([]Turn, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	in, args := s.inLine()
	turns, err := s.rows().queryTurns(ctx, in, args...)
	if err != nil {
		return nil, fmt.Errorf("list turns: %w", err)
	}
	return turns, nil
}

// TurnsAmong returns those of the given turns that are on the current branch's line, and
// the newest turns of that line, oldest first, without their items.
func (s *Store) TurnsAmong(ctx context.Context, ids []TurnID, newest int) ([]Turn, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	in, args := s.inLine()
	turns, err := s.rows().queryTurns(ctx, in+" AND (t.id IN ("+numbersOf(ids)+
		") OR t.id > (SELECT coalesce(max(id), 0) FROM turn) - ?)", append(args, newest)...)
	if err != nil {
		return nil, fmt.Errorf("list turns: %w", err)
	}
	return turns, nil
}

// SetTurnSettings replaces app's settings of a turn. They are durable when it returns.
func (s *Store) SetTurnSettings(ctx context.Context, id TurnID, settings json.RawMessage) error {
	p, err := s.sendConversation(ctx, len(settings), func(g *group) error {
		return g.exec("UPDATE turn SET settings = ? WHERE id = ?", string(settings), int64(id))
	}, turnRow(id))
	if err == nil {
		err = p.wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("record the settings of turn %d: %w", id, err)
	}
	return nil
}

// RenameSession changes the title of a session.
func (s *Store) RenameSession(ctx context.Context, id SessionID, title string) error {
	if title = strings.TrimSpace(title); title == "" {
		return errors.New("rename the session: the title is empty; give it a few words")
	}
	var n int
	if err := s.settled(ctx); err != nil {
		return err
	}
	if err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM session WHERE id = ?", int64(id)).Scan(&n); err != nil ||
		n == 0 {
		return fmt.Errorf("rename session %d: %w", id, errors.Join(err, ErrNotFound))
	}
	err := s.Stalled()
	if err == nil {
		err = s.rename(ctx, id, title)
	}
	if err != nil {
		return fmt.Errorf("rename session %d: %w", id, err)
	}
	return nil
}

// rename waits for the commit: a title that cannot be written is given up.
func (s *Store) rename(ctx context.Context, id SessionID, title string) error {
	run := func(g *group) error {
		return g.exec("UPDATE session SET title = ? WHERE id = ?", title, int64(id))
	}
	p, err := s.sendBy(ctx, len(title), func(size int64) *promise {
		return s.enqueueJob(&job{run: s.covered(run, sessionRow(id)), size: size, orNot: true})
	})
	if err == nil {
		err = p.wait(ctx)
	}
	return err
}
