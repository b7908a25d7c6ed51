package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"runtime"
	"slices"
	"sync"

	"waferpair/history/version"
)

// BaseFile is a file as history first saw it.
type BaseFile struct {
	Path     string
	Bytes    []byte // for a link: its target
	Mode     fs.FileMode
	Size     int64
	MTime    int64 // nanoseconds
	Inode    uint64
	Disk     Hash   // the hash on disk, if Bytes differs from it (masked secrets)
	Excluded string // why Bytes is not recorded; then only the state on disk is
}

// based is a BaseFile ready for the writer.
type based struct {
	file  BaseFile
	id    int64
	isNew bool
	whole *version.Content
}

const (
	baseBatch      = 256
	baseBatchBytes = 4 << 20
)

// Baseline records the first content of files, so that any later change of them can be
// reverted. It streams: several goroutines compress the files of the sequence, and batches
// of them are committed. Files with a known first content stay as they are. Baseline
// returns when everything is durable.
func (s *Store) Baseline(ctx context.Context, files iter.Seq[BaseFile]) (n int, err error) {
	s.baseMu.Lock()
	defer s.baseMu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := &baseliner{s: s, ctx: ctx, seen: map[string]bool{}, in: make(chan BaseFile), out: make(chan based)}
	go b.send(files)
	go b.compress()
	n, err = b.collect()
	s.mu.Lock()
	s.next.baselineEmpty = false
	s.mu.Unlock()
	if err != nil {
		cancel(err)
		for range b.out { // lets the other goroutines end
		}
		return n, fmt.Errorf("record the first content of files: %w", err)
	}
	return n, nil
}

type baseliner struct {
	s    *Store
	ctx  context.Context
	seen map[string]bool // the paths of this call, which the database does not have yet
	in   chan BaseFile
	out  chan based
}

func (b *baseliner) send(files iter.Seq[BaseFile]) {
	defer close(b.in)
	for f := range files {
		select {
		case b.in <- f:
		case <-b.ctx.Done():
			return
		}
	}
}

func (b *baseliner) compress() {
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for f := range b.in {
				x := based{file: f}
				if f.Excluded == "" {
					x.whole = version.Pack(HashBytes(f.Bytes), f.Bytes)
					x.file.Bytes = nil
				}
				select {
				case b.out <- x:
				case <-b.ctx.Done():
					return
				}
			}
		})
	}
	wg.Wait()
	close(b.out)
}

