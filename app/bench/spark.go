package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/engine/refactor/golang/genproject"
	"waferpair/engine/spark"
)

// everyday are requests in a programmer's words about the project of genproject.
var everyday = []string{
	"parseConfig is a bad name, readLine says what it does",
	"there's no test for parseConfig yet",
	"parseConfig could use a doc comment",
	"could you give parseConfig another param, strict bool",
	"nobody passes line to parseConfig any more, drop it",
	"benenne parseConfig bitte in readLine um",
	"pls rename parse config -> readLine everywhere",
	"log when parseConfig is entered",
}

// everyday returns the requests, or a few of them in a quick run.
func (e *Env) everyday() []string {
	if e.Quick {
		return everyday[:2]
	}
	return everyday
}

// benchSpark measures the built-in model.
func benchSpark(ctx context.Context, e *Env) error {
	dir, err := e.sub("project")
	if err != nil {
		return err
	}
	if err := genproject.GenerateProject(dir, e.scale(2000)); err != nil {
		return err
	}
	linear, decoder := spark.WeightSizes()
	e.Report(Result{Measure: "weights in the program", Value: float64(linear+decoder) / 1e6, Unit: "MB", Bound: 10,
		AtMost: true, Note: fmt.Sprintf("linear model %d bytes, decoder %d bytes", linear, decoder)})
	if err := e.sparkInApp(ctx, dir); err != nil {
		return err
	}
	if err := e.sparkCommandLine(ctx, dir); err != nil {
		return err
	}
	if e.Quick {
		return nil // the evaluation sets take minutes, and the tests of build/train measure them
	}
	return e.sparkSets(ctx)
}

