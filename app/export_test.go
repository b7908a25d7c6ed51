package app

import (
	"waferpair/app/query"
	"waferpair/history"
)

// NewQuery returns a Reader with empty caches.
func NewQuery(p *Project) *query.Reader { return newQuery(p) }

// Known returns what the listing knows of a file.
func Known(p *Project, path string) history.FileState {
	st, _ := p.docs.List.State(path)
	return st
}

// HoldSymbols keeps readers of what the project declares waiting, as a long parse does.
func HoldSymbols(p *Project) (release func()) {
	p.turns.declared.mu.Lock()
	return p.turns.declared.mu.Unlock
}
