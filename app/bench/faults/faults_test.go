//go:build linux

package faults

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"waferpair/app/cli"
)

// This test binary is one of four programs: the tests, the harness in its namespace, the
// waferpair under test, or a writer whose losses are known.
const asWaferpair = "WAFERPAIR_TEST_AS_CLI"

func TestMain(m *testing.M) {
	if os.Getenv(asWaferpair) != "" && !IsInside() {
		os.Exit(cli.Main(os.Args[1:]))
	}
	if how := os.Getenv(asWriter); how != "" && !IsInside() {
		if err := writeOften(how, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// under the race detector, a process would wait a second at its exit
	os.Setenv("GORACE", "atexit_sleep_ms=20 "+os.Getenv("GORACE"))
	os.Exit(m.Run())
}

// TestFaults runs each row once with the program alone, and once with an owner. It leaves
// out the rows that are known to fail.
func TestFaults(t *testing.T) {
	if !IsInside() {
		inside(t)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	os.Setenv(asWaferpair, "1")
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait more than they work
			for i, owner := range []bool{false, true} {
				o := Options{Program: []string{self}, Only: name, Each: 1, Owner: owner, Known: true, Seed: uint64(1 + i),
					Log: func(s string) { t.Log(s) }}
				report, err := Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				row := report.Rows[0]
				switch {
				case row.Untried != "":
					t.Skip(row.Untried)
				case row.Runs == 0 || row.Acked == 0:
					t.Errorf("by %s: %d runs acknowledged %d: that shows nothing", row.by(), row.Runs, row.Acked)
				}
				for _, s := range append(row.Lost, row.Wrong...) {
					t.Errorf("by %s: %s", row.by(), s)
				}
			}
		})
	}
}

// inside runs this test again in a mount namespace of its own.
func inside(t *testing.T) {
	var out bytes.Buffer
	status, err := Inside([]string{"-test.run=^" + t.Name() + "$", "-test.v", "-test.parallel=6"}, &out, &out)
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(out.String()) {
		t.Log(strings.TrimRight(line, "\n"))
	}
	if status != 0 {
		t.Error("see above")
	}
}
