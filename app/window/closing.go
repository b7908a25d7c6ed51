package window

import (
	"context"
	"fmt"
	"time"
)

// closeWithin closes the project, but gives up after the time that a user waits for a window
// that is gone. Acknowledged edits are safe either way: the next start finishes the rest.
func closeWithin(closeProject func(context.Context) error, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- closeProject(ctx) }()
	select {
	case err := <-closed:
		return err
	case <-ctx.Done():
		return fmt.Errorf(
			"close the project: not done after %v; the next start finishes it, and nothing that was recorded is lost", limit)
	}
}
