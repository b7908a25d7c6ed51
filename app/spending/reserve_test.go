package spending

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

// TestAnswersAtOnceKeepTheBudget starts requests of several processes at the same time. Their answers cost
// far more than their prompts: together they stay within the budget, but for one.
func TestAnswersAtOnceKeepTheBudget(t *testing.T) {
	const budget, prompt, answer = 0.25, 0.002, 0.075
	home := t.TempDir()
	ask := func() (*Request, error) {
		return ledger(t, home, "2026-11-24 10:00").Begin(Entry{Model: "m", Dollars: usd(prompt), PerToken: 10.0 / 1e6},
			budget)
	}
	for _, most := range []float64{budget, budget + prompt + answer} { // nothing is known of the model's answers, and then
		var sent []*Request
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				r, err := ask()
				var over *OverError
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					sent = append(sent, r)
				case !errors.As(err, &over):
					t.Error(err)
				case over.Answers > 0 && !strings.Contains(over.Error(), "is kept back"):
					t.Error(over)
				}
			})
		}
		all.Wait()
		if len(sent) == 0 {
			t.Error("nothing was sent")
		}
		for _, r := range sent {
			if err := r.End(1000, 7500, usd(prompt+answer), false); err != nil {
				t.Fatal(err)
			}
		}
		if s := today(t, ledger(t, home, "2026-11-24 10:01")); s.Dollars > most {
			t.Errorf("%.3f dollars were spent of %.2f", s.Dollars, budget)
		}
	}
	if r, err := ask(); err == nil {
		t.Errorf("the budget is used up: %+v", r.entry)
	}
}

// TestAReserveEnds checks that a request alone needs no reserve, and that one whose process was killed keeps
// nothing back for the rest of the day.
func TestAReserveEnds(t *testing.T) {
	home := t.TempDir()
	one := Entry{Model: "m", Dollars: usd(0.01), PerToken: 10.0 / 1e6}
	if _, err := ledger(t, home, "2026-11-24 10:00").Begin(one, 0.05); err != nil {
		t.Error(err)
	}
	if _, err := ledger(t, home, "2026-11-24 10:10").Begin(one, 0.05); !errors.As(err, new(*OverError)) {
		t.Errorf("beside another one: %v", err)
	}
	short := one
	short.Limit = 10
	if _, err := ledger(t, home, "2026-11-24 10:10").Begin(short, 0.2); err != nil {
		t.Errorf("an answer that is limited: %v", err)
	}
	if _, err := ledger(t, home, "2026-11-24 11:00").Begin(one, 0.05); err != nil {
		t.Errorf("after an hour: %v", err)
	}
}
