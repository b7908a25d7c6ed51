package spending

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

func at(t interface{ Fatal(...any) }, when string) time.Time {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	out, err := time.ParseInLocation("2006-01-02 15:04", when, zone)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ledger returns a ledger as another process would have it.
func ledger(t interface{ Fatal(...any) }, home, when string) *Ledger {
	l := In(home)
	l.Now = func() time.Time { return at(t, when) }
	return l
}

func usd(v float64) *float64 { return &v }

func today(t interface{ Fatal(...any) }, l *Ledger) Sum {
	s, err := l.Today()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func about(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestLedgerIsASum compares what several processes see with a plain sum, in any order of beginnings
// and ends, with torn lines between.
func TestLedgerIsASum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		home, err := os.MkdirTemp("", "ledger")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(home) }()
		all := []*Ledger{ledger(t, home, "2026-11-24 10:00"), ledger(t, home, "2026-11-24 10:00")}
		type asked struct {
			r    *Request
			cost float64
		}
		var open []asked
		ended, estimated, requests := 0.0, 0.0, 0
		budget := float64(rapid.IntRange(0, 40).Draw(t, "budget"))
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			l := all[rapid.IntRange(0, 1).Draw(t, "process")]
			switch {
			case rapid.IntRange(0, 9).Draw(t, "tears") == 0:
				tear(t, home)
			case len(open) > 0 && rapid.Bool().Draw(t, "ends"):
				i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				cost := float64(rapid.IntRange(0, 9).Draw(t, "cost"))
				if err := open[i].r.End(10, 1, usd(cost), false); err != nil {
					t.Fatal(err)
				}
				ended, estimated = ended+cost, estimated-open[i].cost
				open = append(open[:i], open[i+1:]...)
			default:
				cost := float64(rapid.IntRange(0, 5).Draw(t, "prompt"))
				r, err := l.Begin(Entry{Model: "m", Project: "/p", Dollars: &cost}, budget)
				over := budget > 0 && ended+estimated+cost > budget
				if errors.As(err, new(*OverError)) != over || !over && err != nil {
					t.Fatalf("spent %v, asks %v, budget %v: %v", ended+estimated, cost, budget, err)
				}
				if err == nil {
					open, estimated, requests = append(open, asked{r, cost}), estimated+cost, requests+1
				}
			}
			for _, l := range all {
				s := today(t, l)
				if !about(s.Dollars, ended+estimated) || !about(s.Estimated, estimated) || s.Requests != requests ||
					s.Models["m"] != s.Projects["/p"] {
					t.Fatalf("%+v, want %v, of which %v is estimated, in %d requests", s, ended+estimated, estimated, requests)
				}
			}
		}
	})
}

// tear leaves half a line, as a kill or a full disk does.
func tear(t *rapid.T, home string) {
	name := filepath.Join(home, "waferpair", "spending", "2026-11-24.jsonl")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return // nothing was written yet
	}
	defer f.Close()
	line := `{"id":"torn","model":"m","usd":100}`
	if _, err := f.WriteString(line[:rapid.IntRange(1, len(line)-1).Draw(t, "torn")]); err != nil {
		t.Fatal(err)
	}
}

