package server

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"waferpair/workspace"
	"waferpair/workspace/text"
)

// pushArgs are the user's changes since the page's last push.
type pushArgs struct {
	Path    string  `json:"path"`
	Doc     int64   `json:"doc"`
	Base    int64   `json:"base"`
	Changes Changes `json:"changes"`
}

// errStale refuses a push to a document that was replaced.
var errStale = fail(codeStale, "The file was replaced since it was shown: open it again.")

// push applies the user's typing. Replies and frames keep their order: a push that is
// acknowledged before a reset is included in the reset's text, and no other push is.
func push(c *call, o *opened, in pushArgs) (null, error) {
	pg := c.page
	pg.mu.Lock()
	defer pg.mu.Unlock()
	pg.typed = time.Now()
	if !o.IsReady() {
		o.Compare()
		pg.early = append(pg.early, earlyPush{c.answered(), in})
		return nil, nil
	}
	d := pg.docs[in.Path]
	if d == nil || d.id != in.Doc {
		return nil, errStale
	}
	if d.pushed {
		return nil, usage("The push before is not confirmed yet: wait for its own update.")
	}
	cs, err := d.parse(in)
	if err != nil {
		return nil, err
	}
	path := d.path
	if to, open := o.Where(d.id); open {
		path = to // it was renamed; the next frame says so
	}
	if err := o.Type(o.ctx, path, d.id, d.sent.version, cs, pg.name); err != nil {
		return nil, err
	}
	d.pushed, d.unheard = true, true
	return nil, pg.answerLocked(c.answered(), nil, nil)
}

// earlyPush is a push to a file that was shown before the comparison with the disk. Those of one
// file are applied in order; a page waits for the answer to one before it sends the next.
type earlyPush struct {
	id int64 // of the call
	in pushArgs
}

// answerEarly applies early pushes as soon as possible. Their documents were replaced: a frame
// with the whole text follows. pg.mu is held.
func (pg *page) answerEarly(o *opened) {
	if len(pg.early) == 0 || !o.IsReady() {
		return
	}
	for _, e := range pg.early {
		var f *Failure
		if err := pg.pushEarly(o, e.in); err != nil {
			f = failure(err)
		}
		_ = pg.answerLocked(e.id, nil, f) // an error ends the page, and its reader notices
	}
	pg.early = nil
}

func (pg *page) pushEarly(o *opened, in pushArgs) error {
	d := pg.docs[in.Path]
	if d == nil || d.id != in.Doc {
		return errStale
	}
	cs, err := d.parse(in)
	if err != nil {
		return err
	}
	f, err := o.Show(o.ctx, d.path)
	if err == nil {
		cs, err = cs.Map(text.Diff(d.sent.text, f.Text), true)
	}
	if err != nil {
		return err
	}
	return o.Type(o.ctx, d.path, f.ID, f.Version, cs, pg.name)
}

// parse reads a push and maps it to the version that the page was last sent.
func (d *openDoc) parse(in pushArgs) (text.ChangeSet, error) {
	switch base := workspace.Version(in.Base); {
	case base == d.sent.version:
		return d.read(in.Changes, d.sent.text)
	case base != d.had.version:
		return text.ChangeSet{}, errStale
	}
	cs, err := d.read(in.Changes, d.had.text)
	for _, s := range d.steps {
		if err == nil {
			cs, err = cs.Map(s.cs, s.author != workspace.User)
		}
	}
	return cs, err
}

func (d *openDoc) read(changes json.RawMessage, doc text.Text) (text.ChangeSet, error) {
	cs, err := text.ParseShown(changes, doc, d.enc)
	var lacks *text.EncodeError
	if err != nil && !errors.As(err, &lacks) {
		return cs, usage(err.Error())
	}
	return cs, err
}

// lineEnds returns the line ending of a text.
func lineEnds(s string) LineEnd {
	lf := strings.Count(s, "\n")
	switch crlf := strings.Count(s, "\r\n"); {
	case crlf == 0:
		return endLF
	case crlf == lf:
		return endCRLF
	}
	return endMixed
}
