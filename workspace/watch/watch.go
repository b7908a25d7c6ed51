package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Kind says what an Event is about.
type Kind int

const (
	Changed   Kind = iota // Paths: look at these again
	Reconcile             // look at everything again
	Suspended             // the root is gone; nothing is known until Resumed
	Resumed               // the root is back; a Reconcile follows
	Degraded              // Message: now polling, changes arrive late
	Restored              // watching everything again
)

func (k Kind) String() string {
	return [...]string{"changed", "reconcile", "suspended", "resumed", "degraded", "restored"}[k]
}

// An Event for the consumer. Paths are slash-separated, relative to the root,
// sorted and distinct. Err is the cause of a Reconcile, Suspended or Degraded.
type Event struct {
	Kind    Kind
	Paths   []string
	Err     error
	Message string
}

// Options; the zero value is good.
type Options struct {
	Ignored  func(path string, isDir bool) bool // called from several goroutines
	Debounce time.Duration                      // from the first change to its event; 30 ms
	// the root always, and all files when degraded; 2 s, and up to five times that for a large tree
	PollEvery      time.Duration
	ReconcileEvery time.Duration // 5 min
	// whether another directory than before at the root's path is to be watched; nil: if it is not empty
	Ours func(root string) error
	// for tests: pretend the system gives no more; negative: none at all; 0: no such limit
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

	// Owned by run.
	id      os.FileInfo // of the root that is watched
	session *session    // nil while suspended, or when the system refused
	refusal error       // why session is nil
	silent  string      // name of the file system, if its watches do not fire
	poll    *poller     // nil unless degraded

	suspended, saidSuspended error
	degraded, saidDegraded   string
	cause                    error // of degraded
}

// Start begins to watch root and returns at once; directories are added in the
// background, and the first Reconcile says that all are. The watcher ends with ctx
// or Close, whichever is first, and then closes Events.
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

// Events is where events arrive; it is closed when the watcher has ended.
func (w *Watcher) Events() <-chan Event { return w.events }

// Rescan makes the watcher walk the whole tree anew and then say Reconcile. Call
// it when the ignore rules changed.
func (w *Watcher) Rescan() { w.box.requestFullVisit(nil) }

// Close ends the watcher and waits until all its goroutines are gone.
func (w *Watcher) Close() error {
	w.cancel()
	w.closed.Wait()
	return nil
}

// run is the owner: it decides what to say next, and offers that while it goes on
// listening. Whatever happens while an event waits for the consumer gathers in the
// box or in the fields that compose looks at, so that the amount is bounded.
func (w *Watcher) run(ctx context.Context) {
	defer close(w.events)
	defer w.stopAll()
	w.start()
	rootTick := time.NewTicker(w.opt.PollEvery)
	defer rootTick.Stop()
	reconcileTick := time.NewTicker(w.opt.ReconcileEvery)
	defer reconcileTick.Stop()
	var due <-chan time.Time // when what is in the box may be told; nil: nothing new is
	var next *Event
	ready := false
	for {
		w.settle(ctx)
		if next == nil && ready {
			w.checkRoot() // what vanished with the root must not be told as changed
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
				next = nil // nobody took it in time
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

// compose makes the next event: news about the watcher itself first, then what is
// in the box, if that is ready. It compares what is with what was said, so that of
// any number of ups and downs during a stall only the outcome is told.
func (w *Watcher) compose(ready *bool) *Event {
	if was := w.saidSuspended; (was != nil) != (w.suspended != nil) {
		w.saidSuspended = w.suspended
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
	if w.saidDegraded != w.degraded {
		w.saidDegraded = w.degraded
		if w.degraded == "" {
			return &Event{Kind: Restored}
		}
		return &Event{Kind: Degraded, Err: w.cause, Message: w.degraded}
	}
	if !*ready {
		return nil
	}
	*ready = false
	paths, all, err := w.box.take()
	switch {
	case all:
		return &Event{Kind: Reconcile, Err: err}
	case len(paths) > 0:
		return &Event{Kind: Changed, Paths: paths}
	}
	return nil
}

// reconcile makes the walker go over everything, which also mends watches and
// tries again for those that the system refused; the Reconcile event follows.
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

// settle polls when there is a reason to, and not otherwise.
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

// checkRoot suspends and resumes. Whether a root that is another directory than
// before is the project's, Ours says; an empty one, as the mount point that an
// unmounted disk leaves behind, must not read as "all deleted".
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

// notEmpty takes any directory for the one to watch that has something in it.
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
