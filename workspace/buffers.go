//go:build unix

package workspace

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"waferpair/workspace/text"
)

// buffers are the open buffers, by path with links resolved: a file that is
// reached by two names has one text.
type buffers struct {
	mu   sync.Mutex
	open map[string]*Buffer
}

var errNotText = errors.New("it is not a text file")

func editable(file File) error {
	switch file.Class {
	case Text:
		return nil
	case TooLarge:
		return fail("edit", file.Path, errTooLarge)
	case Other:
		return fail("edit", file.Path, errNotRegular)
	}
	return fail("edit", file.Path, errNotText)
}

// Buffer is the open buffer of a file, opened from disk if it is not open yet.
// A file that is not text is refused.
func (f *Folder) Buffer(ctx context.Context, name string) (*Buffer, error) {
	file, err := f.Read(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		if b := f.opened(name); b != nil { // created, not saved yet; or deleted meanwhile
			return b, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if b := f.opened(file.Real); b != nil {
		return b, nil
	}
	if err := editable(file); err != nil {
		return nil, err
	}
	return f.enter(newBuffer(file.Real, diskState{true, text.Of(file.Bytes), file.Hash, 0})), nil
}

// NewBuffer opens an empty buffer for a file that does not exist yet.
func (f *Folder) NewBuffer(name string) (*Buffer, error) {
	if _, err := f.Stat(name); err == nil {
		return nil, fail("create", name, fs.ErrExist)
	} else if !isMissing(err) {
		return nil, err
	}
	clean, err := f.Path(name)
	if err != nil {
		return nil, err
	}
	return f.enter(newBuffer(clean, diskState{version: -1})), nil
}

// enter registers b, unless somebody was faster.
func (f *Folder) enter(b *Buffer) *Buffer {
	f.buffers.mu.Lock()
	defer f.buffers.mu.Unlock()
	if have := f.buffers.open[b.path]; have != nil {
		return have
	}
	if f.buffers.open == nil {
		f.buffers.open = map[string]*Buffer{}
	}
	f.buffers.open[b.path] = b
	return b
}

// opened is the open buffer of a path, or nil.
func (f *Folder) opened(name string) *Buffer {
	clean, err := f.Path(name)
	if err != nil {
		return nil
	}
	f.buffers.mu.Lock()
	defer f.buffers.mu.Unlock()
	return f.buffers.open[clean]
}

// OpenBuffers lists the open buffers by path, new files among them.
func (f *Folder) OpenBuffers() []*Buffer {
	f.buffers.mu.Lock()
	defer f.buffers.mu.Unlock()
	var out []*Buffer
	for _, name := range slices.Sorted(maps.Keys(f.buffers.open)) {
		out = append(out, f.buffers.open[name])
	}
	return out
}

// CloseBuffer forgets a buffer. Whoever holds it can still read it.
func (f *Folder) CloseBuffer(b *Buffer) {
	f.buffers.mu.Lock()
	defer f.buffers.mu.Unlock()
	if path := b.Path(); f.buffers.open[path] == b {
		delete(f.buffers.open, path)
	}
}

// RenameBuffer follows a file to its new name.
func (f *Folder) RenameBuffer(b *Buffer, to string) error {
	clean, err := f.Path(to)
	if err != nil {
		return err
	}
	f.buffers.mu.Lock()
	defer f.buffers.mu.Unlock()
	if f.buffers.open[clean] != nil {
		return fail("rename", b.Path(), fs.ErrExist)
	}
	delete(f.buffers.open, b.Path())
	b.mu.Lock()
	b.path = clean
	b.mu.Unlock()
	f.buffers.open[clean] = b
	return nil
}

// SaveBuffers saves what is not on disk yet, as one batch. A buffer whose file
// another program changed gets a *StaleError: Reload it, then save again.
func (f *Folder) SaveBuffers(ctx context.Context, list []*Buffer) ([]Saved, error) {
	var writes []Write
	var saving []*Buffer
	var versions []Version
	for _, b := range list {
		if w, v, ok := b.Pending(); ok {
			writes, saving, versions = append(writes, w), append(saving, b), append(versions, v)
		}
	}
	if len(writes) == 0 {
		return nil, nil
	}
	saved, err := f.Save(ctx, writes)
	for i, s := range saved {
		if s.State == Written || s.State == Conflict {
			saving[i].MarkSaved(writes[i], versions[i])
		}
	}
	return saved, err
}

// ReadCurrent is what everybody should read: the buffer's text where one is
// open, else the file on disk. Entry is that of the disk, and zero for a file
// that was not saved yet.
func (f *Folder) ReadCurrent(ctx context.Context, name string) (File, error) {
	clean, err := f.Path(name)
	if err != nil {
		return File{}, err
	}
	if b := f.opened(clean); b != nil {
		entry, _ := f.Stat(clean)
		return b.file(clean, entry), nil
	}
	file, err := f.Read(ctx, clean)
	if err != nil {
		return file, err
	}
	if b := f.opened(file.Real); b != nil {
		return b.file(clean, file.Entry), nil
	}
	return file, nil
}

func (b *Buffer) file(name string, entry Entry) File {
	t, _ := b.Snapshot()
	bytes := t.Bytes()
	return File{Path: name, Real: b.Path(), Bytes: bytes, Hash: sum(bytes), Entry: entry, Class: Text, Encoding: text.DetectEncoding(bytes)}
}
