package refactor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/workspace/text"
)

// memory is a project in memory.
type memory map[string]string

func (m memory) Files(context.Context) ([]string, error) {
	var out []string
	for p := range m {
		out = append(out, p)
	}
	slices.Sort(out)
	return out, nil
}
func (m memory) Read(p string) ([]byte, error) {
	s, ok := m[p]
	if !ok {
		return nil, fmt.Errorf("no file %s", p)
	}
	return []byte(s), nil
}
func (m memory) Root() string { return "/nowhere" }

// words is a toy language whose only operation replaces one word by another.
type words struct{ ext string }

func (w words) Name() string             { return "words" + w.ext }
func (w words) Handles(path string) bool { return strings.HasSuffix(path, w.ext) }
func (w words) Has(op string) bool       { return op == "rename" }
func (w words) Declares(ctx context.Context, src refactor.Source,
	_ refactor.Target, op refactor.Op) (int, []string, error) {
	n := 0
	files, _ := src.Files(ctx)
	for _, p := range files {
		b, err := src.Read(p)
		if err != nil {
			return 0, nil, err
		}
		if w.Handles(p) {
			n += strings.Count(string(b), op.Args["symbol"])
		}
	}
	return n, nil, nil
}
func (w words) Run(ctx context.Context, src refactor.Source,
	_ refactor.Target, op refactor.Op) (refactor.Result, error) {
	if op.Args["to"] == op.Args["symbol"] {
		return refactor.Result{}, &refactor.Declined{Code: refactor.Already, Reason: "it has that name"}
	}
	if op.Args["to"] == "taboo" {
		return refactor.Result{}, &refactor.Declined{Reason: "taboo"}
	}
	var r refactor.Result
	files, _ := src.Files(ctx)
	for _, p := range files {
		b, err := src.Read(p)
		if err != nil {
			return refactor.Result{}, err
		}
		e := refactor.FileEdit{Path: p}
		for at, s := 0, string(b); w.Handles(p); {
			i := strings.Index(s[at:], op.Args["symbol"])
			if i < 0 {
				break
			}
			from := text.Byte(at + i)
			e.Changes = append(e.Changes, text.Change{From: from, To: from + text.Byte(len(op.Args["symbol"])),
				Insert: op.Args["to"]})
			at += i + len(op.Args["symbol"])
		}
		if len(e.Changes) > 0 {
			r.Edits = append(r.Edits, e)
		}
	}
	return r, nil
}

func rename(from, to string) refactor.Op {
	return refactor.Op{Name: "rename", Args: map[string]string{"symbol": from, "to": to}}
}

func TestLaterOperationsSeeEarlierOnes(t *testing.T) {
	src := memory{"a.x": "one two one", "b.x": "two"}
	r := refactor.Runner{[]refactor.Language{words{".x"}}}
	res, err := r.Run(t.Context(), src, refactor.Target{}, refactor.Program{rename("one", "three"),
		rename("three", "four"), rename("two", "2")})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range res.Edits {
		before := text.OfString(src[e.Path])
		cs, err := text.NewChangeSet(before.Len(), e.Changes...)
		if err != nil {
			t.Fatal(err)
		}
		after, err := cs.Apply(before)
		if err != nil {
			t.Fatal(err)
		}
		got[e.Path] = after.String()
	}
	if got["a.x"] != "four 2 four" || got["b.x"] != "2" {
		t.Errorf("got %v", got)
	}
}

func TestNothingIsDoneWhenOneOperationDeclines(t *testing.T) {
	r := refactor.Runner{[]refactor.Language{words{".x"}}}
	_, err := r.Run(t.Context(), memory{"a.x": "one two"}, refactor.Target{},
		refactor.Program{rename("one", "three"), rename("two", "taboo")})
	var d *refactor.Declined
	if !errors.As(err, &d) || d.Understood != "rename symbol=two to=taboo" {
		t.Errorf("got %v", err)
	}
}

func TestChoosingTheLanguage(t *testing.T) {
	both := refactor.Runner{[]refactor.Language{words{".x"}, words{".y"}}}
	src := memory{"a.x": "one", "b.y": "one", "c.z": "one"}
	for _, c := range []struct {
		target refactor.Target
		op     refactor.Op
		reason string
	}{
		{refactor.Target{}, rename("one", "two"), "several languages"},
		{refactor.Target{}, rename("none", "two"), "nothing named none"},
		{refactor.Target{File: "c.z"}, rename("one", "two"),
			"the built-in model doesn't edit files like c.z yet; it edits words.x, words.y"},
		{refactor.Target{File: "util.c"}, rename("one", "two"), "the built-in model doesn't edit C yet; it edits"},
		{refactor.Target{File: "a.x"}, refactor.Op{Name: "doc"}, "doc is not available for words.x yet"},
		{refactor.Target{File: "a.x"}, rename("one", "two"), ""},
	} {
		_, err := both.Run(t.Context(), src, c.target, refactor.Program{c.op})
		if c.reason == "" && err != nil || c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)) {
			t.Errorf("%+v %v: got %v, want %q", c.target, c.op, err, c.reason)
		}
	}
}

func TestWhatIsThereAlreadyIsNoRefusal(t *testing.T) {
	r := refactor.Runner{[]refactor.Language{words{".x"}}}
	res, err := r.Run(t.Context(), memory{"a.x": "one two"}, refactor.Target{},
		refactor.Program{rename("one", "one"), rename("two", "2")})
	if err != nil || len(res.Edits) != 1 || res.Summary != "It has that name." {
		t.Errorf("%+v %v", res, err)
	}
}
