package treesitter

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"waferpair/build/testseed"
	"waferpair/engine/refactor"
)

// TestPackagesStillImport renames random top-level names and members of whole
// packages of the standard library, across their files, and has Python import
// every module of the result: a place that was missed is a name that is not there.
func TestPackagesStillImport(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	files := stdlib(t)
	root := filepath.Dir(files[0])
	for !fileExists(filepath.Join(root, "os.py")) {
		root = filepath.Dir(root)
	}
	seed := testseed.New(t)
	rng := rand.New(rand.NewPCG(seed, 2))
	for _, pkg := range []string{"email", "asyncio", "unittest", "json", "logging"} {
		m := memory{}
		paths, _ := filepath.Glob(filepath.Join(root, pkg, "*.py"))
		for _, f := range paths {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			m["copied/"+pkg+"/"+filepath.Base(f)] = movedInto("copied", pkg, string(b))
		}
		m["copied/__init__.py"] = ""
		for range rounds(3) {
			renameInPackage(t, rng, m, pkg)
		}
	}
}

// movedInto makes the imports of a package those of its copy in another one. A
// plain import would mean the original, which is in Python's own library.
func movedInto(parent, pkg, source string) string {
	plain := regexp.MustCompile(`(?m)^(\s*import (?:[\w.]+, *)*)` + pkg + `(,|$)`)
	source = plain.ReplaceAllString(source, "${1}"+parent+"."+pkg+" as "+pkg+"${2}")
	return strings.NewReplacer("from "+pkg, "from "+parent+"."+pkg, "import "+pkg+".", "import "+parent+"."+pkg+".").
		Replace(source)
}

func fileExists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

func renameInPackage(t *testing.T, rng *rand.Rand, m memory, pkg string) {
	lang := Python()
	p, err := open(context.Background(), m, pythonDialect{}, &cache{})
	if err != nil {
		t.Fatal(err)
	}
	u := p.unit(p.files[1+rng.IntN(len(p.files)-1)])
	var names []string
	for _, b := range u.bindings {
		if b.scope.kind == moduleScope && !b.onlyImported() {
			names = append(names, b.name)
		}
	}
	for _, c := range u.classes {
		for name := range c.members {
			names = append(names, c.title()+"."+name)
		}
	}
	if len(names) == 0 {
		return
	}
	name := names[rng.IntN(len(names))]
	to := "waferpair_fresh"
	if strings.HasPrefix(name, "_") || strings.Contains(name, "._") {
		to = "_" + to
	}
	r, err := lang.Run(context.Background(), m, refactor.Target{File: u.path},
		refactor.Op{Name: "rename", Args: map[string]string{"symbol": name, "to": to}})
	var d *refactor.Declined
	if errors.As(err, &d) {
		t.Logf("%s %s: %s", u.path, name, d.Reason)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if out := importAll(t, m.apply(t, r)); strings.Contains(out, "waferpair_fresh") ||
		strings.Contains(out, "'"+name[strings.LastIndexByte(name, '.')+1:]+"'") {
		t.Errorf("%s: %s: %.300s", u.path, name, out)
	} else {
		t.Logf("%s %s: %s", u.path, name, r.Summary)
	}
}

func importAll(t *testing.T, m memory) string {
	dir := t.TempDir()
	var mods []string
	for f, s := range m {
		p := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f, "__main__.py") && !strings.Contains(f, "windows") {
			mods = append(mods, strings.TrimSuffix(strings.ReplaceAll(strings.TrimSuffix(f, ".py"), "/", "."), ".__init__"))
		}
	}
	script := "import sys,importlib\nsys.dont_write_bytecode=True\nsys.path.insert(0,'.')\nfor m in '" +
		strings.Join(mods, " ") + "'.split():\n  try: importlib.import_module(m)\n  except (NameError,AttributeError,ImportError,TypeError) as e: print(m,repr(e))\n"
	cmd := exec.Command("python3", "-c", script)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	return string(out)
}
