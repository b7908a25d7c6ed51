package propose

import (
	"fmt"
	"slices"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/link"
)

func TestLists(t *testing.T) {
	table := link.NewTable([]link.Symbol{
		{Name: "get", Kind: link.Method, Owner: "Cache", File: "a.py", Line: 1, EndLine: 2},
		{Name: "put", Kind: link.Method, Owner: "Cache", File: "a.py", Line: 3, EndLine: 4},
		{Name: "put", Kind: link.Method, Owner: "Queue", File: "b.py", Line: 3, EndLine: 4},
		{Name: "flush", Kind: link.Func, File: "a.py", Line: 5, EndLine: 6},
		{Name: "Cache", Kind: link.Type, File: "a.py", Line: 1, EndLine: 4},
	}, nil)
	l := link.Linker{}
	for _, c := range []struct {
		request string
		op      refactor.Op
		want    string // "": it is not for each
	}{
		{"document get, put and flush", refactor.Op{Name: "doc", Args: map[string]string{"symbol": "Cache.get"}},
			"[doc symbol=Cache.get doc symbol=Cache.put doc symbol=flush]"},
		{"document flush and put", refactor.Op{Name: "doc", Args: map[string]string{"symbol": "flush"}}, ""}, // which put?
		{"rename get and flush", refactor.Op{Name: "rename", Args: map[string]string{"symbol": "Cache.get", "to": "x"}}, ""},
		{"document get and Cache", refactor.Op{Name: "doc", Args: map[string]string{"symbol": "Cache.get"}}, "no list"},
		{"document get", refactor.Op{Name: "doc", Args: map[string]string{"symbol": "Cache.get"}}, "no list"},
	} {
		first, lists := firstsOf(l.Link(c.request, table))
		if len(lists) == 0 {
			if c.want != "no list" {
				t.Errorf("%s: no list", c.request)
			}
			continue
		}
		if slices.ContainsFunc(first, func(u link.Unit) bool { return u.Text == "," || u.Text == "and" }) {
			t.Errorf("%s: %v is left", c.request, first)
		}
		p := Proposal{Program: refactor.Program{c.op}}
		got := ""
		if (reader{Proposer: &Proposer{}, request: c.request, table: table}).each(&p, lists) {
			got = fmt.Sprint(p.Program)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.request, got, c.want)
		}
	}
}
