package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// Ctrl-C ends a long simulation within a second, while it lays out and while it
// runs; nothing is printed as a result.
func TestSimulationStops(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		args  []string
	}{
		{"laying out", 20 * time.Millisecond, []string{"--kernel", "meshgemm", "--mesh", "48", "--m", "600", "--k", "600", "--n", "600"}},
		{"running", time.Second, []string{"--kernel", "meshgemm", "--mesh", "16", "--m", "500", "--k", "1500", "--n", "500"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, diag bytes.Buffer
			root := newRoot(&env{in: strings.NewReader(""), out: &out, err: &diag})
			root.SetArgs(append([]string{"wafer", "simulate"}, c.args...))
			ctx, cancel := context.WithTimeout(context.Background(), c.after)
			defer cancel()
			err := root.ExecuteContext(ctx)
			late := time.Since(deadlineOf(ctx))
			if err == nil || !strings.Contains(err.Error(), "stopped at cycle") {
				t.Errorf("it ended with %v", err)
			}
			if late > time.Second {
				t.Errorf("it ended %v after it was stopped", late)
			}
			if out.Len() > 0 {
				t.Errorf("it printed %q", out.String())
			}
		})
	}
}

func deadlineOf(ctx context.Context) time.Time {
	at, _ := ctx.Deadline()
	return at
}
