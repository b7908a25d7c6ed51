package app

import "waferpair/app/query"

// NewQuery returns a Reader with empty caches.
func NewQuery(p *Project) *query.Reader { return newQuery(p) }
