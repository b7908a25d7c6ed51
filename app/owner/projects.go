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

// Projects are those that this process has open. Each is opened once, however many
// use it, and closed when the last of them lets go of it.
type Projects struct {
	reach func() string // where other processes can reach this one; may be nil

	mu   sync.Mutex
	open map[string]*shared
}

// shared is one open project and those who use it.
//
//	opening --> open --> closing --> gone
//
// Whoever comes while it is being closed waits, and opens it anew.
type shared struct {
	*app.Project                    // nil until it is open
	end          context.CancelFunc // of what its opening began
	opening      chan struct{}      // closed when it is open, or could not be opened
	gone         chan struct{}      // closed when it is closed
	err          error              // of the opening

	uses    int  // guarded by Projects.mu
	closing bool // guarded by Projects.mu

	mu    sync.Mutex
	users map[*Use]bool
}

// Use is the use that somebody makes of an open project: a window, or one command.
// It is told what the project has to say while it lasts.
type Use struct {
	*app.Project
	of   *Projects
	s    *shared
	root string
	opt  app.Options
	ctx  context.Context // of whoever opened it: his end is no error

	joined bool // others had it open
}

// Open opens the project folder, or joins those who have it open in this process.
// Files can be looked at then; see Fresh. Notice, Progress and Listener are told of
// what happens from now on, with locks held: they return at once.
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
		if first || !errors.Is(s.err, context.Canceled) { // else whoever opened it gave up
			return nil, s.err
		}
	}
}

// Root is the folder as projects are known by it: absolute, links resolved.
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

// join counts a user in; first says that he is to open the project.
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

// open opens the project for all who will use it: also when the first one has gone.
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

// wait waits for the opening. Once it is over, whoever waits has the project, also when
// he is to end: he closes it.
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

// giveUp counts a user out who never had the project. It may be open by now, and all
// others gone: then it is closed.
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

// Fresh waits until the history has what is on disk now. Whoever joined may know of a
// change that the watcher has not seen yet, and that what kept files from being saved
// is over.
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

// Abandoned reports whether the process is gone that had the project open. One that
// cannot be reached is told by its lock alone, which is tried for that.
func (u *Use) Abandoned() bool { return history.Abandoned(history.Dir(u.data(), u.Root())) }

func (u *Use) data() string { return cmp.Or(u.opt.DataHome, xdg.DataHome) }

// leave counts a user out; last says that the project is his to close.
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

// Close lets go of the project. What this use has changed is stored and saved by
// then. The last one closes it, and is told what it has to say until then.
func (u *Use) Close() error {
	stored := u.stored()
	if !u.leave() {
		return stored
	}
	if u.ctx.Err() != nil {
		u.s.end() // stopped by the user, who does not wait for what a first opening stores
	}
	err := u.Project.Close()
	u.s.end()
	u.of.remove(u.root, u.s)
	return err
}

// stored waits until a first opening has stored every file, or the user stops.
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

// remove forgets a project that is closed.
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

// The project tells all who use it.
func (s *shared) TextChanged(path string)    { s.listen(func(l app.Listener) { l.TextChanged(path) }) }
func (s *shared) FilesChanged()              { s.listen(func(l app.Listener) { l.FilesChanged() }) }
func (s *shared) Recorded(id history.EditID) { s.listen(func(l app.Listener) { l.Recorded(id) }) }
func (s *shared) TurnBegan(t *app.TurnLog)   { s.listen(func(l app.Listener) { l.TurnBegan(t) }) }
func (s *shared) TurnsChanged()              { s.listen(func(l app.Listener) { l.TurnsChanged() }) }
func (s *shared) FolderGone(gone bool)       { s.listen(func(l app.Listener) { l.FolderGone(gone) }) }
func (s *shared) Unrecorded(says string)     { s.listen(func(l app.Listener) { l.Unrecorded(says) }) }

// Roots are the folders of the projects that are open.
func (ps *Projects) Roots() []string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	var out []string
	for root := range ps.open {
		out = append(out, root)
	}
	return out
}
