package app

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"waferpair/app/mask"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// dryRun is a project whose turn changes copies in memory.
type dryRun struct {
	*turnFiles

	masked bool // as in hold

	mu    sync.Mutex            // a model reads from several goroutines
	texts map[string]*text.Text // of files that the turn changed; nil: the file does not exist
	veils map[string]*mask.Veil
}

// newDryRun returns a dry run; masked means that its model reads masked texts.
func newDryRun(p *turnFiles, masked bool) *dryRun {
	return &dryRun{turnFiles: p, masked: masked, texts: map[string]*text.Text{}, veils: map[string]*mask.Veil{}}
}

// Open returns a file with the turn's changes. It implements engine.Project.
func (d *dryRun) Open(path string) (editstream.Doc, error) {
	doc, err := d.turnFiles.Open(path)
	d.mu.Lock()
	defer d.mu.Unlock()
	t, touched := d.texts[path]
	switch {
	case touched && t == nil:
		return editstream.Doc{}, fs.ErrNotExist
	case touched:
		doc, err = editstream.Doc{Text: *t, Encoding: text.DetectEncoding(t.Bytes())}, nil
	case errors.Is(err, fs.ErrNotExist): // it may be created
		d.veils[path] = nil
	}
	if err == nil && d.masked {
		d.veils[path] = covered(path, &doc)
	}
	return doc, err
}

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
	veil := d.veil(h.Path)
	if veil != nil {
		if waits, err := veil.Take(cs); err != nil {
			return engine.Applied{}, &engine.RefusedError{Path: h.Path, Why: err.Error()}
		} else if waits {
			return engine.Applied{}, nil
		}
	}
	done, err := d.put(h.Path, cs)
	if err == nil && veil != nil {
		veil.Moved(cs)
	}
	return done, err
}

// veil returns the veil of a file, if it has one. mu is held.
func (d *dryRun) veil(path string) *mask.Veil {
	if d.masked && d.veils[path] == nil { // a new file
		_, d.veils[path] = mask.Cover(path, text.Text{})
	}
	return d.veils[path]
}

// put changes the turn's copy of a file. mu is held.
func (d *dryRun) put(path string, cs text.ChangeSet) (engine.Applied, error) {
	t, err := d.at(path)
	if err != nil {
		return engine.Applied{}, err
	}
	after, err := cs.Apply(*t)
	if err != nil {
		return engine.Applied{}, err
	}
	done := engine.Applied{Pieces: pieces(*t, cs, text.DetectEncoding(t.Bytes())), Others: text.Retain(after.Len())}
	d.texts[path] = &after
	return done, nil
}

// Finish makes what of a hunk waited for its end. It implements engine.Delayer.
func (d *dryRun) Finish(_ context.Context, h engine.Hunk) (engine.Applied, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reveal(h.Path)
}

func (d *dryRun) reveal(path string) (engine.Applied, error) {
	veil := d.veil(path)
	if veil == nil || !veil.Waits() {
		return engine.Applied{}, nil
	}
	t, err := d.at(path)
	if err != nil {
		return engine.Applied{}, err
	}
	change, err := veil.Reveal(*t)
	if err != nil {
		return engine.Applied{}, &engine.RefusedError{Path: path, Why: err.Error()}
	}
	done, err := d.put(path, change.Changes)
	if err != nil {
		return done, err
	}
	veil.Made(change)
	return done, follow(&done, change.Fix)
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
	d.texts[h.Path], d.veils[h.Path] = &text.Text{}, nil
	return nil, nil
}

func (d *dryRun) Delete(_ context.Context, h engine.Hunk) (engine.Ack, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if veil := d.veil(h.Path); veil != nil {
		if why := veil.Deletable(); why != nil {
			return nil, &engine.RefusedError{Path: h.Path, Why: why.Error()}
		}
	}
	d.texts[h.Path], d.veils[h.Path] = nil, nil
	return nil, nil
}

func (d *dryRun) Move(_ context.Context, h engine.Hunk, to string) (engine.Ack, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, err := d.at(h.Path)
	d.texts[to], d.texts[h.Path] = t, nil
	d.veils[to], d.veils[h.Path] = d.veils[h.Path], nil
	return nil, err
}

// Claim refuses drivers that write files themselves.
func (d *dryRun) Claim(context.Context, int64, []string) (engine.Claim, error) {
	return nil, errors.New("a driver that writes files itself has no dry run")
}

// Commit makes what is left of a hunk that failed, which reverts it.
func (d *dryRun) Commit(_ context.Context, h engine.Hunk) (engine.Ack, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v := d.veil(h.Path); v != nil && v.Waits() {
		if _, err := d.reveal(h.Path); err != nil {
			v.Drop()
		}
	}
	return nil, nil
}

// Settle does nothing: nothing is saved.
func (d *dryRun) Settle(context.Context) error { return nil }
