package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"waferpair/app"
	"waferpair/app/owner"
	"waferpair/history"
)

// opened is an open project, with the state that its pages share.
type opened struct {
	*owner.Use
	host *host
	ctx  context.Context // ends when the project is closed
	end  context.CancelFunc
	uses sync.WaitGroup // running commands, reads and pumps

	watched chan struct{} // closed when the folder is watched, or never will be

	turns turns
	ui    uiState
	steps progress
}

// openProject opens a folder for reading. In the background it is then compared with its
// history, and watched. use accepts the folder even if another one was at its path before.
func (h *host) openProject(ctx context.Context, root string, use bool) (*opened, error) {
	o := &opened{host: h, watched: make(chan struct{})}
	o.ctx, o.end = context.WithCancel(context.Background())
	opening := o.startProgress("Open " + filepath.Base(root))
	defer opening()
	var err error
	o.Use, err = h.opt.Projects.Open(ctx, root, app.Options{
		DataHome:  h.opt.DataHome,
		StateHome: h.opt.StateHome,
		Models:    h.opt.Models,
		Notice:    func(s string) { h.notice(levelWarning, s) },
		Progress:  o.progressed,
		Listener:  listener{o},
		UseFolder: use,
	})
	if err != nil {
		o.end()
		return nil, err
	}
	for _, t := range o.Running() { // other servers of this process may have it open
		o.follow(t)
	}
	o.ui.load(ctx, o)
	o.uses.Go(o.prepareNames)
	o.uses.Go(o.watchWhenReady)
	return o, nil
}

// prepareNames prepares the names for the first search. An error comes again in the search.
func (o *opened) prepareNames() {
	runLowPriority(func() { _, _ = o.Query().Find(o.ctx, "", 1) }) // see above
}

// prepareModel lets the built-in model do what the first request would have to wait for. An
// error comes again in a request.
func (o *opened) prepareModel() {
	runLowPriority(func() { _ = o.Prepare(o.ctx) }) // see above
}

// compareAfter is the longest delay of the comparison of a folder with its history: the page
// gets the processors while it draws. Whoever needs the comparison starts it at once.
const compareAfter = time.Second

// watchWhenReady waits until the history has been compared with the disk. If that fails, the
// project is read only.
func (o *opened) watchWhenReady() {
	defer close(o.watched)
	o.asked(compareAfter)
	comparing := o.startProgress("Compare " + o.name() + " with its history")
	err := o.Fresh(o.ctx)
	comparing()
	o.host.each(func(pg *page) { pg.dirty.signal() }) // early pushes can be applied now
	switch {
	case o.ctx.Err() == nil && err == nil && o.Taken():
		go o.host.takeOver(o)
		return
	case o.ctx.Err() != nil || o.ReadOnly() && err == nil:
		return
	case errors.As(err, new(*app.OtherFolderError)):
		o.host.opt.Log(err.Error())
		o.notify(func(k *known) { k.project = true }) // the project has a question for the user
	case err != nil:
		o.host.notice(levelError, fmt.Sprintf("%s can only be looked at: %v", o.name(), err))
		return
	}
	o.prepareNames()
	o.uses.Go(o.prepareModel)
	if err := o.Watch(o.ctx); err != nil {
		o.host.notice(levelWarning, fmt.Sprintf("Changes by other programs are not seen at once: %v", err))
	}
}

// retryEvery is the interval at which a project that another process has is tried again.
const retryEvery = 500 * time.Millisecond

// takeOver reopens a project that another process had, when that process is gone.
func (h *host) takeOver(o *opened) {
	for tick := time.NewTicker(retryEvery); ; {
		select {
		case <-o.ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if o.Abandoned() {
			tick.Stop()
			if err := h.openAgain(context.WithoutCancel(o.ctx), o, false); err != nil && !errors.Is(err, errNone) {
				h.notOpened(o.Root(), err)
			}
			return
		}
	}
}

// asked waits until somebody needs the comparison, but at most for wait.
func (o *opened) asked(wait time.Duration) {
	select {
	case <-o.Comparing():
	case <-time.After(wait):
	case <-o.ctx.Done():
	}
}

// close stops the turns, waits for all users of the project, and closes it.
func (o *opened) close() error {
	err := o.turns.finish()
	o.end()
	o.uses.Wait()
	return errors.Join(err, o.Use.Close())
}

func (o *opened) name() string { return filepath.Base(o.Root()) }

// notify marks a change for every page.
func (o *opened) notify(change func(*known)) {
	o.host.each(func(pg *page) { pg.dirty.mark(change) })
}

// describe returns the project as pages see it.
func (o *opened) describe(ctx context.Context) (*Project, error) {
	p := &Project{Root: o.Root(), Name: o.name(), Forks: []string{}, ReadOnly: o.readOnly(), Other: o.Other()}
	p.Home, _ = os.UserHomeDir() // "" shortens nothing
	forks, err := o.History().Branches(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range forks {
		p.Forks = append(p.Forks, b.Name)
		if b.Current {
			p.Fork, p.Head = b.Name, b.Head
		}
	}
	slices.Sort(p.Forks)
	p.Session, err = o.session(ctx)
	return p, err
}

func (o *opened) readOnly() string {
	if err := o.History().ReadOnlyReason(); err != nil {
		return err.Error()
	}
	return ""
}

// session returns the current session; 0 when there is none.
func (o *opened) session(ctx context.Context) (history.SessionID, error) {
	v, err := o.History().Mark(ctx, "session")
	if err != nil || v == "" {
		return 0, err
	}
	n, err := strconv.ParseInt(v, 10, 64)
	return history.SessionID(n), err
}

// listener forwards the project's events to the pages.
type listener struct{ o *opened }

func (l listener) TextChanged(path string) {
	l.o.host.each(func(pg *page) { pg.dirty.text(path) })
}

func (l listener) FilesChanged() { l.o.notify(func(k *known) { k.files = true }) }

func (l listener) Recorded(id history.EditID) {
	l.o.notify(func(k *known) { k.head = max(k.head, id) })
}

func (l listener) TurnBegan(t *app.TurnLog) { l.o.follow(t) }

func (l listener) TurnsChanged() { l.o.turnChanged() }

func (l listener) FolderGone(gone bool) {
	l.o.notify(func(k *known) { k.gone, k.project = &gone, true })
}

func (l listener) Unrecorded(says string) { l.o.notify(func(k *known) { k.unrecorded = &says }) }
