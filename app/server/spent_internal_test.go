package server

import (
	"encoding/json"
	"testing"
	"time"

	"waferpair/history"
)

// TestSpent checks that the cost of a day is that of its turns with a known price.
func TestSpent(t *testing.T) {
	day := time.Date(2026, 11, 24, 13, 0, 0, 0, time.UTC)
	turn := func(at time.Time, timing string) history.TurnTiming {
		return history.TurnTiming{Started: at, Timing: json.RawMessage(timing)}
	}
	got := spentSince([]history.TurnTiming{
		turn(day, `{"cost":0.25}`), turn(midnight(day), `{"cost":0.5}`), turn(day, `{}`), turn(day, ``),
		turn(midnight(day).Add(-time.Nanosecond), `{"cost":4}`),
	}, midnight(day))
	if got != 0.75 {
		t.Errorf("$%v", got)
	}
}
