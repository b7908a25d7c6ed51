package app

import (
	"context"
	"errors"
	"io/fs"

	"waferpair/workspace"
	"waferpair/workspace/text"
)

// textNow is what a file holds now, and which version of the open buffer that is:
// 0 for a file that is not open. A file that is not there holds nothing.
func (p *Project) textNow(ctx context.Context, path string) (text.Text, workspace.Version, error) {
	p.mu.Lock()
	d := p.docs[path]
	gone := d != nil && !d.exists
	p.mu.Unlock()
	if d != nil && !gone {
		t, v := d.buffer.Snapshot()
		return t, v, nil
	}
	f, err := p.folder.Read(ctx, path)
	switch {
	case gone, errors.Is(err, fs.ErrNotExist):
		return text.Text{}, 0, nil
	case err != nil:
		return text.Text{}, 0, err
	case f.Class != workspace.Text:
		return text.Text{}, 0, errors.New(path + ": not a text file")
	}
	return text.Of(f.Bytes), 0, nil
}
