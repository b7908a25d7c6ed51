package server

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// runLowPriority does background work on a thread of its own, with low priority: on a computer
// with few processors it would otherwise delay the window. The thread ends with the work.
func runLowPriority(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		// never unlocked: a lowered priority cannot be raised again
		runtime.LockOSThread()
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 10) // if this fails, others are only slower
		do()
	}()
	<-done
}
