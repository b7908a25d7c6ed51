package propose

import (
	"fmt"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/link"
)

func TestArrow(t *testing.T) {
	table := someTable.Plus([]link.Symbol{{Name: "k", Kind: link.Var, Owner: "fetchAll", File: "net/client.go", Line: 12,
		EndLine: 12, Local: true}})
	for request, want := range map[string]string{
		"fetchAll -> downloadAll":         "[rename symbol=fetchAll to=downloadAll]",
		"Client => Session.":              "[rename symbol=Client to=Session]",
		"k → key in fetchAll":             "[rename symbol=fetchAll.k to=key]",
		"verbose -> loud in fetchAll":     "[rename symbol=fetchAll.verbose to=loud]",
		"fetchAll -> downloadAll, please": "",
		"fetchAll -> Client":              "", // that may mean calls
		"nothing -> something":            "",
		"k → key in there":                "",
		"fetchAll downloadAll":            "",
	} {
		r := reader{&Proposer{}, request, table, refactor.Target{}}
		got := ""
		if u, ok := r.arrow(r.linker.Link(request, table)); ok {
			if got = fmt.Sprint(u.Proposals[0].Program); !u.Sure() {
				t.Errorf("%s: %s", request, u.Doubt())
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
	r := reader{&Proposer{}, "Close -> Shutdown", table, refactor.Target{}}
	if u, ok := r.arrow(r.linker.Link(r.request, table)); !ok || u.Sure() {
		t.Errorf("two methods of that name: %+v", u)
	}
}
