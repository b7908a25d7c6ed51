package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

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

// diskState is the state of a file on disk as history remembers it.
func diskState(path string, h history.Hash, e workspace.Entry) history.DiskState {
	return history.DiskState{Path: path, Hash: h, Size: e.Size, MTime: stamp(e), Inode: e.Inode}
}

// intake has the history take in what is found on disk of files that are not open.
type intake struct {
	*core
	baseline background
}

// recordOutside records that another program made m of a file.
func (p *intake) recordOutside(ctx context.Context, path string, st history.FileState, m text.Text) error {
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
	_, err := p.append(ctx, op)
	return err
}

// keepAgain records what a file holds whose history was purged: it counts as
// first seen now.
func (p *intake) keepAgain(ctx context.Context, path string) error {
	f, err := p.folder.Read(ctx, path)
	if err != nil {
		return err
	}
	_, err = p.store.Baseline(ctx, slices.Values([]history.BaseFile{baseFile(f)}))
	return err
}

// syncFile makes sure that history has what a file holds, before anything is
// done to it. It is cheap when nothing happened since the reconcile.
func (p *intake) syncFile(ctx context.Context, path string, f workspace.File, m text.Text) error {
	h := history.HashText(m)
	if st, ok := p.list.state(path); ok && st.Head == h && st.Disk == h {
		return nil
	}
	err := p.takeFound(ctx, path, f, m, h)
	if err == nil {
		p.list.know(path, h)
	}
	return err
}

// takeFound records what a file holds that history may not have.
func (p *intake) takeFound(ctx context.Context, path string, f workspace.File, m text.Text, h history.Hash) error {
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

// syncGone makes sure that history knows that there is no such file.
func (p *intake) syncGone(ctx context.Context, path string) error {
	if st, ok := p.list.state(path); p.baseline.idle() && (!ok || st.Head.IsZero()) {
		return nil
	}
	v, err := p.store.Head(ctx, path)
	if err == nil && v.Exists {
		_, err = p.append(ctx, history.Op{Author: history.Outside, Edits: []history.NewEdit{{Path: path, Kind: history.Delete, Expect: v.Hash}}})
	}
	if err == nil {
		p.list.know(path, history.Hash{})
	}
	return err
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

// lastSeen reports whether a file is as history last saw it.
func lastSeen(st history.FileState, e workspace.Entry) bool {
	return st.Size == e.Size && st.MTime == e.ModTime.UnixNano() && st.Inode == e.Inode
}
