package server

import (
	"encoding/json"
	"errors"
	"strings"

	"waferpair/workspace"
	"waferpair/workspace/text"
)

// pushArgs are what the user typed since the page's last push.
type pushArgs struct {
	Path    string          `json:"path"`
	Doc     int64           `json:"doc"`
	Base    int64           `json:"base"`
	Changes json.RawMessage `json:"changes"`
}

// errStale says that a push is about a document that the page no longer has.
var errStale = fail(codeStale, "The file was replaced since it was shown: open it again.")

// push applies what the user typed. The reply and the frames keep their order:
// what is acknowledged before a reset is in the reset's text, and what is not,
// is not.
func push(c *call, o *opened, in pushArgs) (any, error) {
	pg := c.page
	pg.mu.Lock()
	defer pg.mu.Unlock()
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
	if err := o.Type(o.ctx, d.path, d.id, d.sent.version, cs, pg.name); err != nil {
		return nil, err
	}
	d.pushed = true
	return nil, pg.answerLocked(c.answered(), nil, nil)
}

// parse reads a push and maps it to what the page was sent last.
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

// lineEnds says how the lines of a text end.
func lineEnds(s string) string {
	lf := strings.Count(s, "\n")
	switch crlf := strings.Count(s, "\r\n"); {
	case crlf == 0:
		return "\n"
	case crlf == lf:
		return "\r\n"
	}
	return "mixed"
}
