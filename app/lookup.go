package app

import (
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"slices"

	"waferpair/app/query"
	"waferpair/workspace"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// Query returns the reader that answers lookups in the project.
func (p *Project) Query() *query.Reader { return p.query }

// lookup implements query's view of the project.
type lookup struct {
	*documents
	wait func(context.Context) error
}

// Ready waits until the history has been compared with the disk.
func (l lookup) Ready(ctx context.Context) error { return l.wait(ctx) }

func newQuery(p *Project) *query.Reader {
	return query.New(query.Core{Folder: p.core.folder, Ignored: p.core.ignore.Ignored, History: p.core.store,
		Live: lookup{p.docs, p.Ready}})
}

// Compared reports whether the history has been compared with the disk.
func (l lookup) Compared() bool { return l.ready.is() }

// Now returns the current content of a file; a missing file is empty.
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
		return query.File{}, errNotText(path)
	}
	return query.File{Text: text.Of(f.Bytes), Encoding: f.Encoding}, nil
}

// openNow returns the current content of an open file; false when it is not open.
func (l lookup) openNow(path string) (f query.File, open bool) {
	d := l.table.at(path)
	if d == nil || !d.Exists() {
		return query.File{}, d != nil
	}
	f.Encoding = d.Encoding
	f.Text, f.Version = d.Buffer.Snapshot()
	return f, true
}

// Stamps identify the current content of files, to detect later changes.
func (l lookup) Stamps(paths []string) []query.Stamp {
	out := make([]query.Stamp, len(paths))
	for i, path := range paths {
		out[i].Known, _ = l.List.State(path)
		if d := l.table.at(path); d != nil {
			_, v := d.Buffer.Snapshot()
			out[i] = query.Stamp{Buffer: d.Buffer, Version: v}
		}
	}
	return out
}

// openSeed is that of the hashes in Generation.
var openSeed = maphash.MakeSeed()

// Generation changes with the content of any file. Its part of the open files is a sum: they have no order.
func (l lookup) Generation() query.Generation {
	g := query.Generation{List: l.List.Version()}
	for path, d := range l.table.all() {
		_, v := d.Buffer.Snapshot()
		g.Open += maphash.Comparable(openSeed, openState{path, query.Stamp{Buffer: d.Buffer, Version: v}, d.Exists(),
			d.Excluded})
	}
	return g
}

type openState struct {
	path     string
	stamp    query.Stamp
	exists   bool
	excluded string
}

// Files lists the text files that models may read. It implements model.Source.
func (p *documents) Files(context.Context) ([]string, error) {
	out := p.List.All()
	for path, d := range p.table.all() {
		if d.Excluded != "" {
			continue
		}
		i, found := slices.BinarySearch(out, path)
		switch {
		case d.Exists() && !found:
			out = slices.Insert(out, i, path)
		case !d.Exists() && found:
			out = slices.Delete(out, i, i+1)
		}
	}
	return out, nil
}

// readable returns the text of an open file that models may read; false for other files.
func (p *documents) readable(path string) (text.Text, bool) {
	d := p.table.at(path)
	if d == nil || !d.Exists() || d.Excluded != "" {
		return text.Text{}, false
	}
	t, _ := d.Buffer.Snapshot()
	return t, true
}

// Read returns the current text of a file. It implements model.Source.
func (p *documents) Read(path string) ([]byte, error) {
	if t, open := p.readable(path); open {
		return t.Bytes(), nil
	}
	f, err := p.folder.Peek(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if f.Class != workspace.Text {
		return nil, errNotText(path)
	}
	return f.Bytes, nil
}

// Masked hides the secrets of a file from models. It implements model.Masker.
func (p *documents) Masked(path string, b []byte) []byte {
	masked, _ := secrets.Mask(path, b)
	return masked
}

func errNotText(path string) error { return errors.New(path + ": not a text file") }
