package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// usableAfter is how many files a first opening may have to store before the
// project is handed over with the rest going on in the background.
const usableAfter = 3000

// How old a time stamp must be to be trusted: a file may be written twice
// within the resolution of its file system's clock. That is some milliseconds
// where stamps have fractions of a second, and up to two seconds elsewhere.
const (
	racyFine   = 50 * time.Millisecond
	racyCoarse = 2 * time.Second
)

// stamp is the time stamp to remember of a file. One that is too young is not,
// so that the file is read again at the next look.
func stamp(e workspace.Entry) int64 {
	racy := racyFine
	if e.ModTime.Nanosecond() == 0 {
		racy = racyCoarse
	}
	if time.Since(e.ModTime) < racy {
		return 0
	}
	return e.ModTime.UnixNano()
}

// baselineMark says that the first opening has stored every file.
const baselineMark = "baseline"

// fileList is the folder as the last reconcile saw it.
type fileList struct {
	files []string // text files that are kept, sorted
	known map[string]history.FileState
}

// background is work that an opening leaves running.
type background struct {
	done chan struct{} // nil: there is none
	err  error
}

func (b *background) wait() error {
	if b.done == nil {
		return nil
	}
	<-b.done
	return b.err
}

// idle reports whether nothing runs in the background.
func (b *background) idle() bool {
	if b.done == nil {
		return true
	}
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// reconcile brings history up to what is on disk: it finishes what a crash
// interrupted, and records what other programs did since the last time.
//
//	recoverSaves   intents that were not finished; temporary files
//	recoverDrafts  hunks that were streaming: recorded as cut-off edits
//	compare        size, time, inode of every file; content where they differ
//	finish         files whose newest version did not reach the disk
func (p *Project) reconcile(ctx context.Context) error {
	if err := p.recoverSaves(ctx); err != nil {
		return err
	}
	known, err := p.store.Files(ctx)
	if err != nil {
		return err
	}
	complete, err := p.store.Mark(ctx, baselineMark)
	if err != nil {
		return err
	}
	c := &comparison{p: p, known: known, seen: make(map[string]bool, len(known))}
	if err := p.folder.Walk(ctx, c.look); err != nil {
		return fmt.Errorf("look through %s: %w", p.folder.Root(), err)
	}
	slices.Sort(c.files) // Walk goes by directories
	p.list = fileList{files: c.files, known: known}
	var fresh []workspace.Entry
	if complete == "" {
		fresh = c.unknown()
	}
	if err := c.take(ctx); err != nil {
		return err
	}
	if err := p.recoverDrafts(ctx, c); err != nil {
		return err
	}
	if err := p.finishSaves(ctx, c); err != nil || complete != "" {
		return err
	}
	return p.firstOpening(ctx, fresh)
}

// unknown takes the files out that history has never seen. While the first
// opening is not complete, they are its business: they were not made since.
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

// listFiles only looks through the folder, for an instance that records nothing.
func (p *Project) listFiles(ctx context.Context) error {
	c := &comparison{p: p, seen: map[string]bool{}}
	if err := p.folder.Walk(ctx, c.look); err != nil {
		return fmt.Errorf("look through %s: %w", p.folder.Root(), err)
	}
	slices.Sort(c.files)
	p.list = fileList{files: c.files}
	return nil
}

// comparison is one look through the folder.
type comparison struct {
	p       *Project
	known   map[string]history.FileState
	seen    map[string]bool
	files   []string
	changed []workspace.Entry // new, or not as history last saw them
	behind  []string          // unchanged on disk, while history is ahead
}

// look compares one entry with what history last saw.
func (c *comparison) look(e workspace.Entry) error {
	if e.Kind != workspace.Regular {
		return nil
	}
	if _, secret := secrets.FileLikelySecret(e.Path); secret {
		return nil
	}
	st, ok := c.known[e.Path]
	c.seen[e.Path] = true
	same := ok && st.Size == e.Size && st.MTime == e.ModTime.UnixNano() && st.Inode == e.Inode
	if st.Excluded == "" {
		c.files = append(c.files, e.Path)
	}
	switch {
	case !same:
		c.changed = append(c.changed, e)
	case st.Excluded == "" && st.Head != st.Disk:
		c.behind = append(c.behind, e.Path)
	}
	return nil
}

// take reads what changed and records it, and what vanished.
func (c *comparison) take(ctx context.Context) error {
	var states []history.DiskState
	for part := range slices.Chunk(c.changed, 64) {
		files, err := c.read(ctx, part)
		if err != nil {
			return err
		}
		for i, f := range files { // in order, so that the same changes make the same history
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
	return c.p.store.SetDisk(ctx, append(states, gone...))
}

// readFile is what came of reading a file.
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
			out[i].File, out[i].err = c.p.folder.Read(ctx, e.Path)
			return ctx.Err()
		})
	}
	return out, g.Wait()
}

