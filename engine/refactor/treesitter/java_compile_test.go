package treesitter

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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

// javac compiles folders, one after the other, in one Java machine.
type javac struct {
	in  io.Writer
	out *bufio.Reader
}

func startJavac(t *testing.T) *javac {
	t.Helper()
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("no javac")
	}
	cmd := exec.Command("java", "-XX:+UseSerialGC", "testdata/Compiles.java")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it ends with its input
		_ = cmd.Wait() // what it said has been read
	})
	return &javac{in, bufio.NewReader(out)}
}

// errors are what javac says about a project.
func (c *javac) errors(t *testing.T, m memory, options string) []string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "p")
	m = maps.Clone(m)
	for _, name := range []string{"Test", "Disabled"} { // what a test that was added needs
		m["org/junit/jupiter/api/"+name+".java"] = "package org.junit.jupiter.api;\n\npublic @interface " + name +
			" { String value() default \"\"; }\n"
	}
	for f, s := range m {
		p := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := fmt.Fprintln(c.in, dir+strings.ReplaceAll(options, "DIR", dir)); err != nil {
		t.Fatal(err)
	}
	var out []string
	for {
		line, err := c.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(line, " done\n") {
			return out
		}
		out = append(out, strings.ReplaceAll(strings.TrimSpace(line), dir, ""))
	}
}

// javaProjects are the projects to try operations on: that of the evaluation set without its
// tests, which need a library, and the folders of WAFERPAIR_JAVA_CORPUS. A folder that is named
// after a module of Java's own is compiled as that module.
func javaProjects(t *testing.T) map[string]memory {
	t.Helper()
	out := map[string]memory{"": readJava(t, "../../../build/train/testdata/dev/java/project/src/main")}
	for _, dir := range filepath.SplitList(os.Getenv("WAFERPAIR_JAVA_CORPUS")) {
		out[" --patch-module "+filepath.Base(dir)+"=DIR"] = readJava(t, dir)
	}
	return out
}

