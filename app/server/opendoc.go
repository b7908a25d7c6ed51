package server

import (
	"slices"

	"waferpair/app"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// openDoc is a document that a page has open: the version the page is known to have, and the
// one it was sent.
//
//	had --steps--> sent --Since--> now
//
// The page and Go must map the user's typing over the same changes in the same order;
// otherwise their texts differ. Go's buffer maps a push over its log, change by change, from
// the base version; the page maps over the updates that it gets. Sending many small changes by
// one author as one is better, but is another sequence. So a push is first mapped over the
// steps as they were sent, up to sent, and the buffer maps it from there. Later changes are
// joined only if no push of the page is behind them.
type openDoc struct {
	path string
	id   int64
	enc  text.Encoding
	face face

	had     state // before the frame in flight; equals sent if there is none
	steps   []step
	sent    state
	flying  bool // steps are in flight
	pushed  bool // the page pushed, and was not sent its own change yet
	unheard bool // the page pushed, and has not received its own change yet: it holds back what was typed after it

	// After a reconnect:
	alias   string // its name at its last push
	resend  bool   // it has not received the steps
	confirm bool   // it must be sent an update, even an empty one: then it knows whether its push arrived
}

// face is everything that a page shows of a file, except the text.
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

// state is a version with its text.
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

// acked notes that the page has received the frame in flight.
func (d *openDoc) acked() {
	if d.flying {
		d.arrived()
	}
	d.unheard = d.pushed
}

// arrived notes that the page has received everything that was sent.
func (d *openDoc) arrived() { d.had, d.steps, d.flying, d.resend = d.sent, nil, false, false }

// advance returns the updates up to the newest version, and notes that they are sent.
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

// join converts a list of changes to steps: after the page's own push, it joins runs by one author.
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

// wire converts the step for the page; at is the text it applies to.
func (s step) wire(at text.Text, enc text.Encoding) (Update, error) {
	u := Update{Author: s.author, Own: s.own}
	if s.own {
		return u, nil
	}
	var err error
	u.Changes, err = s.cs.MarshalShown(at, enc)
	return u, err
}
