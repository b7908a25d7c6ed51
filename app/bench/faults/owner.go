//go:build linux

package faults

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// owner is a process to which all commands of a run attach. It has the project open, or none.
// After a kill it is started again for the next step.
type owner struct {
	open bool // it has the project open, as a window has

	mu  sync.Mutex
	now *server // nil: there is none
}

// lostWords are in the error of a client whose owner was killed.
const lostWords = "ended before it finished"

// ready makes sure that the owner is running. If a fault keeps it from opening the project, it
// runs without one.
func (o *owner) ready(p program) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.now != nil {
		return nil
	}
	var err error
	if o.open {
		o.now, err = p.start("serve", "--json", "-C", p.dir)
	}
	if o.now == nil {
		o.now, err = p.start("--json")
	}
	return err
}

// kill kills the owner. Errors of its clients are then not crashes.
func (o *owner) kill() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.now != nil {
		o.now.kill()
		o.now = nil
	}
}

// stop ends it as Ctrl-C does, with the projects that it has open.
func (o *owner) stop() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.now == nil {
		return nil
	}
	code, err := o.now.stop()
	if err == nil && code != 0 {
		err = fmt.Errorf("the owner ends with status %d: %s", code, short(o.now.words()))
	}
	o.now = nil
	return err
}

// hasHistory reports whether the process has the database of a history open.
func (s *server) hasHistory() bool {
	dir := fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid)
	open, _ := os.ReadDir(dir)
	return slices.ContainsFunc(open, func(e os.DirEntry) bool {
		name, _ := os.Readlink(filepath.Join(dir, e.Name()))
		return filepath.Base(name) == "history.db"
	})
}

// start starts the program as a server, to its first line. No page is connected.
func (p program) start(args ...string) (*server, error) {
	s := &server{program: p, cmd: p.command(args...)}
	s.cmd.Env = append(s.cmd.Env, "DISPLAY=", "WAYLAND_DISPLAY=") // no window
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	first := make(chan string, 1)
	s.read.Go(func() { s.listen(out, first) })
	s.read.Go(func() { s.listen(errs, nil) })
	select {
	case line := <-first:
		err = s.isAt(line)
	case <-time.After(patience):
		err = errors.New("it does not say where it is")
	}
	if err != nil {
		s.kill()
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, short(s.words()))
	}
	return s, nil
}
