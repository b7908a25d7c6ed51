package watch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"
)

// poller finds changes by comparing snapshots.
type poller struct {
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func startPoller(ctx context.Context, root string, opt Options, b *box) *poller {
	ctx, cancel := context.WithCancel(ctx)
	p := &poller{cancel: cancel}
	p.running.Go(func() { pollLoop(ctx, root, opt, b) })
	return p
}

func (p *poller) close() {
	p.cancel()
	p.running.Wait()
}

// pollLoop takes a first snapshot and requests a Reconcile, for changes before it; from
// then on it reports the differences.
func pollLoop(ctx context.Context, root string, opt Options, b *box) {
	var last Snapshot
	known := false
	for {
		start := time.Now()
		now, err := Scan(ctx, root, opt.Ignored)
		switch {
		case err != nil:
			signal(b.wake) // the owner checks the root
		case known:
			b.touch(Diff(last, now)...)
			last = now
		default:
			b.overflow(nil)
			last, known = now, true
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollPause(time.Since(start), opt.PollEvery)):
		}
	}
}

// pollPause keeps the cost under 1 % of one processor, within 1 to 5 times every.
func pollPause(cost, every time.Duration) time.Duration {
	return min(max(100*cost, every), 5*every)
}

// banner returns the message for the user while the watcher polls, or "" if it need not
// poll.
func banner(silent string, cause error, every time.Duration) string {
	late := fmt.Sprintf("Changes made by other programs show up with a delay of %v to %v.", every, 5*every)
	switch {
	case errors.Is(cause, syscall.EMFILE), errors.Is(cause, syscall.ENFILE):
		return "The system allows no further file watcher (" + cause.Error() + "). " + late +
			" To lift the limit on Linux: sudo sysctl fs.inotify.max_user_instances=1024"
	case cause != nil:
		return "The system watches no more folders for us (" + cause.Error() + "). " + late +
			" To lift the limit on Linux: sudo sysctl fs.inotify.max_user_watches=1048576"
	case silent != "":
		return "This folder is on a file system (" + silent + ") that does not announce changes. " + late
	}
	return ""
}
