package server

import (
	"context"
	"errors"
	"fmt"

	"waferpair/app"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// docDeltas returns the changes of some documents. pg.mu is held.
func (pg *page) docDeltas(ctx context.Context, o *opened, paths []string) []DocDelta {
	var out []DocDelta
	for _, path := range paths {
		d := pg.docs[path]
		if d == nil {
			continue
		}
		n, err := pg.deltasOf(ctx, o, d)
		if err != nil && ctx.Err() == nil {
			pg.host.notice(levelError, fmt.Sprintf("%s cannot be shown: %v", d.path, err))
		}
		out = append(out, n...)
	}
	return out
}

// textless lists the open files that show no text: no event reports that such a file has
// become text.
func (pg *page) textless() (out []string) {
	for path, d := range pg.docs {
		if d.id == 0 {
			out = append(out, path)
		}
	}
	return out
}

// deltasOf brings a page's document up to date, by updates if possible, otherwise with its
// whole text.
func (pg *page) deltasOf(ctx context.Context, o *opened, d *openDoc) ([]DocDelta, error) {
	out, err := pg.updates(ctx, o, d)
	f, serr := o.Show(ctx, d.path)
	if serr != nil {
		return out, serr
	}
	if err == nil && d.id == f.ID && d.face == faceOf(f) {
		return out, nil
	}
	*d = *newOpenDoc(f).at(d.path)
	return append(out, DocReset{Path: d.path, Reset: wireDoc(f)}), nil
}

// at returns d under the path by which the page knows it.
func (d *openDoc) at(path string) *openDoc {
	d.path = path
	return d
}

// updates returns the updates up to the newest version. An error means that the page needs the
// whole document.
func (pg *page) updates(ctx context.Context, o *opened, d *openDoc) (out []DocDelta, err error) {
	if d.id == 0 {
		return nil, nil // its text is not shown
	}
	news, err := o.Since(d.path, d.id, d.sent.version)
	if to, ok := o.Where(d.id); ok && to != d.path && errors.Is(err, app.ErrReplaced) {
		if news, err = o.Since(to, d.id, d.sent.version); err == nil {
			out = append(out, pg.moved(d, to))
		}
	}
	var old *workspace.VersionError
	if errors.As(err, &old) && !d.pushed {
		news, err = pg.leap(ctx, o, d)
	}
	if err != nil || len(news.List) == 0 && !d.confirm {
		return out, err
	}
	u, err := d.advance(news, pg.name)
	if err != nil {
		return out, err
	}
	return append(out, u), nil
}

func (pg *page) moved(d *openDoc, to string) DocMoved {
	n := DocMoved{Path: d.path, Moved: to}
	delete(pg.docs, d.path)
	pg.dirty.closed(d.path)
	d.path = to
	pg.docs[to] = d
	pg.dirty.opened(to)
	return n
}

// leap serves a page that fell behind the buffer's log: with one change from its text to the
// current one.
func (pg *page) leap(ctx context.Context, o *opened, d *openDoc) (app.Updates, error) {
	f, err := o.Show(ctx, d.path)
	if err != nil || f.ID != d.id {
		return app.Updates{}, errors.Join(app.ErrReplaced, err)
	}
	cs := text.Diff(d.sent.text, f.Text)
	return app.Updates{Text: f.Text, Version: f.Version,
		List: []app.Update{{Version: f.Version, Author: "model", Changes: cs}}}, nil
}

func wireDoc(f app.File) Doc {
	shown := f.Encoding.Shown(f.Text)
	return Doc{
		Path: f.Path, Doc: f.ID, Version: int64(f.Version), Kind: DocKind(f.Kind), Why: f.Why, Kept: f.Kept,
		Text: shown, Encoding: f.Encoding.String(), EOL: lineEnds(shown), Size: f.Size,
	}
}