// sparkInApp measures in a process that has the project open.
func (e *Env) sparkInApp(ctx context.Context, dir string) (err error) {
	p, err := app.Open(ctx, dir, app.Options{DataHome: filepath.Join(e.Dir, "data")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := errors.Join(p.Baseline(), p.Prepare(ctx)); err != nil {
		return err
	}
	if err := e.hearing(ctx, p, dir); err != nil {
		return err
	}
	var acted, asked []time.Duration
	for i := range 1 + e.repeats(10) {
		for _, request := range e.everyday() {
			took, edits, err := tryEdit(ctx, p, request)
			switch {
			case err != nil:
				return err
			case i == 0: // warms up
			case edits:
				acted = append(acted, took)
			default:
				asked = append(asked, took)
			}
		}
	}
	e.times("request to first edit, warm, both voices agree", acted, 60)
	e.times("request to its choices, warm, up to three dry runs", asked, 150)
	return nil
}

// times reports the 95th percentile of measured times, with the median; nothing if there are none.
func (e *Env) times(measure string, all []time.Duration, bound float64) {
	if len(all) == 0 {
		e.Log(measure + ": no request was of this kind")
		return
	}
	e.Report(Result{Measure: measure + ", p95", Value: millis(percentile(all, 0.95)), Unit: "ms", Bound: bound,
		AtMost: true, Note: fmt.Sprintf("median %.1f ms, of %d", millis(percentile(all, 0.5)), len(all))})
}

// tryEdit shows what a request would do, and returns the time to its first edit, or, without
// edits, to its end.
func tryEdit(ctx context.Context, p *app.Project, request string) (took time.Duration, edits bool, err error) {
	start := time.Now()
	turn, err := p.Edit(ctx, app.EditRequest{Text: request, Model: "spark", DryRun: true})
	if err != nil {
		return 0, false, err
	}
	for ev := range turn.Events() {
		if _, ok := ev.(engine.HunkChanged); ok && !edits {
			took, edits = time.Since(start), true
		}
	}
	if out := turn.Wait(); out.Status == engine.Failed {
		return 0, false, fmt.Errorf("%q: %s", request, out.Message)
	}
	if !edits {
		took = time.Since(start)
	}
	return took, edits, ctx.Err()
}

// declared is a project's symbols, read before.
type declared struct {
	root    string
	files   []string
	symbols []model.Symbol
}

func (d declared) Files(context.Context) ([]string, error)         { return d.files, nil }
func (d declared) Read(string) ([]byte, error)                     { return nil, fs.ErrNotExist }
func (d declared) Root() string                                    { return d.root }
func (d declared) Symbols(context.Context) ([]model.Symbol, error) { return d.symbols, nil }

// hearing measures the linker, the linear model and the decoder, without a dry run.
func (e *Env) hearing(ctx context.Context, p *app.Project, dir string) error {
	found, _, err := p.Query().Declared(ctx, 0)
	if err != nil {
		return err
	}
	src := declared{root: dir}
	for _, s := range found {
		src.symbols = append(src.symbols, model.Symbol{Name: s.Name, Kind: s.Kind, Owner: s.Container, Path: s.Path,
			Line: s.Line, EndLine: s.EndLine, Params: s.Params()})
		if !slices.Contains(src.files, s.Path) {
			src.files = append(src.files, s.Path)
		}
	}
	m := spark.New()
	var times []time.Duration
	for i := range 1 + e.repeats(20) {
		for _, request := range e.everyday() {
			start := time.Now()
			m.Hear(ctx, model.Prompt{Items: []model.Item{model.User(request)}, Files: src})
			if i > 0 {
				times = append(times, time.Since(start))
			}
		}
	}
	e.times(fmt.Sprintf("linker, linear model and decoder, %d symbols", len(src.symbols)), times, 40)
	return nil
}

// sparkCommandLine measures requests in new processes.
func (e *Env) sparkCommandLine(ctx context.Context, dir string) error {
	time.Sleep(2 * time.Second) // until the files are old enough for their time stamps to count
	names := [2]string{genproject.Function, "loadConfig"}
	var first []time.Duration
	for i := range 2 + e.repeats(40) {
		f, _, err := e.timeEdit(ctx, dir, fmt.Sprintf("rename %s to %s everywhere", names[i%2], names[1-i%2]))
		if err != nil {
			return err
		}
		if i >= 2 {
			first = append(first, f)
		}
	}
	e.Report(Result{Measure: "command line, process start to first edit, median", Value: millis(percentile(first, 0.5)),
		Unit: "ms", Bound: 150, AtMost: true})
	e.Report(Result{Measure: "command line, process start to first edit, p95", Value: millis(percentile(first, 0.95)),
		Unit: "ms", Bound: 250, AtMost: true})
	return nil
}

// sparkSets has build/train measure the evaluation sets, as 'make hears' does.
func (e *Env) sparkSets(ctx context.Context) error {
	sets, err := filepath.Glob("build/train/testdata/dev/*")
	if err != nil || len(sets) == 0 {
		return errors.New("the evaluation sets are in the repository: run this there")
	}
	cmd := exec.CommandContext(ctx, "go", "run", "./build/train", "-weights", "engine/spark/weights.bin", "-decoder",
		"engine/spark/decoder.gguf", "-dev", strings.Join(sets, ","))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("measure the evaluation sets: %w", err)
	}
	results, err := readSets(string(out))
	for _, r := range results {
		e.Report(r)
	}
	return err
}

// readSets reads the figures of all requests out of what build/train prints.
func readSets(out string) ([]Result, error) {
	var results []Result
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) == 6 && f[0] == "all" {
			for i, r := range []Result{{Measure: "exact program", Bound: 75}, {Measure: "right in the top three", Bound: 88},
				{Measure: "carried out without a question"}, {Measure: "wrong, of these", Bound: 1, AtMost: true}} {
				v, err := strconv.ParseFloat(f[2+i], 64)
				if err != nil {
					return nil, fmt.Errorf("read %q: %w", line, err)
				}
				r.Measure, r.Value, r.Unit = fmt.Sprintf("evaluation sets, %s requests: %s", f[1], r.Measure), v, "%"
				results = append(results, r)
			}
		}
		var declines, taken, asks, asked int
		if n, _ := fmt.Sscanf(line, "declined: %d, of these taken for an edit: %d; to be asked about: %d, asked: %d",
			&declines, &taken, &asks, &asked); n == 4 {
			results = append(results, Result{Measure: fmt.Sprintf("near misses and out of scope, %d: became edits", declines),
				Value: float64(taken), Unit: "requests", Bound: 3, AtMost: true,
				Note: fmt.Sprintf("asked about %d of %d that have to be", asked, asks)})
		}
	}
	if len(results) != 5 {
		return nil, fmt.Errorf("the evaluation printed no figures that are known:\n%s", out)
	}
	return results, nil
}
