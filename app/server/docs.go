package server

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"waferpair/app"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// openDoc is a document that a page has open: what it is known to have, and
// what it was sent.
//
//	had --steps--> sent --Since--> now
//
// The page and Go must map what the user types over the same changes in the
// same order, or their texts drift apart. Go's buffer maps a push over its log,
// change by change, from the base version on; so does the page, over the updates
// that it gets. Many small changes by one author are better sent as one, and
// that is a different sequence. So a push is first mapped here, over the steps
// as they were sent, up to sent, and the buffer continues from there; and what
// follows sent is joined only where no push of the page lies behind it.
type openDoc struct {
	path string
	id   int64
	enc  text.Encoding
	face face

	had    state // before the frame that is on its way; sent, when none is
	steps  []step
	sent   state
	flying bool // steps are on their way
	pushed bool // the page pushed, and was not sent its own change yet

	// After the page has connected again:
	alias   string // its name when it made its last push
	resend  bool   // it has not got the steps
	confirm bool   // it must be sent news, even if there are none: then it knows what became of its push
}

// face is what a page shows of a file beside its text.
type face struct {
	kind, why string
	kept      bool
	size      int64 // of a file whose text is not shown
}

func faceOf(f app.File) face {
	out := face{kind: f.Kind, why: f.Why, kept: f.Kept}
	if f.ID == 0 {
		out.size = f.Size
	}
	return out
}

// state is a version and its text.
type state struct {
	version workspace.Version
	text    text.Text
}

// step is one update as it was sent.
type step struct {
	author string
	own    bool
	cs     text.ChangeSet
}

func newOpenDoc(f app.File) *openDoc {
	now := state{f.Version, f.Text}
	return &openDoc{path: f.Path, id: f.ID, enc: f.Encoding, face: faceOf(f), had: now, sent: now}
}

// acked: the page has the frame that was on its way.
func (d *openDoc) acked() {
	if d.flying {
		d.arrived()
	}
}

// arrived: the page has what it was sent.
func (d *openDoc) arrived() { d.had, d.steps, d.flying, d.resend = d.sent, nil, false, false }

// docNews is the news of some documents. pg.mu is held.
func (pg *page) docNews(ctx context.Context, o *opened, paths []string) []DocNews {
	var out []DocNews
	for _, path := range paths {
		d := pg.docs[path]
		if d == nil {
			continue
		}
		n, err := pg.newsOf(ctx, o, d)
		if err != nil && ctx.Err() == nil {
			pg.host.notice("error", fmt.Sprintf("%s cannot be shown: %v", d.path, err))
		}
		out = append(out, n...)
	}
	return out
}

// textless are the files that are open and show no text: nobody tells when such
// a file becomes one.
func (pg *page) textless() (out []string) {
	for path, d := range pg.docs {
		if d.id == 0 {
			out = append(out, path)
		}
	}
	return out
}

// newsOf brings a page's document up to date: by updates if that can be done,
// else by handing it over as a whole.
func (pg *page) newsOf(ctx context.Context, o *opened, d *openDoc) ([]DocNews, error) {
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

// at is d under the name by which the page knows it.
func (d *openDoc) at(path string) *openDoc {
	d.path = path
	return d
}

// updates is what leads to the newest version. An error means that the page
// must be handed the whole document.
func (pg *page) updates(ctx context.Context, o *opened, d *openDoc) (out []DocNews, err error) {
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
	pg.news.closed(d.path)
	d.path = to
	pg.docs[to] = d
	pg.news.opened(to)
	return n
}

// leap is for a page that fell behind the buffer's log: one change from what it
// has to what there is.
func (pg *page) leap(ctx context.Context, o *opened, d *openDoc) (app.Updates, error) {
	f, err := o.Show(ctx, d.path)
	if err != nil || f.ID != d.id {
		return app.Updates{}, errors.Join(app.ErrReplaced, err)
	}
	cs := text.Diff(d.sent.text, f.Text)
	return app.Updates{Text: f.Text, Version: f.Version, List: []app.Update{{Version: f.Version, Author: "model", Changes: cs}}}, nil
}

// advance makes the updates that lead to the newest version, and takes down
// that they are sent.
func (d *openDoc) advance(news app.Updates, page string) (DocUpdates, error) {
	from := d.sent
	steps, err := d.join(news.List, page)
	if d.resend {
		from, steps = d.had, slices.Concat(d.steps, steps)
	}
	u := DocUpdates{Path: d.path, Doc: d.id, From: int64(from.version), To: int64(news.Version), Updates: []Update{}}
	at := from.text
	for _, s := range steps {
		var w Update
		if err == nil {
			w, err = s.wire(at, d.enc)
		}
		if err == nil {
			at, err = s.cs.Apply(at)
		}
		u.Updates = append(u.Updates, w)
		d.pushed = d.pushed && !s.own
	}
	d.had, d.steps, d.sent = from, steps, state{news.Version, news.Text}
	d.flying, d.confirm = true, false
	return u, err
}

// join makes the steps of a list of changes: behind the page's own push, runs
// by one author become one.
func (d *openDoc) join(updates []app.Update, page string) ([]step, error) {
	last := -1
	for i, u := range updates {
		if d.isOwn(u, page) {
			last = i
		}
	}
	var steps []step
	for i, u := range updates {
		s := step{u.Author, d.isOwn(u, page), u.Changes}
		n := len(steps)
		if i <= last+1 || d.pushed && last < 0 || steps[n-1].author != s.author {
			steps = append(steps, s)
			continue
		}
		var err error
		if steps[n-1].cs, err = steps[n-1].cs.Compose(s.cs); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

func (d *openDoc) isOwn(u app.Update, page string) bool {
	return u.Origin != "" && (u.Origin == page || u.Origin == d.alias)
}

// wire is the step as the page gets it, on the text as it is then.
func (s step) wire(at text.Text, enc text.Encoding) (Update, error) {
	u := Update{Author: s.author, Own: s.own}
	if s.own {
		return u, nil
	}
	var err error
	u.Changes, err = s.cs.MarshalShown(at, enc)
	return u, err
}

func wireDoc(f app.File) Doc {
	shown := f.Encoding.Shown(f.Text)
	return Doc{
		Path: f.Path, Doc: f.ID, Version: int64(f.Version), Kind: f.Kind, Why: f.Why, Kept: f.Kept,
		Text: shown, Encoding: f.Encoding.String(), EOL: lineEnds(shown), Size: f.Size,
	}
}
