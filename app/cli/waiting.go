package cli

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// waiting shows at a terminal that a turn has begun without any output yet, and for how long.
type waiting struct {
	e    *env
	out  io.Writer
	stop chan struct{}
	once sync.Once
	done sync.WaitGroup
	what atomic.Value // string: its progress
	on   atomic.Value // string: what it waits for, "" when that is not known
}

// say sets the progress.
func (w *waiting) say(what string) { w.what.Store(what) }

// waitsFor sets what the turn waits for, with the time; "" when that is over.
func (w *waiting) waitsFor(what string) { w.on.Store(what) }

// line returns the text after a time.
func (w *waiting) line(d time.Duration) string {
	if on, ok := w.on.Load().(string); ok && on != "" {
		return on + " (Ctrl-C stops)"
	}
	far := ""
	if what, ok := w.what.Load().(string); ok {
		far = ", " + what
	}
	return fmt.Sprintf("working, %.1f s%s (Ctrl-C stops)", d.Seconds(), far)
}

// startWaiting shows it once the wait is long enough to be noticed.
func (e *env) startWaiting() *waiting {
	w := &waiting{e: e, out: e.err, stop: make(chan struct{})}
	e.waiting.Store(w)
	if e.isTerminal(e.err) && !e.json {
		w.done.Go(w.show)
	}
	return w
}

func (w *waiting) show() {
	start := time.Now()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	shown := false
	for {
		select {
		case <-w.stop:
			if shown {
				fmt.Fprint(w.out, "\r\x1b[K")
			}
			return
		case now := <-tick.C:
			if d := now.Sub(start); d > progressAfter {
				shown = true
				fmt.Fprint(w.out, "\r\x1b[K"+w.line(d))
			}
		}
	}
}

// over stops it. Further calls do nothing.
func (w *waiting) over() {
	w.once.Do(func() {
		w.e.waiting.CompareAndSwap(w, nil)
		close(w.stop)
		w.done.Wait()
	})
}
