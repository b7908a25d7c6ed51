package window

import (
	"math"
	"net/http"
	"syscall"

	"golang.org/x/sys/unix"
)

// seal makes every response's pipe close-on-exec. Wails creates that pipe
// inheritable when the header is written, so a program that Go starts while a
// response is under way (git, go list) would hold its writing end, and the
// page's fetch would not end before that program does. Go starts programs
// under syscall.ForkLock; holding it for reading from the pipe's creation
// until the mark is set leaves no gap.
func seal(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&sealed{ResponseWriter: w}, r)
	})
}

type sealed struct {
	http.ResponseWriter
	wrote bool
}

func (w *sealed) WriteHeader(code int) {
	if w.wrote {
		return
	}
	w.wrote = true
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	w.ResponseWriter.WriteHeader(code)
	closeOnExec()
}

func (w *sealed) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach what w wraps.
func (w *sealed) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// closeOnExec marks everything but the standard streams. Before Linux 5.11 it
// does nothing; then a response may last as long as a program started in it.
func closeOnExec() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }
