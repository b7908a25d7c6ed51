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
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"waferpair/build/testseed"
	"waferpair/engine/refactor"
	"waferpair/engine/refactor/languages"
)

// importAll loads every module below the folder, and looks every name of every function up.
const importAll = `
import builtins, dis, importlib, os, sys, types
sys.dont_write_bytecode = True
for m in [m for m in sys.modules if os.path.isdir(m.split(".")[0])]: del sys.modules[m]
sys.path.insert(0, ".")
bad = []
def names(code, mod):
    for i in dis.get_instructions(code):
        if i.opname == "LOAD_GLOBAL" and not hasattr(mod, i.argval) and not hasattr(builtins, i.argval):
            bad.append(f"{mod.__name__}: {code.co_name}: {i.argval}")
    for c in code.co_consts:
        if isinstance(c, types.CodeType): names(c, mod)
for folder, _, files in os.walk("."):
    for f in sorted(files):
        if not f.endswith(".py") or f == "__main__.py": continue
        path = os.path.normpath(os.path.join(folder, f))
        name = path[:-3].replace(os.sep, ".").removesuffix(".__init__")
        mod = importlib.import_module(name)
        assert os.path.samefile(mod.__file__, path), (mod.__file__, path)
        names(compile(open(path).read(), path, "exec"), mod)
if bad: sys.exit("\n".join(sorted(set(bad))))
`

// TestMovesJudged moves declarations of real code from file to file, one move upon the other, and
// lets the compilers of the languages judge the result.
func TestMovesJudged(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	python, _ := exec.Command("python3", "-c", "import json, os; print(os.path.dirname(os.path.dirname(json.__file__)))").
		Output()
	frontend, err := filepath.Abs("../../frontend")
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(frontend, "node_modules")
	for _, c := range []struct {
		name, root string
		folders    []string
		subject    *regexp.Regexp
		judge      []string
	}{
		{"go", filepath.Join(build.Default.GOROOT, "src"), []string{"bufio", "text/tabwriter", "encoding/csv",
			"text/template/parse", "go/printer", "regexp/syntax", "flag", "go/doc/comment"},
			regexp.MustCompile(`(?m)^(?:func (?:\(\w+ \*?(\w+)\) )?|type |var |const )(\w+)|^\t([A-Z]\w*)`),
			[]string{"go", "vet", "-composites=false", "./..."}},
		{"python", strings.TrimSpace(string(python)), []string{"json", "email", "logging", "html",
			"http", "urllib", "unittest", "wsgiref"},
			regexp.MustCompile(`(?m)^()(?:def |class |)([A-Za-z_]\w*)()(?:\(| = |:)`), []string{"python3", "-c", importAll}},
		{"typescript", frontend, []string{"src"},
			regexp.MustCompile(`(?m)^()(?:export )?(?:async )?(?:function|class|const|interface|type|enum) (\w+)()`),
			[]string{"sh", "-c", "ln -s '" + modules + "' node_modules && node_modules/.bin/tsc --noEmit -p ."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := project{}
			if _, err := os.Stat(filepath.Join(modules, ".bin/tsc")); err != nil && c.name == "typescript" {
				t.Skip(err)
			}
			if c.name == "go" {
				p["go.mod"] = "module example.com/m\n\ngo 1.26\n"
			}
			for _, folder := range c.folders {
				if c.name == "typescript" {
					p.addTypeScript(t, c.root, folder)
				} else {
					p.addFolder(t, c.root, folder)
				}
			}
			was := maps.Clone(p)
			p, done, declined := p.movedAbout(t, c.subject)
			t.Logf("%d moves carried out, %d declined", done, declined)
			if done == 0 {
				t.Error("nothing moved")
			}
			after, _ := p.judged(t, c.judge)
			if after == "" {
				return
			}
			before, _ := was.judged(t, c.judge)
			if worse := p.withoutLeft(complaints(before, after)); len(worse) > 0 {
				t.Errorf("the compiler complains:\n%s", strings.Join(worse, "\n"))
			}
		})
	}
}

var unusedLocal = regexp.MustCompile(`^(\S+)\((\d+),\d+\): error TS6133: `)

// withoutLeft drops complaints about declarations whose only user has moved away. They stay, as no
// other one of the file is touched; imports that are left over have to go.
func (p project) withoutLeft(worse []string) (out []string) {
	for _, line := range worse {
		if m := unusedLocal.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[2])
			lines := strings.Split(p[m[1]], "\n")
			if err == nil && n <= len(lines) && strings.HasPrefix(lines[n-1], "const ") {
				continue
			}
		}
		out = append(out, line)
	}
	return out
}

// complaints are the lines of the second text that the first has not, wherever they are about.
func complaints(before, after string) (worse []string) {
	what := func(line string) string {
		_, what, _ := strings.Cut(line, ": ")
		return what
	}
	had := map[string]int{}
	for line := range strings.Lines(before) {
		had[what(line)]++
	}
	for line := range strings.Lines(after) {
		if had[what(line)]--; had[what(line)] < 0 {
			worse = append(worse, strings.TrimSpace(line))
		}
	}
	return worse
}

// addTypeScript adds the TypeScript files below a folder, and how they are compiled.
func (p project) addTypeScript(t *testing.T, root, folder string) {
	p["tsconfig.json"] = readFile(t, filepath.Join(root, "tsconfig.json"))
	err := filepath.WalkDir(filepath.Join(root, folder), func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && filepath.Ext(name) == ".ts" {
			rel, _ := filepath.Rel(root, name)
			p[filepath.ToSlash(rel)] = readFile(t, name)
		}
		return err
	})
	if err != nil {
		t.Skip(err)
	}
}

func readFile(t *testing.T, name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Skip(err)
	}
	return string(b)
}

// movedAbout asks for moves to files that are there and to new ones.
func (p project) movedAbout(t *testing.T, subject *regexp.Regexp) (after project, done, declined int) {
	rnd := rand.New(rand.NewPCG(testseed.New(t), 4))
	tries := 40
	if os.Getenv("WAFERPAIR_LONG") != "" {
		tries = 1000
	}
	runner := refactor.Runner{Languages: languages.All()}
	for range tries {
		files, _ := p.Files(context.Background())
		file, other := files[rnd.IntN(len(files))], files[rnd.IntN(len(files))]
		found := subject.FindAllStringSubmatch(p[file], -1)
		if len(found) == 0 {
			continue
		}
		m := found[rnd.IntN(len(found))]
		name := strings.TrimPrefix(m[1]+"."+m[2]+m[3], ".")
		to := path.Join(path.Dir(file), path.Base(other))
		if rnd.IntN(3) == 0 {
			to = path.Join(path.Dir(file), "moved"+path.Ext(file))
		} else if path.Ext(file) != ".go" && rnd.IntN(2) == 0 {
			to = other
		}
		op := refactor.Op{Name: "move", Args: map[string]string{"symbol": name, "to": to}}
		res, err := runner.Run(context.Background(), p, refactor.Target{File: file}, refactor.Program{op})
		var d *refactor.Declined
		switch {
		case errors.As(err, &d):
			declined++
			if d.Code == refactor.Beyond {
				t.Logf("%s: %s", file, d)
			}
		case err != nil:
			t.Fatalf("%v in %s: %v", op, file, err)
		case len(res.Edits) > 0:
			done++
			t.Logf("%s: %v", file, op)
			p = p.with(t, res)
		}
	}
	return p, done, declined
}
