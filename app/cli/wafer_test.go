package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"waferpair/engine/gguf"
	"waferpair/wafer"
	"waferpair/wafer/transformer"
)

// TestSimulationStops checks that Ctrl-C ends a long simulation at once, during its layout
// and its run, and that no result is printed.
func TestSimulationStops(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		args  []string
	}{
		{"laying out", 20 * time.Millisecond, []string{"--kernel", "meshgemm", "--mesh", "48", "--m", "200", "--k",
			"200", "--n", "200"}},
		{"running", 200 * time.Millisecond, []string{"--kernel", "meshgemm", "--mesh", "16", "--m", "250", "--k",
			"800", "--n", "250"}},
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
			if late > 10*time.Second { // generous, for a busy computer
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

// TestSimulatedModelIsTheEstimated checks that 'wafer simulate --model' and 'wafer
// estimate' have the same analytic cycles for one file, mesh, context and machine, within 5
// % of the counted cycles. With real weights, the token must be that of the plain pass.
func TestSimulatedModelIsTheEstimated(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, of := range []struct {
		architecture, machine string
		window                int
	}{{"llama", "wse-2", 20}, {"qwen2", "wse-3", 0}, {"qwen3", "test", 0}, {"qwen3", "wse-2", 5}} {
		c := smallModel(of.architecture)
		c.SlidingWindow = of.window
		path := writeModel(t, c, nil)
		step := answer(t, "simulate", "--model", path, "--mesh", "7", "--context", "33", "--machine", of.machine,
			"--threads", "1", "--json")
		estimate := answer(t, "estimate", "--model", path, "--decode-mesh", "7", "--context", "33", "--machine",
			of.machine, "--json")
		cycles, analytic := step["cycles"].(float64), step["analytic_cycles"].(float64)
		if math.Abs(analytic/cycles-1) > 0.05 || analytic != estimate["cycles_per_token"] {
			t.Errorf("%v: %v cycles, analytic %v, estimate %v", of, cycles, analytic, estimate["cycles_per_token"])
		}
		if step["token"] != step["plain_token"] || step["weights"] != "of the file" {
			t.Errorf("%v: token %v, by the plain pass %v, weights %v", of, step["token"], step["plain_token"], step["weights"])
		}
		sum := 0.0
		for _, k := range step["kernels"].([]any) {
			sum += k.(map[string]any)["cycles"].(float64)
		}
		if sum != cycles {
			t.Errorf("%v: the kernels take %v cycles, together %v", of, cycles, sum)
		}
	}
}

// TestWhatFitsIsSaid checks the errors for a model that is too large for its mesh: they
// name the bytes that a core would need, the largest parts, and the smallest mesh on which
// the model runs, or a context that fits; for the presets they point to 'wafer estimate'.
func TestWhatFitsIsSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	c := smallModel("qwen3")
	c.EmbeddingLength, c.FeedForwardLength, c.VocabSize, c.BlockCount = 300, 700, 1200, 3
	path := writeModel(t, c, nil)
	_, err := waferCommandOf(t, "simulate", "--model", path, "--mesh", "6", "--context", "40")
	says := regexp.MustCompile(`a core of a mesh of 6 x 6 needs (\d+) bytes of SRAM and has 49152; most of it is (up|gate) \((\d+) bytes\) and (gate|down) \(\d+ bytes\); what fits: a mesh of (\d+) x (\d+) or more`)
	found := says.FindStringSubmatch(fmt.Sprint(err))
	if found == nil || len(err.Error()) > 400 {
		t.Fatalf("%v", err)
	}
	if want := fmt.Sprint(3 * 50 * 117 * 2); found[3] != want { // 3 layers of 300/6 x 700/6 numbers of fp16
		t.Errorf("the largest are %s bytes, want %s", found[3], want)
	}
	fits, _ := strconv.Atoi(found[5])
	if _, err := waferCommandOf(t, "simulate", "--model", path, "--mesh", strconv.Itoa(fits-1),
		"--context", "40"); err == nil {
		t.Errorf("a mesh of %d fits, too", fits-1)
	}
	if step := answer(t, "simulate", "--model", path, "--mesh", strconv.Itoa(fits), "--context", "40",
		"--threads", "1", "--json"); step["token"] != step["plain_token"] {
		t.Errorf("token %v, by the plain pass %v", step["token"], step["plain_token"])
	}
	_, err = waferCommandOf(t, "simulate", "--model", path, "--mesh", strconv.Itoa(fits), "--context", "400000")
	found = regexp.MustCompile(`what fits: .*a context of (\d+) on this one`).FindStringSubmatch(fmt.Sprint(err))
	if found == nil {
		t.Fatalf("%v", err)
	}
	longest, _ := strconv.Atoi(found[1])
	if longest < 40 || longest >= 400000 {
		t.Errorf("a context of %d is said to fit", longest)
	}
	for _, preset := range wafer.Presets() {
		_, err := waferCommandOf(t, "simulate", "--model", preset.Name, "--mesh", "128", "--machine", "wse-2")
		if err == nil || len(err.Error()) > 600 || !strings.Contains(err.Error(), "'waferpair wafer estimate' takes") {
			t.Errorf("%s: %v", preset.Name, err)
		}
	}
}

// TestFilesThatAreNoModels checks that estimates and simulations refuse the same unsuitable
// files, for the same reason. A model with experts can be estimated, and the error of its
// simulation says so.
func TestFilesThatAreNoModels(t *testing.T) {
	c := smallModel("llama")
	path := writeModel(t, c, func(name string) bool { return name == "blk.1.ffn_up.weight" })
	for _, command := range []string{"simulate", "estimate"} {
		if _, err := waferCommandOf(t, command, "--model", path); err == nil ||
			!strings.Contains(err.Error(), "tensor blk.1.ffn_up.weight is missing") {
			t.Errorf("%s: %v", command, err)
		}
	}
	experts := filepath.Join(t.TempDir(), "experts.json")
	if err := os.WriteFile(experts, []byte(`{"block_count": 2, "embedding_length": 64, "attention.head_count": 4, "feed_forward_length": 64, "vocab_size": 99, "expert_count": 8, "expert_used_count": 2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := waferCommandOf(t, "simulate", "--model", experts); err == nil ||
		!strings.Contains(err.Error(),
			"a mixture of 8 experts, of which a token passes 2; only dense models are run; 'waferpair wafer estimate' takes it") {
		t.Errorf("%v", err)
	}
	answer(t, "estimate", "--model", experts, "--json")
}

func smallModel(architecture string) transformer.Config {
	c := transformer.Defaults(architecture)
	c.Name, c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = "small", 2, 36, 50, 101
	c.HeadCount, c.HeadCountKV, c.KeyLength, c.BitsPerWeight = 6, 2, 6, 16
	return c
}

// writeModel writes a GGUF file of random weights, without the tensors that are left out.
func writeModel(t *testing.T, c transformer.Config, without func(name string) bool) string {
	t.Helper()
	pairs, sources := gguf.Sources(c, transformer.Random(c, 3), gguf.F16)
	if without != nil {
		sources = slices.DeleteFunc(sources, func(s gguf.Source) bool { return without(s.Name) })
	}
	path := filepath.Join(t.TempDir(), c.Architecture+".gguf")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(gguf.Write(file, pairs, sources), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// waferCommandOf runs a subcommand of 'waferpair wafer' and returns its output.
func waferCommandOf(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, diag bytes.Buffer
	root := newRoot(&env{in: strings.NewReader(""), out: &out, err: &diag})
	root.SetArgs(append([]string{"wafer"}, args...))
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

// answer runs a subcommand and returns the JSON that it prints.
func answer(t *testing.T, args ...string) map[string]any {
	t.Helper()
	out, err := waferCommandOf(t, args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatalf("%v: %q: %v", args, out, err)
	}
	return m
}
