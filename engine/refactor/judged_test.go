package refactor_test

import (
	"context"
	"errors"
	"go/build"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"waferpair/build/testseed"
	"waferpair/engine/refactor"
	"waferpair/engine/refactor/languages"
)

// TestJudged carries operations out on the functions of real code, one upon the other, and lets
// the compilers of the languages judge the result, never our own trees.
func TestJudged(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	python, _ := exec.Command("python3", "-c", "import json, os; print(os.path.dirname(os.path.dirname(json.__file__)))").
		Output()
	for _, c := range []struct {
		name, root string
		folders    []string
		subject    *regexp.Regexp
		judge      []string
		ops        []judgedOp
	}{
		{"go", filepath.Join(build.Default.GOROOT, "src"), []string{"bufio", "text/tabwriter", "encoding/csv",
			"text/template/parse", "go/printer", "regexp/syntax", "flag", "go/doc/comment"},
			regexp.MustCompile(`(?m)^func (?:\(\w+ \*?(\w+)\) )?(\w+)\(`),
			[]string{"go", "vet", "-composites=false", "./..."},
			append(slices.Clone(judgedOps), judgedImplement)},
		{"python", strings.TrimSpace(string(python)), []string{"json", "email", "logging"},
			regexp.MustCompile(`(?m)^()def (\w+)\(`), []string{"python3", "-m", "compileall", "-q", "."},
			append(slices.Clone(judgedOps), judgedAsync)},
		{"typescript", "../../frontend/src", []string{".", "actions", "commands", "diff", "editor", "editor/testing", "state",
			"testing", "timeline", "ui", "views", "views/conversation"},
			regexp.MustCompile(`(?m)^(?:export )?()(?:function|const) (\w+)`), []string{"node_modules/.bin/tsc", "-p", "."},
			[]judgedOp{judgedAsync}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := project{"go.mod": "module example.com/m\n\ngo 1.26\n"}
			for _, folder := range c.folders {
				p.addFolder(t, c.root, folder)
			}
			if c.name == "typescript" {
				p.addConfig(t, c.root)
			}
			was := maps.Clone(p)
			p, done, declined := p.changedAll(t, c.subject, c.ops)
			t.Logf("carried out %v, declined %v", done, declined)
			out, err := p.judged(t, c.judge)
			if err == nil {
				return
			}
			if out, err := was.judged(t, c.judge); err != nil {
				t.Skipf("the code does not pass as it was: %v\n%s", err, out)
			}
			t.Errorf("%v: %s", err, out)
		})
	}
}

