package propose

import (
	"fmt"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/link"
)

// TestNarrowed: of a name that ten thousand symbols have, the ones that the request or the open file
// point at are left.
func TestNarrowed(t *testing.T) {
	var symbols []link.Symbol
	for i := range 10_000 {
		symbols = append(symbols, link.Symbol{Name: "Close", Kind: link.Method, Owner: fmt.Sprintf("Server%d", i),
			File: fmt.Sprintf("s%d.go", i)})
	}
	table := link.NewTable(symbols, nil)
	for request, want := range map[string]string{
		"rename Close of Server77 to Shut": "Server77", "Server78.Close -> Shut": "Server78",
		"call Close Shut in server 79": "Server79", "Close is a bad name": "Server5",
	} {
		units := link.Linker{}.Link(request, table)
		(&Proposer{}).narrowed(units, table, refactor.Target{File: "s5.go"})
		found := false
		for _, u := range units {
			if len(u.Symbols) > mostSame {
				t.Errorf("%q: %d symbols", request, len(u.Symbols))
			}
			for _, n := range u.Symbols {
				found = found || table.Symbol(n).Owner == want
			}
		}
		if !found {
			t.Errorf("%q does not mention %s", request, want)
		}
	}
}