func readJava(t *testing.T, dir string) memory {
	t.Helper()
	m := memory{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".java") || strings.HasSuffix(d.Name(), "-info.java") {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		m[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil || len(m) == 0 {
		t.Fatal(len(m), err)
	}
	return m
}

// TestJavaStillCompiles carries random operations out on real projects, and has javac compile
// what comes out. An operation may decline; it must not break the program.
func TestJavaStillCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	c := startJavac(t)
	seed := testseed.New(t)
	for options, m := range javaProjects(t) {
		if errs := c.errors(t, m, options); len(errs) > 0 {
			t.Fatalf("it does not compile as it is: %v", errs)
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		lang := Java()
		did, declined := map[string]int{}, map[string]int{}
		for range rounds(60) {
			target, op := randomJava(t, rng, lang, m)
			r, err := lang.Run(context.Background(), m, target, op)
			var d *refactor.Declined
			if errors.As(err, &d) {
				declined[op.Name]++
				if os.Getenv("WAFERPAIR_LONG") != "" {
					t.Logf("%s in %s: %s", op, target.File, d.Reason)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", op, err)
			}
			did[op.Name]++
			if errs := c.errors(t, m.apply(t, r), options); len(errs) > 0 {
				t.Errorf("%s in %s %d-%d: %s\n%s", op, target.File, target.From, target.To, r.Summary, strings.Join(errs, "\n"))
			}
		}
		t.Logf("%d files: done %v, declined %v", len(m), did, declined)
	}
}

// randomJava is a request about a random declaration.
func randomJava(t *testing.T, rng *rand.Rand, lang refactor.Language, m memory) (refactor.Target, refactor.Op) {
	t.Helper()
	files, err := m.Files(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	file := files[rng.IntN(len(files))]
	list, err := lang.(refactor.Outliner).Outline(file, []byte(m[file]))
	if err != nil || len(list) == 0 {
		t.Fatal(file, err)
	}
	d := list[rng.IntN(len(list))]
	for range 30 { // methods are what most operations are about
		if d.Kind == "method" || rng.IntN(3) == 0 {
			break
		}
		d = list[rng.IntN(len(list))]
	}
	name := d.Name
	if d.Container != "" {
		name = d.Container[strings.LastIndexByte(d.Container, '.')+1:] + "." + name
	}
	target := refactor.Target{File: file, From: d.Line, To: d.Line}
	op := func(name string, args ...string) refactor.Op {
		o := refactor.Op{Name: name, Args: map[string]string{}}
		for i := 0; i < len(args); i += 2 {
			o.Args[args[i]] = args[i+1]
		}
		return o
	}
	var all []refactor.Op
	if d.Kind == "method" {
		all = append(all, op("add-param", "func", name, "name", "waferpair", "type", "String"),
			op("add-param", "func", name, "name", "waferpair", "type", "long", "position", "first"),
			op("delete-unused", "func", name), op("log-entry", "func", name), op("add-test", "func", name),
			op("early-return", "func", name), op("inline", "symbol", name), op("remove-debug-prints", "func", name, "which",
				"all"), op("log-entry", "func", name, "logger", "java.util.logging"),
			op("string-style", "func", name, "style", "format"), op("string-style", "func", name, "style", "concat"),
			op("handle-error", "func", name), op("handle-error", "func", name, "call", calledIn(rng, m[file], d)))
		if len(d.Params) > 0 {
			p := d.Params[rng.IntN(len(d.Params))]
			all = append(all, op("remove-param", "func", name, "name", p),
				op("reorder-params", "func", name, "name", p, "position", "first"),
				op("rename", "symbol", p, "to", "waferpair"))
		}
	}
	for _, to := range []string{"public", "private", "protected"} {
		all = append(all, op("visibility", "symbol", name, "to", to))
	}
	if d.Kind == "type" {
		all = append(all, op("accessors", "type", name), op("add-field", "type", name, "name", "waferpair", "fieldtype",
			"java.util.List<String>"))
	}
	all = append(all, op("rename", "symbol", name, "to", otherName(rng, list, d)), op("doc", "symbol", name),
		op("comment-out", "symbol", name), op("todo", "symbol", name, "text", "x"), op("sort-imports"),
		op("remove-imports"), op("add-import", "path", "java.util.TreeMap"))
	if o, ok := extraction(rng, m[file], d); ok {
		all = append(all, o, o)
	}
	all = filterOps(all, lang)
	sort.SliceStable(all, func(a, b int) bool { return all[a].Name < all[b].Name })
	o := all[rng.IntN(len(all))]
	if strings.HasSuffix(o.Name, "-imports") || o.Name == "add-import" {
		target.From, target.To = 0, 0
	}
	return target, o
}

func filterOps(all []refactor.Op, lang refactor.Language) []refactor.Op {
	var out []refactor.Op
	for _, o := range all {
		if lang.Has(o.Name) {
			out = append(out, o)
		}
	}
	return out
}

// otherName is a fresh name, or one that is taken: then the rename has to see the clash.
func otherName(rng *rand.Rand, list []refactor.Declaration, d refactor.Declaration) string {
	if rng.IntN(3) > 0 {
		return "waferpair"
	}
	o := list[rng.IntN(len(list))]
	if len(o.Params) > 0 && rng.IntN(2) == 0 {
		return o.Params[0]
	}
	return o.Name
}

// calledIn is what one of the calls in the lines of a declaration calls.
func calledIn(rng *rand.Rand, src string, d refactor.Declaration) string {
	root, err := parse(javaGrammar, []byte(src))
	if err != nil {
		return ""
	}
	var all []string
	root.walk(func(n *node) bool {
		if l := n.line(); n.is("method_invocation", "object_creation_expression") && l >= d.Line && l <= d.EndLine {
			all = append(all, calleeText(n))
		}
		return true
	})
	if len(all) == 0 {
		return ""
	}
	return all[rng.IntN(len(all))]
}

// extraction is about a random expression in the lines of a declaration.
func extraction(rng *rand.Rand, src string, d refactor.Declaration) (refactor.Op, bool) {
	root, err := parse(javaGrammar, []byte(src))
	if err != nil {
		return refactor.Op{}, false
	}
	var exprs []*node
	root.walk(func(n *node) bool {
		if l := n.line(); l >= d.Line && l <= d.EndLine && n.named && (strings.HasSuffix(n.kind, "_expression") ||
			strings.HasSuffix(n.kind, "_literal") || n.is("method_invocation", "field_access")) {
			exprs = append(exprs, n)
		}
		return true
	})
	if len(exprs) == 0 || d.Kind != "method" {
		return refactor.Op{}, false
	}
	e := exprs[rng.IntN(len(exprs))]
	name := "extract-variable"
	if strings.HasSuffix(e.kind, "_literal") {
		name = "extract-constant"
	}
	return refactor.Op{Name: name, Args: map[string]string{"name": "WAFERPAIR", "expr": e.text(), "func": d.Name}}, true
}
