//go:build desktop || dev

package window

/*
#include <errno.h>
#include <signal.h>

// on_stack adds SA_ONSTACK to the handler of a signal, if there is one.
static int on_stack(int sig) {
	struct sigaction a;
	if (sigaction(sig, 0, &a) < 0) return errno;
	if (a.sa_handler == SIG_DFL || a.sa_handler == SIG_IGN || (a.sa_flags & SA_ONSTACK)) return 0;
	a.sa_flags |= SA_ONSTACK;
	return sigaction(sig, &a, 0) < 0 ? errno : 0;
}
*/
import "C"

import (
	"context"
	"time"
)

// faults are the signals whose handlers JavaScriptCore replaces, at times of
// its own choosing, without SA_ONSTACK. Go then ends the program at the next
// nil dereference, also where it would have been recovered. SIGUSR1 is not
// among them: JavaScriptCore stops threads with it, and a changed handler
// makes it hang.
var faults = [...]C.int{C.SIGSEGV, C.SIGBUS, C.SIGFPE, C.SIGILL, C.SIGTRAP, C.SIGABRT}

func repairSignals() {
	for _, s := range faults {
		C.on_stack(s) // it cannot fail for a signal that exists
	}
}

// keepSignals repairs the handlers while WebKit starts.
func keepSignals(ctx context.Context) {
	repairSignals()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			repairSignals()
		}
	}
}
