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
		{"change foo to bar", "", "I didn't understand", "rename foo to bar"},
		{"change foo to bar", "", "I didn't understand", "replace calls to foo with bar"},
		{"rename all to recursive in load", "", "if all is a name, put it in backticks", ""},
		{"get rid of parseConfig", "", "can mean several things", "delete the unused function parseConfig"},
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
		{"add timeout time.Duration to Config", "", "more than one way",
			"add parameter timeout of type time.Duration to Config"},
		{"don't rename x to y", "", "what not to do", ""},
		{"why does it fail?", "", "question", ""},
		{"obfuscate foo", "", `can't do "obfuscate"`, "rename"},
		{strings.Repeat("rename x to y ", 1000), "", "14000 bytes", ""},
	} {
		d := mustDecline(t, c.request, Context{Files: project})
		if d == nil {
			continue
		}
		if d.Understood != c.understood || !strings.Contains(d.Reason, c.reason) ||
			!strings.Contains(strings.Join(d.Nearest, "\n"), c.nearest) {
			t.Errorf("%.60q:\n got %q / %q / %q\nwant %q / %q / %q", c.request, d.Understood, d.Reason, d.Nearest, c.understood,
				c.reason, c.nearest)
		}
	}
}

// TestNearestWork: what a decline offers as a request is one.
func TestNearestWork(t *testing.T) {
	for _, r := range declinedRequests {
		_, err := Parse(r, Context{Files: project})
		d, ok := err.(*refactor.Declined)
		if !ok || d.Understood == "comment out the selection" || strings.Contains(d.Reason, "selected") ||
			strings.Contains(d.Reason, "file") || strings.Contains(d.Reason, "folder") {
			continue
		}
		for _, n := range d.Nearest {
			if _, err := Parse(n, Context{Files: project, Target: refactor.Target{File: "server.go", From: 1, To: 2}}); err !=
				nil {
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
		{"in the current file, sort the imports", "sort-imports @client.go"},
		{"remove debug prints everywhere", "remove-debug-prints"},
		{"document this file", "doc @client.go"},
		{"document client.go", "doc @client.go"},
		{"remove unused imports in this file", "remove-imports @client.go"},
		{"rename this function to foo", "rename symbol=@func to=foo @client.go:3-5"},
		{"rename it to foo", "rename symbol=@ to=foo @client.go:3-5"},
		{"rename to foo", "rename symbol=@ to=foo @client.go:3-5"},
		{"rename this to foo", "rename symbol=@ to=foo @client.go:3-5"},
		{"rename the selection to foo", "rename symbol=@ to=foo @client.go:3-5"},
		{"rename this class to Foo", "rename symbol=@type to=Foo @client.go:3-5"},
		{"rename the selected method to foo", "rename symbol=@method to=foo @client.go:3-5"},
		{"rename the function here to foo", "rename symbol=@func to=foo @client.go:3-5"},
		{"rename w to width in this function", "rename symbol=@func.w to=width @client.go:3-5"},
		{"rename the parameter w to width in this method", "rename symbol=@method.w to=width kind=param @client.go:3-5"},
		{"this function should be called foo", "rename symbol=@func to=foo @client.go:3-5"},
		{"call this function foo from now on", "rename symbol=@func to=foo @client.go:3-5"},
		{"add a parameter depth int to this function", "add-param func=@func name=depth type=int @client.go:3-5"},
		{"add a parameter depth int to it", "add-param func=@ name=depth type=int @client.go:3-5"},
		{"add a parameter depth int", "add-param func=@func name=depth type=int @client.go:3-5"},
		{"add a parameter depth int with default 3", "add-param func=@func name=depth type=int value=3 @client.go:3-5"},
		{"make this function take a parameter depth int", "add-param func=@func name=depth type=int @client.go:3-5"},
		{"remove the parameter verbose", "remove-param func=@func name=verbose @client.go:3-5"},
		{"remove the parameter verbose from this function", "remove-param func=@func name=verbose @client.go:3-5"},
		{"add a field depth int to this struct", "add-field type=@type name=depth fieldtype=int @client.go:3-5"},
		{"add json tags to this struct", "json-tags type=@type @client.go:3-5"},
		{"add json tags to it", "json-tags type=@ @client.go:3-5"},
		{"delete this function", "delete-unused func=@func @client.go:3-5"},
		{"delete this unused method", "delete-unused func=@method @client.go:3-5"},
		{"delete it because nothing uses it", "delete-unused func=@ @client.go:3-5"},
		{"delete it", ""},
		{"document this function", "doc symbol=@func @client.go:3-5"},
		{"document this", "doc symbol=@ @client.go:3-5"},
		{"document it", "doc symbol=@ @client.go:3-5"},
		{"add a doc comment to this", "doc symbol=@ @client.go:3-5"},
		{"add a doc comment to this class", "doc symbol=@type @client.go:3-5"},
		{"add a doc comment", "doc @client.go:3-5"},
		{"add logging to this function", "log-entry func=@func @client.go:3-5"},
		{"document these functions", "doc which=all kind=func @client.go:3-5"},
		{"add doc comments to the selected methods", "doc which=all kind=method @client.go:3-5"},
		{"add a doc comment to this function saying it is slow", "doc symbol=@func text=it is slow @client.go:3-5"},
		{"comment this out", "comment-out @client.go:3-5"},
		{"comment out this", "comment-out @client.go:3-5"},
		{"comment it out", "comment-out @client.go:3-5"},
		{"comment out this function", "comment-out symbol=@func @client.go:3-5"},
		{"comment this function out", "comment-out symbol=@func @client.go:3-5"},
		{"log at entry of this function", "log-entry func=@func @client.go:3-5"},
		{"add a test for this function", "add-test func=@func @client.go:3-5"},
		{"add a test for it", "add-test func=@ @client.go:3-5"},
		{"add a test for the selected function", "add-test func=@func @client.go:3-5"},
		{"add a TODO to this function: check", "todo symbol=@func text=check @client.go:3-5"},
		{"add a docstring saying 'it is slow'", "doc symbol=@ text=it is slow @client.go:3-5"},
		{"add a TODO: check", "todo text=check @client.go:3-5"},
		{"add a TODO to this: check", "todo text=check @client.go:3-5"},
		{"handle the ignored error in this function", "handle-error func=@func @client.go:3-5"},
		{"remove the debug prints from this function", "remove-debug-prints func=@func @client.go:3-5"},
		{"extract this into a variable called total", "extract-variable name=total @client.go:3-5"},
		{"set this constant to 5", "set-constant name=@const value=5 @client.go:3-5"},
		{"rename this function to foo and document it", "rename symbol=@func to=foo; doc symbol=@func @client.go:3-5"},
		{"rename parseConfig to loadConfig and document it",
			"rename symbol=parseConfig to=loadConfig; doc symbol=loadConfig @client.go:3-5"},
		{"document this function and add a test for it", "doc symbol=@func; add-test func=@func @client.go:3-5"},
		{"rename Server.Close to Stop and add a test for it",
			"rename symbol=Server.Close to=Stop; add-test func=Server.Stop @client.go:3-5"},
		{"add a field x int to T and document it", ""},
		{"rename x to y and document this", ""},
		{"rename this to that", ""},
		{"rename this file to foo", ""},
		{"rename this parameter to foo", ""},
		{"delete this file", ""},
		{"document this package", ""},
		{"rename this function parseConfig to loadConfig",
			"rename symbol=parseConfig to=loadConfig kind=func @client.go:3-5"},
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

// TestPointingNeedsASelection: without one, the answer says how to give it.
func TestPointingNeedsASelection(t *testing.T) {
	for _, r := range []string{"rename this function to foo", "rename it to foo", "rename to foo",
		"add a parameter depth int to this function", "add a parameter depth int",
		"delete this function", "document this", "comment this out", "add a test for it",
		"rename w to width in this function"} {
		for _, target := range []refactor.Target{{}, {File: "server.go"}} {
			d := mustDecline(t, r, Context{Files: project, Target: target})
			if d != nil && (!strings.Contains(d.Reason, "selected") ||
				!strings.Contains(strings.Join(d.Nearest, " "), "lines")) {
				t.Errorf("%q: %v", r, d)
			}
		}
	}
}

// TestPointersSayBack: what is said to be understood points at the same.
func TestPointersSayBack(t *testing.T) {
	open := Context{Files: project, Target: refactor.Target{File: "client.go", From: 3, To: 5}}
	for _, r := range []string{"rename it to foo", "rename this function to foo",
		"rename w to width in the selected method", "add json tags to this struct", "add a parameter depth int",
		"document this constant", "comment out this field", "comment this out", "set this variable to 4",
		"rename to half and document it", "add a TODO: x", "handle the error in this function"} {
		p, err := Parse(r, open)
		if err != nil {
			t.Errorf("%q: %v", r, err)
			continue
		}
		again, err := Parse(p.Understood, open)
		if err != nil || programString(again) != programString(p) {
			t.Errorf("%q: said back as %q: %s, not %s (%v)", r, p.Understood, programString(again), programString(p), err)
		}
	}
}

// TestEditDistance compares the three-row version with the definition.
func TestEditDistance(t *testing.T) {
	words := []string{"", "a", "ab", "ba", "rename", "renmae", "rnaeme", "import", "imprt", "imports", "xyz"}
	for _, a := range words {
		for _, b := range words {
			want := min(slowDistance(a, b), 3)
			if got := refactor.Distance(a, b, 2); got != want {
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

// TestMissing: a request that stops too early is told what it lacks.
func TestMissing(t *testing.T) {
	for _, c := range []struct{ request, reason string }{
		{"rename x to", `the new name is missing after "to"`},
		{"rename x", `"to" and the new name are missing after "x"`},
		{"rename the function parseConfig to", `the new name is missing after "to"`},
		{"please rename x to.", `the new name is missing after "to"`},
		{"set MaxRetries to", `the value is missing after "to"`},
		{"set MaxRetries", `"to" and the value are missing after "MaxRetries"`},
		{"add a test for", `the function's name is missing after "for"`},
		{"add a test", `"for" and the function's name are missing after "test"`},
		{"add a parameter n int to", `the function's name is missing after "to"`},
		{"add a field n int to", `the type's name is missing after "to"`},
		{"remove the parameter n from", `the function's name is missing after "from"`},
		{"extract variable total from", `the expression is missing after "from"`},
		{"add json tags to", `the type's name is missing after "to"`},
		{"log at entry of", `the function's name is missing after "of"`},
		{"comment out", `a name is missing after "out"`},
		{"document", `a name is missing after "document"`},
		{"add a TODO to loadConfig:", `the text is missing after "loadConfig:"`},
		{"replace calls to foo with", `the new name is missing after "with"`},
		{"delete the unused function", `the function's name is missing after "function"`},
		{"import", `the package or module is missing after "import"`},
		{"rename a to b and c to", ""},
	} {
		d := mustDecline(t, c.request, Context{Files: project})
		if d != nil && c.reason != "" && d.Reason != c.reason {
			t.Errorf("%q: %s, want %s", c.request, d.Reason, c.reason)
		}
		if d != nil && strings.Contains(d.Reason, "something is missing") {
			t.Errorf("%q: %s", c.request, d.Reason)
		}
	}
}
