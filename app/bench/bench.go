// Package bench measures the figures in the README, on this computer, with real projects,
// processes and disks. It is not part of the product; package speed is, and measures what
// users want to know. The program waferbench, in the folder of that name, runs the benchmarks;
// 'make bench' builds and runs it. It also runs package faults, which attacks the product from
// outside.
//
// Each benchmark is one file. It creates what it needs in a temporary folder, measures, and
// compares the figure with its bound. Figures depend on the computer: no test depends on them,
// and when two ways are compared, both run in the same process right after each other.
package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Result is one figure.
type Result struct {
	Bench   string  `json:"bench"`
	Measure string  `json:"measure"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Bound   float64 `json:"bound,omitempty"`
	AtMost  bool    `json:"at_most"` // Bound is an upper bound; else a lower one
	Note    string  `json:"note,omitempty"`
}

// Meets reports whether the figure is within its bound.
func (r Result) Meets() bool {
	if r.AtMost {
		return r.Value <= r.Bound
	}
	return r.Value >= r.Bound
}

// Env is the environment of a benchmark.
type Env struct {
	Program string       // the waferpair to measure
	Window  string       // the ui benchmarks' program, a build that allows automation; "": make e2e's
	Dir     string       // an empty folder
	Quick   bool         // smaller sizes, to try the benchmark itself
	Edits   int          // edits of the growth benchmark; 0 is the default
	Log     func(string) // receives progress
	Report  func(Result)
}

// scale returns n, or a fraction of it in a quick run.
func (e *Env) scale(n int) int {
	if e.Quick {
		return max(n/50, 5)
	}
	return n
}

// repeats returns how often to measure; a few times in a quick run.
func (e *Env) repeats(n int) int {
	if e.Quick {
		return min(n, 3)
	}
	return n
}

// Bench is one benchmark.
type Bench struct {
	Name string
	Help string
	Run  func(ctx context.Context, e *Env) error
}

// All lists the benchmarks, in the order in which they run.
func All() []Bench {
	return []Bench{
		{"edit", "process start to the first edit visible, and to the end, in a 2,000-file Go project", benchEdit},
		{"spark", "the built-in model: evaluation sets, latency in the app and on the command line, size of its weights",
			benchSpark},
		{"stream", "a script model through parse, locate, apply, history, acknowledged", benchStream},
		{"turns", "turns of language models: on a slow line, a token's processor time, cuts, first token, steer, 2,000 turns",
			benchTurns},
		{"open", "open a project that was opened before, with 10,000 edits", benchOpen},
		{"history", "100,000 edits: read any version; size on disk", benchHistory},
		{"growth", "1,000,000 edits (--edits) against a tenth of them: open, read any version, the timeline", benchGrowth},
		{"symbols", "the symbols of 2,000 files, in processes that have just started", benchSymbols},
		{"first-open", "first open of 100,000 files: usable, and reconciled", benchFirstOpen},
		{"attach", "the same edit alone, and while another process has the project open: the difference", benchAttach},
		{"kill-owner", "kill -9 of the process that commands are attached to, at random moments of their turns",
			benchKillOwner},
		{"kill", "kill -9 at random moments of a streaming turn", benchKill},
		{"race", "an outside program saves the same file during our saves", benchRace},
		{"idle", "CPU while a folder of 100,000 files is open and watched", benchIdle},
		{"wafer", "the emulated wafer: against plain code, its formulas and published measurements; its speed", benchWafer},
		{"infer", "the runtime of model files against llama.cpp on the same files: decode, prompts, scoring", benchInfer},
		{"ui-stream", "the real window: frames while a model streams", uiStream},
		{"ui-typing", "the real window: key to paint while a model streams into the same file", uiTyping},
		{"ui-stop", "the real window: frames from Esc to the last painted token", uiEscape},
		{"ui-turns", "the real window with a provider: request to first edit, frames beside the script model, steering",
			uiTurns},
		{"ui-memory", "the real window: memory that a turn of 100,000 tokens adds", uiMemory},
		{"ui-start", "the real window: process start to the first paint of a resumed project", uiResume},
		{"ui-scrub", "the real window: the slider moves, all visible text is exact", uiScrub},
		{"ui-tree", "the real window: start and filter with 100,000 files", uiTree},
	}
}

// UI names all benchmarks of the window.
const UI = "ui"

// Run runs the named benchmarks, or all of them.
func Run(ctx context.Context, names []string, e Env) error {
	for _, b := range All() {
		if len(names) > 0 && !b.among(names) {
			continue
		}
		if err := runOne(ctx, b, e); err != nil {
			return fmt.Errorf("bench %s: %w", b.Name, err)
		}
	}
	return nil
}

func (b Bench) among(names []string) bool {
	return slices.Contains(names, b.Name) || b.OfWindow() && slices.Contains(names, UI)
}

// OfWindow reports whether the benchmark needs a window; see Env.Window.
func (b Bench) OfWindow() bool { return strings.HasPrefix(b.Name, UI+"-") }

func runOne(ctx context.Context, b Bench, e Env) error {
	dir, err := os.MkdirTemp(e.Dir, "waferpair-bench-"+b.Name+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e.Dir = dir
	report := e.Report
	e.Report = func(r Result) {
		r.Bench = b.Name
		report(r)
	}
	e.Log(b.Help)
	return b.Run(ctx, &e)
}

// sub creates a folder below the benchmark's.
func (e *Env) sub(name string) (string, error) {
	dir := filepath.Join(e.Dir, name)
	return dir, os.MkdirAll(dir, 0o755)
}

// percentile returns a percentile of measured times; p is from 0 to 1.
func percentile(all []time.Duration, p float64) time.Duration {
	s := slices.Sorted(slices.Values(all))
	return s[min(len(s)-1, int(float64(len(s))*p))]
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// dirSize returns the total size of the files below dir.
func dirSize(dir string) (int64, error) {
	var n int64
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}
