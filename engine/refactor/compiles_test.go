package refactor_test

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/languages"
	"waferpair/workspace/text"
)

// scribbler is Python with an operation that replaces files by other text.
type scribbler struct {
	refactor.Language
	edits []refactor.FileEdit
}

func (scribbler) Has(string) bool { return true }

func (s scribbler) Run(context.Context, refactor.Source, refactor.Target, refactor.Op) (refactor.Result, error) {
	return refactor.Result{Edits: s.edits}, nil
}

func (s scribbler) Compiles(ctx context.Context, edited []refactor.Edited) string {
	return s.Language.(refactor.Compiler).Compiles(ctx, edited)
}

// TestCompilerJudges: an edit after which Python rejects a file is not made, though the grammar
// reads it; what it rejected before, or does not reject, is.
func TestCompilerJudges(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	const good, bad = "def f(x):\n    return x\n", "x = 1\nreturn x\n"
	for _, c := range []struct{ before, after, says string }{
		{good, bad, "m.py:2: 'return' outside function"},
		{bad, bad + "\n", ""},
		{good, "def f(y):\n    return y\n", ""},
		{good, "def f(x):\n    print(x)\n    global x\n", "m.py:3: name 'x' is parameter and global"},
		{"def f(:\n", bad, ""}, // rejected before
		{"", bad, "m.py:2: 'return' outside function"},
	} {
		var python refactor.Language
		for _, l := range languages.All() {
			if l.Handles("m.py") {
				python = l
			}
		}
		s := scribbler{python, []refactor.FileEdit{{Path: "m.py", Changes: []text.Change{{To: text.Byte(len(c.before)),
			Insert: c.after}}}}}
		_, err := refactor.Runner{Languages: []refactor.Language{s}}.Run(t.Context(), project{"m.py": c.before},
			refactor.Target{File: "m.py"}, refactor.Program{{Name: "sort-imports", Args: map[string]string{}}})
		declined := (*refactor.Declined)(nil)
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%q -> %q: %v", c.before, c.after, err)
		case c.says != "" && (!errors.As(err, &declined) || !strings.Contains(declined.Reason, c.says)):
			t.Errorf("%q -> %q: %v, want %q", c.before, c.after, err, c.says)
		}
	}
}