func (b *baseliner) collect() (n int, err error) {
	var batch []based
	var size int
	var last *promise
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		last, err = b.s.queueBaseline(b.ctx, batch, size)
		n += len(batch)
		batch, size = nil, 0
		return err
	}
	for x := range b.out {
		if b.seen[x.file.Path] {
			continue
		}
		b.seen[x.file.Path] = true
		batch = append(batch, x)
		if x.whole != nil {
			size += x.whole.Stored()
		}
		if len(batch) >= baseBatch || size >= baseBatchBytes {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
	if err := flush(); err != nil {
		return n, err
	}
	if err := b.ctx.Err(); err != nil {
		return n, context.Cause(b.ctx)
	}
	if last == nil {
		return n, nil
	}
	return n, last.wait(b.ctx)
}

// queueBaseline assigns path IDs to a batch and passes it to the writer.
func (s *Store) queueBaseline(ctx context.Context, batch []based, bytes int) (*promise, error) {
	size, err := s.reserve(ctx, bytes)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuses(); err != nil {
		s.budget.Release(size)
		return nil, err
	}
	if batch, err = s.baselineIDs(ctx, batch); err != nil {
		s.budget.Release(size)
		return nil, err
	}
	slices.SortFunc(batch, func(a, b based) int { return int(a.id - b.id) }) // in the order of the chain
	author, _ := code(authors, Outside)
	row := opRow{id: s.next.op, kind: opBaseline, branch: s.current, author: author, at: s.now()}
	s.next.op++
	since := s.next.edit - 1
	job := s.enqueue(func(g *group) error { return g.writeBaseline(row, since, batch) }, size)
	for _, x := range batch {
		if h := s.heads[x.file.Path]; h != nil {
			h.rebase(x, job)
		}
	}
	s.baseJob = job
	return job, nil
}

// rebase updates a cached head to a baseline.
func (h *head) rebase(x based, job *promise) {
	*h = head{path: h.path, id: x.id, job: job}
	if x.whole != nil {
		h.exists, h.sum, h.mode = true, version.Known(x.whole.Hash), x.file.Mode
	}
}

// knowPaths waits for a queued baseline if one of the paths is not cached: its head is
// about to be read from the database.
func (s *Store) knowPaths(ctx context.Context, paths iter.Seq[string]) error {
	s.mu.Lock()
	p := s.baseJob
	if p == nil || p.isDone() {
		s.mu.Unlock()
		return nil
	}
	missing := false
	for path := range paths {
		missing = missing || s.heads[path] == nil
	}
	s.mu.Unlock()
	if !missing {
		return nil
	}
	s.w.hurry()
	select {
	case <-p.done:
		return nil // the caller of Baseline gets the error
	case <-p.halted():
		return context.Cause(p.flow)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// baselineIDs keeps the files that history does not have yet, and sets their IDs.
func (s *Store) baselineIDs(ctx context.Context, batch []based) ([]based, error) {
	out := batch[:0]
	for _, x := range batch {
		if err := s.baselineID(ctx, &x); err != nil {
			return nil, err
		}
		if x.id != 0 {
			out = append(out, x)
		}
	}
	return out, nil
}

// baselineID sets x.id, or leaves it 0 for a file that already has a history.
func (s *Store) baselineID(ctx context.Context, x *based) error {
	if h := s.heads[x.file.Path]; h != nil {
		if h.exists || h.edit != 0 && !h.purged {
			return nil
		}
		x.id, x.isNew = h.id, h.unsaved
		return nil
	}
	if !s.next.baselineEmpty {
		err := s.read.QueryRowContext(ctx, "SELECT id FROM path WHERE path = ?", x.file.Path).Scan(&x.id)
		if err == nil {
			return s.baselineKnown(ctx, x)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	x.id, x.isNew = s.next.path, true
	s.next.path++
	return nil
}

// baselineKnown handles a path that the database has, perhaps only as excluded or purged.
func (s *Store) baselineKnown(ctx context.Context, x *based) error {
	st, err := version.Walk(ctx, s.rows(), x.id, s.lineageOf(s.current, Newest), false)
	if errors.Is(err, ErrPurged) {
		return nil
	}
	if err == nil && (st.Exists || st.Edit != 0) {
		x.id = 0
	}
	return err
}

func (g *group) writeBaseline(o opRow, since EditID, batch []based) error {
	var c canon
	c.op(o)
	for _, x := range batch {
		f := x.file
		if err := g.writeDisk(x.id, x.isNew, DiskState{Path: f.Path, Hash: x.diskHash(), Size: f.Size, MTime: f.MTime,
			Inode: f.Inode, Excluded: f.Excluded}); err != nil {
			return err
		}
		if x.whole == nil {
			continue
		}
		blob, err := g.blob(x.whole)
		if err != nil {
			return err
		}
		if !x.isNew {
			if err := g.dropHeads(x.id); err != nil {
				return err
			}
		}
		c.base(baseRow{f.Path, since, f.Mode, x.whole.Hash})
		if err := g.exec("INSERT OR REPLACE INTO baseline (path, op, since, mode, after, blob) VALUES (?, ?, ?, ?, ?, ?)",
			x.id, o.id, int64(since), int64(f.Mode), x.whole.Hash[:], blob); err != nil {
			return err
		}
	}
	return g.insertOp(o, c.b)
}

func (x based) diskHash() Hash {
	if x.file.Disk.IsZero() && x.whole != nil {
		return x.whole.Hash
	}
	return x.file.Disk
}
