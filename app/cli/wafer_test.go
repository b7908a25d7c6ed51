package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// Ctrl-C ends a long simulation at once, while it lays out and while it
// runs; nothing is printed as a result.
func TestSimulationStops(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		args  []string
	}{
		{"laying out", 20 * time.Millisecond, []string{"--kernel", "meshgemm", "--mesh", "48", "--m", "200", "--k", "200", "--n", "200"}},
		{"running", 200 * time.Millisecond, []string{"--kernel", "meshgemm", "--mesh", "16", "--m", "250", "--k", "800", "--n", "250"}},
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
			if late > 10*time.Second { // a moment; a busy computer takes its time
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
