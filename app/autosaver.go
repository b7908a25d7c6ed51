package app

import (
	"context"
	"sync"
	"time"

	"waferpair/app/live"
)

// autosaver does what nobody asks for: it journals what the user types, records a
// burst when it has ended, and brings to disk whatever history has, whoever made it.
// One goroutine sleeps until something is due.
type autosaver struct {
	*saver
	stall *stall
	look  func(context.Context) error // compares the whole folder with the history

	waited waiting   // files that somebody works on
	retry  time.Time // when saves that failed are tried again; the goroutine's own
	wake   chan struct{}
	quit   chan struct{}
	ended  sync.WaitGroup
}

// waiting are files that are waited for.
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

// changed is called when a text changed. The lock of its file is held.
func (k *autosaver) changed() {
	if k.stall.changed() {
		k.nudge()
	}
}

// start begins to keep: keep does what is due, and says when to look again.
func (k *autosaver) start(keep func(context.Context) time.Time) {
	k.quit = make(chan struct{})
	k.ended.Go(func() { k.run(keep) })
}

// stop ends the goroutine; what is left is Settle's.
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
