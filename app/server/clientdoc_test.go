package server_test

import (
	"errors"

	"waferpair/app/server"
	"waferpair/workspace/text"
)

// clientDoc is an open document.
//
//	confirmed --flight--> . --pending--> shown
type clientDoc struct {
	id, version     int64
	kind, why       string
	confirmed       text.Text
	flight, pending *text.ChangeSet
	asked           int64 // the call of the push in flight
	accepted        bool  // its reply says ok
}

func (d *clientDoc) update(u server.Update) error {
	if u.Own {
		if d.flight == nil {
			return errors.New("an own update, but nothing was pushed")
		}
		var err error
		d.confirmed, err = d.flight.Apply(d.confirmed)
		d.flight, d.accepted = nil, false
		return err
	}
	cs, err := text.ParseCM(u.Changes, d.confirmed)
	if err != nil {
		return err
	}
	return d.rebase(cs, u.Author != "user")
}

func (d *clientDoc) rebase(theirs text.ChangeSet, mineFirst bool) (err error) {
	if d.confirmed, err = theirs.Apply(d.confirmed); err != nil {
		return err
	}
	for _, mine := range []**text.ChangeSet{&d.flight, &d.pending} {
		if *mine == nil {
			continue
		}
		moved, err := (*mine).Map(theirs, mineFirst)
		if err != nil {
			return err
		}
		if theirs, err = theirs.Map(**mine, !mineFirst); err != nil {
			return err
		}
		*mine = &moved
	}
	return nil
}

// reset replaces the whole document. It contains a push in flight that was accepted; an
// unanswered push is typed again.
func (d *clientDoc) reset(doc server.Doc) {
	if d.accepted {
		if err := d.update(server.Update{Own: true}); err != nil {
			panic(err)
		}
	}
	was := d.confirmed
	d.id, d.version, d.kind, d.why = doc.Doc, doc.Version, string(doc.Kind), doc.Why
	now := text.OfString(doc.Text)
	d.confirmed = was
	if err := d.rebase(text.Diff(was, now), true); err != nil {
		panic(err)
	}
	d.giveBack()
}

// giveBack turns the push in flight into pending typing.
func (d *clientDoc) giveBack() {
	switch {
	case d.flight == nil:
	case d.pending == nil:
		d.pending, d.flight = d.flight, nil
	default:
		both, err := d.flight.Compose(*d.pending)
		if err != nil {
			panic(err)
		}
		d.pending, d.flight = &both, nil
	}
}

func (d *clientDoc) shown() text.Text {
	t := d.confirmed
	for _, cs := range []*text.ChangeSet{d.flight, d.pending} {
		if cs != nil {
			var err error
			if t, err = cs.Apply(t); err != nil {
				panic(err)
			}
		}
	}
	return t
}
