package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waferpair/engine/gguf"
	"waferpair/wafer/transformer"
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

// 'wafer simulate --model' and 'wafer estimate' of the same file, mesh, context and
// machine have the same analytic cycles, within 5 % of those that were counted; of
// real weights, the token is the plain pass's.
func TestSimulatedModelIsTheEstimated(t *testing.T) {
	c := transformer.Defaults("llama")
	c.Name, c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = "small", 2, 36, 50, 101
	c.HeadCount, c.HeadCountKV, c.KeyLength, c.BitsPerWeight = 6, 2, 6, 16
	pairs, sources := gguf.Sources(c, transformer.Random(c, 3), gguf.F16)
	path := filepath.Join(t.TempDir(), "small.gguf")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(gguf.Write(file, pairs, sources), file.Close()); err != nil {
		t.Fatal(err)
	}
	answer := func(args ...string) map[string]any {
		t.Helper()
		var out, diag bytes.Buffer
		root := newRoot(&env{in: strings.NewReader(""), out: &out, err: &diag})
		root.SetArgs(append([]string{"wafer"}, args...))
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		var m map[string]any
		if err := json.Unmarshal(out.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, machine := range []string{"wse-2", "wse-3", "test"} {
		step := answer("simulate", "--model", path, "--mesh", "7", "--context", "33", "--machine", machine, "--json")
		estimate := answer("estimate", "--model", path, "--decode-mesh", "7", "--context", "33", "--machine", machine, "--json")
		cycles, analytic := step["cycles"].(float64), step["analytic_cycles"].(float64)
		if math.Abs(analytic/cycles-1) > 0.05 || analytic != estimate["cycles_per_token"] {
			t.Errorf("%s: %v cycles, analytic %v, estimate %v", machine, cycles, analytic, estimate["cycles_per_token"])
		}
		if step["token"] != step["plain_token"] || step["weights"] != "of the file" {
			t.Errorf("%s: token %v, by the plain pass %v, weights %v", machine, step["token"], step["plain_token"], step["weights"])
		}
		sum := 0.0
		for _, k := range step["kernels"].([]any) {
			sum += k.(map[string]any)["cycles"].(float64)
		}
		if sum != cycles {
			t.Errorf("%s: the kernels take %v cycles, together %v", machine, cycles, sum)
		}
	}
}
