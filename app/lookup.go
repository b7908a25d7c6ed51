package app

import (
	"waferpair/app/query"
)

// Query answers what can be looked up in the project.
func (p *Project) Query() *query.Reader { return p.query }

// lookup is the project as package query sees it. Files, Read and Ready are its own.
type lookup struct{ *Project }

func newQuery(p *Project) *query.Reader {
	return query.New(query.Core{Folder: p.folder, Ignored: p.ignore.Ignored, History: p.store, Live: lookup{p}})
}

// Compared reports whether the history has what is on disk.
func (l lookup) Compared() bool { return l.ready.is() }

// Stamps are what the files hold now, to be compared with what they hold later.
func (l lookup) Stamps(paths []string) []query.Stamp {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]query.Stamp, len(paths))
	for i, path := range paths {
		out[i].Known = l.list.known[path]
		if d := l.docs[path]; d != nil {
			_, v := d.buffer.Snapshot()
			out[i] = query.Stamp{Buffer: d.buffer, Version: v}
		}
	}
	return out
}
