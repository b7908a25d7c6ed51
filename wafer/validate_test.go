package wafer

import "testing"

// TestValidate checks that every published figure is met within its bound.
func TestValidate(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	rows := Validate()
	for _, r := range rows {
		t.Logf("%-45s %-48s %10.5g %10.5g %8.5g  %+6.1f %% of %3.0f %%  fitted %v", r.Check, r.Config, r.Published, r.Ours,
			r.High, 100*(r.Ratio-1), 100*r.Bound, r.Fitted)
		if !r.Pass {
			t.Errorf("%s, %s: %g published, %g ours (to %g)", r.Check, r.Config, r.Published, r.Ours, r.High)
		}
	}
	if len(rows) < 40 {
		t.Errorf("%d rows: some are missing", len(rows))
	}
}
