package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"waferpair/engine/refactor/golang/genproject"
)

// benchEdit starts the binary as a user does and waits for the first line of the diff. Each
// run renames a function that a package of 20 files uses, and the next one renames it back.
func benchEdit(ctx context.Context, e *Env) error {
	dir, err := e.sub("project")
	if err != nil {
		return err
	}
	if err := genproject.GenerateProject(dir, e.scale(2000)); err != nil {
		return err
	}
	names := [2]string{genproject.Function, "loadConfig"}
	for i := range 2 { // the first opening stores the baseline: not measured
		if _, _, err := e.timeEdit(ctx, dir, fmt.Sprintf("rename %s to %s everywhere", names[i%2], names[1-i%2])); err !=
			nil {
			return err
		}
	}
	time.Sleep(2 * time.Second) // until the files are old enough for their time stamps to count
	var first, whole []time.Duration
	for i := range e.repeats(20) {
		f, w, err := e.timeEdit(ctx, dir, fmt.Sprintf("rename %s to %s everywhere", names[i%2], names[1-i%2]))
		if err != nil {
			return err
		}
		first, whole = append(first, f), append(whole, w)
	}
	e.Report(Result{Measure: "process start to first edit visible, median", Value: millis(percentile(first, 0.5)),
		Unit: "ms", Bound: 150, AtMost: true})
	e.Report(Result{Measure: "whole turn, process start to exit, median", Value: millis(percentile(whole, 0.5)),
		Unit: "ms", Bound: 300, AtMost: true})
	return nil
}

// timeEdit runs one edit and returns the time to the first line of output, and to the end.
func (e *Env) timeEdit(ctx context.Context, dir, request string) (first, whole time.Duration, err error) {
	cmd := e.command(ctx, "edit", "-C", dir, request)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	r := bufio.NewReader(out)
	_, err = r.ReadString('\n')
	first = time.Since(start)
	rest, _ := io.ReadAll(r)
	if werr := cmd.Wait(); werr != nil {
		return 0, 0, fmt.Errorf("%q: %w: %s", request, werr, rest)
	}
	return first, time.Since(start), err
}

// command returns the program with a data folder of the benchmark's own.
func (e *Env) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, e.Program, args...)
	cmd.Env = e.environ()
	cmd.Stderr = os.Stderr
	return cmd
}

func (e *Env) environ() []string {
	return append(os.Environ(), "XDG_DATA_HOME="+e.Dir+"/data", "NO_COLOR=1")
}
