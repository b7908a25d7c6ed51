package app

import (
	"context"
	"sync"
	"time"

	"waferpair/app/live"
)

// autosaver works unasked: it journals the user's typing, records a burst when it has
// ended, and saves everything that history has, whoever made it. One goroutine sleeps
// until something is due.
type autosaver struct {
	*saver
	stall *stall
	look  func(context.Context) error // compares the whole folder with the history

	waited waiting   // files whose lock is being waited for
	retry  time.Time // when to retry failed saves; only the goroutine uses it
	wake   chan struct{}
	quit   chan struct{}
	ended  sync.WaitGroup
}

// waiting is a set of files.
type waiting struct {
	mu    sync.Mutex
	files map[*live.Document]bool
}

func (w *waiting) has(d *live.Document) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.files[d]
}

func (w *waiting) add(d *live.Document) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.files == nil {
		w.files = map[*live.Document]bool{}
	}
	w.files[d] = true
}

func (w *waiting) drop(d *live.Document) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.files, d)
}

// changed is called when a text changed, with the lock of its file held.
func (k *autosaver) changed() {
	if k.stall.changed() {
		k.nudge()
	}
}

// start runs keep whenever something is due; keep returns when to run again.
func (k *autosaver) start(keep func(context.Context) time.Time) {
	k.quit = make(chan struct{})
	k.ended.Go(func() { k.run(keep) })
}

// stop ends the goroutine; Settle does the rest.
func (k *autosaver) stop() {
	if k.quit != nil {
		close(k.quit)
		k.ended.Wait()
		k.quit = nil
	}
}

func (k *autosaver) nudge() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *autosaver) run(keep func(context.Context) time.Time) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-k.quit:
			return
		case <-k.wake:
		case <-timer.C:
		}
		timer.Reset(time.Until(keep(context.Background())))
	}
}
