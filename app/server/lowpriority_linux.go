package server

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// runLowPriority runs work that nobody waits for on a thread of its own, behind all that
// the page does: on a computer with few processors it would take one of them away
// while the window comes up. The thread ends with it.
func runLowPriority(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		// and never unlocked: a priority given away does not come back
		runtime.LockOSThread()
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 10) // it is only slower for the others without
		do()
	}()
	<-done
}
