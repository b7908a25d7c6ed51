package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"waferpair/app"
)

// tokensPerEdit is about the length of a hunk of writeScript.
const tokensPerEdit = 75

// benchOpen opens a project with a long history.
func benchOpen(ctx context.Context, e *Env) error {
	dir, script, _, err := e.scripted(e.scale(10_000) * tokensPerEdit)
	if err != nil {
		return err
	}
	open := func() (*app.Project, error) {
		return app.Open(ctx, dir, app.Options{DataHome: filepath.Join(e.Dir, "data")})
	}
	p, err := open()
	if err != nil {
		return err
	}
	out, _, err := e.playScript(ctx, p, script)
	if err := errors.Join(err, p.Close()); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // time stamps of younger files are not trusted
	var times []time.Duration
	for range 1 + e.repeats(20) {
		start := time.Now()
		if p, err = open(); err != nil {
			return err
		}
		times = append(times, time.Since(start))
		if err := p.Close(); err != nil {
			return err
		}
	}
	e.Report(Result{Measure: fmt.Sprintf("open a project with %d edits, median", len(out.Edits)),
		Value: millis(percentile(times[1:], 0.5)), Unit: "ms", Bound: 50, AtMost: true})
	return nil
}

// manyFiles creates n small files in n/10 folders.
func manyFiles(dir string, n int) error {
	for i := range n {
		d := filepath.Join(dir, fmt.Sprintf("d%02d", i/10%100), fmt.Sprintf("s%03d", i/1000))
		if i%10 == 0 {
			if err := os.MkdirAll(d, 0o755); err != nil {
				return err
			}
		}
		body := fmt.Sprintf("package s\n\n// File %d.\nvar V%d = %q\n", i, i, fmt.Sprint(i*7919))
		if err := os.WriteFile(filepath.Join(d, fmt.Sprintf("f%06d.go", i)), []byte(body), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// openMany creates a folder of 100,000 files and opens it for the first time.
func (e *Env) openMany(ctx context.Context) (p *app.Project, n int, took time.Duration, err error) {
	dir, err := e.sub("project")
	if err != nil {
		return nil, 0, 0, err
	}
	n = e.scale(100_000)
	if err := manyFiles(dir, n); err != nil {
		return nil, 0, 0, err
	}
	start := time.Now()
	p, err = app.Open(ctx, dir, app.Options{DataHome: filepath.Join(e.Dir, "data")})
	return p, n, time.Since(start), err
}

// benchFirstOpen opens a folder of 100,000 files for the first time.
func benchFirstOpen(ctx context.Context, e *Env) error {
	p, n, usable, err := e.openMany(ctx)
	if err != nil {
		return err
	}
	start := time.Now()
	err = p.Baseline()
	whole := usable + time.Since(start)
	if err := errors.Join(err, p.Close()); err != nil {
		return err
	}
	e.Report(Result{Measure: fmt.Sprintf("first open of %d files: usable", n), Value: usable.Seconds(), Unit: "s",
		Bound: 3, AtMost: true})
	e.Report(Result{Measure: fmt.Sprintf("first open of %d files: everything stored", n), Value: whole.Seconds(),
		Unit: "s", Bound: 15, AtMost: true})
	return nil
}

// benchIdle watches a large folder in which nothing changes.
func benchIdle(ctx context.Context, e *Env) error {
	p, n, _, err := e.openMany(ctx)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := p.Baseline(); err != nil {
		return err
	}
	wctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := p.Watch(wctx); err != nil {
		return err
	}
	settle, idle := 20*time.Second, 60*time.Second // after settling, the watches exist and the first scan is over
	if e.Quick {
		settle, idle = time.Second, 2*time.Second
	}
	time.Sleep(settle)
	before := cpuTime()
	time.Sleep(idle)
	used := cpuTime() - before
	e.Report(Result{Measure: fmt.Sprintf("CPU while %d files are open and watched", n),
		Value: 100 * used.Seconds() / idle.Seconds(), Unit: "%", Bound: 1, AtMost: true})
	return nil
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
