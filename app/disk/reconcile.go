package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// Recovery brings the history up to date at a start.
type Recovery struct {
	*Intake
	place *Place
}

// NewRecovery returns the recovery of a project.
func NewRecovery(in *Intake, place *Place) *Recovery { return &Recovery{in, place} }

// Run brings the history up to date with the disk: it finishes what a crash interrupted,
// and records other programs' changes since the last time.
//
//	check          whether this is the project's folder
//	recoverSaves   unfinished intents; temporary files
//	recoverSpares  typing that could not be recorded
//	recoverDrafts  unfinished hunks and typing: recorded as edits, before other
//	               programs' changes, which came later
//	compare        size, time, inode of every file; content where they differ
//	finish         files whose newest version did not reach the disk
func (r *Recovery) Run(ctx context.Context) error {
	if err := r.place.check(ctx); err != nil {
		return err
	}
	if err := r.recoverSaves(ctx); err != nil {
		return err
	}
	if err := r.recoverSpares(ctx); err != nil {
		return err
	}
	if err := r.recoverDrafts(ctx); err != nil {
		return err
	}
	known, err := r.Store.Files(ctx)
	if err != nil {
		return err
	}
	complete, err := r.Store.Mark(ctx, baselineMark)
	if err != nil {
		return err
	}
	c := &comparison{r: r, known: known, seen: make(map[string]bool, len(known))}
	if err := r.Folder.Walk(ctx, c.compare); err != nil {
		return fmt.Errorf("look through %s: %w", r.Folder.Root(), err)
	}
	slices.Sort(c.files) // Walk visits folder by folder
	var fresh []workspace.Entry
	if complete == "" {
		fresh = c.unknown()
	}
	if err := c.take(ctx); err != nil {
		return err
	}
	r.List.Set(c.files, known)
	if err := r.finishSaves(ctx, c.behind); err != nil || complete != "" {
		return err
	}
	return r.firstOpening(ctx, fresh)
}

// Scan only lists the files, for an instance that records nothing.
func (r *Recovery) Scan(ctx context.Context) error {
	c := &comparison{r: r, seen: map[string]bool{}}
	if err := r.Folder.Walk(ctx, c.compare); err != nil {
		return fmt.Errorf("look through %s: %w", r.Folder.Root(), err)
	}
	slices.Sort(c.files)
	r.List.Set(c.files, nil)
	return nil
}

// differing scans the folder again, and lists the files that changed since history last saw
// them.
func (r *Recovery) differing(ctx context.Context) ([]string, error) {
	known, err := r.Store.Files(ctx)
	if err != nil {
		return nil, err
	}
	c := &comparison{r: r, known: known, seen: make(map[string]bool, len(known))}
	if err := r.Folder.Walk(ctx, c.compare); err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range c.changed {
		paths = append(paths, e.Path)
	}
	for name, st := range known {
		if !c.seen[name] && !st.Disk.IsZero() {
			paths = append(paths, name)
		}
	}
	slices.Sort(c.files)
	r.List.Set(c.files, known)
	return paths, nil
}

// comparison is one scan of the folder.
type comparison struct {
	r       *Recovery
	known   map[string]history.FileState
	seen    map[string]bool
	files   []string
	changed []workspace.Entry // new, or not as history last saw them
	behind  []string          // unchanged on disk, with a newer version in the history
}

// compare compares one entry with what history last saw.
func (c *comparison) compare(e workspace.Entry) error {
	if e.Kind != workspace.Regular {
		return nil
	}
	if _, secret := secrets.FileLikelySecret(e.Path); secret {
		return nil
	}
	st, ok := c.known[e.Path]
	c.seen[e.Path] = true
	same := ok && lastSeen(st, e)
	if st.Excluded == "" {
		c.files = append(c.files, e.Path)
	}
	switch {
	case c.r.Owes(e.Path) != nil:
	case !same:
		c.changed = append(c.changed, e)
	case st.Excluded == "" && st.Head != st.Disk:
		c.behind = append(c.behind, e.Path)
	}
	return nil
}

// take reads and records changed files, and records vanished ones.
func (c *comparison) take(ctx context.Context) error {
	var states []history.DiskState
	for part := range portions(c.changed) {
		files, err := c.read(ctx, part)
		if err != nil {
			return err
		}
		for i, f := range files { // in order, so that the same changes produce the same history
			files[i].Bytes = nil // free each one once it is recorded
			state, err := c.takeFile(ctx, part[i], f)
			if err != nil {
				return err
			}
			if state.Path != "" {
				states = append(states, state)
			}
		}
	}
	gone, err := c.takeGone(ctx)
	if err != nil {
		return err
	}
	return c.r.Store.SetDisk(ctx, append(states, gone...))
}

// The number of files, and of their bytes, that are read at once. Only small files gain from
// concurrent reads.
const (
	portionFiles = 64
	portionBytes = 16 << 20
)

