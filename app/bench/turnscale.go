package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// scaleClients are OpenAI's own clients: programs beside the benchmark, no part of the module.
const scaleClients = "app/bench/testdata/openai"

// scaleTokens has OpenAI's own clients read the same answer, and prints what a token costs them. Nothing is
// promised about these figures.
func (e *Env) scaleTokens(ctx context.Context, url string, tokens int) {
	if e.Quick {
		e.Log("openai-go and npm openai: not in a quick run")
		return
	}
	for _, c := range []struct {
		name  string
		build func(context.Context) ([]string, error)
	}{{"openai-go", e.openaiGo}, {"npm openai", e.openaiNPM}} {
		command, err := c.build(ctx)
		var micros float64
		if err == nil {
			micros, err = scaled(ctx, append(command, url), tokens)
		}
		if err != nil {
			e.Log(fmt.Sprintf("%s, for scale: not measured: %v", c.name, err))
			continue
		}
		e.Log(fmt.Sprintf("%s, for scale: %.1f µs of processor time a token over HTTP and SSE", c.name, micros))
	}
}

// openaiGo builds the program around openai-go.
func (e *Env) openaiGo(ctx context.Context) ([]string, error) {
	dir, err := filepath.Abs(scaleClients)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(e.Dir, "openai-go")
	out, err := exec.CommandContext(ctx, "go", "build", "-C", dir, "-o", program, ".").CombinedOutput()
	return []string{program}, said(err, out)
}

// openaiNPM installs the npm package openai beside a copy of its program.
func (e *Env) openaiNPM(ctx context.Context) ([]string, error) {
	dir, err := e.sub("openai-npm")
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(dir, os.DirFS(scaleClients)); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "npm", "ci", "--silent", "--no-audit", "--no-fund")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return []string{"node", filepath.Join(dir, "measure.mjs")}, said(err, out)
}

// said adds the last line of a program's output to its error.
func said(err error, out []byte) error {
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return fmt.Errorf("%w: %s", err, lines[len(lines)-1])
}

// scaled runs a client a few times, and returns the median of its processor time in µs a token.
func scaled(ctx context.Context, command []string, tokens int) (float64, error) {
	var all []time.Duration
	for range 3 {
		out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
		if err != nil {
			return 0, err
		}
		micros, n := int64(0), 0
		if _, err := fmt.Sscan(string(out), &micros, &n); err != nil || n != tokens {
			return 0, fmt.Errorf("it read %d of %d tokens: %s", n, tokens, out)
		}
		all = append(all, time.Duration(micros)*time.Microsecond)
	}
	return float64(percentile(all, 0.5).Microseconds()) / float64(tokens), nil
}
