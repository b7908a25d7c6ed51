package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// host holds what all pages share: the project, if any, and the user's files.
//
// Locks are taken in this order, and any may be left out: page.mu, the locks of app.Project,
// host.mu, dirty.mu. So a project must not be called under host.mu.
type host struct {
	opt   Options
	files userFiles

	measured measuredModels

	switching sync.Mutex // one opening or closing at a time

	mu      sync.Mutex
	now     *opened // nil: no folder is open
	pages   map[*page]bool
	left    []*page // pages that lost their connection, the newest last
	closing bool
	early   []early // notices for the first page
}

func newHost(opt Options) *host {
	return &host{opt: opt, files: newUserFiles(opt), pages: map[*page]bool{}}
}

// errClosing refuses calls while the program ends.
var errClosing = fail(codeNone, "Waferpair is closing.")

// open opens a folder in place of the current one, which stays open if that fails.
func (h *host) open(ctx context.Context, root string) error {
	h.switching.Lock()
	defer h.switching.Unlock()
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	old := h.current()
	if old != nil {
		if real, err := filepath.EvalSymlinks(root); err == nil && real == old.Root() {
			old.notify(func(k *known) { k.project = true })
			return nil
		}
		if old.running() {
			return fail(codeBusy, "A turn is running in "+old.name()+
				": stop it, or wait until it is done, before you open another folder.")
		}
	}
	o, err := h.openProject(ctx, root, false)
	if err != nil {
		return err
	}
	if !h.put(o) {
		return errors.Join(errClosing, o.close())
	}
	if err := h.files.remember(o.Root(), time.Now()); err != nil {
		h.notice(levelWarning, fmt.Sprintf("The list of recent folders could not be written: %v", err))
	}
	h.helloAll()
	if old != nil {
		return old.close()
	}
	return nil
}

// openAgain closes a folder and opens the one that is at its path; use accepts that even if it
// is another one than before.
func (h *host) openAgain(ctx context.Context, old *opened, use bool) error {
	h.switching.Lock()
	defer h.switching.Unlock()
	if h.current() != old || !h.put(nil) {
		return errNone
	}
	closed := old.close() // it must be closed first: it holds the history's lock
	o, err := h.openProject(ctx, old.Root(), use)
	if err == nil && !h.put(o) {
		err = errors.Join(errClosing, o.close())
	}
	h.helloAll()
	return errors.Join(closed, err)
}

// put makes o the project of all pages; false when the program is ending.
func (h *host) put(o *opened) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return false
	}
	h.now, h.left = o, nil
	return true
}

// closeProject leaves the pages without a project.
func (h *host) closeProject() error {
	h.switching.Lock()
	defer h.switching.Unlock()
	old := h.current()
	if old == nil {
		return nil
	}
	if old.running() {
		return fail(codeBusy, "A turn is running: stop it, or wait until it is done, before you close the folder.")
	}
	h.put(nil)
	h.helloAll()
	return old.close()
}

// close closes the project, after the pages were dropped. It first stops running turns.
func (h *host) close() error {
	h.switching.Lock() // a running opening closes what it opened
	defer h.switching.Unlock()
	h.mu.Lock()
	old := h.now
	h.now = nil
	h.mu.Unlock()
	if old == nil {
		return nil
	}
	return old.close()
}

func (h *host) current() *opened {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// use returns the project, which stays open until done is called.
func (h *host) use() (o *opened, done func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now == nil {
		return nil, nil, errNone
	}
	h.now.uses.Add(1)
	return h.now, h.now.uses.Done, nil
}

// helloAll sends every page another hello: another folder is open.
func (h *host) helloAll() {
	h.each(func(pg *page) { pg.helloAgain() })
}

// early is a notice from before the first page: a project is often open before its page.
type early struct {
	level NoticeLevel
	text  string
}

// notice notifies every page, and the code that started the server.
func (h *host) notice(level NoticeLevel, text string) {
	h.opt.Log(text)
	if h.keep(early{level, text}) {
		return
	}
	h.each(func(pg *page) { pg.dirty.mark(func(k *known) { k.notice(level, text) }) })
}

// keep stores a notice for the first page; false when there is a page.
func (h *host) keep(n early) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.pages) > 0 {
		return false
	}
	h.early = append(h.early, n)
	if over := len(h.early) - maxNotices; over > 0 {
		h.early = h.early[over:]
	}
	return true
}

// prefs returns the preferences, or null.
func (h *host) prefs() json.RawMessage {
	prefs, err := h.files.prefs()
	if err != nil {
		h.opt.Log(err.Error())
		return nil
	}
	return prefs
}

func (h *host) notOpened(root string, err error) {
	h.notice(levelError, fmt.Sprintf("%s cannot be opened: %v", root, err))
}

func (h *host) notRead(o *opened, err error) {
	h.notice(levelError, fmt.Sprintf("The history of %s cannot be read: %v", o.name(), err))
}
