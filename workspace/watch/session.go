package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// session is one fsnotify watcher with its goroutines, from one appearance of the root to
// its disappearance: watches follow a directory that is moved away, and so must not outlive
// it.
type session struct {
	root    string
	opt     Options
	box     *box
	fs      *fsnotify.Watcher
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func openSession(root string, opt Options, b *box) (*session, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &session{root: root, opt: opt, box: b, fs: fs, cancel: cancel}
	s.running.Go(s.read)
	s.running.Go(s.drainErrors)
	s.running.Go(func() { newWalker(s).run(ctx) })
	b.requestFullVisit(nil)
	return s, nil
}

func (s *session) close() {
	s.cancel()
	_ = s.fs.Close() // it is not used any more
	s.running.Wait()
}

// read takes every event at once, so that the kernel's queue stays short.
func (s *session) read() {
	for e := range s.fs.Events {
		s.handle(e)
	}
}

// drainErrors has a goroutine of its own: an error that nobody receives blocks the library,
// including its Close.
func (s *session) drainErrors() {
	for err := range s.fs.Errors {
		// EINVAL: the library removed the watch of a directory that had moved and was
		// deleted since, together with its watch.
		if errors.Is(err, fsnotify.ErrClosed) || errors.Is(err, syscall.EINVAL) {
			continue
		}
		// An overflow may have dropped events of directories, too.
		s.box.requestFullVisit(err)
	}
}

const structural = fsnotify.Create | fsnotify.Remove | fsnotify.Rename

func (s *session) handle(e fsnotify.Event) {
	if e.Name == "" {
		return
	}
	path, below := s.relative(e.Name)
	if !below {
		signal(s.box.wake) // the root itself: the owner checks it
		return
	}
	if hasDotGit(path) {
		return
	}
	if e.Op&structural != 0 {
		s.box.requestVisit(path)
	} else if s.box.has(path) || !s.isContent(e.Name) {
		return
	}
	if !s.opt.Ignored(path, false) || e.Op&structural != 0 && !s.opt.Ignored(path, true) {
		s.box.touch(path) // nobody knows whether a path that is gone was a directory
	}
}

func (s *session) relative(name string) (path string, below bool) {
	rel, below := strings.CutPrefix(name, s.root)
	rel = strings.TrimLeft(filepath.ToSlash(rel), "/")
	return rel, below && rel != ""
}

// isContent returns false for files without content of their own: directories, pipes,
// sockets, devices. Writing into a pipe raises events, too.
func (s *session) isContent(file string) bool {
	info, err := os.Lstat(file)
	return err != nil || hasContent(info.Mode())
}

func hasContent(m os.FileMode) bool {
	return m.IsRegular() || m&os.ModeSymlink != 0
}

// hasDotGit reports whether a component of path is ".git".
func hasDotGit(path string) bool {
	for path != "" {
		var first string
		if first, path, _ = strings.Cut(path, "/"); first == ".git" {
			return true
		}
	}
	return false
}
