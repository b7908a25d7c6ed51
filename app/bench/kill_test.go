package bench_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"waferpair/app/bench"
	"waferpair/app/cli"
	"waferpair/workspace/stress"
)

// asWaferpair makes this test binary the command line, for benchmarks that start and kill
// it.
const asWaferpair = "WAFERPAIR_TEST_AS_CLI"

func TestMain(m *testing.M) {
	stress.Child() // these return at once unless a benchmark started this process
	bench.Child()
	if os.Getenv(asWaferpair) != "" {
		os.Exit(cli.Main(os.Args[1:]))
	}
	os.Setenv(asWaferpair, "1")
	// under the race detector, a process would wait a second at its exit
	os.Setenv("GORACE", "atexit_sleep_ms=20 "+os.Getenv("GORACE"))
	os.Exit(m.Run())
}

func testEnv(t *testing.T) bench.Env {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return bench.Env{Program: self, Dir: t.TempDir(), Quick: true, Log: func(s string) { t.Log(s) },
		Report: func(bench.Result) {}}
}

// TestKills kills streaming turns at random moments. No acknowledged edit may be lost, and
// no file may be torn.
func TestKills(t *testing.T) {
	n := 30
	if os.Getenv("WAFERPAIR_LONG") != "" {
		n = 300
	}
	e := testEnv(t)
	r, err := bench.Kills(context.Background(), &e, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	if r.Runs != n || r.Acked < n/2 { // turns that are killed while they write acknowledge at least this many edits
		t.Errorf("%d runs acknowledged %d edits: the kills come too early to show anything", r.Runs, r.Acked)
	}
	for _, s := range append(r.Lost, r.Torn...) {
		t.Error(s)
	}
}

// TestBenchmarks runs every benchmark at a small size. Promises without a figure, such as
// that nothing is lost, must hold here, too. The benchmarks of the window need the built
// program; 'make e2e' runs them.
func TestBenchmarks(t *testing.T) {
	for _, b := range bench.All() {
		if b.OfWindow() || strings.HasPrefix(b.Name, "kill") { // TestKills and TestOwnerKills cover these
			continue
		}
		if !slices.Contains(computing, b.Name) {
			t.Run(b.Name, func(t *testing.T) { measure(t, b.Name) })
		}
	}
}

// computing lists the benchmarks that compute a lot. What stream and turns run in several
// goroutines, the tests of app, app/server and engine/responses run with the race detector.
var computing = []string{"growth", "infer", "spark", "stream", "turns", "wafer"}

// TestComputingBenchmarks runs the rest of TestBenchmarks.
func TestComputingBenchmarks(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, name := range computing {
		t.Run(name, func(t *testing.T) { measure(t, name) })
	}
}

func measure(t *testing.T, name string) {
	e := testEnv(t)
	results := 0
	e.Report = func(r bench.Result) {
		results++
		t.Logf("%s: %.4g %s", r.Measure, r.Value, r.Unit)
		if r.Bench != name || r.Measure == "" {
			t.Errorf("a result without a name: %+v", r)
		}
		if r.AtMost && r.Bound == 0 && !r.Meets() {
			t.Errorf("%s: %v", r.Measure, r.Note)
		}
	}
	if err := bench.Run(context.Background(), []string{name}, e); err != nil {
		t.Fatal(err)
	}
	if results == 0 {
		t.Error("it measured nothing")
	}
}

// TestOwnerKills kills the process to which a command is attached; 'waferbench kill-owner'
// does it more often.
func TestOwnerKills(t *testing.T) {
	const n = 6
	e := testEnv(t)
	r, err := bench.OwnerKills(context.Background(), &e, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	if r.Runs != n || r.Acked == 0 {
		t.Errorf("%d runs acknowledged %d edits: the kills come too early to show anything", r.Runs, r.Acked)
	}
	if len(r.Lost)+len(r.Torn) > 0 {
		t.Errorf("lost %v, torn %v", r.Lost, r.Torn)
	}
}
