package golang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/build"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/build/testseed"
	"waferpair/engine/refactor"
)

// rounds multiplies the work of the longer tests when WAFERPAIR_LONG is set.
func rounds(n int) int {
	if os.Getenv("WAFERPAIR_LONG") != "" {
		return n * 20
	}
	return n
}

// stdPackages copies packages of the standard library into a module of their own.
func stdPackages(t testing.TB, names ...string) memSource {
	t.Helper()
	s := memSource{t.TempDir(), map[string][]byte{"go.mod": []byte("module example.com/std\n\ngo 1.26\n")}}
	if err := os.WriteFile(filepath.Join(s.root, "go.mod"), s.files["go.mod"], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		dir := filepath.Join(build.Default.GOROOT, "src", n)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Skip("the standard library's source is not here: ", err)
		}
		for _, e := range entries {
			if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			// Among themselves the copies import each other.
			text := string(b)
			for _, m := range names {
				text = strings.ReplaceAll(text, `"`+m+`"`, `"example.com/std/`+m+`"`)
			}
			s.files[n+"/"+e.Name()] = []byte(text)
		}
	}
	return s
}

// TestRandomRenames renames random symbols of real code to fresh names and back.
// Whatever is not declined must leave every token but the symbol's own alone,
// type-check as before under the independent check of typeErrors, and come back
// to the identical bytes.
func TestRandomRenames(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	src := stdPackages(t, "strings", "bufio", "container/list", "text/tabwriter", "encoding/csv", "text/template/parse",
		"go/scanner", "path/filepath")
	randomRenames(t, src, rounds(6))
}

func TestRandomRenamesModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, m := range []string{"github.com/spf13/cobra@v1.10.2", "github.com/fsnotify/fsnotify@v1.9.0"} {
		dir := filepath.Join(modCache(t), m)
		t.Run(filepath.Base(m), func(t *testing.T) { randomRenames(t, dirSource(t, dir), rounds(2)) })
	}
}

func modCache(t testing.TB) string {
	dir := os.Getenv("GOMODCACHE")
	if dir == "" {
		home, _ := os.UserHomeDir()
		dir = filepath.Join(home, "go", "pkg", "mod")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no module cache: ", err)
	}
	return dir
}

func randomRenames(t *testing.T, src memSource, n int) {
	seed := testseed.New(t)
	rnd := rand.New(rand.NewPCG(seed, 1))
	p, err := openProject(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	all := allDecls(p)
	done, refused := 0, map[string]int{}
	for range n {
		d := all[rnd.IntN(len(all))]
		fresh := "zqFresh"
		if exported(d.name.Name) {
			fresh = "ZqFresh"
		}
		if testPrefix(d.name.Name) != "" {
			fresh = testPrefix(d.name.Name) + fresh
		}
		line := d.file.lineOf(d.name.Pos())
		target := refactor.Target{File: d.file.path, From: line, To: line}
		res, err := New().Run(context.Background(), src, target, op("rename", "symbol", d.name.Name, "to", fresh))
		var dec *refactor.Declined
		if errors.As(err, &dec) {
			refused[dec.Reason]++
			continue
		} else if err != nil {
			t.Fatalf("rename %s: %v", d.place(), err)
		}
		done++
		checkRename(t, src, src.apply(t, res), d, fresh, res)
	}
	t.Logf("%d renamed; declined: %d", done, n-done)
	for r, c := range refused {
		t.Logf("  %d x %s", c, r)
	}
	if n > 20 && done < n/3 {
		t.Errorf("only %d of %d renames were carried out", done, n)
	}
}

func allDecls(p *project) []*decl {
	var all []*decl
	for _, f := range p.mentioning("package") {
		g := p.file(f)
		if g == nil || g.err != nil || vendored(f) || strings.Contains(f, "testdata/") {
			continue
		}
		all = append(all, declsIn(g, "")...)
		for _, d := range declsIn(g, "") {
			if d.kind == "func" {
				if inner := p.localDecls(g, "err"); len(inner) > 0 {
					all = append(all, inner[0])
				}
				break
			}
		}
	}
	return all
}

func checkRename(t *testing.T, src, dst memSource, d *decl, fresh string, res refactor.Result) {
	t.Helper()
	what := fmt.Sprintf("rename %s %s at %s to %s", d.kind, d.name.Name, d.place(), fresh)
	for _, e := range res.Edits {
		sameTokens(t, what, e.Path, src.files[e.Path], dst.files[e.Path], d.name.Name, fresh)
	}
	if diff := typeErrors(t, dst, res, fresh, d.name.Name); diff != "" {
		t.Fatalf("%s: %s", what, diff)
	}
	line := 0
	for i, l := range strings.Split(string(dst.files[d.file.path]), "\n") {
		if i+1 == d.file.lineOf(d.name.Pos()) && strings.Contains(l, fresh) {
			line = i + 1
		}
	}
	target := refactor.Target{File: d.file.path, From: line, To: line}
	back, err := New().Run(context.Background(), dst, target, op("rename", "symbol", fresh, "to", d.name.Name))
	if err != nil {
		t.Fatalf("%s, then back: %v", what, err)
	}
	again := dst.apply(t, back)
	for f := range src.files {
		if bytes.Count(dst.files[f], []byte("\n")) != bytes.Count(src.files[f], []byte("\n")) {
			// gofmt broke a line that the new name made too long; it joins none again.
			sameTokens(t, what+" and back", f, src.files[f], again.files[f], "", "")
			again.files[f] = src.files[f]
		}
	}
	equalFiles(t, again, src)
	if t.Failed() {
		t.Fatal(what)
	}
}

// sameTokens checks that nothing but identifiers spelled old changed, and of
// the comments only those that begin with it.
func sameTokens(t *testing.T, what, path string, a, b []byte, old, fresh string) {
	ta, tb := tokens(a), tokens(b)
	if len(ta) != len(tb) {
		t.Fatalf("%s: %s has %d tokens instead of %d", what, path, len(tb), len(ta))
	}
	for i := range ta {
		x, y := ta[i], tb[i]
		switch {
		case x == y:
		case x.tok == token.IDENT && y.tok == token.IDENT && (x.lit == old && y.lit == fresh ||
			strings.HasPrefix(x.lit, "Example")):
		case x.tok == token.COMMENT && strings.Replace(x.lit, old, fresh, 1) == y.lit:
		default:
			t.Fatalf("%s: %s: %v became %v", what, path, x, y)
		}
	}
}

type tokenLit struct {
	tok token.Token
	lit string
}

func tokens(src []byte) []tokenLit {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(src)), src, nil, scanner.ScanComments)
	var out []tokenLit
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return out
		case tok == token.SEMICOLON && lit == "\n": // gofmt breaks a line that a new name makes too long
		default:
			out = append(out, tokenLit{tok, lit})
		}
	}
}

// typeErrors checks every package of the project in full, the slow way, and
// reports errors that mention the new name.
func typeErrors(t *testing.T, s memSource, res refactor.Result, fresh, old string) string {
	p, err := openProject(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	u := p.universe(hostConfig(), levelAll)
	for _, dir := range sortedKeys(p.dirs) {
		for _, x := range u.unitsOf(dir, p.files(p.dirs[dir])) {
			for _, e := range x.errs {
				if strings.Contains(e.Msg, fresh) || strings.Contains(e.Msg, " "+old) && strings.Contains(e.Msg, "undefined") {
					return e.Error()
				}
			}
		}
	}
	return ""
}
