package app

import (
	"context"
	"errors"
	"io/fs"

	"waferpair/workspace"
	"waferpair/workspace/text"
)

// fileNow is a file as it is now.
type fileNow struct {
	text     text.Text
	encoding text.Encoding
	version  workspace.Version // of the open buffer; 0 for a file that is not open
}

// textNow is what a file holds now. A file that is not there holds nothing.
func (p *Project) textNow(ctx context.Context, path string) (now fileNow, err error) {
	now, open := p.openNow(path)
	if open {
		return now, nil
	}
	f, err := p.folder.Read(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileNow{}, nil
	case err != nil:
		return fileNow{}, err
	case f.Class != workspace.Text:
		return fileNow{}, errors.New(path + ": not a text file")
	}
	return fileNow{text: text.Of(f.Bytes), encoding: f.Encoding}, nil
}

// openNow is an open file as it is now; false when it is not open.
func (p *Project) openNow(path string) (now fileNow, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.docs[path]
	if d == nil || !d.exists {
		return fileNow{}, d != nil
	}
	now.encoding = d.enc
	now.text, now.version = d.buffer.Snapshot()
	return now, true
}