// portions cuts a list into parts that fit into memory together. A file that is too large is
// a part by itself.
func portions(list []workspace.Entry) iter.Seq[[]workspace.Entry] {
	return func(yield func([]workspace.Entry) bool) {
		for len(list) > 0 {
			n, size := 1, list[0].Size
			for n < min(len(list), portionFiles) && size+list[n].Size <= portionBytes {
				size += list[n].Size
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// readFile is the result of reading a file.
type readFile struct {
	workspace.File
	err error
}

// read reads files concurrently.
func (c *comparison) read(ctx context.Context, list []workspace.Entry) ([]readFile, error) {
	out := make([]readFile, len(list))
	var g errgroup.Group
	g.SetLimit(4)
	for i, e := range list {
		g.Go(func() error {
			out[i].File, out[i].err = c.r.Folder.Read(ctx, e.Path)
			return ctx.Err()
		})
	}
	return out, g.Wait()
}

// takeFile records the content of one changed file.
func (c *comparison) takeFile(ctx context.Context, e workspace.Entry, f readFile) (history.DiskState, error) {
	switch {
	case errors.Is(f.err, fs.ErrNotExist):
		return history.DiskState{}, nil // gone by now: the next comparison records that
	case f.err != nil:
		c.r.Notice(leftOut(e.Path, f.err))
		return history.DiskState{}, nil
	case f.Class != workspace.Text:
		return c.exclude(f.File), nil
	}
	st := c.known[e.Path]
	if h := history.Hash(f.Hash); st.Head == h && st.Disk == h { // touched, not changed
		return State(e.Path, h, f.Entry), nil
	}
	m, _ := mask.Text(e.Path, text.Of(f.Bytes))
	h := history.HashText(m)
	behind, err := c.r.behind(ctx, e.Path, st, h)
	switch {
	case err != nil:
		return history.DiskState{}, err
	case behind:
		c.behind = append(c.behind, e.Path)
		return State(e.Path, h, f.Entry), nil
	case st.Head != h:
		if err := c.r.recordOutside(ctx, e.Path, st, m); err != nil {
			return history.DiskState{}, err
		}
	}
	st.Head, st.Disk = h, h
	c.known[e.Path] = st
	return State(e.Path, h, f.Entry), nil
}

// behind reports whether a file holds one of our older versions: the one that was last known
// on disk, or a later one whose save history did not learn of before the program ended.
func (r *Recovery) behind(ctx context.Context, path string, st history.FileState, h history.Hash) (bool, error) {
	if st.Head == h || st.Head == st.Disk {
		return false, nil
	}
	if st.Disk == h {
		return true, nil
	}
	edits, err := r.Store.List(ctx, history.Filter{Path: path, Limit: versionsBack})
	if err != nil {
		return false, err
	}
	for _, e := range slices.Backward(edits) {
		switch e.Hash {
		case h:
			return true, nil
		case st.Disk:
			return false, nil
		}
	}
	return false, nil
}

func (c *comparison) exclude(f workspace.File) history.DiskState {
	if i, ok := slices.BinarySearch(c.files, f.Path); ok {
		c.files = slices.Delete(c.files, i, i+1)
	}
	s := State(f.Path, history.Hash{}, f.Entry)
	s.Excluded = f.Class.String()
	return s
}

// takeGone records the files that no longer exist. A file that has become ignored counts as
// gone: history stops tracking it, and records a deletion.
func (c *comparison) takeGone(ctx context.Context) ([]history.DiskState, error) {
	var states []history.DiskState
	for _, path := range slices.Sorted(maps.Keys(c.known)) {
		st := c.known[path]
		if c.r.Owes(path) != nil {
			continue
		}
		if c.seen[path] || st.Disk.IsZero() && st.Excluded == "" {
			if !c.seen[path] && !st.Head.IsZero() {
				c.behind = append(c.behind, path) // created, but never saved
			}
			continue
		}
		if _, err := c.r.Folder.Stat(path); errors.Is(err, fs.ErrPermission) {
			continue // the folder may not be read: unseen is not gone
		}
		if !st.Head.IsZero() && c.r.Excluded(path) == "" {
			_, err := c.r.Append(ctx, history.Op{Author: history.Outside,
				Edits: []history.NewEdit{{Path: path, Kind: history.Delete, Expect: st.Head}}})
			if err != nil {
				return nil, err
			}
		}
		states = append(states, history.DiskState{Path: path})
	}
	return states, nil
}

// unknown removes the files that history has never seen. Until the first opening is
// complete, it stores them as part of the baseline.
func (c *comparison) unknown() []workspace.Entry {
	var fresh, rest []workspace.Entry
	for _, e := range c.changed {
		if _, known := c.known[e.Path]; known {
			rest = append(rest, e)
		} else {
			fresh = append(fresh, e)
		}
	}
	c.changed = rest
	return fresh
}