func (p project) addFolder(t *testing.T, root, folder string) {
	files, err := os.ReadDir(filepath.Join(root, folder))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	for _, f := range files {
		if ext := filepath.Ext(f.Name()); (ext == ".go" || ext == ".py" || ext == ".ts") &&
			!strings.HasSuffix(f.Name(), "_test.go") {
			b, err := os.ReadFile(filepath.Join(root, folder, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			p[filepath.ToSlash(filepath.Join(folder, f.Name()))] = string(b)
		}
	}
}

// addConfig adds what tsc reads beside the sources.
func (p project) addConfig(t *testing.T, root string) {
	modules, err := filepath.Abs(filepath.Join(root, "../node_modules"))
	if err == nil {
		_, err = os.Stat(filepath.Join(modules, ".bin/tsc"))
	}
	if err != nil {
		t.Skip(err)
	}
	b, err := os.ReadFile(filepath.Join(root, "../tsconfig.json"))
	if err != nil {
		t.Fatal(err)
	}
	p["tsconfig.json"] = strings.Replace(string(b), `["src"]`, `["."]`, 1)
	p["node_modules"] = modules
}

func (p project) judged(t *testing.T, judge []string) (string, error) {
	dir := t.TempDir()
	for name, text := range p {
		to := filepath.Join(dir, name)
		if name == "node_modules" {
			if err := os.Symlink(text, to); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(judge[0], judge[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// changedAll asks for an operation on some of the functions.
func (p project) changedAll(t *testing.T,
	subject *regexp.Regexp, ops []judgedOp) (project, map[string]int, map[string]int) {
	rnd := rand.New(rand.NewPCG(testseed.New(t), 3))
	done, declined := map[string]int{}, map[string]int{}
	files, _ := p.Files(context.Background())
	tries := 40
	if os.Getenv("WAFERPAIR_LONG") != "" {
		tries = 2000
	}
	runner := refactor.Runner{Languages: languages.All()}
	for range tries {
		file := files[rnd.IntN(len(files))]
		found := subject.FindAllStringSubmatch(p[file], -1)
		if len(found) == 0 {
			continue
		}
		m := found[rnd.IntN(len(found))]
		name := strings.TrimPrefix(m[1]+"."+m[2], ".")
		op := ops[rnd.IntN(len(ops))](rnd, name)
		res, err := runner.Run(context.Background(), p, refactor.Target{File: file}, refactor.Program{op})
		var d *refactor.Declined
		if errors.As(err, &d) {
			declined[op.Name]++
			if !slices.Contains([]refactor.Code{refactor.Ambiguous, refactor.NoSymbol}, d.Code) {
				t.Logf("%s: %s", file, d)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v in %s: %v", op, file, err)
		}
		if len(res.Edits) == 0 {
			declined[op.Name]++
			continue
		}
		done[op.Name]++
		t.Logf("%s: %v", file, op)
		p = p.with(t, res)
	}
	return p, done, declined
}

type judgedOp func(rnd *rand.Rand, function string) refactor.Op

func judgedAsync(_ *rand.Rand, f string) refactor.Op {
	return refactor.Op{Name: "async", Args: map[string]string{"func": f}}
}

func judgedImplement(rnd *rand.Rand, f string) refactor.Op {
	of, _, _ := strings.Cut(f, ".")
	all := []string{"fmt.Stringer", "http.Handler", "slog.Handler", "sort.Interface", "io.ReadWriteCloser", "error",
		"json.Marshaler", "driver.Valuer", "heap.Interface", "fs.FS", "flag.Value", "fmt.State", "io.WriterTo"}
	return refactor.Op{Name: "implement", Args: map[string]string{"type": of, "interface": all[rnd.IntN(len(all))]}}
}

var judgedOps = []judgedOp{
	func(rnd *rand.Rand, f string) refactor.Op {
		styles := []string{"fstring", "format", "concat"}
		return refactor.Op{Name: "string-style", Args: map[string]string{"func": f, "style": styles[rnd.IntN(3)]}}
	},
	func(_ *rand.Rand, f string) refactor.Op {
		return refactor.Op{Name: "early-return", Args: map[string]string{"func": f}}
	},
	func(_ *rand.Rand, f string) refactor.Op {
		return refactor.Op{Name: "inline", Args: map[string]string{"symbol": f}}
	},
	func(_ *rand.Rand, f string) refactor.Op {
		to := "private"
		if strings.Contains(f, "_") || f == strings.ToLower(f) {
			to = "public"
		}
		return refactor.Op{Name: "visibility", Args: map[string]string{"symbol": f, "to": to}}
	},
	func(rnd *rand.Rand, f string) refactor.Op {
		calls := []string{"", "open", "int", "float", "os.remove", "json.loads"}
		return refactor.Op{Name: "handle-error", Args: map[string]string{"func": f, "call": calls[rnd.IntN(len(calls))]}}
	},
	func(rnd *rand.Rand, f string) refactor.Op {
		loggers := []string{"", "logging.info", "print", "slog.Debug", "log", "self.log"}
		return refactor.Op{Name: "log-entry", Args: map[string]string{"func": f, "logger": loggers[rnd.IntN(len(loggers))]}}
	},
}
