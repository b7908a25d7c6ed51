//go:build unix

package workspace

import (
	"context"
	"errors"
	"io/fs"
)

// Recovery of a Change. For each write, the files under its two names show where the
// process died: before the commit, the file is as before and the temporary name has our
// file; after it, the temporary name has the file that was there before.

// cleanUp removes the files that a recorded Change left behind.
func (r *recovery) cleanUp() {
	r.State = Written
	if err := errors.Join(r.dropPart(), r.clearTemp()); err != nil {
		r.State, r.Err = Unfinished, err
	}
}

// undo puts back a write of a Change that was not recorded.
func (r *recovery) undo(ctx context.Context) {
	r.Undone = true
	err := r.dropPart()
	if err == nil {
		err = r.rollbackAll(ctx)
	}
	if err != nil {
		r.State, r.Err = Unfinished, err
	}
}

// dropPart removes an incomplete temporary file: no other program's content ever has its
// name.
func (r *recovery) dropPart() error {
	if r.Part == "" {
		return nil
	}
	p, err := r.f.resolve(r.Part, 0)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer p.dir.close()
	if !IsTemp(p.name) {
		return &PathError{Path: r.Part, Reason: notTemporary}
	}
	if err := p.dir.unlink(p.name); !isMissing(err) {
		r.removed++
		return err
	}
	return nil
}

func (r *recovery) rollbackAll(ctx context.Context) error {
	have, err := r.stat()
	if err != nil {
		return err
	}
	temp, err := r.f.peek(r.Temp)
	if err != nil {
		return err
	}
	r.decide(have)
	if r.Taken && r.State == Written {
		return r.clearTemp()
	}
	switch r.Op {
	case Update:
		err = r.undoUpdate(ctx, have.at, temp)
	case Create:
		err = r.undoCreate(ctx, temp)
	case Delete:
		err = r.undoDelete(have.at, temp)
	case Rename:
		err = r.undoRename(have)
	case Discard: // recoverDiscard handles it
	}
	if err != nil {
		return err
	}
	return r.clearTemp()
}

// undoUpdate puts the displaced file, or its content, back in place.
func (r *recovery) undoUpdate(ctx context.Context, at, temp *File) error {
	ours := r.State == Written
	switch {
	case r.State == NotWritten:
		return nil
	case at == nil && temp != nil && temp.Hash != r.After:
		return r.moveBack(r.Temp, r.Path)
	case ours && temp != nil && temp.Hash != r.After:
		return r.swap(temp.Hash)
	case ours, at != nil && temp != nil && at.Class <= Binary && r.isTorn(at.Bytes, temp.Bytes):
		return r.rewrite(ctx, at)
	}
	r.State, r.Disk = Conflict, at
	return nil
}

// isTorn reports whether a write in place was interrupted; new is the copy of what it
// wrote.
func (r *recovery) isTorn(disk, new []byte) bool {
	old, ok := r.content(r.Before)
	return ok && sum(new) == r.After && torn(disk, old, new)
}

// swap exchanges the file and the one that it displaced.
func (r *recovery) swap(displaced [32]byte) error {
	p, err := r.f.resolve(r.Temp, 0)
	if err != nil {
		return err
	}
	defer p.dir.close()
	at, err := r.f.resolve(r.Path, follow)
	if err != nil {
		return err
	}
	defer at.dir.close()
	if err := r.f.sys.exchange(p.dir, p.name, at.name); err != nil {
		return err
	}
	if r.State = NotWritten; displaced != r.Before {
		r.State = Conflict // another program's version is in its place again
	}
	return p.dir.sync()
}

// rewrite writes the old content if no file on disk has it any more.
func (r *recovery) rewrite(ctx context.Context, at *File) error {
	old, ok := r.content(r.Before)
	if !ok {
		r.State, r.Disk = Conflict, at
		return nil
	}
	saved, err := r.f.Save(ctx, []Write{{Path: r.Path, Op: Update, Before: at.Hash, Content: append([]byte{}, old...)}})
	if saved[0].Displaced != nil {
		r.Displaced = append(r.Displaced, *saved[0].Displaced)
	}
	r.State, r.Repaired = NotWritten, at.Hash != r.After
	return err
}

// undoCreate removes the created file. While its content is still under the temporary name,
// a file at the path is somebody else's.
func (r *recovery) undoCreate(ctx context.Context, temp *File) error {
	if r.State != Written || hasHash(temp, r.After) {
		return nil
	}
	_, err := r.f.Save(ctx, []Write{{Path: r.Path, Op: Delete, Before: r.After}})
	if err == nil {
		r.State = NotWritten
	}
	return err
}

func (r *recovery) undoDelete(at, temp *File) error {
	switch {
	case at == nil && temp != nil:
		return r.moveBack(r.Temp, r.Path)
	case hasHash(at, r.Before):
		r.State = NotWritten
	default:
		r.State, r.Disk = Conflict, at
	}
	return nil
}

func (r *recovery) undoRename(have sides) error {
	if have.at == nil && have.to != nil {
		return r.moveBack(r.To, r.Path)
	}
	if have.at != nil {
		r.State = NotWritten
	}
	return nil
}

// moveBack renames a file back.
func (r *recovery) moveBack(from, to string) error {
	p, err := r.f.resolve(from, 0)
	if err != nil {
		return err
	}
	defer p.dir.close()
	at, err := r.f.resolve(to, 0)
	if err != nil {
		return err
	}
	defer at.dir.close()
	err = p.dir.renameNew(p.name, at.dir, at.name)
	if errors.Is(err, fs.ErrExist) {
		r.State = Conflict
		return nil
	}
	r.State = NotWritten
	return errors.Join(err, p.dir.sync(), at.dir.sync())
}
