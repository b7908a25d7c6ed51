package refactor

import "context"

// Progress is told what an operation waits for, and for how long; done ends it.
// It may be called from any goroutine.
type Progress func(what string, seconds int, done bool)

type progressKey struct{}

// WithProgress gives operations that run under the context somebody to tell.
func WithProgress(ctx context.Context, p Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// ProgressOf is whom to tell; never nil.
func ProgressOf(ctx context.Context) Progress {
	if p, ok := ctx.Value(progressKey{}).(Progress); ok {
		return p
	}
	return func(string, int, bool) {}
}

// Preparer is what a Language implements that can do slow work before anybody
// waits for it.
type Preparer interface {
	// Prepare does that work for the project as it is, gently. It does it once
	// for each state of what the work depends on, and ends with ctx.
	Prepare(ctx context.Context, src Source) error
}
