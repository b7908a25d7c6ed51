package app

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// dryRun is a project whose turn changes copies in memory.
type dryRun struct {
	*turnFiles

	mu    sync.Mutex            // a model reads from several goroutines
	texts map[string]*text.Text // of files that the turn changed; nil: the file does not exist
}

func newDryRun(p *turnFiles) *dryRun { return &dryRun{turnFiles: p, texts: map[string]*text.Text{}} }

// at returns the turn's copy of a file. mu is held.
func (d *dryRun) at(path string) (*text.Text, error) {
	if t, ok := d.texts[path]; ok {
		if t == nil {
			return nil, fs.ErrNotExist
		}
		return t, nil
	}
	b, err := d.turnFiles.Read(path)
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
		return d.turnFiles.Read(path)
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

func (d *dryRun) Apply(_ context.Context, _ int64, of []model.FileEdit) ([]engine.Made, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []engine.Made
	for _, e := range of {
		made, err := d.apply(e)
		if err != nil {
			return nil, err
		}
		out = append(out, made...)
	}
	return out, nil
}

// apply makes the edits of one file. It ignores what the user types meanwhile: a dry run
// shows the file as the model read it. mu is held.
func (d *dryRun) apply(e model.FileEdit) ([]engine.Made, error) {
	if e.Delete {
		d.texts[e.Path] = nil
		return []engine.Made{{Path: e.Path, Deleted: true, Removed: countLines(e.Base.String())}}, nil
	}
	places, err := engine.Places(e.Base, e.Changes)
	if err != nil {
		return nil, err
	}
	var out []engine.Made
	if e.Create && len(places) == 0 {
		out = append(out, engine.Made{Path: e.Path, Created: true, Line: 1})
	}
	t := e.Base
	for i, at := range places {
		made := engine.Made{Path: e.Path, Created: e.Create && i == 0, Line: at.Line, Added: at.Added, Removed: at.Removed,
			Pieces: inCharacters(at.Pieces, t, text.DetectEncoding(t.Bytes()))}
		if t, err = at.Changes.Apply(t); err != nil {
			return nil, err
		}
		out = append(out, made)
	}
	d.texts[e.Path] = &t
	return out, nil
}

// Revert forgets what the turn changed.
func (d *dryRun) Revert(_ context.Context, _ int64, of []engine.Made, _ string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range of {
		delete(d.texts, m.Path)
	}
	return nil
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

// Claim refuses drivers that write files themselves.
func (d *dryRun) Claim(context.Context, int64, []string) (engine.Claim, error) {
	return nil, errors.New("a driver that writes files itself has no dry run")
}

func (d *dryRun) Commit(context.Context, engine.Hunk) (engine.Ack, error) { return nil, nil }
func (d *dryRun) Settle(context.Context) error                            { return nil }
