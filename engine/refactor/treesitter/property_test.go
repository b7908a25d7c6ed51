package treesitter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"waferpair/build/testseed"
	"waferpair/engine/refactor"
)

// stdlib lists the files of the Python standard library on this machine.
func stdlib(t testing.TB) []string {
	py, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	out, err := exec.Command(py, "-c", "import os; print(os.path.dirname(os.__file__))").Output()
	if err != nil {
		t.Skip("python3 does not run:", err)
	}
	root := strings.TrimSpace(string(out))
	files, _ := filepath.Glob(root + "/*.py")
	for _, pkg := range []string{"email", "json", "asyncio", "http", "unittest", "importlib",
		"concurrent/futures", "logging"} {
		more, _ := filepath.Glob(filepath.Join(root, pkg, "*.py"))
		files = append(files, more...)
	}
	if len(files) < 10 {
		t.Skip("no standard library at", root)
	}
	sort.Strings(files)
	return files
}

// nodeFiles lists JavaScript files that come with node (npm's own sources) and
// with the front-end packages that other tests install.
func nodeFiles(t testing.TB) []string {
	var files []string
	roots := []string{os.Getenv("WAFERPAIR_JS_CORPUS"), "../../../workspace/text/testdata/cm/node_modules",
		"../../../frontend/src"}
	if n, err := exec.LookPath("node"); err == nil {
		if n, err = filepath.EvalSymlinks(n); err == nil {
			roots = append(roots, filepath.Join(filepath.Dir(n), "../lib/node_modules/npm"))
		}
	}
	for _, r := range roots {
		if r == "" {
			continue
		}
		filepath.WalkDir(r, func(p string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && (ecma{}).handles(p) && !strings.Contains(p, ".min.") {
				if i, err := d.Info(); err == nil && i.Size() < 200_000 {
					files = append(files, p)
				}
			}
			return nil
		})
	}
	if len(files) < 10 {
		t.Skip("no JavaScript sources on this machine")
	}
	sort.Strings(files)
	return files
}

func rounds(n int) int {
	if os.Getenv("WAFERPAIR_LONG") == "1" {
		return n * 10
	}
	return n
}

// renamed is one rename that went through, for the checks by other programs.
type renamed struct {
	File, Before, After, Old, New, Kind string
}

// renameAtRandom renames random bindings of random files and back again.
func renameAtRandom(t *testing.T, lang refactor.Language, files []string, n int) []renamed {
	seed := testseed.New(t)
	rng := rand.New(rand.NewPCG(seed, 1))
	d := lang.(*language).d
	var out []renamed
	declined := map[string]int{}
	for range n {
		f := files[rng.IntN(len(files))]
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		u := (&cache{}).get(d, f, src)
		if u.errors > 0 || len(u.bindings) == 0 {
			continue
		}
		b := u.bindings[rng.IntN(len(u.bindings))]
		if b.onlyImported() || d.invalid(b.name) != "" { // sloppy JavaScript allows `interface`
			continue
		}
		r, why := renameOnce(t, lang, filepath.Base(f), string(src), b)
		if why != "" {
			declined[why]++
			continue
		}
		r.File = f
		out = append(out, r)
	}
	t.Logf("%d renamed, declined: %v", len(out), declined)
	if len(out) < n/4 {
		t.Errorf("only %d of %d renames went through", len(out), n)
	}
	return out
}

func renameOnce(t *testing.T, lang refactor.Language, file, src string, b *binding) (renamed, string) {
	t.Helper()
	line := b.decls[0].name.line()
	fresh := "waferpairFresh"
	if b.name[0] == '_' {
		fresh = "_" + fresh
	}
	project := memory{file: src}
	target := refactor.Target{File: file, From: line, To: line}
	op := refactor.Op{Name: "rename", Args: map[string]string{"symbol": b.name, "to": fresh}}
	res, err := lang.Run(context.Background(), project, target, op)
	var dec *refactor.Declined
	if errors.As(err, &dec) {
		words := strings.Fields(dec.Reason)
		return renamed{}, strings.Join(words[max(0, len(words)-3):], " ")
	}
	if err != nil {
		t.Fatalf("%s: %s: %v", file, b.name, err)
	}
	after := project.apply(t, res)
	back, err := lang.Run(context.Background(), after, target,
		refactor.Op{Name: "rename", Args: map[string]string{"symbol": fresh, "to": b.name}})
	if err != nil {
		t.Fatalf("%s:%d: %s: back: %v", file, line, b.name, err)
	}
	// {name} becomes {name: fresh}, which comes back as {name: name}.
	if again := after.apply(t, back); strings.ReplaceAll(again[file],
		b.name+": "+b.name, b.name) != strings.ReplaceAll(src, b.name+": "+b.name, b.name) {
		t.Fatalf("%s:%d: %s: there and back is not the same", file, line, b.name)
	}
	checkQuiet(t, lang.(*language).d, file, src, after[file], b.name)
	return renamed{Before: src, After: after[file], Old: b.name, New: fresh, Kind: b.kind}, ""
}

