//go:build unix

package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"

	"golang.org/x/sys/unix"

	"waferpair/workspace/text"
)

// Class says how a file can be used.
type Class uint8

// The classes of files. Only Text is ever edited.
const (
	Text Class = iota
	Binary
	TooLarge // larger than Options.MaxEditable: not read
	Other    // FIFO, socket, device: not opened
)

func (c Class) String() string {
	return [...]string{"text", "binary", "too large", "special"}[c]
}

// File is the content of a file at one moment.
type File struct {
	Path  string   // as requested, clean
	Real  string   // with links resolved; differs from Path if links were followed
	Bytes []byte   // nil if Class is TooLarge or Other
	Hash  [32]byte // SHA-256 of Bytes; zero if Bytes is nil
	Entry Entry    // of the file itself, links followed
	Class Class
	// Encoding serves to show and insert text; Bytes are never transcoded.
	Encoding text.Encoding
}

// maxTornReads is how often a file is read that changes while it is read.
const maxTornReads = 3

// Read reads a file from disk, following links inside the folder. It never blocks on a FIFO
// and does not read a file that is too large to edit.
func (f *Folder) Read(ctx context.Context, name string) (File, error) {
	return f.readWith(ctx, name, f.readAt)
}

// Peek is Read without the hash and the encoding, for searches through many files.
func (f *Folder) Peek(ctx context.Context, name string) (File, error) {
	return f.readWith(ctx, name, f.readUnhashed)
}

func (f *Folder) readWith(ctx context.Context, name string, read func(place) (File, error)) (File, error) {
	clean, err := f.Path(name)
	if err != nil {
		return File{}, err
	}
	if err := ctx.Err(); err != nil {
		return File{}, err
	}
	p, err := f.resolve(clean, follow)
	if err != nil {
		return File{}, fail("read", clean, withoutPath(err))
	}
	defer p.dir.close()
	file, err := read(p)
	file.Path = clean
	return file, fail("read", clean, err)
}

// readAt reads the file at p, which must not be a link.
func (f *Folder) readAt(p place) (File, error) {
	file, err := f.readUnhashed(p)
	return identified(file), err
}

// identified adds the results that need every byte: hash and encoding.
func identified(file File) File {
	if file.Bytes != nil {
		file.Hash = sha256.Sum256(file.Bytes)
		file.Encoding = text.DetectEncoding(file.Bytes)
	}
	return file
}

// readUnhashed is readAt without the hash.
func (f *Folder) readUnhashed(p place) (File, error) {
	st, err := p.dir.lstat(p.name)
	if err != nil {
		return File{}, err
	}
	switch kindOf(uint32(st.Mode)) {
	case Special:
		return File{Real: p.path(), Entry: entryOf(p.path(), &st), Class: Other}, nil
	case Directory:
		return File{}, unix.EISDIR
	}
	fd, err := open(p.dir.fd, p.name, unix.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return File{}, err
	}
	defer unix.Close(fd)
	return f.readStable(fd, p.path())
}

// readFD is readStable with the hash.
func (f *Folder) readFD(fd int, path string) (File, error) {
	file, err := f.readStable(fd, path)
	return identified(file), err
}

// readStable repeats the read of an open file until the file did not change meanwhile.
// After the last try it returns what it got: a file that is written all the time has no
// single content.
func (f *Folder) readStable(fd int, path string) (File, error) {
	for try := 1; ; try++ {
		before, err := stat(fd)
		if err != nil {
			return File{}, err
		}
		file := File{Real: path, Entry: entryOf(path, &before), Class: Other}
		if file.Entry.Kind != Regular {
			return file, nil
		}
		if before.Size > f.opt.MaxEditable {
			file.Class = TooLarge
			return file, nil
		}
		if file.Bytes, err = readAll(fd, before.Size, f.opt.MaxEditable); err != nil {
			return File{}, err
		}
		after, err := stat(fd)
		if err != nil {
			return File{}, err
		}
		if unchanged(&before, &after) || try == maxTornReads {
			return f.classify(file, entryOf(path, &after)), nil
		}
	}
}

func (f *Folder) classify(file File, e Entry) File {
	file.Entry = e
	if int64(len(file.Bytes)) > f.opt.MaxEditable {
		file.Bytes, file.Class = nil, TooLarge
		return file
	}
	file.Class = Text
	if text.IsBinary(file.Bytes) {
		file.Class = Binary
	}
	return file
}

func stat(fd int) (st unix.Stat_t, err error) {
	err = retry(func() error { return unix.Fstat(fd, &st) })
	return st, err
}

func unchanged(a, b *unix.Stat_t) bool {
	return a.Ino == b.Ino && a.Dev == b.Dev && a.Size == b.Size && a.Mtim == b.Mtim && a.Ctim == b.Ctim
}

// readAll reads from the start of the file, at most limit+1 bytes: the extra one shows that
// the file grew beyond the limit. It uses pread, so that the same descriptor can be read
// again later.
func readAll(fd int, size, limit int64) ([]byte, error) {
	buf := make([]byte, 0, min(size, limit)+1)
	for int64(len(buf)) <= limit {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		room := buf[len(buf):min(int64(cap(buf)), limit+1)]
		n, err := pread(fd, room, int64(len(buf)))
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		buf = buf[:len(buf)+n]
	}
	return buf, nil
}

func pread(fd int, p []byte, off int64) (n int, err error) {
	err = retry(func() error {
		n, err = unix.Pread(fd, p, off)
		return err
	})
	return n, err
}

// hashFD returns the SHA-256 of an open file of any size, without holding it in memory.
func hashFD(fd int) ([32]byte, error) {
	h := sha256.New()
	_, err := io.Copy(h, io.NewSectionReader(fdReader(fd), 0, 1<<62))
	return [32]byte(h.Sum(nil)), err
}

type fdReader int

func (fd fdReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := pread(int(fd), p, off)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// isMissing reports whether the file does not exist, which includes a path with a component
// that is a file, as when a directory was replaced by a file.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR)
}

func sum(b []byte) [32]byte { return sha256.Sum256(b) }
