package server

import "testing"

// TestARequestBeyondTheBudget checks that a page can send each kind of request whatever it costs.
func TestARequestBeyondTheBudget(t *testing.T) {
	for _, r := range []Request{{Text: "edit"}, {Continue: 7}, {Again: 7}, {Choice: &Choice{Turn: 7, N: 1}}} {
		for _, over := range []bool{false, true} {
			r.OverBudget = over
			if got, err := (&opened{}).requested(r); err != nil || got.OverBudget != over {
				t.Errorf("%+v: %v, %v", r, got.OverBudget, err)
			}
		}
	}
}
