package infer

import (
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/infer/kernel"
)

// Options are the choices of Load. The zero value is what most want.
type Options struct {
	Threads  int                     // 0: as the function Threads says
	Backend  string                  // "go", or one of kernel.Levels; empty is the fastest
	Progress func(done, total int64) // called now and then with bytes read, from several goroutines
}

// Backends returns what Options.Backend can be on this computer, fastest first.
func Backends() []string { return append(kernel.Levels(), plainName) }

const (
	plainName   = "go"
	mostThreads = 256
)

func (o Options) complete() (Options, error) {
	if o.Threads <= 0 {
		o.Threads = Threads()
	}
	o.Threads = min(o.Threads, mostThreads)
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	known := Backends()
	if o.Backend == "" {
		o.Backend = known[0]
	}
	if !slices.Contains(known, o.Backend) {
		return o, fmt.Errorf("there is no backend %q on this computer: choose one of %s", o.Backend,
			strings.Join(known, ", "))
	}
	return o, nil
}
