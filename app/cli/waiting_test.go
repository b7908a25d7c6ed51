package cli

import (
	"strings"
	"testing"
	"time"

	"waferpair/app"
)

// TestWaitingSaysForWhat checks that the line names what is being compiled first, with the
// seconds.
func TestWaitingSaysForWhat(t *testing.T) {
	e := &env{err: new(strings.Builder)}
	tell := e.progress()
	w := e.startWaiting()
	defer w.over()
	says := func(want string) {
		t.Helper()
		if got := w.line(6100 * time.Millisecond); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	says("working, 6.1 s (Ctrl-C stops)")
	tell(app.Progress{What: "Compiling dependencies (go list)", Done: 6})
	says("Compiling dependencies (go list), 6 s (Ctrl-C stops)")
	tell(app.Progress{What: "Compiling dependencies (go list)", Done: 1, Total: 1})
	says("working, 6.1 s (Ctrl-C stops)")
	w.over()
	if e.waiting.Load() != nil {
		t.Error("what comes after the turn, such as a first look at all files, is not shown")
	}
}
