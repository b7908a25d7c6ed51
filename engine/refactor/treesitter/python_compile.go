package treesitter

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"waferpair/engine/refactor"
)

// compileTimeout is how long Python may take. An edit is not kept waiting for it: what it does
// not answer by then counts as accepted.
const compileTimeout = 2 * time.Second

// compileAll compiles each file that comes in, before and after, and prints what it rejects now
// and did not before. Nothing is run. An empty file before is accepted, as a new file's is.
const compileAll = `
import sys, warnings
warnings.simplefilter("ignore")
read = sys.stdin.buffer
def rejects(src, path):
    try:
        compile(src, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        return e
while head := read.readline():
    sizes = [int(n) for n in head.split()]
    path, before, after = [read.read(n) for n in sizes]
    e = rejects(after, "edited")
    if e and not rejects(before, "edited"):
        sys.stdout.buffer.write(path + b":%d: " % (getattr(e, "lineno", 0) or 1) +
            str(getattr(e, "msg", e)).encode() + b"\n")
        break
`

// compiler is a dialect whose compiler may be there.
type compiler interface {
	compiles(ctx context.Context, edited []refactor.Edited) string
}

// Compiles is part of refactor.Compiler.
func (l *language) Compiles(ctx context.Context, edited []refactor.Edited) string {
	if c, ok := l.d.(compiler); ok {
		return c.compiles(ctx, edited)
	}
	return ""
}

func (pythonDialect) compiles(ctx context.Context, edited []refactor.Edited) string {
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS == "darwin" && python == "/usr/bin/python3" { // that one may ask to install a compiler
		return ""
	}
	var in bytes.Buffer
	for _, e := range edited {
		fmt.Fprintf(&in, "%d %d %d\n%s%s%s", len(e.Path), len(e.Before), len(e.After), e.Path, e.Before, e.After)
	}
	ctx, cancel := context.WithTimeout(ctx, compileTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-I", "-S", "-c", compileAll) // neither the project's modules nor the user's
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = os.TempDir(), &in, time.Second
	out, err := cmd.Output()
	if err != nil {
		return "" // it is too old, or too slow, or ended by the user
	}
	return strings.TrimSpace(string(out))
}
