package typecheck

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"waferpair/engine/refactor/process"
)

//go:embed check.js
var program string

// How long a worker may take for one question, of which the asker waits for less, and how long it
// stays without one.
const (
	patience = 2 * time.Minute
	idle     = 5 * time.Minute
)

// worker is a process that answers questions about one project, one after the other.
type worker struct {
	root  string
	tools tools
	in    io.WriteCloser
	out   *bufio.Reader
	turn  chan struct{}   // holds a value while nobody asks
	rest  *time.Timer     // ends it when it is not used
	over  <-chan struct{} // closed as soon as it answers no more, before its process has ended
	end   context.CancelFunc
	pid   int
}

// start starts a worker.
func start(root string, with tools) (*worker, error) {
	ctx, cancel := context.WithCancel(context.Background())
	args := []string{with.confine, "--no-warnings"}
	for _, dir := range readable(root, with.lib) {
		args = append(args, "--allow-fs-read="+dir)
	}
	cmd := exec.CommandContext(ctx, with.node, append(args, "-e", program, filepath.ToSlash(with.lib))...)
	cmd.Dir = os.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "SystemRoot=" + os.Getenv("SystemRoot")} // no NODE_OPTIONS
	cmd.WaitDelay = time.Second
	process.Together(cmd)
	process.WithParent(cmd)
	w := &worker{root: root, tools: with, turn: make(chan struct{}, 1), over: ctx.Done(), end: cancel}
	in, err := cmd.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		out, err = cmd.StdoutPipe()
		w.in, w.out = in, bufio.NewReader(out)
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start node: %w", err)
	}
	w.pid, w.rest = cmd.Process.Pid, time.AfterFunc(idle, cancel)
	w.turn <- struct{}{}
	go func() {
		<-ctx.Done()
		_ = cmd.Wait() // it was ended, or had ended by itself
	}()
	return w, nil
}

// readable are the folders that a worker may read: the project, TypeScript's, and the modules in the
// folders above, where a package of a larger repository has its types.
func readable(root, lib string) []string {
	out := []string{root}
	add := func(dir string) {
		real, err := filepath.EvalSymlinks(dir)
		inside := func(other string) bool { // Node cannot be given a folder and one in it
			rel, err := filepath.Rel(other, real)
			return err == nil && filepath.IsLocal(rel)
		}
		if err == nil && !strings.ContainsAny(real, ",*") && !slices.ContainsFunc(out, inside) {
			out = append(out, real)
		}
	}
	for dir := filepath.Dir(root); ; dir = filepath.Dir(dir) {
		add(filepath.Join(dir, "node_modules"))
		if dir == filepath.Dir(dir) {
			break
		}
	}
	add(filepath.Dir(filepath.Dir(lib)))
	return out
}

// ended reports whether the worker answers no more.
func (w *worker) ended() bool {
	select {
	case <-w.over:
		return true
	default:
		return false
	}
}

var errEnded = errors.New("TypeScript ended unexpectedly")

// ask returns the answer to a question. When ctx ends first, the worker goes on, and has read the
// project when it is asked the next time.
func (w *worker) ask(ctx context.Context, q question) (answer, error) {
	line, err := json.Marshal(q)
	if err != nil {
		return answer{}, err
	}
	select {
	case <-w.turn:
	case <-w.over:
		return answer{}, errEnded
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
	w.rest.Reset(patience)
	type said struct {
		answer
		err error
	}
	done := make(chan said, 1)
	go func() {
		var s said
		if s.answer, s.err = w.answer(append(line, '\n')); s.err != nil {
			w.end()
		} else {
			w.rest.Reset(idle)
		}
		w.turn <- struct{}{}
		done <- s
	}()
	select {
	case s := <-done:
		return s.answer, s.err
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

func (w *worker) answer(line []byte) (a answer, err error) {
	if _, err = w.in.Write(line); err != nil {
		return a, errEnded
	}
	out, err := w.out.ReadBytes('\n')
	if err != nil {
		return a, errEnded
	}
	return a, json.Unmarshal(out, &a)
}
