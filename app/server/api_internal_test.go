package server

import (
	"context"
	"fmt"
	"testing"
)

// TestAReadThatAClosingCutsOff checks that it fails as one without a project does, which the
// page expects, and that other failures are told.
func TestAReadThatAClosingCutsOff(t *testing.T) {
	for closes, want := range map[bool]FailureCode{true: codeNone, false: codeFailed} {
		project, closeProject := context.WithCancel(t.Context())
		asked, giveUp := context.WithCancel(t.Context())
		h := &host{now: &opened{ctx: project}}
		r := looking(func(ctx context.Context, _ *opened, _ struct{}) (int, error) {
			if closes {
				closeProject()
			} else {
				giveUp()
			}
			<-ctx.Done()
			return 0, fmt.Errorf("read a.go: %w", ctx.Err())
		})
		if _, err := r.run(asked, h, []byte("?")); err == nil || failure(err).Code != want {
			t.Errorf("the project is closed: %v; %v, want the code %s", closes, err, want)
		}
		closeProject()
		giveUp()
	}
}
