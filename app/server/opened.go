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

// opened is an open project with what the pages need of it beside.
type opened struct {
	*owner.Use
	host *host
	ctx  context.Context // ends when it is closed
	end  context.CancelFunc
	uses sync.WaitGroup // of the project, by commands, reads and pumps

	watched chan struct{} // closed when it is watched, or never will be

	turns turns
	ui    uiState
	steps progress
}

// openProject opens a folder so that it can be looked at. It is compared with
// its history, and watched from then on, in the background.
// use takes the folder for the project whatever was at its path before.
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
	for _, t := range o.Running() { // others had it open
		o.follow(t)
	}
	o.ui.load(ctx, o)
	o.uses.Go(o.prepareNames)
	o.uses.Go(o.watchWhenReady)
	return o, nil
}

// prepareNames has the first letter in the filter find the names prepared. An
// error comes again when somebody searches.
func (o *opened) prepareNames() {
	runLowPriority(func() { _, _ = o.Query().Find(o.ctx, "", 1) }) // see above
}

// prepareModel has the built-in model do what the first request would wait for.
// A request meets an error of it again, and says so.
func (o *opened) prepareModel() {
	runLowPriority(func() { _ = o.Prepare(o.ctx) }) // see above
}

// compareAfter is how long the comparison of a folder with its history is put off
// at most, so that the page has the processors while it draws itself. Whoever
// needs it done begins it.
const compareAfter = time.Second

// watchWhenReady waits until the history has what is on disk. A project for
// which that fails can only be looked at.
func (o *opened) watchWhenReady() {
	defer close(o.watched)
	o.asked(compareAfter)
	comparing := o.startProgress("Compare " + o.name() + " with its history")
	err := o.Fresh(o.ctx)
	comparing()
	o.host.each(func(pg *page) { pg.dirty.signal() }) // for what was typed early
	switch {
	case o.ctx.Err() == nil && err == nil && o.Taken():
		go o.host.takeOver(o)
		return
	case o.ctx.Err() != nil || o.ReadOnly() && err == nil:
		return
	case errors.As(err, new(*app.OtherFolderError)):
		o.host.opt.Log(err.Error())
		o.notify(func(k *known) { k.project = true }) // which has the question
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

// retryEvery is how often a project that another process has is tried.
const retryEvery = 500 * time.Millisecond

// takeOver opens a project again that another process has, when that one is gone.
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

// asked waits until somebody needs the comparison, or for so long.
func (o *opened) asked(wait time.Duration) {
	select {
	case <-o.Comparing():
	case <-time.After(wait):
	case <-o.ctx.Done():
	}
}

// close stops the turn, waits for all who use the project, and closes it.
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

// describe is the project as pages know it.
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

// session is the one that requests go to; 0 when there is none.
func (o *opened) session(ctx context.Context) (history.SessionID, error) {
	v, err := o.History().Mark(ctx, "session")
	if err != nil || v == "" {
		return 0, err
	}
	n, err := strconv.ParseInt(v, 10, 64)
	return history.SessionID(n), err
}

// listener passes on what the project tells.
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
