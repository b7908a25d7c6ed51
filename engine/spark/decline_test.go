package spark

import (
	"strings"
	"testing"

	"waferpair/engine/refactor"
)

// TestDeclineSays: what was understood, why that is not all, and what could be asked instead.
func TestDeclineSays(t *testing.T) {
	for _, c := range []struct{ request, understood, reason, nearest string }{
		{"rename x to y but only in tests", "rename x to y", "but only in tests", "rename x to y"},
		{"rename a to b and then optimise it", "rename `a` to b", "and then optimise it", "rename `a` to b"},
		{"change foo to bar", "", "not understood", "rename foo to bar"},
		{"change foo to bar", "", "not understood", "replace calls to foo with bar"},
		{"clean up the imports", "", "", "sort the imports"},
		{"organize imports", "", "organize", "remove unused imports"},
		{"set Mode to production", "", "production", "set Mode to \"production\""},
		{"bump MaxRetries from 3 to 5", "", "from 3", "set MaxRetries to 5"},
		{"rename x y", "", "", "rename x to y"},
		{"renmae x to y", "", "renmae", "rename parseConfig to loadConfig everywhere"},
		{"srot the imports", "", "srot", "sort the imports in app.ts"},
		{"add a pramaeter x to foo", "", "", "add a parameter timeout"},
		{"rename the class to Foo", "", "", "rename"},
		{"rename class to Foo", "", "", "rename"},
		{"rename x to y in servre.go", "rename x to y", "no file servre.go", "server.go"},
		{"rename x to y in main.go", "rename x to y", "2 files", "cmd/tool/main.go"},
		{"rename x to y in cmd/server", "rename x to y", "is a folder", ""},
		{"comment out the selection", "comment out the selection", "nothing is selected", ""},
		{"add timeout time.Duration to Config", "", "more than one way", "add field timeout of type time.Duration to Config"},
		{"add timeout time.Duration to Config", "", "more than one way", "add parameter timeout of type time.Duration to Config"},
		{"don't rename x to y", "", "what not to do", ""},
		{"why does it fail?", "", "question", ""},
		{"inline foo", "", `"inline" is nothing`, "rename"},
		{strings.Repeat("rename x to y ", 1000), "", "14000 bytes", ""},
	} {
		d := mustDecline(t, c.request, Context{Files: project})
		if d == nil {
			continue
		}
		if d.Understood != c.understood || !strings.Contains(d.Reason, c.reason) || !strings.Contains(strings.Join(d.Nearest, "\n"), c.nearest) {
			t.Errorf("%.60q:\n got %q / %q / %q\nwant %q / %q / %q", c.request, d.Understood, d.Reason, d.Nearest, c.understood, c.reason, c.nearest)
		}
	}
}

// TestNearestWork: what a decline offers as a request is one.
func TestNearestWork(t *testing.T) {
	for _, r := range declinedRequests {
		_, err := Parse(r, Context{Files: project})
		d, ok := err.(*refactor.Declined)
		if !ok || d.Understood == "comment out the selection" || strings.Contains(d.Reason, "selected") || strings.Contains(d.Reason, "file") || strings.Contains(d.Reason, "folder") {
			continue
		}
		for _, n := range d.Nearest {
			if _, err := Parse(n, Context{Files: project, Target: refactor.Target{File: "server.go", From: 1, To: 2}}); err != nil {
				t.Errorf("%q: offers %q: %v", r, n, err)
			}
		}
	}
}

func TestTargets(t *testing.T) {
	open := refactor.Target{File: "client.go", From: 3, To: 5}
	for _, c := range []struct{ request, want string }{
		{"rename x to y", "rename symbol=x to=y @client.go:3-5"},
		{"rename x to y everywhere", "rename symbol=x to=y @client.go:3-5"},
		{"rename x to y in client.go", "rename symbol=x to=y @client.go:3-5"},
		{"rename x to y in server.go", "rename symbol=x to=y @server.go"},
		{"rename x to y in this file", "rename symbol=x to=y @client.go:3-5"},
		{"in the current file, sort the imports", "sort-imports @client.go:3-5"},
		{"remove debug prints everywhere", "remove-debug-prints"},
		{"document this file", "doc @client.go:3-5"},
		{"comment out the selection", "comment-out @client.go:3-5"},
		{"comment out the selected lines", "comment-out @client.go:3-5"},
		{"comment out lines 7 to 9", "comment-out @client.go:7-9"},
		{"comment out line 7 of server.go", "comment-out @server.go:7-7"},
		{"handle the ignored error", "handle-error @client.go:3-5"},
		{"handle the ignored error here", "handle-error @client.go:3-5"},
		{"extract the selection into a variable called total", "extract-variable name=total @client.go:3-5"},
		{"extract variable total from the selection", "extract-variable name=total @client.go:3-5"},
		{"extract the selected expression into a constant limit", "extract-constant name=limit @client.go:3-5"},
		{"add a TODO here: check", "todo text=check @client.go:3-5"},
		{"comment out the selection in server.go", ""},
	} {
		ctx := Context{Files: project, Target: open}
		if c.want == "" {
			mustDecline(t, c.request, ctx)
			continue
		}
		p, err := Parse(c.request, ctx)
		if err != nil {
			t.Errorf("%q: %v", c.request, err)
		} else if got := programString(p); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.request, got, c.want)
		}
	}
}

// TestEditDistance compares the three-row version with the definition.
func TestEditDistance(t *testing.T) {
	words := []string{"", "a", "ab", "ba", "rename", "renmae", "rnaeme", "import", "imprt", "imports", "xyz"}
	for _, a := range words {
		for _, b := range words {
			want := min(slowDistance(a, b), 3)
			if got := editDistance(a, b, 2); got != want {
				t.Errorf("%q to %q: %d, want %d", a, b, got, want)
			}
		}
	}
}

func slowDistance(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	cost := 1
	if a[0] == b[0] {
		cost = 0
	}
	d := min(slowDistance(a[1:], b)+1, slowDistance(a, b[1:])+1, slowDistance(a[1:], b[1:])+cost)
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		d = min(d, slowDistance(a[2:], b[2:])+1)
	}
	return d
}
