package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"waferpair/history/version"
)

// DiskState is the state of a file when it was last seen on disk.
type DiskState struct {
	Path     string
	Hash     Hash // zero: the file does not exist
	Size     int64
	MTime    int64 // nanoseconds
	Inode    uint64
	Excluded string // why its content is not recorded
}

// FileState is the newest version of a file with its last seen state on disk.
type FileState struct {
	Head     Hash // zero: the file does not exist on the current branch
	Mode     fs.FileMode
	Disk     Hash // zero: not on disk, or never seen there
	Size     int64
	MTime    int64
	Inode    uint64
	Excluded string
}

// SetDisk records the present state of files on disk. It becomes durable with the next
// group; a state that is lost only costs a comparison at the next start.
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
	if err := s.refuses(); err != nil {
		s.budget.Release(size)
		return err
	}
	heads := make([]*head, len(states))
	for i, st := range states {
		if heads[i], err = s.head(ctx, st.Path); err != nil {
			s.budget.Release(size)
			return fmt.Errorf("record the state of %s on disk: %w", st.Path, err)
		}
	}
	s.queueDisk(states, heads, size)
	return nil
}

// queueDisk cannot fail: from here on, new paths count as written.
func (s *Store) queueDisk(states []DiskState, heads []*head, size int64) {
	ids, isNew := make([]int64, len(states)), make([]bool, len(states))
	for i, h := range heads {
		ids[i], isNew[i] = h.id, h.unsaved
		h.unsaved = false
	}
	p := s.enqueue(func(g *group) error {
		for i, st := range states {
			if err := g.writeDisk(ids[i], isNew[i], st); err != nil {
				return err
			}
		}
		return nil
	}, size)
	for i, h := range heads {
		if isNew[i] {
			h.job = p
		}
	}
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

// writeDisk writes the state of a path, and the path itself if it is new.
func (g *group) writeDisk(id int64, isNew bool, d DiskState) error {
	var hash, excluded any
	if !d.Hash.IsZero() {
		hash = d.Hash[:]
	}
	if d.Excluded != "" {
		excluded = d.Excluded
	}
	if isNew {
		// The job may run again although it was committed: see reread.
		return g.exec(`INSERT INTO path (id, path, hash, size, mtime, inode, excluded) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
			SET hash = excluded.hash, size = excluded.size, mtime = excluded.mtime, inode = excluded.inode, excluded = excluded.excluded`,
			id, d.Path, hash, d.Size, d.MTime, int64(d.Inode), excluded)
	}
	return g.exec("UPDATE path SET hash = ?, size = ?, mtime = ?, inode = ?, excluded = ? WHERE id = ?",
		hash, d.Size, d.MTime, int64(d.Inode), excluded, id)
}

// Files returns every path that history knows with its last seen state on disk. app
// compares them with the folder at start.
func (s *Store) Files(ctx context.Context) (map[string]FileState, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	if err := s.needHeads(ctx); err != nil {
		return nil, fmt.Errorf("list known files: %w", err)
	}
	var m map[string]FileState
	err := s.snapshot(ctx, func(r reader) (err error) {
		lin := s.lineage()
		all, err := r.haveHeads(ctx, lin[0].Branch)
		if err != nil {
			return err
		}
		if !all { // a read-only store cannot fill in table head
			m, err = r.walkedFiles(ctx, lin)
			return err
		}
		m, err = r.diskStates(ctx, lin[0].Branch)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list known files: %w", err)
	}
	return m, nil
}

// snapshot calls read with the database as it is at one moment.
func (s *Store) snapshot(ctx context.Context, read func(reader) error) error {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return read(reader{tx})
}

// walkedFiles lists all files without table head: it reads the edits of every file.
func (r reader) walkedFiles(ctx context.Context, lin version.Lineage) (map[string]FileState, error) {
	m, err := r.diskStates(ctx, noBranch)
	if err != nil {
		return nil, err
	}
	edited, err := r.Edited(ctx)
	if err != nil {
		return nil, err
	}
	for _, pid := range edited {
		if err := r.fileHead(ctx, m, pid, lin); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// noBranch has no rows in table head.
const noBranch = 0

// OnDisk returns the paths that history keeps and last saw on disk, sorted. A large project
// shows them before its folder has been read.
func (s *Store) OnDisk(ctx context.Context) ([]string, error) {
	const tracked = `SELECT group_concat(path, char(0)) FROM path WHERE id BETWEEN ? AND ? AND hash IS NOT NULL AND excluded IS NULL`
	n, err := s.rows().lastPath(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the files last seen: %w", err)
	}
	out := make([]string, 0, n)
	err = s.rows().eachPacket(ctx, n, tracked, func(packed string) error {
		for path := range strings.SplitSeq(packed, "\x00") {
			if path != "" {
				out = append(out, path)
			}
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

// packedStates asks SQLite for many rows of table path as one string: with a hundred
// thousand files, crossing from C to Go once per column costs most. A row is a header line
// of decimal numbers, then the strings whose lengths are among them. The newest version is
// in table head if the file was edited, otherwise it is the baseline.
const packedStates = `SELECT group_concat(
		octet_length(p.path) || ' ' || ifnull(length(p.hash), 0) || ' ' || ifnull(length(iif(h.path, h.after, b.after)), 0) || ' ' || ifnull(octet_length(p.excluded), 0)
		|| ' ' || ifnull(p.size, 0) || ' ' || ifnull(p.mtime, 0) || ' ' || ifnull(p.inode, 0) || ' ' || ifnull(iif(h.path, h.mode, b.mode), 0) || char(10)
		|| p.path || ifnull(p.hash, '') || ifnull(iif(h.path, h.after, b.after), '') || ifnull(p.excluded, ''), '')
	FROM path p LEFT JOIN baseline b ON b.path = p.id LEFT JOIN head h ON h.branch = ? AND h.path = p.id WHERE p.id BETWEEN ? AND ?`

func (r reader) diskStates(ctx context.Context, branch int64) (map[string]FileState, error) {
	n, err := r.lastPath(ctx)
	if err != nil {
		return nil, err
	}
	m := make(map[string]FileState, n)
	return m, r.eachPacket(ctx, n, packedStates, func(packed string) error {
		for rest, ok := packed, true; len(rest) > 0; {
			if rest, ok = unpackState(m, rest); !ok {
				return fmt.Errorf("%w: the list of known files", ErrDamaged)
			}
		}
		return nil
	}, branch)
}

func (r reader) lastPath(ctx context.Context) (n int, err error) {
	err = r.q.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM path").Scan(&n)
	return n, err
}

// eachPacket queries about a thousand paths at a time: GROUP BY would sort all rows first.
func (r reader) eachPacket(ctx context.Context, n int, query string, visit func(string) error, args ...any) error {
	const packet = 1000
	for lo := 1; lo <= n; lo += packet {
		var p sql.NullString
		if err := r.q.QueryRowContext(ctx, query, append(args[:len(args):len(args)], lo, lo+packet-1)...).
			Scan(&p); err != nil {
			return err
		}
		if err := visit(p.String); err != nil {
			return err
		}
	}
	return nil
}

// unpackState parses one row of a packet. The paths in the map share the packet's memory.
func unpackState(m map[string]FileState, p string) (rest string, ok bool) {
	var n [8]int64
	for i := range n {
		end := byte(' ')
		if i == len(n)-1 {
			end = '\n'
		}
		if n[i], p, ok = number(p, end); !ok {
			return "", false
		}
	}
	if n[0]+n[1]+n[2]+n[3] > int64(len(p)) {
		return "", false
	}
	next := func(n int64) (s string) {
		s, p = p[:n], p[n:]
		return s
	}
	f := FileState{Size: n[4], MTime: n[5], Inode: uint64(n[6]), Mode: fs.FileMode(n[7])}
	path := next(n[0])
	copy(f.Disk[:], next(n[1]))
	copy(f.Head[:], next(n[2]))
	f.Excluded = next(n[3])
	m[path] = f
	return p, true
}

// number parses a decimal number up to end.
func number(s string, end byte) (n int64, rest string, ok bool) {
	neg := len(s) > 0 && s[0] == '-'
	for i := range len(s) {
		switch c := s[i]; {
		case c == end && neg:
			return -n, s[i+1:], true
		case c == end:
			return n, s[i+1:], true
		case c >= '0' && c <= '9':
			n = n*10 + int64(c-'0')
		case i > 0 || !neg:
			return 0, "", false
		}
	}
	return 0, "", false
}

func (r reader) fileHead(ctx context.Context, m map[string]FileState, pid int64, lin version.Lineage) error {
	path, err := r.Path(ctx, pid)
	if err != nil {
		return err
	}
	st, err := version.Walk(ctx, r, pid, lin, false)
	if err != nil && !errors.Is(err, ErrPurged) {
		return err
	}
	f := m[path]
	f.Head, f.Mode = Hash{}, 0
	if err == nil && st.Exists {
		f.Head, f.Mode = st.Hash, st.Mode
	}
	m[path] = f
	return nil
}
