package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"waferpair/app"
	"waferpair/history"
)

// opened is an open project with what the pages need of it beside.
type opened struct {
	*app.Project
	host *host
	ctx  context.Context // ends when it is closed
	end  context.CancelFunc
	uses sync.WaitGroup // of the project, by commands, reads and pumps

	turns turns
	ui    uiState
	steps progress
}

// openProject opens a folder, recovers, and starts to watch it.
func (h *host) openProject(ctx context.Context, root string) (*opened, error) {
	o := &opened{host: h}
	o.ctx, o.end = context.WithCancel(context.Background())
	opening := o.startProgress("Open " + filepath.Base(root))
	defer opening()
	var err error
	o.Project, err = app.Open(ctx, root, app.Options{
		DataHome: h.opt.DataHome,
		Engine:   h.opt.Engine,
		Notice:   func(s string) { h.notice("warning", s) },
		Progress: o.progressed,
		Listener: listener{o},
	})
	if err != nil {
		o.end()
		return nil, err
	}
	o.ui.load(ctx, o)
	if !o.ReadOnly() {
		if err := o.Watch(o.ctx); err != nil {
			h.notice("warning", fmt.Sprintf("Changes by other programs are not seen at once: %v", err))
		}
	}
	return o, nil
}

// close stops the turn, waits for all who use the project, and closes it.
func (o *opened) close() error {
	err := o.turns.finish()
	o.end()
	o.uses.Wait()
	return errors.Join(err, o.Project.Close())
}

func (o *opened) name() string { return filepath.Base(o.Root()) }

// tell has every page told.
func (o *opened) tell(change func(*known)) {
	o.host.each(func(pg *page) { pg.news.tell(change) })
}

// describe is the project as pages know it.
func (o *opened) describe(ctx context.Context) (*Project, error) {
	p := &Project{Root: o.Root(), Name: o.name(), Forks: []string{}, ReadOnly: o.readOnly()}
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
	l.o.host.each(func(pg *page) { pg.news.text(path) })
}

func (l listener) FilesChanged() { l.o.tell(func(k *known) { k.files = true }) }

func (l listener) Recorded(id history.EditID) {
	l.o.tell(func(k *known) { k.head = max(k.head, id) })
}

func (l listener) FolderGone(gone bool) { l.o.tell(func(k *known) { k.gone = &gone }) }

// progress passes on how far long work is, once it has lasted long enough to
// wonder.
type progress struct {
	mu    sync.Mutex
	began map[string]time.Time
}

const progressAfter = 300 * time.Millisecond

func (o *opened) progressed(p app.Progress) {
	if o.steps.due(p) {
		o.tell(func(k *known) { k.progressed(Progress{What: p.What, Done: p.Done, Total: p.Total}) })
	}
}

// due reports whether a step is to be shown. The last one is, when others were.
func (s *progress) due(p app.Progress) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	began, ok := s.began[p.What]
	if !ok {
		if s.began == nil {
			s.began = map[string]time.Time{}
		}
		began = time.Now()
		s.began[p.What] = began
	}
	if p.Total > 0 && p.Done >= p.Total {
		delete(s.began, p.What)
	}
	return time.Since(began) >= progressAfter
}

// startProgress shows work of unknown length until done is called.
func (o *opened) startProgress(what string) (done func()) {
	show := time.AfterFunc(progressAfter, func() {
		o.tell(func(k *known) { k.progressed(Progress{What: what}) })
	})
	return func() {
		if !show.Stop() {
			o.tell(func(k *known) { k.progressed(Progress{What: what, Done: 1, Total: 1}) })
		}
	}
}

// uiState is what a page wrote down to come back to. It lies in the history; a
// second instance, which writes nothing there, keeps it in memory.
type uiState struct {
	mu  sync.Mutex
	raw json.RawMessage
}

const uiMark = "ui"

func (u *uiState) load(ctx context.Context, o *opened) {
	v, err := o.History().Mark(ctx, uiMark)
	if err != nil {
		o.host.notice("warning", fmt.Sprintf("The tabs of last time could not be read: %v", err))
	}
	if json.Valid([]byte(v)) {
		u.raw = json.RawMessage(v)
	}
}

func (u *uiState) get() json.RawMessage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.raw
}

// set keeps raw, durably when it returns.
func (u *uiState) set(ctx context.Context, o *opened, raw json.RawMessage) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.raw = raw
	if o.ReadOnly() {
		return nil
	}
	if err := o.History().SetMark(ctx, uiMark, string(raw)); err != nil {
		return err
	}
	kept, err := o.History().Mark(ctx, uiMark) // waits for the commit
	if err == nil && kept != string(raw) {
		err = errors.New("keep the state of the tabs: it could not be written to the history")
	}
	return err
}