// checkQuiet: no byte of a string or comment changed.
func checkQuiet(t *testing.T, d dialect, file, before, after, name string) {
	t.Helper()
	quiet := func(s string) []string {
		var out []string
		root, err := parse(d.grammar(file), []byte(s))
		if err != nil {
			t.Fatal(err)
		}
		root.walk(func(n *node) bool {
			if n.is("comment", "string_content", "string_fragment", "jsx_text", "regex_pattern") && n.text() != name &&
				n.text() != "waferpairFresh" && n.text() != "_waferpairFresh" {
				out = append(out, n.text())
			}
			return true
		})
		return out
	}
	if a, b := strings.Join(quiet(before), "\x00"), strings.Join(quiet(after), "\x00"); a != b {
		t.Fatalf("%s: renaming %s changed a string or comment", file, name)
	}
}

// pyOracle compiles both versions with Python itself. The code must be the same,
// instruction by instruction, but for the name; a variable that was missed would
// turn from a local into a global.
const pyOracle = `
import sys, json, types, dis
def code(src, old, new):
    out = []
    todo = [compile(src, "x", "exec", dont_inherit=True)]
    while todo:
        c = todo.pop()
        out.append(old if c.co_name == new else c.co_name)
        for i in dis.get_instructions(c):
            if i.opname in ("EXTENDED_ARG", "CACHE", "RESUME", "MAKE_CELL", "COPY_FREE_VARS"): continue
            v = i.argval
            if isinstance(v, types.CodeType): v = "code"
            if isinstance(v, tuple): v = tuple(old if x == new else x for x in v)
            # "C.new.<locals>.Inner" is the qualified name of a class in a method
            if isinstance(v, str): v = ".".join(old if x == new else x for x in v.split("."))
            if isinstance(v, str): v = v.replace("_" + new.lstrip("_") + "__", "_" + old.lstrip("_") + "__")
            if i.opname.startswith(("JUMP", "POP_JUMP", "FOR_ITER", "SEND")): v = None
            out.append((i.opname, repr(v)))
        todo += [k for k in c.co_consts if isinstance(k, types.CodeType)]
    return out
import warnings; warnings.simplefilter("ignore")
for r in json.load(sys.stdin):
    try: a = code(r["Before"], r["Old"], r["New"])
    except SyntaxError: continue
    b = code(r["After"], r["Old"], r["New"])
    key = lambda x: str(x)
    if a != b and sorted(map(key, a)) != sorted(map(key, b)):
        d = [(x, y) for x, y in zip(a, b) if x != y][:3]
        print(r["File"], r["Old"], r["Kind"], d)
`

func TestPythonRenamesAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	done := renameAtRandom(t, Python(), stdlib(t), rounds(60))
	in, err := json.Marshal(done)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "-c", pyOracle)
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Fatalf("python: %v\n%s", err, out)
	}
}

// TestJavaScriptRenamesAtRandom lets node read what came out.
func TestJavaScriptRenamesAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	done := renameAtRandom(t, TypeScript(), nodeFiles(t), rounds(60))
	dir := t.TempDir()
	script := []string{"const vm=require('vm'),fs=require('fs');"}
	for i, r := range done {
		if e := ext(r.File); e != ".js" && e != ".cjs" || strings.Contains(r.Before, "import ") ||
			strings.Contains(r.Before, "export ") {
			continue
		}
		f := filepath.Join(dir, fmt.Sprint(i, ".js"))
		after := r.After
		if rest, ok := strings.CutPrefix(after, "#!"); ok {
			after = "//" + rest
		}
		if err := os.WriteFile(f, []byte("(async function(){"+after+"\n})"), 0o600); err != nil {
			t.Fatal(err)
		}
		script = append(script,
			fmt.Sprintf("try{new vm.Script(fs.readFileSync(%q,'utf8'))}catch(e){console.log(%q,%q,e.message)}",
				f, r.File, r.Old))
	}
	out, err := exec.Command("node", "-e", strings.Join(script, "\n")).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Fatalf("node: %v\n%s", err, out)
	}
}
