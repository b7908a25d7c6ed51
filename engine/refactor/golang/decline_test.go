package golang

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
	xmodule "golang.org/x/mod/module"
	"waferpair/build/testseed"
	"waferpair/engine/refactor"
)

// realModules are what TestDeclines takes its samples from, where the module cache has them.
var realModules = strings.Fields(`golang.org/x/tools@v0.52.0 github.com/spf13/cobra@v1.10.2 github.com/alecthomas/chroma/v2@v2.27.0
	github.com/pressly/goose/v3@v3.29.0 github.com/rogpeppe/go-internal@v1.16.0 github.com/fsnotify/fsnotify@v1.9.0
	github.com/klauspost/compress@v1.20.3`)

// TestDeclines renames random declarations of every kind in real modules, one
// after the other in the same copy, and lists why requests are declined. What is
// carried out must come back to identical bytes, and in the end the copy must
// build and pass go vet as it did before.
// WAFERPAIR_MODULES restricts it to modules whose path holds one of the words,
// WAFERPAIR_RENAMES says how many to try in each.
func TestDeclines(t *testing.T) {
	if os.Getenv("WAFERPAIR_LONG") == "" {
		t.Skip("only with WAFERPAIR_LONG=1: it builds whole modules")
	}
	only := strings.Fields(os.Getenv("WAFERPAIR_MODULES"))
	for _, m := range realModules {
		if len(only) > 0 && !slices.ContainsFunc(only, func(w string) bool { return strings.Contains(m, w) }) {
			continue
		}
		dir := filepath.Join(modCache(t), m)
		t.Run(filepath.Base(m), func(t *testing.T) {
			if _, err := os.Stat(dir); err != nil {
				t.Skip(err)
			}
			sampleDeclines(t, dir)
		})
	}
}

func sampleDeclines(t *testing.T, dir string) {
	seed, n := testseed.New(t), 40
	if s := os.Getenv("WAFERPAIR_RENAMES"); s != "" {
		fmt.Sscan(s, &n)
	}
	rnd := rand.New(rand.NewPCG(seed, 3))
	src := dirSource(t, dir)
	src.root = t.TempDir()
	src.files["go.mod"] = withoutMissing(t, src.files["go.mod"])
	src.write(t)
	was := complaints(t, src.root)
	reasons := map[string]int{}
	done, slowest := 0, time.Duration(0)
	for i := range n {
		d := randomDecl(t, rnd, src)
		if d == nil {
			continue
		}
		fresh := fmt.Sprintf("%szq%dq", testPrefix(d.name.Name), i)
		if exported(d.name.Name) {
			fresh = fmt.Sprintf("%sZq%dq", testPrefix(d.name.Name), i)
		}
		began := time.Now()
		dst, reason := renameAndBack(t, src, d, fresh)
		took := time.Since(began)
		slowest = max(slowest, took)
		what := fmt.Sprintf("%s %s at %s", d.kind, d.name.Name, d.place())
		if reason != "" {
			reasons[reason]++
			t.Logf("%v: %s: declined: %s", took.Round(time.Millisecond), what, reason)
			continue
		}
		done++
		t.Logf("%v: %s is %s", took.Round(time.Millisecond), what, fresh)
		src = dst
	}
	src.write(t)
	for l := range complaints(t, src.root) {
		if !was[l] {
			t.Errorf("new: %s", l)
		}
	}
	t.Logf("%d of %d renamed, there and back in at most %v; declined:", done, n, slowest.Round(time.Millisecond))
	for _, r := range slices.SortedFunc(slices.Values(keysOf(reasons)),
		func(a, b string) int { return cmp.Compare(reasons[b], reasons[a]) }) {
		t.Logf("%4d  %s", reasons[r], r)
	}
}

