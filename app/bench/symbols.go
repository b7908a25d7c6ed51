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

	"waferpair/app"
)

// coldSymbols is the environment variable that makes a process of the benchmark find the
// symbols of the project that it names.
const coldSymbols = "WAFERPAIR_BENCH_SYMBOLS"

// benchSymbols finds the symbols of a project in new processes: first when all files must
// be read, then when the history holds their symbols.
func benchSymbols(ctx context.Context, e *Env) error {
	dir, err := e.sub("project")
	if err != nil {
		return err
	}
	n := e.scale(2000)
	if err := declaringFiles(dir, n); err != nil {
		return err
	}
	if err := e.baseline(ctx, dir); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // time stamps of younger files are not trusted
	read, err := e.coldSymbols(ctx, dir)
	if err != nil {
		return err
	}
	var times []time.Duration
	for range 1 + e.repeats(20) {
		t, err := e.coldSymbols(ctx, dir)
		if err != nil {
			return err
		}
		times = append(times, t)
	}
	e.Report(Result{Measure: fmt.Sprintf("the symbols of %d files in a cold process, median", n),
		Value: millis(percentile(times[1:], 0.5)), Unit: "ms", Bound: 15, AtMost: true,
		Note: fmt.Sprintf("best %.1f ms; read from the files %.0f ms", millis(percentile(times, 0)), millis(read))})
	return nil
}

func (e *Env) baseline(ctx context.Context, dir string) error {
	p, err := app.Open(ctx, dir, app.Options{DataHome: filepath.Join(e.Dir, "data")})
	if err != nil {
		return err
	}
	return errors.Join(p.Baseline(), p.Close())
}

// coldSymbols returns the time that a new process takes, with the project open, until it
// has the symbols of all files in memory.
func (e *Env) coldSymbols(ctx context.Context, dir string) (time.Duration, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(e.environ(), coldSymbols+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("a process that finds symbols: %w: %s", err, out)
	}
	took, err := time.ParseDuration(string(out))
	if err != nil {
		return 0, fmt.Errorf("a process that finds symbols: %w", err)
	}
	return took, nil
}

// Child does the work of a process that a benchmark started, and then exits. Otherwise it
// returns at once. Main and TestMain call it first.
func Child() {
	if kind := os.Getenv(turnProvider); kind != "" {
		if err := provide(kind); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir := os.Getenv(coldSymbols)
	if dir == "" {
		return
	}
	took, err := findSymbols(context.Background(), dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(took)
	os.Exit(0)
}

// findSymbols opens a project and times finding its symbols.
func findSymbols(ctx context.Context, dir string) (took time.Duration, err error) {
	p, err := app.Open(ctx, dir, app.Options{DataHome: os.Getenv("XDG_DATA_HOME")})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := p.Ready(ctx); err != nil {
		return 0, err
	}
	start := time.Now()
	if _, err := p.Query().Symbols(ctx, "", "", 1); err != nil { // loads all symbols and searches for none
		return 0, err
	}
	took = time.Since(start)
	found, err := p.Query().Symbols(ctx, "handler7", "", 50)
	if err == nil && len(found) == 0 {
		err = errors.New("no symbol was found")
	}
	return took, err
}

// declaringFiles creates n files of Go, Python and TypeScript in folders of twenty. Each
// declares about twenty symbols in about 120 lines.
func declaringFiles(dir string, n int) error {
	languages := []struct {
		ext, one string
		parts    []string
	}{
		{".go", "package p\n\n", []string{
			"// Handler$ answers requests of kind $.\ntype Handler$ struct {\n\tlimit int\n\tnames []string\n}\n\n",
			"// Serve$ writes what was asked for.\nfunc (h *Handler$) Serve$(w io.Writer, names ...string) error {\n\tfor i, name := range names {\n\t\tif i > h.limit {\n\t\t\treturn fmt.Errorf(\"%s: more than %d\", name, h.limit)\n\t\t}\n\t\tfmt.Fprintln(w, name)\n\t}\n\treturn nil\n}\n\n",
			"const maxHandler$ = 10 // of kind $\n\n",
		}},
		{".py", "import os\n\n", []string{
			"class Handler$:\n    \"\"\"Answers requests of kind $.\"\"\"\n\n    limit = 10\n\n    def serve_$(self, names):\n        for i, name in enumerate(names):\n            if i > self.limit:\n                raise ValueError(name)\n            print(name)\n        return None\n\n",
			"def handler_of_$(path):\n    names = os.listdir(path)\n    return [n for n in names if n]\n\n",
		}},
		{".ts", "import { readFile } from 'fs'\n\n", []string{
			"export interface Handler$Options {\n  limit: number\n  names: string[]\n}\n\n",
			"export class Handler$ {\n  constructor(private readonly options: Handler$Options) {}\n\n  serve$(names: string[]): string {\n    return names.slice(0, this.options.limit).map((n) => n.trim()).join(', ')\n  }\n}\n\n",
			"export function makeHandler$(limit: number): Handler$ {\n  return new Handler$({ limit, names: [] })\n}\n\n",
		}},
	}
	for i := range n {
		l := languages[i%len(languages)]
		var b strings.Builder
		b.WriteString(l.one)
		for k := range 15 {
			b.WriteString(strings.ReplaceAll(l.parts[k%len(l.parts)], "$", fmt.Sprintf("%dx%d", i, k/len(l.parts))))
		}
		folder := filepath.Join(dir, fmt.Sprintf("d%02d", i/20))
		if i%20 == 0 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%04d%s", i, l.ext)),
			[]byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
