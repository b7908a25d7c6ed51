package refactor_test

import (
	"testing"

	"waferpair/engine/refactor"
)

func TestDebugMarks(t *testing.T) {
	for text, want := range map[string]bool{
		"DEBUG": true, "debug: x": true, "[dbg] n": true, ">>> in": true, "here": true, "got here 2": true, "XXX": true,
		" HERE!": true, "--- a": true, "=== b ===": true, "-----": false, "=== Results ===": false, "Temp:": false,
		"Trace written to x": false, "usage: app URL": false, "listening on :80": false, "done": false, "": false,
		"temperature": false, "debugger attached": false, "where": false, "here is your receipt": false, "- a": false,
		"traceroute": false,
	} {
		if got := refactor.DebugMark(text); got != want {
			t.Errorf("DebugMark(%q) = %v", text, got)
		}
	}
	for _, c := range []struct {
		label, expr string
		want        bool
	}{
		{"n", "n", true}, {"n:", "n", true}, {"n = ", "n", true}, {"size:", "r.size", true}, {"r.size", "r.size", true},
		{"len(xs) =", "len(xs)", true}, {"a=1 b=", "b", true}, {"x->", "x", true},
		{"Total:", "total", false}, {"listening on", "port", false}, {"", "n", false}, {"file", "path", false},
		{"missing file:", "file", false}, {", y: ", "y", true},
	} {
		if got := refactor.Labels(c.label, c.expr); got != c.want {
			t.Errorf("Labels(%q, %q) = %v", c.label, c.expr, got)
		}
	}
}
