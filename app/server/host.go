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

// host holds what all pages share: the project, or none, and the user's files.
//
// Locks are taken in this order, and any may be left out: page.mu, the locks of
// app.Project, host.mu, news.mu. So nothing is asked of a project under host.mu.
type host struct {
	opt   Options
	files userFiles

	switching sync.Mutex // one opening or closing at a time

	mu      sync.Mutex
	now     *opened // nil: no folder is open
	pages   map[*page]bool
	left    []*page // that lost their connection, the newest last
	closing bool
	early   []early // what the first page is told
}

func newHost(opt Options) *host {
	return &host{opt: opt, files: newUserFiles(opt), pages: map[*page]bool{}}
}

// errClosing answers what comes while the program ends.
var errClosing = fail(codeNone, "Waferpair is closing.")

// open opens a folder in the place of the one that is open now. That one stays
// when it fails.
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

// openAgain closes a folder and opens what is at its path; use takes that for the
// project's whatever was there before.
func (h *host) openAgain(ctx context.Context, old *opened, use bool) error {
	h.switching.Lock()
	defer h.switching.Unlock()
	if h.current() != old || !h.put(nil) {
		return errNone
	}
	closed := old.close() // before the other is opened: it holds the history
	o, err := h.openProject(ctx, old.Root(), use)
	if err == nil && !h.put(o) {
		err = errors.Join(errClosing, o.close())
	}
	h.helloAll()
	return errors.Join(closed, err)
}

// put makes o the project of all pages; false when the program ends.
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

// close closes the project, once the pages are dropped. A running turn is
// stopped first.
func (h *host) close() error {
	h.switching.Lock() // an opening that was under way closes what it opened
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

// use is the project, which stays open until done is called.
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

// early is a notice of a time when no page was there: a project is often open
// before the page that shows it.
type early struct {
	level NoticeLevel
	text  string
}

// notice tells every page, and whoever started the server.
func (h *host) notice(level NoticeLevel, text string) {
	h.opt.Log(text)
	if h.keep(early{level, text}) {
		return
	}
	h.each(func(pg *page) { pg.dirty.mark(func(k *known) { k.notice(level, text) }) })
}

// keep keeps a notice for the first page; false when there is one already.
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

// prefs are the preferences, or null.
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
