package propose

import (
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/link"
)

// mostSame is how many symbols of one name are considered. What is done with them takes the square
// of their number, once for each reading of the request.
const mostSame = 200

// narrowed leaves, of a name that very many symbols have, those in the open file and those whose
// owner the request names; or else the first ones.
func (p *Proposer) narrowed(units []link.Unit, t *link.Table, at refactor.Target) {
	var said map[string]bool
	for i, u := range units {
		if len(u.Symbols) <= mostSame {
			continue
		}
		if said == nil {
			said = saidIn(units)
		}
		var near []int
		for _, n := range u.Symbols {
			s := t.Symbol(n)
			owner := s.Owner[strings.LastIndexByte(s.Owner, '.')+1:]
			if len(near) < mostSame && (at.File != "" && s.File == at.File || said[letters(owner)]) {
				near = append(near, n)
			}
		}
		if len(near) == 0 {
			near = u.Symbols[:mostSame:mostSame]
		}
		units[i].Symbols = near
	}
}

// saidIn are the words of a request, and up to four in a row, without anything but letters; of a
// name with owners, the owners.
func saidIn(units []link.Unit) map[string]bool {
	said := map[string]bool{}
	for i, u := range units {
		for _, part := range strings.Split(u.Text, ".") {
			said[letters(part)] = true
		}
		got := ""
		for _, v := range units[i:min(len(units), i+4)] {
			got += letters(v.Text)
			said[got] = true
		}
	}
	delete(said, "")
	return said
}
