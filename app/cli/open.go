package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"waferpair/app"
	"waferpair/app/owner"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace"
)

// close closes the project; it reports an error, but does not change the exit code.
func (e *env) close(p *owner.Use) {
	if err := p.Close(); err != nil {
		fmt.Fprintf(e.err, "waferpair: close the project: %s\n", clean(err.Error()))
	}
}

// progressAfter is the time after which progress is shown.
const progressAfter = 300 * time.Millisecond

// progress returns a function that shows progress: on a terminal in one line that is
// overwritten, in a pipe not at all.
func (e *env) progress() func(app.Progress) {
	start := time.Now()
	tty := e.isTerminal(e.err) && !e.json
	var mu sync.Mutex
	var last time.Time
	return func(p app.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if w := e.waiting.Load(); w != nil {
			w.waitsFor(waitText(p))
			return
		}
		now := time.Now()
		if !tty || now.Sub(start) < progressAfter || p.Done < p.Total && now.Sub(last) < 100*time.Millisecond {
			return
		}
		last = now
		line := fmt.Sprintf("\r\x1b[K%s: %d of %d", p.What, p.Done, p.Total)
		if on := waitText(p); on != "" {
			e.notify("\r\x1b[K" + on)
			return
		}
		if p.Done >= p.Total {
			line += "\r\x1b[K"
		}
		e.notify(line)
	}
}

// waitText describes work of unknown length that a turn is waiting for, with the seconds so far.
func waitText(p app.Progress) string {
	if p.Total > 0 || p.Done == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %d s", p.What, p.Done)
}

// classify adds the exit code to an error.
func classify(err error) error {
	if err == nil {
		return nil
	}
	var ce *codeError
	var conflict *history.Conflict
	var head *history.HeadError
	var overlap *engine.OverlapError
	var stale *workspace.StaleError
	var unplaced *app.NotPlaced
	var held *engine.HeldError
	var left *app.LeftBehind
	switch {
	case errors.As(err, &ce):
		return err
	case errors.As(err, &conflict), errors.As(err, &head), errors.As(err, &overlap), errors.As(err, &stale),
		errors.As(err, &unplaced):
		return &codeError{code: exitConflict, err: err}
	case errors.As(err, &left):
		return &codeError{code: exitConflict, err: fmt.Errorf("%w; add --leave-edits to have it on the line before the fork "+
			"alone, or revert the turn ('waferpair history revert --turn %d') and send the request anew", err, left.Turn)}
	case errors.As(err, new(*app.OtherFolderError)):
		return &codeError{code: exitBeyond, err: fmt.Errorf("%w: --use-folder", err)}
	case errors.As(err, new(*app.NoChoice)), errors.As(err, new(*app.NotContinued)),
		errors.As(err, new(*app.NotReady)):
		return usageError("%w", err)
	case errors.As(err, new(*app.SessionBusy)):
		return &codeError{code: exitFailed, err: fmt.Errorf("%w: --session new", err)}
	case errors.As(err, &held):
		return &codeError{code: exitBeyond, err: err}
	case errors.Is(err, context.Canceled):
		return &codeError{code: exitFailed, err: errors.New("stopped")}
	case errors.Is(err, fs.ErrPermission):
		return &codeError{code: exitFailed, err: fmt.Errorf("%w (check its permissions: ls -l)", err)}
	}
	return err
}
