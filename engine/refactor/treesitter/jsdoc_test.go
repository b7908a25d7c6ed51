package treesitter

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// evident are expressions and the types that their text alone tells.
var evident = []struct{ expr, want string }{
	{"1", "number"}, {"-1.5", "number"}, {"- -0x1f", "number"}, {"1n", "bigint"}, {"-1n", "bigint"},
	{`"a"`, "string"}, {"`a${1}`", "string"}, {"typeof x", "string"}, {"1 + 'a'", "string"}, {"x + 'a'", "string"},
	{"true", "boolean"}, {"!x", "boolean"}, {"(x === 1)", "boolean"}, {"1 < 2 || false", "boolean"},
	{"'a' in {}", "boolean"}, {"x ? 1 : 2", "number"}, {"'' ?? 'a'", "string"},
	{"x ? 1 : 'a'", ""}, {"x || 1", ""}, {"x", ""}, {"1 + 1", ""}, {"-x", ""}, {"null", ""}, {"undefined", ""}, {"[]", ""},
	{"f()", ""}, {"void 0", ""},
}

func TestEvidentType(t *testing.T) {
	for _, c := range evident {
		root, err := parse(jsGrammar, []byte("("+c.expr+")"))
		if err != nil || root.errors() > 0 {
			t.Fatal(c.expr, err)
		}
		if got := evidentType(root.firstKid().firstKid()); got != c.want {
			t.Errorf("%s: %q, want %q", c.expr, got, c.want)
		}
	}
}

// TestEvidentTypeIsNodes: where a type is given, it is the one that node finds.
func TestEvidentTypeIsNodes(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	script := "let x = 0;"
	var want []string
	for _, c := range evident {
		if c.want != "" {
			script += "console.log(typeof (" + c.expr + "));"
			want = append(want, c.want)
		}
	}
	out, err := exec.Command(node, "-e", script).CombinedOutput()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, out)
	}
	if diff := cmp.Diff(strings.Fields(string(out)), want); diff != "" {
		t.Errorf("-node +want:\n%s", diff)
	}
}
