// Package speed measures how fast waferpair is on this computer, with which model, as the time
// that somebody waits for an answer: 'waferpair bench' prints it.
//
// It works as a user does, on a Go project that it writes into a folder of its own and removes
// again. Each figure is measured for a second or two instead of a fixed number of times, so that
// a slow computer takes hardly longer than a fast one. A figure is valid for this computer, now,
// with whatever else runs on it; it is not compared with a bound. app/bench is another program,
// with measurements that are, and with attacks on the program.
// promise that it is held against. The measurements that are, with everything that
// attacks the program, are another program: app/bench.
package speed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/refactor/golang/genproject"
)

// Figure is one measurement.
type Figure struct {
	Model  string  `json:"model,omitempty"` // the model that was measured; "" when none was involved
	Name   string  `json:"name"`
	Help   string  `json:"help"`
	Value  float64 `json:"value"` // the median of several
	Unit   string  `json:"unit"`
	Worst  float64 `json:"worst,omitempty"` // the worst of them
	Times  int     `json:"times"`
	Failed string  `json:"failed,omitempty"` // why there is no figure
}

// Options select what to measure, and where.
type Options struct {
	Models *engine.Registry
	Names  []string // of the models
	Dir    string   // a folder is made in it, and removed; its disk is measured
	Quick  bool     // a small project, and each measurement once: to try the command
	Doing  func(what string)
	Report func(Figure)
}

// Files is the number of files in the project.
func (o Options) Files() int {
	if o.Quick {
		return 40
	}
	return 400
}

// ErrModel says that a model did not carry out its request. Its figure says why.
var ErrModel = errors.New("a model did not carry out the request")

// Measure measures the computer and then each model. It ends soon after ctx does.
func Measure(ctx context.Context, o Options) (err error) {
	made := missing(o.Dir)
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return notWritable(err)
	}
	defer func() {
		for _, dir := range made {
			_ = os.Remove(dir) // fails if somebody else uses it by now
		}
	}()
	dir, err := os.MkdirTemp(o.Dir, "bench-")
	if err != nil {
		return notWritable(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m := &measuring{Options: o, ctx: ctx, project: filepath.Join(dir, "project"), data: filepath.Join(dir, "data")}
	m.Doing("writing a project")
	if err := genproject.GenerateProject(m.project, m.Files()); err != nil {
		return err
	}
	return m.all()
}

// missing lists which of a folder and its parents do not exist, the deepest first.
func missing(dir string) (out []string) {
	for {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			return out
		}
		out = append(out, dir)
		dir = filepath.Dir(dir)
	}
}

// measuring is one run. Its project is open while p is not nil.
type measuring struct {
	Options
	ctx           context.Context
	project, data string
	p             *app.Project
}

// all runs all measurements, with the project open.
func (m *measuring) all() (err error) {
	defer func() { err = errors.Join(err, m.close()) }()
	for _, of := range []func() error{m.firstOpen, m.keep, m.search, m.reopen, m.models} {
		if err := errors.Join(m.ctx.Err(), of()); err != nil {
			return err
		}
	}
	return nil
}

func (m *measuring) open() (err error) {
	m.p, err = app.Open(m.ctx, m.project, app.Options{DataHome: m.data, StateHome: m.data, Models: m.Options.Models})
	return err
}

func (m *measuring) close() error {
	if m.p == nil {
		return nil
	}
	err := m.p.Close()
	m.p = nil
	return err
}

// patience bounds the time of one measurement; often bounds its repetitions.
const (
	patience = 2 * time.Second
	often    = 200
)

// repeat repeats something, and returns the duration of each run.
func (m *measuring) repeat(long time.Duration,
	do func(i int) (time.Duration, error)) (took []time.Duration, err error) {
	for end := time.Now().Add(long); len(took) < often && (len(took) == 0 || !m.Quick && time.Now().Before(end)); {
		d, err := do(len(took))
		if err := errors.Join(m.ctx.Err(), err); err != nil {
			return took, err
		}
		took = append(took, d)
	}
	return took, nil
}

// times reports repeated measurements.
func (m *measuring) times(f Figure, took []time.Duration) {
	slices.Sort(took)
	f.Value, f.Worst, f.Times, f.Unit = millis(took[len(took)/2]), millis(took[len(took)-1]), len(took), "ms"
	m.Report(f)
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// timed returns how long something took.
func timed(do func() error) (time.Duration, error) {
	start := time.Now()
	err := do()
	return time.Since(start), err
}

func notWritable(err error) error {
	return fmt.Errorf("measure: %w; name a folder that can be written with --dir", err)
}
