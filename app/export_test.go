package app

import "waferpair/app/query"

// NewQuery returns a Reader with empty caches.
func NewQuery(p *Project) *query.Reader { return newQuery(p) }

// HoldSymbols keeps readers of what the project declares waiting, as a long parse does.
func HoldSymbols(p *Project) (release func()) {
	p.turns.declared.mu.Lock()
	return p.turns.declared.mu.Unlock
}
