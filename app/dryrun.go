package app

import (
	"context"
	"io/fs"
	"sync"

	"waferpair/engine"
	"waferpair/workspace/text"
)

// dryRun is a project in which a turn changes copies in memory.
type dryRun struct {
	*Project

	mu    sync.Mutex            // a model reads from several goroutines
	texts map[string]*text.Text // of files that the turn touched; nil: the file does not exist
}

func newDryRun(p *Project) *dryRun { return &dryRun{Project: p, texts: map[string]*text.Text{}} }

// at is the turn's copy of a file. mu is held.
func (d *dryRun) at(path string) (*text.Text, error) {
	if t, ok := d.texts[path]; ok {
		if t == nil {
			return nil, fs.ErrNotExist
		}
		return t, nil
	}
	b, err := d.Project.Read(path)
	if err != nil {
		return nil, err
	}
	t := text.Of(b)
	d.texts[path] = &t
	return &t, nil
}

func (d *dryRun) Read(path string) ([]byte, error) {
	d.mu.Lock()
	t, touched := d.texts[path]
	d.mu.Unlock()
	switch {
	case !touched:
		return d.Project.Read(path)
	case t == nil:
		return nil, fs.ErrNotExist
	}
	return t.Bytes(), nil
}

func (d *dryRun) Change(_ context.Context, h engine.Hunk, cs text.ChangeSet) (engine.Applied, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, err := d.at(h.Path)
	if err != nil {
		return engine.Applied{}, err
	}
	after, err := cs.Apply(*t)
	if err != nil {
		return engine.Applied{}, err
	}
	done := engine.Applied{Pieces: pieces(*t, cs, text.DetectEncoding(t.Bytes())), Others: text.Retain(after.Len())}
	d.texts[h.Path] = &after
	return done, nil
}

func (d *dryRun) Create(_ context.Context, h engine.Hunk) (engine.Ack, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.texts[h.Path] = &text.Text{}
	return nil, nil
}

func (d *dryRun) Delete(_ context.Context, h engine.Hunk) (engine.Ack, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.texts[h.Path] = nil
	return nil, nil
}

func (d *dryRun) Move(_ context.Context, h engine.Hunk, to string) (engine.Ack, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, err := d.at(h.Path)
	d.texts[to], d.texts[h.Path] = t, nil
	return nil, err
}

func (d *dryRun) Commit(context.Context, engine.Hunk) (engine.Ack, error) { return nil, nil }
func (d *dryRun) Settle(context.Context) error                            { return nil }