// takeFile records what one changed file holds.
func (c *comparison) takeFile(ctx context.Context, e workspace.Entry, f readFile) (history.DiskState, error) {
	switch {
	case errors.Is(f.err, fs.ErrNotExist):
		return history.DiskState{}, nil // gone since: the next look sees it
	case f.err != nil:
		c.p.notice(fmt.Sprintf("%s could not be read and is left out: %v", e.Path, f.err))
		return history.DiskState{}, nil
	case f.Class != workspace.Text:
		return c.exclude(f.File), nil
	}
	st := c.known[e.Path]
	if h := history.Hash(f.Hash); st.Head == h && st.Disk == h { // touched, not changed
		return diskState(e.Path, h, f.Entry), nil
	}
	m, _ := masked(e.Path, text.Of(f.Bytes))
	h := history.HashText(m)
	behind, err := c.p.behind(ctx, e.Path, st, h)
	switch {
	case err != nil:
		return history.DiskState{}, err
	case behind:
		c.behind = append(c.behind, e.Path)
		return diskState(e.Path, h, f.Entry), nil
	case st.Head != h:
		if err := c.p.recordOutside(ctx, e.Path, st, m); err != nil {
			return history.DiskState{}, err
		}
	}
	st.Head, st.Disk = h, h
	c.known[e.Path] = st
	return diskState(e.Path, h, f.Entry), nil
}

// behind reports whether a file holds an older version of ours than the newest
// one: the one that was on disk last, or one saved after it whose save history
// did not get to know of before the program ended.
func (p *Project) behind(ctx context.Context, path string, st history.FileState, h history.Hash) (bool, error) {
	if st.Head == h || st.Head == st.Disk {
		return false, nil
	}
	if st.Disk == h {
		return true, nil
	}
	edits, err := p.store.List(ctx, history.Filter{Path: path, Limit: versionsBack})
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
	if i, ok := slices.BinarySearch(c.p.list.files, f.Path); ok {
		c.p.list.files = slices.Delete(c.p.list.files, i, i+1)
	}
	s := diskState(f.Path, history.Hash{}, f.Entry)
	s.Excluded = f.Class.String()
	return s
}

// diskState is the state of a file on disk as history remembers it.
func diskState(path string, h history.Hash, e workspace.Entry) history.DiskState {
	return history.DiskState{Path: path, Hash: h, Size: e.Size, MTime: stamp(e), Inode: e.Inode}
}

// recordOutside records that another program made m of a file.
func (p *Project) recordOutside(ctx context.Context, path string, st history.FileState, m text.Text) error {
	op := history.Op{Author: history.Outside}
	if st.Head.IsZero() {
		if _, err := p.store.Head(ctx, path); errors.Is(err, history.ErrPurged) {
			return p.keepAgain(ctx, path)
		}
		op.Edits = []history.NewEdit{{Path: path, Kind: history.Create, Content: m.Bytes()}}
	} else {
		v, err := p.store.Head(ctx, path)
		if err != nil {
			return err
		}
		if st.Head != st.Disk {
			op.Note = "changed by another program while edits were not saved yet"
			p.notice(fmt.Sprintf("%s was changed by another program before edit %d reached the disk; that version is in the history", path, v.Edit))
		}
		before := text.Of(v.Bytes)
		op.Edits = []history.NewEdit{{Path: path, Kind: history.Text, Before: before, Changes: text.Diff(before, m)}}
	}
	_, err := p.store.Append(ctx, op)
	return err
}

// keepAgain records what a file holds whose history was purged: it counts as
// first seen now.
func (p *Project) keepAgain(ctx context.Context, path string) error {
	f, err := p.folder.Read(ctx, path)
	if err != nil {
		return err
	}
	_, err = p.store.Baseline(ctx, slices.Values([]history.BaseFile{baseFile(f)}))
	return err
}

