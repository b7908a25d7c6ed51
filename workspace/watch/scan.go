package watch

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Stamp is a cheap test for changes of a file. A change that keeps all of it is possible (a
// write within one tick of the clock); a caller that must be sure computes a hash.
type Stamp struct {
	Path    string
	Size    int64
	ModTime int64 // nanoseconds since 1970
	Inode   uint64
	Mode    fs.FileMode
}

// Snapshot is the stamps of all files and links in a folder, sorted by path, and the
// directories that could not be read, about whose content it says nothing.
type Snapshot struct {
	Stamps []Stamp
	Unread []string
}

// Scan returns the stamps of everything in root that is not ignored. ignored may be nil;
// any ".git" is skipped. Scan fails if the root is gone, or is another directory at the end
// than at the beginning: an incomplete snapshot would be worthless.
func Scan(ctx context.Context, root string, ignored func(path string, isDir bool) bool) (Snapshot, error) {
	before, err := os.Stat(root)
	if err != nil {
		return Snapshot{}, fmt.Errorf("scan folder: %w", err)
	}
	s := scanner{ctx: ctx, root: root, ignored: ignored}
	if err := s.dir(""); err != nil {
		return Snapshot{}, fmt.Errorf("scan folder %s: %w", root, err)
	}
	after, err := os.Stat(root)
	if err != nil {
		return Snapshot{}, fmt.Errorf("scan folder: %w", err)
	}
	if !os.SameFile(before, after) {
		return Snapshot{}, fmt.Errorf("scan folder %s: it was replaced by another one meanwhile", root)
	}
	slices.SortFunc(s.Stamps, func(a, b Stamp) int { return strings.Compare(a.Path, b.Path) })
	return s.Snapshot, nil
}

type scanner struct {
	Snapshot
	ctx     context.Context
	root    string
	ignored func(path string, isDir bool) bool
}

// dir scans one directory; it returns only errors of the root and the context.
func (s *scanner) dir(path string) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	entries, err := list(filepath.Join(s.root, path))
	if err != nil {
		if path == "" {
			return err
		}
		if !os.IsNotExist(err) {
			s.Unread = append(s.Unread, path)
		}
		return nil
	}
	for _, e := range entries {
		child := join(path, e.Name())
		if e.Name() == ".git" || s.ignored != nil && s.ignored(child, e.IsDir()) {
			continue
		}
		if e.IsDir() {
			if err := s.dir(child); err != nil {
				return err
			}
			continue
		}
		if hasContent(e.Type()) {
			s.file(child, e)
		}
	}
	return nil
}

func (s *scanner) file(path string, e fs.DirEntry) {
	info, err := e.Info()
	if err != nil || !hasContent(info.Mode()) {
		return // gone, or replaced
	}
	s.Stamps = append(s.Stamps, Stamp{
		Path: path, Size: info.Size(), ModTime: info.ModTime().UnixNano(), Inode: idOf(info).inode, Mode: info.Mode(),
	})
}

// Diff returns the sorted paths that differ between two snapshots: changed, new or missing.
// Nothing below a directory that now could not be read counts as missing.
func Diff(old, new Snapshot) []string {
	var paths []string
	a, b := old.Stamps, new.Stamps
	for len(a) > 0 || len(b) > 0 {
		switch order := compareHeads(a, b); {
		case order < 0:
			if !new.unread(a[0].Path) {
				paths = append(paths, a[0].Path)
			}
			a = a[1:]
		case order > 0:
			paths = append(paths, b[0].Path)
			b = b[1:]
		default:
			if a[0] != b[0] {
				paths = append(paths, b[0].Path)
			}
			a, b = a[1:], b[1:]
		}
	}
	return paths
}

func compareHeads(a, b []Stamp) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(b), len(a)) // an empty side comes last
	}
	return strings.Compare(a[0].Path, b[0].Path)
}

func (s *Snapshot) unread(path string) bool {
	return slices.ContainsFunc(s.Unread, func(dir string) bool { return strings.HasPrefix(path, dir+"/") })
}
