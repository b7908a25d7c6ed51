package server

import (
	"slices"

	"waferpair/app"
	"waferpair/history"
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

	had     state // before the frame that is on its way; sent, when none is
	steps   []step
	sent    state
	flying  bool // steps are on their way
	pushed  bool // the page pushed, and was not sent its own change yet
	unheard bool // the page pushed, and has not got its own change yet: it keeps what was typed after it

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
	author history.Author
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
	d.unheard = d.pushed
}

// arrived: the page has what it was sent.
func (d *openDoc) arrived() { d.had, d.steps, d.flying, d.resend = d.sent, nil, false, false }

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
		s := step{history.Author(u.Author), d.isOwn(u, page), u.Changes}
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