// takeGone records the files that are no longer there. Ignored since, counts
// as not there: history stops keeping them, and says so by their deletion.
func (c *comparison) takeGone(ctx context.Context) ([]history.DiskState, error) {
	var states []history.DiskState
	for _, path := range slices.Sorted(maps.Keys(c.known)) {
		st := c.known[path]
		if c.seen[path] || st.Disk.IsZero() && st.Excluded == "" {
			if !c.seen[path] && !st.Head.IsZero() {
				c.behind = append(c.behind, path) // created, and never saved
			}
			continue
		}
		if _, err := c.p.folder.Stat(path); errors.Is(err, fs.ErrPermission) {
			continue // in a folder that may not be read: not seen is not gone
		}
		if !st.Head.IsZero() && c.p.heldName(path) == "" {
			_, err := c.p.store.Append(ctx, history.Op{Author: history.Outside,
				Edits: []history.NewEdit{{Path: path, Kind: history.Delete, Expect: st.Head}}})
			if err != nil {
				return nil, err
			}
		}
		states = append(states, history.DiskState{Path: path})
	}
	return states, nil
}

// firstOpening stores what every file holds. Until that is done, a file that
// is touched is stored first, by syncFile. When it is stopped, the next opening
// goes on where it was.
func (p *Project) firstOpening(ctx context.Context, fresh []workspace.Entry) error {
	p.baseline = background{done: make(chan struct{})}
	go func() {
		defer close(p.baseline.done)
		p.baseline.err = p.storeBaseline(ctx, fresh)
	}()
	if len(fresh) > usableAfter {
		return nil
	}
	return p.baseline.wait()
}

func (p *Project) storeBaseline(ctx context.Context, fresh []workspace.Entry) error {
	_, err := p.store.Baseline(ctx, func(yield func(history.BaseFile) bool) {
		for i, e := range fresh {
			f, err := p.folder.Read(ctx, e.Path)
			if err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
				p.notice(fmt.Sprintf("%s could not be read and is left out: %v", e.Path, err))
			}
			if err == nil && !yield(baseFile(f)) {
				return
			}
			if n := i + 1; n%256 == 0 || n == len(fresh) {
				p.opt.Progress(Progress{"storing the files as they are", n, len(fresh)})
			}
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("store the files as they are: %w; the next opening goes on with it", err)
	}
	return p.store.SetMark(ctx, baselineMark, "complete")
}

func baseFile(f workspace.File) history.BaseFile {
	b := history.BaseFile{Path: f.Path, Mode: f.Entry.Mode.Perm(), Size: f.Entry.Size, MTime: stamp(f.Entry), Inode: f.Entry.Inode}
	if f.Class != workspace.Text {
		b.Excluded = f.Class.String()
		return b
	}
	m, _ := secrets.Mask(f.Path, f.Bytes)
	b.Bytes = m
	return b
}

// syncFile makes sure that history has what a file holds, before anything is
// done to it. It is cheap when nothing happened since the reconcile.
func (p *Project) syncFile(ctx context.Context, path string, f workspace.File, m text.Text) error {
	h := history.HashText(m)
	if st, ok := p.list.known[path]; ok && st.Head == h && st.Disk == h {
		return nil
	}
	defer p.know(path, h)
	v, err := p.store.Head(ctx, path)
	switch {
	case err != nil:
		return err
	case v.Exists && v.Hash == h:
		return nil
	case !v.Exists && v.Edit == 0:
		_, err := p.store.Baseline(ctx, slices.Values([]history.BaseFile{baseFile(f)}))
		return err
	}
	if err := p.recordOutside(ctx, path, history.FileState{Head: v.Hash, Disk: v.Hash}, m); err != nil {
		return err
	}
	return p.store.SetDisk(ctx, []history.DiskState{diskState(path, h, f.Entry)})
}

// know remembers that history and disk have this version of a file that is not
// open. p.mu is held.
func (p *Project) know(path string, h history.Hash) {
	if p.list.known == nil {
		p.list.known = map[string]history.FileState{}
	}
	st := p.list.known[path]
	st.Head, st.Disk = h, h
	p.list.known[path] = st
}

// syncGone makes sure that history knows that there is no such file.
func (p *Project) syncGone(ctx context.Context, path string) error {
	if st, ok := p.list.known[path]; p.baseline.idle() && (!ok || st.Head.IsZero()) {
		return nil
	}
	defer p.know(path, history.Hash{})
	v, err := p.store.Head(ctx, path)
	if err != nil || !v.Exists {
		return err
	}
	_, err = p.store.Append(ctx, history.Op{Author: history.Outside, Edits: []history.NewEdit{{Path: path, Kind: history.Delete, Expect: v.Hash}}})
	return err
}
