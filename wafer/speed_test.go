//go:build unix

package wafer

import (
	"syscall"
	"testing"
	"time"

	"waferpair/wafer/machine"
)

// TestEstimateIsFast checks that an estimate of any preset takes less than 25 ms of a core;
// under the race detector, ten times as long. It measures processor time, because the
// computer may be busy. As a busy core is also a slower one (two programs share its caches
// and its units), the fastest of some runs counts: a slow estimate is slow in all of them.
func TestEstimateIsFast(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	bound := 25 * time.Millisecond
	if raceDetector {
		bound *= 10
	}
	for _, m := range Presets() {
		const runs = 30
		fastest := time.Hour
		for run := 0; run < runs && fastest > bound; run++ {
			begin := processorTime(t)
			if _, err := Estimate(Request{Machine: machine.WSE3(), Model: m}); err != nil {
				t.Fatal(err)
			}
			fastest = min(fastest, processorTime(t)-begin)
		}
		if fastest > bound {
			t.Errorf("%s takes %v, the fastest of %d runs", m.Name, fastest, runs)
		}
	}
}

func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
