package golang

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// TestNames: each name of a file stands for what the type checker says, in its scope.
func TestNames(t *testing.T) {
	src := txtarSource(t, `-- p/a.go --
package p

import "os"

type T struct{ n int }

func (t *T) add(n int) (sum int) {
	for i := range n {
		sum += i
		t.n++
	}
	f := func() { n = len(os.Args) }
	f()
	switch v := any(n).(type) {
	case int:
		return v
	}
	return other(&sum)
}
-- p/b.go --
package p

func other(*int) int { return 0 }
`)
	p, err := openProject(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	s := syntax{&job{ctx: context.Background(), p: p, op: refactor.Op{Name: "todo"}}, map[string]*kit.File{}}
	f, err := s.File("p/a.go")
	if err != nil {
		t.Fatal(err)
	}
	names, err := s.Names(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := func(ns []*kit.Node) string {
		var out []string
		for _, n := range ns {
			out = append(out, fmt.Sprint(f.LineOf(n.From)))
		}
		return strings.Join(out, ",")
	}
	var got []string
	for _, v := range names.Vars(0, len(f.Src)) {
		if v.Kind == "outside" {
			got = append(got, v.Name+" outside "+lines(v.Refs))
			continue
		}
		got = append(got, fmt.Sprintf("%s %s in %s %d: %s, declared %s, written %s", v.Kind, v.Name, v.Scope.Kind,
			f.LineOf(v.Scope.From), lines(v.Refs), lines(v.Decls), lines(v.Writes)))
	}
	slices.Sort(got)
	want := strings.Split(strings.TrimSpace(`
any outside 14
import os in file 1: 12, declared , written `+`
int outside 5,7,7,15
len outside 12
other outside 18
param n in function 7: 7,8,12,14, declared 7, written 12
param sum in function 7: 7,9,18, declared 7, written 9,18
param t in function 7: 7,10, declared 7, written `+`
type T in file 1: 5,7, declared 5, written `+`
var f in function 7: 12,13, declared 12, written 12
var i in loop 8: 8,9, declared 8, written 8
var v in switch 14: 14,16, declared 14, written 14`), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestUses(t *testing.T) {
	src := txtarSource(t, `-- p/a.go --
package p

func Load(int) {}
-- q/b.go --
package q

import . "example.com/m/p"

func f() {
	(Load)(1)
	g := Load
	g(2)
}
-- q/c.go --
package q

import "example.com/m/p"

var _ = func() { p.Load(3) }
`)
	p, err := openProject(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	op := refactor.Op{Name: "todo", Args: map[string]string{"symbol": "Load"}}
	s := syntax{&job{ctx: context.Background(), p: p, op: op}, map[string]*kit.File{}}
	ds, err := s.Subject("symbol")
	if err != nil {
		t.Fatal(err)
	}
	uses, err := s.Uses(ds)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range uses {
		got = append(got, strings.TrimSpace(u.Place()+" "+u.File.Text(u.Call)))
	}
	slices.Sort(got)
	if g := strings.Join(got, ", "); g != "q/b.go:6 (Load)(1), q/b.go:7, q/c.go:5 p.Load(3)" {
		t.Error(g)
	}
}
