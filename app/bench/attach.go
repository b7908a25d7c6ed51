package bench

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"waferpair/engine/refactor/golang/genproject"
)

// attachBound is the time in milliseconds by which attaching may delay a command.
const attachBound = 20

// benchAttach times the same edit in two copies of a project, in turns: alone, and attached
// to a server that has the project open.
func benchAttach(ctx context.Context, e *Env) error {
	var times [2][]time.Duration
	dirs := [2]string{filepath.Join(e.Dir, "alone"), filepath.Join(e.Dir, "attached")}
	for _, dir := range dirs {
		if err := genproject.GenerateProject(dir, e.scale(500)); err != nil {
			return err
		}
	}
	owner, err := e.as("attached").serving(ctx, dirs[1])
	if err != nil {
		return err
	}
	defer func() { _ = owner.Process.Kill(); _ = owner.Wait() }()
	names := [2]string{genproject.Function, "loadConfig"}
	warm, measured := e.repeats(4), e.repeats(20) // warm: the first opening stores the baseline
	for i := range warm + measured {
		if i == warm {
			time.Sleep(2 * time.Second) // until the files are old enough for their time stamps to count
		}
		for at, dir := range dirs {
			_, whole, err := e.as(filepath.Base(dir)).timeEdit(ctx, dir, fmt.Sprintf("rename %s to %s everywhere",
				names[i%2], names[1-i%2]))
			if err != nil {
				return err
			}
			if i >= warm {
				times[at] = append(times[at], whole)
			}
		}
	}
	alone, attached := millis(percentile(times[0], 0.5)), millis(percentile(times[1], 0.5))
	e.Report(Result{Measure: "what being attached adds to an edit, process start to exit, medians",
		Value: attached - alone, Unit: "ms", Bound: attachBound, AtMost: true,
		Note: fmt.Sprintf("alone %.1f ms, attached %.1f ms", alone, attached)})
	return nil
}

// as returns the benchmark with another data folder, for processes that must know nothing
// of each other.
func (e *Env) as(name string) *Env {
	other := *e
	other.Dir = filepath.Join(e.Dir, "of-"+name)
	return &other
}

// serving starts a server of a project, and waits for its first line.
func (e *Env) serving(ctx context.Context, dir string) (*exec.Cmd, error) {
	cmd := e.command(ctx, "serve", "--json", "-C", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("serve %s: %w: %s", dir, err, line)
	}
	return cmd, nil
}
