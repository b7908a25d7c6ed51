package app

import "waferpair/app/query"

// NewQuery is a Reader that nothing has been asked yet.
func NewQuery(p *Project) *query.Reader { return newQuery(p) }
