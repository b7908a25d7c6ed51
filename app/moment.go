package app

import (
	"context"
	"strings"

	"waferpair/history"
)

// Moment is a moment that has a name.
type Moment = history.Moment

// maxMomentName is how many characters of a name are kept.
const maxMomentName = 200

// NameMoment names the moment right after an edit; an empty name takes it away.
func (p *Project) NameMoment(ctx context.Context, id history.EditID, name string) error {
	if err := p.writable(); err != nil {
		return err
	}
	return p.store.NameMoment(ctx, id, firstLine(strings.TrimSpace(maskWords(name)), maxMomentName))
}

// Moments lists the named moments, oldest first.
func (p *Project) Moments(ctx context.Context) ([]Moment, error) { return p.store.Moments(ctx) }

// Text is a file as it was at a moment. A file that did not exist then is not an
// error: Exists says so.
func (p *Project) Text(ctx context.Context, at history.EditID, path string) (history.Version, error) {
	path, err := p.Path(path)
	if err != nil {
		return history.Version{}, err
	}
	return p.store.At(ctx, at, path)
}

// FilesAt lists the files that existed at a moment.
func (p *Project) FilesAt(ctx context.Context, at history.EditID) ([]string, error) {
	states, err := p.store.Paths(ctx, at)
	out := make([]string, len(states))
	for i, s := range states {
		out[i] = s.Path
	}
	return out, err
}