// TestMidnight checks that a request counts on the local day on which it was sent, whatever the
// clock does: this day has 25 hours, and another process's clock goes back.
func TestMidnight(t *testing.T) {
	home := t.TempDir()
	l := ledger(t, home, "2026-10-31 23:59")
	late, err := l.Begin(Entry{Model: "m", Dollars: usd(1)}, 2)
	if err != nil {
		t.Fatal(err)
	}
	next := ledger(t, home, "2026-11-01 00:01")
	if s := today(t, next); s.Dollars != 0 {
		t.Errorf("a new day begins with %v", s)
	}
	if err := late.End(1, 1, usd(1.75), false); err != nil {
		t.Fatal(err)
	}
	if _, err := next.Begin(Entry{Model: "m", Dollars: usd(2)}, 2); err != nil {
		t.Error(err)
	}
	if _, err := ledger(t, home, "2026-10-31 22:00").Begin(Entry{Dollars: usd(0.5)}, 2); !errors.As(err, new(*OverError)) {
		t.Errorf("the clock goes back: %v", err)
	}
	if s, err := next.Spent(at(t, "2026-10-03 12:00"), at(t, "2026-11-01 00:00")); err != nil || s.Dollars != 3.75 ||
		s.Requests != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestBudgetHolds sends requests from processes at the same time: no more of them than the budget allows.
func TestBudgetHolds(t *testing.T) {
	if home := os.Getenv("WAFERPAIR_TEST_SPENDER"); home != "" {
		spend(t, home)
		return
	}
	home := t.TempDir()
	var done sync.WaitGroup
	sent := make([]string, 3)
	for i := range sent {
		done.Go(func() {
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBudgetHolds$", "-test.v")
			c.Env = append(os.Environ(), "WAFERPAIR_TEST_SPENDER="+home)
			out, err := c.CombinedOutput()
			if sent[i] = string(out); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	done.Wait()
	n := strings.Count(strings.Join(sent, ""), "sent one")
	s, err := In(home).Today()
	if err != nil || n != 50 || !about(s.Dollars, 5) || s.Requests != 50 || !about(s.Estimated, 5) {
		t.Errorf("%d requests were sent, and the ledger has %+v, %v", n, s.Total, err)
	}
}

// spend sends what it may, and is killed without having ended anything.
func spend(t *testing.T, home string) {
	l := In(home)
	for range 40 {
		if _, err := l.Begin(Entry{Model: "m", Dollars: usd(0.1)}, 5.05); err == nil {
			fmt.Println("sent one")
		} else if !errors.As(err, new(*OverError)) {
			t.Error(err)
		}
	}
}

// TestNothingCanBeWritten checks that a budget which cannot be checked refuses, and that without one
// requests go on and count in this process, until they can be written.
func TestNothingCanBeWritten(t *testing.T) {
	home := t.TempDir()
	l := ledger(t, home, "2026-11-24 10:00")
	file := filepath.Join(home, "waferpair", "spending", "2026-11-24.jsonl")
	if err := os.MkdirAll(file, 0o700); err != nil { // nothing can be written there
		t.Fatal(err)
	}
	if _, err := l.Begin(Entry{Model: "m", Dollars: usd(1)}, 5); err == nil || errors.As(err, new(*OverError)) {
		t.Errorf("it cannot be checked: %v", err)
	}
	if _, err := l.Begin(Entry{Model: "local"}, 5); err != nil {
		t.Errorf("a model without a price: %v", err)
	}
	r, err := l.Begin(Entry{Model: "m", Dollars: usd(1)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.End(5, 5, usd(3), true); err == nil {
		t.Error("that it was not written is an error")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if s := today(t, l); s.Dollars != 3 || s.Requests != 2 || s.Unpriced != 1 {
		t.Errorf("in this process: %+v", s)
	}
	if _, err := l.Begin(Entry{Model: "m", Dollars: usd(3)}, 5); !errors.As(err, new(*OverError)) {
		t.Errorf("beyond: %v", err)
	}
	if _, err := l.Begin(Entry{Model: "m", Dollars: usd(1)}, 5); err != nil {
		t.Error(err)
	}
	if s := today(t, ledger(t, home, "2026-11-24 11:00")); s.Dollars != 4 || s.Requests != 3 {
		t.Errorf("in another process: %+v", s)
	}
}

func TestOverErrorSaysWhatItWasFor(t *testing.T) {
	spent := Sum{Total: Total{Dollars: 4.5}, Models: map[string]Total{"a/x": {Dollars: 4, Requests: 2},
		"b/y": {Dollars: 0.5}, "c/free": {Requests: 9}}}
	got := (&OverError{Budget: 5, Asks: 0.75, Spent: spent}).Error()
	want := "today's budget of $5.00: $4.50 is spent (a/x $4.00, b/y $0.50), and this request would cost about $0.75"
	if !strings.Contains(got, want) || !strings.Contains(got, "--over-budget") ||
		!strings.Contains(got, "daily_budget_usd") {
		t.Error(got)
	}
}

func TestDollars(t *testing.T) {
	for amount, want := range map[float64]string{0: "$0.00", 2.5: "$2.50", 0.5: "$0.50", 0.0412: "$0.041",
		0.00412: "$0.0041", 0.1: "$0.10", 0.0999: "$0.10", 1234.567: "$1234.57", 0.00000000001: "$0.00"} {
		if got := Dollars(amount); got != want {
			t.Errorf("%v is %s, want %s", amount, got, want)
		}
	}
}
