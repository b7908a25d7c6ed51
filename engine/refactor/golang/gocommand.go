package golang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"waferpair/engine/refactor/process"
)

// listTimeout bounds the go command, which may have to compile every dependency.
const listTimeout = 5 * time.Minute

// goRun is how the go command is run. Its context ends it and all that it started.
type goRun struct {
	ctx    context.Context
	dir    string
	env    []string
	gentle bool   // with low priority: nobody waits
	says   string // what the user is told meanwhile, "" for nothing
}

// offline keeps the go command from the network: nothing is fetched, by whatever
// way (modules named in GOPRIVATE would come from their repositories), and no
// other toolchain is started than the one that is there.
var offline = []string{"GOPROXY=off", "GONOPROXY=none", "GOVCS=*:off", "GOTOOLCHAIN=local"}

func (r goRun) run(args []string) (string, error) {
	ctx, cancel := context.WithTimeout(r.ctx, listTimeout)
	defer cancel()
	if r.says != "" {
		defer counting(r.ctx, r.says)()
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.dir
	cmd.Env = append(append(os.Environ(), offline...), "PWD="+r.dir)
	cmd.Env = append(cmd.Env, r.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	process.Together(cmd)
	err := cmd.Start()
	if err == nil {
		if r.gentle {
			lower(cmd.Process.Pid)
		}
		err = cmd.Wait()
	}
	switch {
	case r.ctx.Err() != nil:
		return "", r.ctx.Err()
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("go list in %s: it took longer than %v", r.dir, listTimeout)
	case err != nil && stdout.Len() == 0:
		return "", fmt.Errorf("go list: %w: %s", err, firstLine(stderr.String()))
	}
	return stdout.String(), nil
}
