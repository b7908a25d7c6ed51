package golang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"waferpair/engine/refactor"
)

// TestRandomOperations asks for random operations on real code. Whatever is
// carried out must apply, stay as gofmt has it, and add nothing to what the
// checker says of any package; whatever is not must be a Declined.
func TestRandomOperations(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("WAFERPAIR_SEED"); s != "" {
		fmt.Sscan(s, &seed)
	}
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	sources := []memSource{
		stdPackages(t, "strings", "bufio", "container/list", "text/tabwriter", "encoding/csv"),
		dirSource(t, filepath.Join(modCache(t), "github.com/spf13/cobra@v1.10.2")),
	}
	done, declined := map[string]int{}, map[string]int{}
	for i := range rounds(40) {
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
	typ := d.owner
	if typ == "" {
		typ = d.name.Name
	}
	ops := []refactor.Op{
		op("doc", "which", "all"),
		op("doc", "symbol", q),
		op("add-param", "func", q, "name", "zq", "type", []string{"int", "time.Duration", "context.Context", "*sync.Mutex", "struct{}"}[rnd.IntN(5)], "position", []string{"first", "last", "2"}[rnd.IntN(3)]),
		op("add-field", "type", typ, "name", "Zq", "fieldtype", "map[string]io.Reader"),
		op("json-tags", "type", typ),
		op("log-entry", "func", q),
		op("todo", "symbol", q, "text", "look again"),
		op("comment-out", "symbol", q),
		op("delete-unused", "func", q),
		op("handle-error", "func", q),
		op("remove-debug-prints", "func", q),
		op("add-test", "func", q),
		op("add-import", "path", "embed", "alias", "_"),
		op("remove-imports"),
		op("sort-imports"),
		op("extract-constant", "name", "zqConst", "expr", "1", "func", q),
		op("extract-variable", "name", "zqVar", "expr", []string{"len(s)", "err", "i", "c.args", "b.buf"}[rnd.IntN(5)], "func", q),
	}
	return ops[rnd.IntN(len(ops))]
}

func checkResult(t *testing.T, src, dst memSource, o refactor.Op, res refactor.Result) {
	t.Helper()
	for _, e := range res.Edits {
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
