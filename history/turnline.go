package history

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// Turns belong to branches, as edits do. Each turn has the branch that was current when it
// began. A branch has its own turns, and those of its parent up to the last one that they
// share, which Fork determined. The turns of a branch and its ancestors are its line.

// newestTurn stands for the newest turn, whatever its ID.
const newestTurn TurnID = math.MaxInt64

// inLine returns the SQL condition that turn t is on the current branch's line.
func (s *Store) inLine() (string, []any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var parts []string
	var args []any
	last := newestTurn
	for id := s.current; id != 0; {
		b, ok := s.branchByID(id)
		if !ok {
			break
		}
		parts, args = append(parts, "(t.branch = ? AND t.id <= ?)"), append(args, b.id, int64(last))
		last, id = b.turn, b.parent
	}
	return "(" + strings.Join(append(parts, "false"), " OR ") + ")", args
}

// sharedTurn returns the newest turn of a branch that belongs to its state right after edit
// at: the last turn that began before that edit was made, or that edited nothing and began
// before the next edit.
func (s *Store) sharedTurn(ctx context.Context, branch int64, at EditID) (last TurnID, err error) {
	if err := s.settled(ctx); err != nil {
		return 0, err
	}
	const end = math.MaxInt64
	err = s.read.QueryRowContext(ctx, `SELECT coalesce(max(t.id), 0) FROM turn t
		WHERE t.branch = ?1 AND (t.first_op <= (SELECT op FROM edit WHERE id = ?2)
			OR t.first_op <= coalesce((SELECT op FROM edit WHERE branch = ?1 AND id > ?2 ORDER BY id LIMIT 1), ?3)
			AND NOT EXISTS (SELECT 1 FROM op o WHERE o.id BETWEEN t.first_op AND coalesce(t.last_op, ?3) AND o.turn = t.id AND o.kind = ?4))`,
		branch, int64(at), int64(end), int(opEdits)).Scan(&last)
	if err != nil {
		err = fmt.Errorf("find the last turn before edit %d: %w", at+1, err)
	}
	return last, err
}
