package golang

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"waferpair/build/testseed"
	"waferpair/engine/refactor"
)

// TestRandomOperations asks for random operations on real code. Whatever is
// carried out must apply, stay as gofmt has it, and add nothing to what the
// checker says of any package; whatever is not must be a Declined.
func TestRandomOperations(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	seed := testseed.New(t)
	rnd := rand.New(rand.NewPCG(seed, 2))
	sources := []memSource{
		stdPackages(t, "strings", "bufio", "container/list", "text/tabwriter", "encoding/csv"),
		dirSource(t, filepath.Join(modCache(t), "github.com/spf13/cobra@v1.10.2")),
		withCRLF(stdPackages(t, "strings", "bufio", "container/list", "text/tabwriter", "encoding/csv")),
	}
	done, declined := map[string]int{}, map[string]int{}
	for i := range rounds(9) {
		src := sources[i%len(sources)]
		p, err := openProject(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		all := allDecls(p)
		d := all[rnd.IntN(len(all))]
		o := randomOp(rnd, d)
		target := refactor.Target{File: d.file.path}
		res, err := New().Run(context.Background(), src, target, o)
		var dec *refactor.Declined
		if errors.As(err, &dec) {
			declined[o.Name]++
			t.Logf("%v: %s", o, dec.Reason)
			continue
		}
		if err != nil {
			t.Fatalf("%v in %s: %v", o, d.file.path, err)
		}
		done[o.Name]++
		checkResult(t, src, src.apply(t, res), o, res)
	}
	t.Logf("carried out %v, declined %v", done, declined)
}

func randomOp(rnd *rand.Rand, d *decl) refactor.Op {
	q := d.name.Name
	if d.owner != "" {
		q = d.owner + "." + q
	}
	pick := func(s ...string) string { return s[rnd.IntN(len(s))] }
	ops := []refactor.Op{
		op("doc", "which", "all"),
		op("doc", "symbol", q),
		op("todo", "symbol", q, "text", "look again"),
		op("comment-out", "symbol", q),
		op("add-import", "path", "embed", "alias", "_"),
		op("remove-imports"),
		op("sort-imports"),
	}
	switch d.kind {
	case "func", "method":
		ops = append(ops[4-rnd.IntN(4):],
			op("add-param", "func", q, "name", "zq", "type", pick("int", "time.Duration", "context.Context",
				"*sync.Mutex", "struct{}"), "position", pick("first", "last", "2")),
			op("add-param", "func", q, "name", "zq", "type", pick("int", "time.Duration", "context.Context"), "position",
				pick("first", "last", "2")),
			op("remove-param", "func", q, "name", pick("s", "t", "b", "cmd", "r")),
			op("log-entry", "func", q),
			op("delete-unused", "func", q),
			op("handle-error", "func", q),
			op("remove-debug-prints", "func", q),
			op("add-test", "func", q),
			op("replace-call", "from", d.name.Name, "to", d.name.Name),
			op("extract-constant", "name", "zqConst", "expr", pick("1", "0", `""`, "2"), "func", q),
			op("extract-variable", "name", "zqVar", "expr", pick("len(s)", "err", "i", "c.args", "b.buf",
				"c.Flags()", "b.r", "i+1"), "func", q),
		)
	case "type":
		ops = append(ops, op("json-tags", "type", q), op("add-field", "type", q, "name", "Zq", "fieldtype",
			"map[string]io.Reader"),
			op("add-field", "type", q, "name", "zq", "fieldtype", "int"))
	case "var", "const":
		ops = append(ops, op("set-constant", "name", q, "value", pick("3", `"x"`, "nil")))
	}
	return ops[rnd.IntN(len(ops))]
}

func withCRLF(s memSource) memSource {
	for f, b := range s.files {
		if isGo(f) {
			s.files[f] = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
		}
	}
	return s
}

func checkResult(t *testing.T, src, dst memSource, o refactor.Op, res refactor.Result) {
	t.Helper()
	crlf := bytes.Contains(src.files[sortedKeys(src.files)[0]], []byte("\r\n"))
	for _, e := range res.Edits {
		if b := dst.files[e.Path]; crlf && bytes.Count(b, []byte("\n")) != bytes.Count(b, []byte("\r\n")) {
			t.Errorf("%v: %s has lines without a carriage return", o, e.Path)
		}
		old, clean := gofmt(src.files[e.Path])
		if e.Create || clean && bytes.Equal(old, src.files[e.Path]) {
			if now, ok := gofmt(dst.files[e.Path]); !ok || !bytes.Equal(now, dst.files[e.Path]) {
				t.Errorf("%v: %s is not formatted any more:\n%s", o, e.Path, dst.files[e.Path])
			}
		}
	}
	if was, is := countErrors(t, src), countErrors(t, dst); is > was {
		t.Errorf("%v: the checker has %d complaints, had %d", o, is, was)
	}
}

// countErrors checks every package of the project for the host.
func countErrors(t *testing.T, s memSource) int {
	t.Helper()
	p, err := openProject(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	u := p.universe(hostConfig(), levelAll)
	for _, dir := range sortedKeys(p.dirs) {
		for _, x := range u.unitsOf(dir, p.files(p.dirs[dir])) {
			n += len(x.errs)
		}
	}
	return n
}
