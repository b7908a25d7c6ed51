package disk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// A time stamp must have this age to be trusted, because a file may be written twice within
// the resolution of its file system's clock: some milliseconds where stamps have fractions
// of a second, and up to two seconds elsewhere.
const (
	racyFine   = 50 * time.Millisecond
	racyCoarse = 2 * time.Second
)

// stamp returns the time stamp to remember of a file; 0 for one that is too young, so that
// the next comparison reads the file again.
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

// State returns the state of a file on disk in history's form.
func State(path string, h history.Hash, e workspace.Entry) history.DiskState {
	return history.DiskState{Path: path, Hash: h, Size: e.Size, MTime: stamp(e), Inode: e.Inode}
}

// Intake records in the history the content on disk of files that are not open.
type Intake struct {
	*Core
	List     Listing // the last known state of the files
	baseline background
	owed     atomic.Pointer[map[string]error] // files that recovery could not roll back, see Owes
}

// NewIntake returns an intake without any known file.
func NewIntake(c *Core) *Intake { return &Intake{Core: c} }

// Stored waits until the first opening has stored every file.
func (k *Intake) Stored() error { return k.baseline.wait() }

// recordOutside records that another program changed a file to m.
func (k *Intake) recordOutside(ctx context.Context, path string, st history.FileState, m text.Text) error {
	op := history.Op{Author: history.Outside}
	if st.Head.IsZero() {
		if _, err := k.Store.Head(ctx, path); errors.Is(err, history.ErrPurged) {
			return k.KeepAgain(ctx, path)
		}
		op.Edits = []history.NewEdit{{Path: path, Kind: history.Create, Content: m.Bytes()}}
	} else {
		v, err := k.Store.Head(ctx, path)
		if err != nil {
			return err
		}
		if st.Head != st.Disk {
			op.Note = "changed by another program while edits were not saved yet"
			k.Notice(fmt.Sprintf(
				"%s was changed by another program before edit %d reached the disk; that version is in the history", path, v.Edit))
		}
		before := text.Of(v.Bytes)
		op.Edits = []history.NewEdit{{Path: path, Kind: history.Text, Before: before, Changes: text.Diff(before, m)}}
	}
	_, err := k.Append(ctx, op)
	return err
}

// KeepAgain records the content of a file whose history was purged: it counts as first seen
// now.
func (k *Intake) KeepAgain(ctx context.Context, path string) error {
	f, err := k.Folder.Read(ctx, path)
	if err != nil {
		return err
	}
	_, err = k.Store.Baseline(ctx, slices.Values([]history.BaseFile{baseFile(f)}))
	return err
}

// Sync records the content of a file, unless history has it, before the file is changed. It
// is cheap when nothing happened since the last comparison.
func (k *Intake) Sync(ctx context.Context, path string, f workspace.File, m text.Text) error {
	h := history.HashText(m)
	if st, ok := k.List.State(path); ok && st.Head == h && st.Disk == h {
		return nil
	}
	err := k.takeFound(ctx, path, f, m, h)
	if err == nil {
		k.List.Know(path, h)
	}
	return err
}

// takeFound records the content of a file that history may not have.
func (k *Intake) takeFound(ctx context.Context, path string, f workspace.File, m text.Text, h history.Hash) error {
	v, err := k.Store.Head(ctx, path)
	switch {
	case err != nil:
		return err
	case v.Exists && v.Hash == h:
		return nil
	case !v.Exists && v.Edit == 0:
		_, err := k.Store.Baseline(ctx, slices.Values([]history.BaseFile{baseFile(f)}))
		return err
	}
	if err := k.recordOutside(ctx, path, history.FileState{Head: v.Hash, Disk: v.Hash}, m); err != nil {
		return err
	}
	return k.Store.SetDisk(ctx, []history.DiskState{State(path, h, f.Entry)})
}

// SyncGone records that a file does not exist, unless history knows.
func (k *Intake) SyncGone(ctx context.Context, path string) error {
	if st, ok := k.List.State(path); k.baseline.idle() && (!ok || st.Head.IsZero()) {
		return nil
	}
	v, err := k.Store.Head(ctx, path)
	if err == nil && v.Exists {
		_, err = k.Append(ctx,
			history.Op{Author: history.Outside, Edits: []history.NewEdit{{Path: path, Kind: history.Delete, Expect: v.Hash}}})
	}
	if err == nil {
		k.List.Know(path, history.Hash{})
	}
	return err
}

func baseFile(f workspace.File) history.BaseFile {
	b := history.BaseFile{Path: f.Path, Mode: f.Entry.Mode.Perm(), Size: f.Entry.Size, MTime: stamp(f.Entry),
		Inode: f.Entry.Inode}
	if f.Class != workspace.Text {
		b.Excluded = f.Class.String()
		return b
	}
	m, _ := secrets.Mask(f.Path, f.Bytes)
	b.Bytes = m
	return b
}

// lastSeen reports whether a file is unchanged since history last saw it.
func lastSeen(st history.FileState, e workspace.Entry) bool {
	return st.Size == e.Size && st.MTime == e.ModTime.UnixNano() && st.Inode == e.Inode
}

// SyncOutside records another program's version m of a file that is not open.
func (k *Intake) SyncOutside(ctx context.Context, name string, m text.Text) error {
	h := history.HashText(m)
	v, err := k.Store.Head(ctx, name)
	if err == nil && !(v.Exists && v.Hash == h) {
		st := history.FileState{}
		if v.Exists {
			st.Head, st.Disk = v.Hash, v.Hash
		}
		k.List.Add(name)
		err = k.recordOutside(ctx, name, st, m)
	}
	if err == nil {
		k.List.Know(name, h)
	}
	return err
}
