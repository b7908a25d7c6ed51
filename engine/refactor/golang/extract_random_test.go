package golang

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/build/testseed"
	"waferpair/engine/refactor"
)

// TestRandomExtractions moves random statements of real code into functions. What is not
// declined has to please go vet as the code before did.
func TestRandomExtractions(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	src := stdPackages(t, "container/list", "text/tabwriter", "encoding/csv", "encoding/json", "text/template/parse",
		"go/printer", "net/mail", "compress/flate")
	maps.DeleteFunc(src.files, func(f string, _ []byte) bool { return strings.HasSuffix(f, "_test.go") })
	seed := testseed.New(t)
	rnd := rand.New(rand.NewPCG(seed, 3))
	if says := vetted(t, src); says != "" {
		t.Fatal("before any change, go vet says ", says)
	}
	done, refused := 0, map[string]int{}
	n := rounds(12)
	for range n {
		target := randomLines(t, src, rnd)
		res, err := New().Run(context.Background(), src, target, op("extract-function", "name", "zqPart"))
		var dec *refactor.Declined
		if errors.As(err, &dec) {
			refused[strings.Join(strings.Fields(dec.Reason)[:2], " ")]++
			continue
		} else if err != nil {
			t.Fatalf("%v: %v", target, err)
		}
		done++
		dst := src.apply(t, res)
		if says := vetted(t, memSource{t.TempDir(), dst.files}, filepath.Dir(target.File)); says != "" {
			t.Fatalf("%v: go vet says %s\n%s", target, says, dst.files[target.File])
		}
	}
	t.Logf("%d extracted of %d; declined: %v", done, n, refused)
}

// randomLines are the lines of some statements of one block.
func randomLines(t *testing.T, src memSource, rnd *rand.Rand) refactor.Target {
	t.Helper()
	p, err := openProject(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	type run struct {
		g     *goFile
		stmts []ast.Stmt
	}
	var all []run
	for _, f := range p.mentioning("package") {
		g := p.file(f)
		ast.Inspect(g.ast, func(n ast.Node) bool {
			if b, ok := n.(*ast.BlockStmt); ok && len(b.List) > 0 {
				all = append(all, run{g, b.List})
			}
			return true
		})
	}
	r := all[rnd.IntN(len(all))]
	i := rnd.IntN(len(r.stmts))
	k := min(len(r.stmts)-1, i+rnd.IntN(4))
	return refactor.Target{File: r.g.path, From: r.g.lineOf(r.stmts[i].Pos()), To: r.g.lineOf(r.stmts[k].End())}
}

// vetted is what go vet says about packages of a module in a folder of its own.
func vetted(t *testing.T, src memSource, dirs ...string) string {
	t.Helper()
	for f, b := range src.files {
		file := filepath.Join(src.root, f)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"vet"}
	for _, d := range dirs {
		args = append(args, "./"+d)
	}
	if dirs == nil {
		args = append(args, "./...")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = src.root
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%v: %s", err, out)
}
