package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
)

// output is the standard output of a command. It remembers a failed write: a command whose
// output is lost has failed, whatever else it did. If the reader of a pipe has seen enough,
// nothing is lost.
type output struct {
	io.Writer
	mu     sync.Mutex
	failed error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if err != nil && !errors.Is(err, syscall.EPIPE) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.failed == nil {
			o.failed = err
		}
	}
	return n, err
}

// lost returns why output could not be written; nil when all of it was.
func (o *output) lost() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed == nil {
		return nil
	}
	return fmt.Errorf("write standard output: %w; the command finished, but part of its output was lost", reason(o.failed))
}

// descriptor returns the file descriptor of a writer, if it is a file.
func descriptor(w any) (fd int, ok bool) {
	if o, wrapped := w.(*output); wrapped {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	return int(f.Fd()), true
}
