package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Kind is the kind of an Event.
type Kind int

const (
	Changed   Kind = iota // Paths: check these again
	Reconcile             // check everything again
	Suspended             // the root is gone; nothing is known until Resumed
	Resumed               // the root is back; a Reconcile follows
	Degraded              // Message: now polling, changes are reported late
	Restored              // watching everything again
)

func (k Kind) String() string {
	return [...]string{"changed", "reconcile", "suspended", "resumed", "degraded", "restored"}[k]
}

// Event is a report for the consumer. Paths are slash-separated, relative to the root,
// sorted and distinct. Err is the cause of a Reconcile, Suspended or Degraded.
type Event struct {
	Kind    Kind
	Paths   []string
	Err     error
	Message string
}

// Options configure a Watcher. The zero value is good.
type Options struct {
	Ignored  func(path string, isDir bool) bool // called from several goroutines
	Debounce time.Duration                      // from the first change to its event; 30 ms
	// PollEvery is the interval for the root always, and for all files when degraded; 2 s,
	// and up to five times that for a large tree.
	PollEvery      time.Duration
	ReconcileEvery time.Duration // 5 min
	// Ours returns an error if a directory that replaced the root is not to be watched;
	// nil: it is watched unless it is empty.
	Ours func(root string) error
	// MaxWatches is for tests: the number of watches after which the system seems to refuse
	// more; negative: it refuses all; 0: no such limit.
	MaxWatches int
}

func (o *Options) setDefaults() {
	or := func(d *time.Duration, standard time.Duration) {
		if *d <= 0 {
			*d = standard
		}
	}
	or(&o.Debounce, 30*time.Millisecond)
	or(&o.PollEvery, 2*time.Second)
	or(&o.ReconcileEvery, 5*time.Minute)
	if o.Ours == nil {
		o.Ours = notEmpty
	}
	given := o.Ignored
	o.Ignored = func(path string, isDir bool) bool {
		return hasDotGit(path) || given != nil && given(path, isDir)
	}
}

// A Watcher watches one folder. Make one with Start.
type Watcher struct {
	root   string
	opt    Options
	events chan Event
	box    *box
	cancel context.CancelFunc
	closed sync.WaitGroup

	// The fields below belong to run.
	id      os.FileInfo // of the watched root
	session *session    // nil while suspended, or if the system refused it
	refusal error       // why session is nil
	silent  string      // name of the file system, if its watches stay silent
	poll    *poller     // nil unless degraded

	suspended, notifiedSuspended error
	degraded, notifiedDegraded   string
	cause                        error // of degraded
}

// Start begins to watch root and returns at once; directories are added in the background,
// and the first Reconcile means that all of them are. The watcher ends with ctx or Close,
// whichever is first, and then closes Events.
func Start(ctx context.Context, root string, opt Options) (*Watcher, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", root, err)
	}
	id, err := os.Stat(abs)
	if err == nil && !id.IsDir() {
		err = fmt.Errorf("not a folder; name the folder that contains it")
	}
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", root, err)
	}
	opt.setDefaults()
	ctx, cancel := context.WithCancel(ctx)
	w := &Watcher{root: abs, opt: opt, id: id, events: make(chan Event), box: newBox(), cancel: cancel}
	w.closed.Go(func() { w.run(ctx) })
	return w, nil
}

// Events returns the channel of events, which is closed when the watcher has ended.
func (w *Watcher) Events() <-chan Event { return w.events }

// Rescan makes the watcher walk the whole tree again and then report Reconcile. Call it
// when the ignore rules have changed.
func (w *Watcher) Rescan() { w.box.requestFullVisit(nil) }

// Close ends the watcher and waits until all its goroutines have ended.
func (w *Watcher) Close() error {
	w.cancel()
	w.closed.Wait()
	return nil
}

// run is the owner: it decides which event is next, and offers it while it goes on
// listening. Whatever happens while an event waits for the consumer is collected in the box
// or in the fields that compose reads, so that the amount is bounded.
func (w *Watcher) run(ctx context.Context) {
	defer close(w.events)
	defer w.stopAll()
	w.start()
	rootTick := time.NewTicker(w.opt.PollEvery)
	defer rootTick.Stop()
	reconcileTick := time.NewTicker(w.opt.ReconcileEvery)
	defer reconcileTick.Stop()
	var due <-chan time.Time // when the content of the box may be reported; nil: there is none
	var next *Event
	ready := false
	for {
		w.settle(ctx)
		if next == nil && ready {
			w.checkRoot() // files that vanished with the root must not be reported as changed
		}
		if next == nil {
			next = w.compose(&ready)
		}
		out, event := w.offer(next)
		select {
		case <-ctx.Done():
			return
		case out <- event:
			next = nil
		case <-w.box.wake:
			if due == nil {
				due = time.After(w.box.delay(w.opt.Debounce))
			}
		case <-due:
			due, ready = nil, true
		case <-rootTick.C:
			w.checkRoot()
			if w.suspended != nil && next != nil && next.Kind <= Reconcile {
				next = nil // nobody received it in time
			}
		case <-reconcileTick.C:
			w.reconcile()
		}
	}
}

func (w *Watcher) offer(e *Event) (chan<- Event, Event) {
	if e == nil {
		return nil, Event{}
	}
	return w.events, *e
}

// compose returns the next event: changes of the watcher's own state first, then the
// content of the box, if that is ready. It compares the present state with the last one
// reported, so that after any number of changes during a stall only the outcome is
// reported.
func (w *Watcher) compose(ready *bool) *Event {
	if was := w.notifiedSuspended; (was != nil) != (w.suspended != nil) {
		w.notifiedSuspended = w.suspended
		if w.suspended == nil {
			return &Event{Kind: Resumed}
		}
		return &Event{Kind: Suspended, Err: w.suspended,
			Message: fmt.Sprintf("The folder %s is not there (%v). Everything is kept; watching goes on when it is back.",
				w.root, w.suspended)}
	}
	if w.suspended != nil {
		return nil
	}
	if w.notifiedDegraded != w.degraded {
		w.notifiedDegraded = w.degraded
		if w.degraded == "" {
			return &Event{Kind: Restored}
		}
		return &Event{Kind: Degraded, Err: w.cause, Message: w.degraded}
	}
	if !*ready {
		return nil
	}
	*ready = false
	paths, all, err := w.box.drain()
	switch {
	case all:
		return &Event{Kind: Reconcile, Err: err}
	case len(paths) > 0:
		return &Event{Kind: Changed, Paths: paths}
	}
	return nil
}

// reconcile makes the walker visit everything, which also repairs watches and retries those
// that the system refused; the Reconcile event follows.
func (w *Watcher) reconcile() {
	if w.suspended != nil {
		return
	}
	if w.session == nil {
		w.start()
		return
	}
	w.box.requestFullVisit(nil)
}

// start opens a session for the root as it is now.
func (w *Watcher) start() {
	w.silent = silentFileSystem(w.root)
	w.session, w.refusal = openSession(w.root, w.opt, w.box)
	if w.refusal != nil {
		w.box.overflow(w.refusal)
	}
}

func (w *Watcher) stopAll() {
	if w.session != nil {
		w.session.close()
		w.session = nil
	}
	if w.poll != nil {
		w.poll.close()
		w.poll = nil
	}
}

// settle starts and stops polling as needed.
func (w *Watcher) settle(ctx context.Context) {
	if w.suspended != nil {
		return
	}
	w.cause = w.refusal
	if w.cause == nil {
		w.cause = w.box.limit()
	}
	w.degraded = banner(w.silent, w.cause, w.opt.PollEvery)
	switch {
	case w.degraded != "" && w.poll == nil:
		w.poll = startPoller(ctx, w.root, w.opt, w.box)
	case w.degraded == "" && w.poll != nil:
		w.poll.close()
		w.poll = nil
	}
}

// checkRoot suspends and resumes. Ours decides whether a directory that replaced the root
// is the project's; an empty one, such as the mount point that an unmounted disk leaves
// behind, must not look like "everything deleted".
func (w *Watcher) checkRoot() {
	now, err := os.Stat(w.root)
	switch {
	case err == nil && !now.IsDir():
		err = fmt.Errorf("%s is no longer a folder", w.root)
	case err == nil && w.suspended == nil && os.SameFile(now, w.id):
		return
	case err == nil && !os.SameFile(now, w.id):
		err = w.opt.Ours(w.root)
	}
	if w.suspended == nil || err == nil {
		w.stopAll()
		w.box.clear()
	}
	if w.suspended = err; err == nil {
		w.id = now
		w.start()
	}
}

// notEmpty accepts any directory that is not empty.
func notEmpty(root string) error {
	if isEmpty(root) {
		return fmt.Errorf("%s is now another folder, and empty", root)
	}
	return nil
}

func isEmpty(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return true
	}
	defer f.Close()
	names, _ := f.Readdirnames(1)
	return len(names) == 0
}
