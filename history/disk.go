package history

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"iter"
)

// DiskState is what was last seen of a file on disk.
type DiskState struct {
	Path     string
	Hash     Hash // zero: it is not there
	Size     int64
	MTime    int64 // nanoseconds
	Inode    uint64
	Excluded string // why its content is not kept
}

// FileState joins the newest version of a file with what was last seen on disk.
type FileState struct {
	Head     Hash // zero: the file does not exist on the current branch
	Mode     fs.FileMode
	Disk     Hash // zero: not on disk, or never seen there
	Size     int64
	MTime    int64
	Inode    uint64
	Excluded string
}

// SetDisk records what is on disk now. It is durable with the next group; a state
// that is lost only costs a comparison at the next start.
func (s *Store) SetDisk(ctx context.Context, states []DiskState) error {
	if len(states) == 0 {
		return nil
	}
	size, err := s.reserve(ctx, len(states)*64)
	if err != nil {
		return err
	}
	if err := s.knowPaths(ctx, pathsOf(states)); err != nil {
		s.budget.Release(size)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.budget.Release(size)
		return ErrClosed
	}
	job := func(ids []int64, isNew []bool) func(*group) error {
		return func(g *group) error {
			for i, st := range states {
				if err := g.writeDisk(ids[i], isNew[i], st); err != nil {
					return err
				}
			}
			return nil
		}
	}
	ids, isNew := make([]int64, len(states)), make([]bool, len(states))
	touched := make([]*head, 0, len(states))
	for i, st := range states {
		h, err := s.head(ctx, st.Path)
		if err != nil {
			s.budget.Release(size)
			return fmt.Errorf("record the state of %s on disk: %w", st.Path, err)
		}
		ids[i], isNew[i] = h.id, h.unsaved
		h.unsaved = false
		touched = append(touched, h)
	}
	p := s.enqueue(job(ids, isNew), size)
	for i, h := range touched {
		if isNew[i] {
			h.job = p
		}
	}
	return nil
}

func pathsOf(states []DiskState) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, st := range states {
			if !yield(st.Path) {
				return
			}
		}
	}
}

// writeDisk writes the state of a path, and the path itself when it is new.
func (g *group) writeDisk(id int64, isNew bool, d DiskState) error {
	var hash, excluded any
	if !d.Hash.IsZero() {
		hash = d.Hash[:]
	}
	if d.Excluded != "" {
		excluded = d.Excluded
	}
	if isNew {
		return g.exec("INSERT INTO path (id, path, hash, size, mtime, inode, excluded) VALUES (?, ?, ?, ?, ?, ?, ?)",
			id, d.Path, hash, d.Size, d.MTime, int64(d.Inode), excluded)
	}
	return g.exec("UPDATE path SET hash = ?, size = ?, mtime = ?, inode = ?, excluded = ? WHERE id = ?",
		hash, d.Size, d.MTime, int64(d.Inode), excluded, id)
}

// Files returns every path that history knows with what was last seen of it on
// disk, for the comparison with the folder at start.
func (s *Store) Files(ctx context.Context) (map[string]FileState, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	m, err := s.diskStates(ctx)
	if err != nil {
		return nil, fmt.Errorf("list known files: %w", err)
	}
	lin := s.lineage()
	for _, pid := range s.edited(ctx, lin, &err) {
		if err := s.fileHead(ctx, m, pid, lin); err != nil {
			return nil, fmt.Errorf("list known files: %w", err)
		}
	}
	return m, err
}

func (s *Store) diskStates(ctx context.Context) (map[string]FileState, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT p.path, p.hash, coalesce(p.size, 0), coalesce(p.mtime, 0), coalesce(p.inode, 0),
		p.excluded, b.after, b.mode FROM path p LEFT JOIN baseline b ON b.path = p.id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	m := map[string]FileState{}
	var path, excluded sql.RawBytes
	var hash, after sql.RawBytes
	for rows.Next() {
		var f FileState
		var inode int64
		var mode sql.NullInt64
		if err := rows.Scan(&path, &hash, &f.Size, &f.MTime, &inode, &excluded, &after, &mode); err != nil {
			return nil, err
		}
		copy(f.Disk[:], hash)
		copy(f.Head[:], after)
		f.Mode, f.Inode, f.Excluded = fs.FileMode(mode.Int64), uint64(inode), string(excluded)
		m[string(path)] = f
	}
	return m, rows.Err()
}

func (s *Store) fileHead(ctx context.Context, m map[string]FileState, pid int64, lin []segment) error {
	var path string
	if err := s.read.QueryRowContext(ctx, "SELECT path FROM path WHERE id = ?", pid).Scan(&path); err != nil {
		return err
	}
	st, err := walk(ctx, s.read, pid, lin, false)
	if err != nil && !isPurged(err) {
		return err
	}
	f := m[path]
	f.Head, f.Mode = Hash{}, 0
	if err == nil && st.exists {
		f.Head, f.Mode = st.hash, st.mode
	}
	m[path] = f
	return nil
}
