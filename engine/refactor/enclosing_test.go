package refactor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/workspace/text"
)

// pointing is a language that says what it was asked, and whose only
// declaration is the word of the selected line that begins with a capital.
type pointing struct{ words }

func (p pointing) Has(string) bool { return true }

func (p pointing) Enclosing(_ context.Context, src refactor.Source,
	t refactor.Target, kind string) (string, string, bool, error) {
	b, err := src.Read(t.File)
	if err != nil {
		return "", "", false, err
	}
	var found []string
	for _, l := range strings.Split(string(b), "\n")[t.From-1 : t.To] {
		if l != "" && l[0] >= 'A' && l[0] <= 'Z' {
			found = append(found, l)
		}
	}
	switch {
	case kind == "method", len(found) == 0:
		return "", "", false, nil
	case len(found) > 1:
		return "", "", false, &refactor.Declined{Reason: "several"}
	}
	return found[0], "func", true, nil
}

// Run puts the operation, as it arrived, above the file's first line.
func (p pointing) Run(_ context.Context, _ refactor.Source,
	t refactor.Target, op refactor.Op) (refactor.Result, error) {
	said := op.String()
	if t.From > 0 {
		said += fmt.Sprintf(" on lines %d-%d", t.From, max(t.From, t.To))
	}
	return refactor.Result{Edits: []refactor.FileEdit{{Path: t.File, Changes: []text.Change{{Insert: "\n"}}}},
		Summary: said + "."}, nil
}

func TestPointing(t *testing.T) {
	src := memory{"f.a": "x\nOpen\ny\nClose\n", "f.b": ""}
	r := refactor.Runner{Languages: []refactor.Language{pointing{words{".a"}}, words{".b"}}}
	at := func(from, to int) refactor.Target { return refactor.Target{File: "f.a", From: from, To: to} }
	op := func(name string, args ...string) refactor.Op {
		o := refactor.Op{Name: name, Args: map[string]string{}}
		for i := 0; i < len(args); i += 2 {
			o.Args[args[i]] = args[i+1]
		}
		return o
	}
	for _, c := range []struct {
		target refactor.Target
		prog   refactor.Program
		want   string
	}{
		{at(2, 2), refactor.Program{op("rename", "symbol", "@func", "to", "z")}, "rename symbol=Open to=z kind=func."},
		{at(2, 2), refactor.Program{op("rename", "symbol", "@func.w", "to", "z")}, "rename symbol=Open.w to=z."},
		{at(2, 3), refactor.Program{op("add-param", "func", "@", "name", "n")}, "add-param func=Open name=n."},
		{at(4, 4), refactor.Program{op("json-tags", "type", "@type"), op("add-test", "func", "@func"),
			op("todo", "text", "x")},
			"json-tags type=Close. add-test func=Close. todo text=x on lines 6-6."},
		{at(2, 2), refactor.Program{op("doc")}, "doc symbol=Open."},
		{at(1, 4), refactor.Program{op("doc")}, "doc which=all on lines 1-4."},
		{at(1, 4), refactor.Program{op("doc", "which", "exported")}, "doc which=exported on lines 1-4."},
		{at(1, 4), refactor.Program{op("doc", "symbol", "@")}, "declined: several"},
		{at(2, 2), refactor.Program{op("doc", "symbol", "@method")}, "declined: lines 2-2 of f.a are in no method"},
		{at(1, 1), refactor.Program{op("rename", "symbol", "@func", "to", "z")},
			"declined: lines 1-1 of f.a are in no function"},
		{refactor.Target{File: "f.a"}, refactor.Program{op("rename", "symbol", "@", "to", "z")},
			"declined: nothing is selected, so there is no declaration to point at"},
		{refactor.Target{File: "f.b", From: 1, To: 1}, refactor.Program{op("rename", "symbol", "@", "to", "z")},
			"declined: no language that the built-in model knows can tell what is selected in f.b"},
	} {
		res, err := r.Run(context.Background(), src, c.target, c.prog)
		got := res.Summary
		var d *refactor.Declined
		if errors.As(err, &d) {
			got = "declined: " + d.Reason
		} else if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%v at %v:\n got %s\nwant %s", c.prog, c.target, got, c.want)
		}
	}
}

// TestTargetMoves: the selection keeps to its text when text above it, in it or below it changes.
func TestTargetMoves(t *testing.T) {
	src := memory{"f": "a\nb\nc\nd"}
	for _, c := range []struct {
		from, to int
		change   text.Change
		want     [2]int
	}{
		{2, 3, text.Change{From: 0, To: 0, Insert: "x\n"}, [2]int{3, 4}},
		{2, 3, text.Change{From: 2, To: 2, Insert: "x\n"}, [2]int{3, 4}}, // right above: the comment of what is selected
		{2, 3, text.Change{From: 4, To: 4, Insert: "x\n"}, [2]int{2, 4}},
		{2, 3, text.Change{From: 6, To: 6, Insert: "x\n"}, [2]int{2, 3}},
		{2, 3, text.Change{From: 0, To: 2, Insert: ""}, [2]int{1, 2}},
		{2, 3, text.Change{From: 0, To: 7, Insert: ""}, [2]int{1, 1}},
		{4, 0, text.Change{From: 0, To: 0, Insert: "x\n"}, [2]int{5, 5}},
	} {
		got, err := refactor.Target{File: "f", From: c.from, To: c.to}.After(src,
			[]refactor.FileEdit{{Path: "f", Changes: []text.Change{c.change}}})
		if err != nil || [2]int{got.From, got.To} != c.want {
			t.Errorf("%d-%d after %v: %d-%d %v, want %v", c.from, c.to, c.change, got.From, got.To, err, c.want)
		}
	}
}
