package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"sort"

	"waferpair/history/version"
)

// At returns the file at path as it was right after edit id, on the branch of that edit.
// Edit 0 is the baseline, Newest the head of the current branch.
func (s *Store) At(ctx context.Context, id EditID, path string) (Version, error) {
	lin, err := s.moment(ctx, id)
	if err != nil {
		return Version{}, fmt.Errorf("read %s: %w", path, err)
	}
	v, t, err := version.ReadPath(ctx, s.rows(), path, lin)
	if err == nil && id > 0 && id != Newest {
		err = s.rows().found(ctx, id, path, v)
	}
	if err != nil {
		return Version{}, fmt.Errorf("read %s at edit %d: %w", path, id, err)
	}
	v.Bytes = t.Bytes()
	return v, nil
}

// found checks that the version of an edit's own file is the one that the edit made. A
// damaged index can hide the edit, and the version before it, whose hash matches, must not
// be returned in its place.
func (r reader) found(ctx context.Context, id EditID, path string, v Version) error {
	var own bool
	err := r.q.QueryRowContext(ctx, `SELECT e.state & 4 = 0 AND ? IN (p.path, ifnull(q.path, '')) FROM edit e
		JOIN path p ON p.id = e.path LEFT JOIN path q ON q.id = e.to_path WHERE e.id = ?`, path, int64(id)).Scan(&own)
	if err != nil || !own || v.Edit == id {
		return err
	}
	return ErrDamaged
}

// Head returns the newest version of the file on the current branch.
func (s *Store) Head(ctx context.Context, path string) (Version, error) {
	return s.At(ctx, Newest, path)
}

// Paths returns every file that exists at a moment, sorted by path.
func (s *Store) Paths(ctx context.Context, id EditID) ([]PathState, error) {
	lin, err := s.moment(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	m, err := s.rows().states(ctx, lin)
	if err != nil {
		return nil, fmt.Errorf("list files at edit %d: %w", id, err)
	}
	out := make([]PathState, 0, len(m))
	for _, st := range m {
		if st.exists {
			out = append(out, PathState{st.path, st.hash, st.mode, st.edit})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

// pathState is the state of a path at a moment; exists is false after a delete.
type pathState struct {
	path   string
	exists bool
	hash   Hash
	mode   fs.FileMode
	edit   EditID
}

// states returns all paths that history knows at a moment: the baselines, overlaid by the
// newest edit of each path.
func (r reader) states(ctx context.Context, lin version.Lineage) (map[int64]pathState, error) {
	m, err := r.baselines(ctx)
	if err != nil || len(lin) == 0 {
		return m, err
	}
	pids, err := r.Edited(ctx)
	if err != nil {
		return nil, err
	}
	for _, pid := range pids {
		st, e := version.Walk(ctx, r, pid, lin, false)
		switch {
		case errors.Is(e, ErrPurged):
			st, e = version.Stack{}, nil
		case e != nil:
			return nil, e
		}
		p := pathState{exists: st.Exists, hash: st.Hash, mode: st.Mode, edit: st.Edit}
		if p.path, e = r.Path(ctx, pid); e != nil {
			return nil, e
		}
		m[pid] = p
	}
	return m, nil
}

func (r reader) baselines(ctx context.Context) (map[int64]pathState, error) {
	rows, err := r.q.QueryContext(ctx,
		"SELECT b.path, p.path, b.mode, b.after FROM baseline b JOIN path p ON p.id = b.path WHERE b.after IS NOT NULL")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	m := map[int64]pathState{}
	for rows.Next() {
		var id, mode int64
		var after sql.RawBytes
		st := pathState{exists: true}
		if err := rows.Scan(&id, &st.path, &mode, &after); err != nil {
			return nil, err
		}
		st.mode = fs.FileMode(mode)
		copy(st.hash[:], after)
		m[id] = st
	}
	return m, rows.Err()
}
