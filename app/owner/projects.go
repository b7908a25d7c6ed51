package owner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/adrg/xdg"

	"waferpair/app"
	"waferpair/history"
)

// Projects are the projects that this process has open. Each is opened once, however many
// users it has, and closed with the last of them.
type Projects struct {
	reach func() string // returns the address for other processes; may be nil

	mu   sync.Mutex
	open map[string]*shared
}

// shared is one open project and its users.
//
//	opening --> open --> closing --> gone
//
// A user who comes while it is closing waits, and opens it anew.
type shared struct {
	*app.Project                    // nil until it is open
	end          context.CancelFunc // ends the work that the opening started
	opening      chan struct{}      // closed when it is open, or could not be opened
	gone         chan struct{}      // closed when it is closed
	err          error              // of the opening

	uses    int  // guarded by Projects.mu
	closing bool // guarded by Projects.mu

	mu    sync.Mutex
	users map[*Use]bool
}

// Use is one user of an open project: a window, or one command. It receives the project's
// notices while it lasts.
type Use struct {
	*app.Project
	of   *Projects
	s    *shared
	root string
	opt  app.Options
	ctx  context.Context // of the user who opened it: its end is not an error

	joined bool // others had it open
}

// Open opens the project folder, or joins those who have it open in this process. Files can be
// read then; see Fresh. Notice, Progress and Listener receive what happens from now on, with
// locks held: they return at once.
func (ps *Projects) Open(ctx context.Context, dir string, opt app.Options) (*Use, error) {
	root := Root(dir)
	for {
		s, first, err := ps.join(ctx, root, opt)
		if err != nil {
			return nil, err
		}
		if first && ps.reach != nil {
			opt.Reach = ps.reach()
		}
		u := &Use{of: ps, s: s, root: root, opt: opt, ctx: ctx}
		s.add(u)
		if first {
			s.open(ctx, dir, opt)
		}
		if err := u.wait(ctx); err != nil {
			u.giveUp()
			return nil, err
		}
		if s.err == nil {
			u.Project, u.joined = s.Project, !first
			return u, nil
		}
		u.giveUp()
		if first || !errors.Is(s.err, context.Canceled) { // else the user who opened it gave up
			return nil, s.err
		}
	}
}

// Root returns the folder in the form that identifies projects: absolute, with links resolved.
func Root(dir string) string {
	root, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		return real
	}
	return root
}

