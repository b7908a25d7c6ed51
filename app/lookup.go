package app

import "waferpair/app/query"

// Query answers what can be looked up in the project.
func (p *Project) Query() *query.Reader { return p.query }

// lookup is the project as package query sees it. Files, Read and Ready are its own.
type lookup struct{ *Project }

func newQuery(p *Project) *query.Reader {
	return query.New(query.Core{Folder: p.folder, History: p.store, Live: lookup{p}})
}

// Compared reports whether the history has what is on disk.
func (l lookup) Compared() bool { return l.ready.is() }