func keysOf(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

// renameAndBack gives the project after the rename, or why it was declined.
func renameAndBack(t *testing.T, src memSource, d *decl, fresh string) (memSource, string) {
	t.Helper()
	line := d.file.lineOf(d.name.Pos())
	target := refactor.Target{File: d.file.path, From: line, To: line}
	res, err := New().Run(context.Background(), src, target, op("rename", "symbol", d.asked(d.name.Name), "to", fresh))
	var dec *refactor.Declined
	if errors.As(err, &dec) {
		return src, dec.Reason
	} else if err != nil {
		t.Fatalf("rename %s: %v", d.place(), err)
	}
	dst := src.apply(t, res)
	back, err := New().Run(context.Background(), dst, target, op("rename", "symbol", d.asked(fresh), "to", d.name.Name))
	if err != nil {
		t.Errorf("rename %s to %s, then back: %v", d.place(), fresh, err)
		return src, ""
	}
	equalFiles(t, dst.apply(t, back), src)
	return dst, ""
}

// asked is how a request names the declaration, under the given name: where a
// line holds several of a name, the name alone would be ambiguous.
func (d *decl) asked(name string) string {
	switch {
	case d.local:
		return name
	case d.owner != "":
		return d.owner + "." + name
	case d.kind == "field" || d.kind == "method":
		return name
	}
	return d.file.ast.Name.Name + "." + name
}

// randomDecl picks a kind, then a declaration of a random file: of packages,
// members, parameters and local variables.
func randomDecl(t *testing.T, rnd *rand.Rand, src memSource) *decl {
	p, err := openProject(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	kind := []string{"func", "method", "type", "field", "var", "const", "param", "local"}[rnd.IntN(8)]
	files := p.mentioning("package")
	for range 200 {
		g := p.file(files[rnd.IntN(len(files))])
		if g == nil || g.err != nil || vendored(g.path) || strings.Contains(g.path, "testdata/") || hidden(g.path) {
			continue
		}
		ds := declsIn(g, "")
		if kind == "param" || kind == "local" {
			ds = p.someLocals(rnd, g)
		}
		ds = slices.DeleteFunc(ds, func(d *decl) bool {
			return d.kind != kind || len(d.name.Name) < 2 || testPrefix(d.name.Name) == "Example" ||
				strings.Contains(d.name.Name, "zq")
		})
		if len(ds) > 0 {
			return ds[rnd.IntN(len(ds))]
		}
	}
	return nil
}

// someLocals are the local declarations with the name of a random identifier of the file.
func (p *project) someLocals(rnd *rand.Rand, g *goFile) []*decl {
	var ids []string
	ast.Inspect(g.ast, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !exported(id.Name) {
			ids = append(ids, id.Name)
		}
		return true
	})
	if len(ids) == 0 {
		return nil
	}
	return p.localDecls(g, ids[rnd.IntN(len(ids))])
}

// write puts the project on the disk, below its root.
func (s memSource) write(t *testing.T) {
	t.Helper()
	for f, b := range s.files {
		name := filepath.Join(s.root, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// withoutMissing replaces the required modules that the module cache lacks: by
// another version where there is one, else by an empty module. Otherwise the go
// command would answer nothing about the whole module.
func withoutMissing(t *testing.T, gomod []byte) []byte {
	t.Helper()
	f, err := modfile.Parse("go.mod", gomod, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Require {
		escaped, err := xmodule.EscapePath(r.Mod.Path)
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(modCache(t), filepath.FromSlash(escaped))
		if _, err := os.Stat(at + "@" + r.Mod.Version); err == nil {
			continue
		}
		dir := t.TempDir()
		if others, _ := filepath.Glob(at + "@*"); len(others) > 0 {
			dir = others[len(others)-1]
		} else if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+r.Mod.Path+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.AddReplace(r.Mod.Path, "", dir, ""); err != nil {
			t.Fatal(err)
		}
	}
	out, err := f.Format()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// complaints are the lines that go build and go vet print of the module's
// packages that can be loaded with their tests.
func complaints(t *testing.T, dir string) map[string]bool {
	t.Helper()
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOWORK=off")
		b, _ := cmd.CombinedOutput() // what it prints is compared
		return string(b)
	}
	bad, whole := map[string]bool{}, map[string]bool{}
	for l := range strings.Lines(run("list", "-e", "-test", "-f",
		"pkg|{{.ImportPath}}|{{.ForTest}}|{{.Incomplete}}", "./...")) {
		f := strings.Split(strings.TrimSpace(l), "|")
		if len(f) != 4 || f[0] != "pkg" {
			continue
		}
		name := strings.TrimSuffix(cmp.Or(f[2], f[1]), ".test")
		whole[name] = true
		bad[name] = bad[name] || f[3] == "true"
	}
	maps.DeleteFunc(whole, func(name string, _ bool) bool { return bad[name] })
	t.Logf("go vet looks at %d packages, not at %d", len(whole), len(bad)-len(whole))
	if len(whole) == 0 {
		t.Fatal("no package can be loaded: ", run("list", "./..."))
	}
	out := map[string]bool{}
	for _, verb := range []string{"build", "vet"} {
		for l := range strings.Lines(run(append([]string{verb}, keys(whole)...)...)) {
			out[strings.TrimSpace(l)] = true
		}
	}
	return out
}
