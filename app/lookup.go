package app

import (
	"context"
	"errors"
	"io/fs"

	"waferpair/app/query"
	"waferpair/workspace"
	"waferpair/workspace/text"
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

// Now is what a file holds now. A file that is not there holds nothing.
func (l lookup) Now(ctx context.Context, path string) (query.File, error) {
	if f, open := l.openNow(path); open {
		return f, nil
	}
	f, err := l.folder.Read(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return query.File{}, nil
	case err != nil:
		return query.File{}, err
	case f.Class != workspace.Text:
		return query.File{}, errors.New(path + ": not a text file")
	}
	return query.File{Text: text.Of(f.Bytes), Encoding: f.Encoding}, nil
}

// openNow is an open file as it is now; false when it is not open.
func (l lookup) openNow(path string) (f query.File, open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.docs[path]
	if d == nil || !d.exists {
		return query.File{}, d != nil
	}
	f.Encoding = d.enc
	f.Text, f.Version = d.buffer.Snapshot()
	return f, true
}

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