// join adds a user; first says that this user must open the project.
func (ps *Projects) join(ctx context.Context, root string, opt app.Options) (s *shared, first bool, err error) {
	for {
		ps.mu.Lock()
		s = ps.open[root]
		if s == nil || !s.closing {
			break
		}
		ps.mu.Unlock()
		select {
		case <-s.gone:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	defer ps.mu.Unlock()
	if s == nil {
		s = &shared{opening: make(chan struct{}), gone: make(chan struct{}), users: map[*Use]bool{}}
		if ps.open == nil {
			ps.open = map[string]*shared{}
		}
		ps.open[root] = s
		first = true
	} else if opt.UseFolder {
		return nil, false, fmt.Errorf("open %s: it is in use and cannot be opened as another folder; try again later", root)
	}
	s.uses++
	return s, first, nil
}

// open opens the project for all users, even if the first one has left.
func (s *shared) open(ctx context.Context, dir string, opt app.Options) {
	defer close(s.opening)
	var lives context.Context
	lives, s.end = context.WithCancel(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, s.end)()
	opt.Notice, opt.Progress, opt.Listener, opt.Early = s.notice, s.progress, s, true
	if s.Project, s.err = app.Open(lives, dir, opt); s.err != nil {
		s.end()
	}
}

// wait waits for the opening. Then the user has the project, even if its context has ended,
// and must close it.
func (u *Use) wait(ctx context.Context) error {
	select {
	case <-u.s.opening:
		return nil
	default:
	}
	select {
	case <-u.s.opening:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// giveUp removes a user who never had the project. If the project is open by now, and nobody
// else uses it, giveUp closes it.
func (u *Use) giveUp() {
	if !u.leave() {
		return
	}
	<-u.s.opening
	if u.s.Project != nil {
		_ = u.s.Project.Close() // nothing was done with it
		u.s.end()
	}
	u.of.remove(u.root, u.s)
}

// Fresh waits until the history has been compared with the disk. A user who joined may know of
// a change that the watcher has not seen yet, or that the cause of failed saves is gone.
func (u *Use) Fresh(ctx context.Context) error {
	err := u.Ready(ctx)
	if err == nil && u.joined && !u.ReadOnly() {
		u.TryAgain(ctx)
		err = u.Reconcile(ctx)
	}
	return err
}

// Taken reports whether another process has the project open.
func (u *Use) Taken() bool { return errors.Is(u.History().ReadOnlyReason(), history.ErrReadOnly) }

// Abandoned reports whether the process that had the project open is gone. If it cannot be
// reached, only its lock tells; Abandoned tries to take it.
func (u *Use) Abandoned() bool { return history.Abandoned(history.Dir(u.data(), u.Root())) }

func (u *Use) data() string { return cmp.Or(u.opt.DataHome, xdg.DataHome) }

// leave removes a user; last says that this user must close the project.
func (u *Use) leave() (last bool) {
	u.of.mu.Lock()
	u.s.uses--
	last = u.s.uses == 0
	u.s.closing = last
	u.of.mu.Unlock()
	if !last {
		u.s.remove(u)
	}
	return last
}

// Close ends the use. By then, its changes are stored and saved. The last user closes the
// project, and receives its notices until then.
func (u *Use) Close() error {
	stored := u.stored()
	if !u.leave() {
		return stored
	}
	if u.ctx.Err() != nil {
		u.s.end() // the user stopped it, and does not wait for the rest of a first opening
	}
	err := u.Project.Close()
	u.s.end()
	u.of.remove(u.root, u.s)
	return err
}

// stored waits until the first opening has stored every file, or the user stops it.
func (u *Use) stored() error {
	if !u.IsReady() {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- u.Baseline() }()
	select {
	case err := <-done:
		return err
	case <-u.ctx.Done():
		return nil
	}
}

// remove removes a closed project.
func (ps *Projects) remove(root string, s *shared) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.open[root] == s {
		delete(ps.open, root)
	}
	close(s.gone)
}

func (s *shared) add(u *Use) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[u] = true
}

func (s *shared) remove(u *Use) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.users, u)
}

func (s *shared) each(do func(app.Options)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for u := range s.users {
		do(u.opt)
	}
}

func (s *shared) notice(text string) {
	s.each(func(o app.Options) {
		if o.Notice != nil {
			o.Notice(text)
		}
	})
}

func (s *shared) progress(p app.Progress) {
	s.each(func(o app.Options) {
		if o.Progress != nil {
			o.Progress(p)
		}
	})
}

func (s *shared) listen(tell func(app.Listener)) {
	s.each(func(o app.Options) {
		if o.Listener != nil {
			tell(o.Listener)
		}
	})
}

// shared implements app.Listener for all users.
func (s *shared) TextChanged(path string)    { s.listen(func(l app.Listener) { l.TextChanged(path) }) }
func (s *shared) FilesChanged()              { s.listen(func(l app.Listener) { l.FilesChanged() }) }
func (s *shared) Recorded(id history.EditID) { s.listen(func(l app.Listener) { l.Recorded(id) }) }
func (s *shared) TurnBegan(t *app.TurnLog)   { s.listen(func(l app.Listener) { l.TurnBegan(t) }) }
func (s *shared) TurnsChanged()              { s.listen(func(l app.Listener) { l.TurnsChanged() }) }
func (s *shared) FolderGone(gone bool)       { s.listen(func(l app.Listener) { l.FolderGone(gone) }) }
func (s *shared) Unrecorded(says string)     { s.listen(func(l app.Listener) { l.Unrecorded(says) }) }

// Roots lists the folders of the open projects.
func (ps *Projects) Roots() []string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	var out []string
	for root := range ps.open {
		out = append(out, root)
	}
	return out
}
