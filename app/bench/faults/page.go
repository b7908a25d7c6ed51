//go:build linux

package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"waferpair/app/bench/line"
	"waferpair/workspace/text"
)

// patience bounds the wait for something that must happen. It is generous: nothing here
// measures time.
const patience = 60 * time.Second

// page acts as a page of the window: it has texts with unconfirmed typing, and rebases.
type page struct {
	*line.Line
	docs  map[string]*doc
	told  []string // the notices that the user would see
	turn  int64
	ended map[int64]string // how turns ended
	acked map[int64][]ackedEdit
	gone  bool

	unrecorded string // the page's message while nothing can be recorded
}

// ackedEdit is an edit that the program acknowledged.
type ackedEdit struct {
	ID   int64  `json:"id"`
	Path string `json:"path"`
}

// doc is an open document.
//
//	confirmed --flight--> shown
type doc struct {
	id, version int64
	confirmed   text.Text
	flight      *text.ChangeSet
	states      []string // every confirmed text, oldest first
}

func (d *doc) shown() string {
	t := d.confirmed
	if d.flight != nil {
		if moved, err := d.flight.Apply(t); err == nil {
			t = moved
		}
	}
	return t.String()
}

type update struct {
	Author  string
	Own     bool
	Changes json.RawMessage
}

type wireDoc struct {
	Path, Kind, Why, Text string
	Doc, Version          int64
}

type message struct {
	Type string
	Seq  int64
	Docs []struct {
		Path, Moved   string
		Doc, From, To int64
		Updates       []update
		Reset         *wireDoc
	}
	Turn *struct {
		Turn    int64
		Acked   []ackedEdit
		Outcome *struct{ Status, Message string }
	}
	Project    *struct{ ReadOnly string }
	FolderGone *bool
	Unrecorded *string
	Notices    []struct{ Level, Text string }
}

func dial(addr, token string) (*page, error) {
	l, err := line.Dial("ws://"+addr+"/ws", token)
	if err != nil {
		return nil, err
	}
	p := &page{Line: l, docs: map[string]*doc{}, ended: map[int64]string{}, acked: map[int64][]ackedEdit{}}
	p.Listen(p.take)
	return p, nil
}

func (p *page) take(data []byte) error {
	var m message
	if err := json.Unmarshal(data, &m); err != nil || m.Type != "frame" {
		return err
	}
	if err := p.frame(m); err != nil {
		return err
	}
	return p.Ack(m.Seq)
}

func (p *page) frame(m message) error {
	if m.Project != nil && m.Project.ReadOnly != "" {
		p.told = append(p.told, "read-only: "+m.Project.ReadOnly)
	}
	if m.FolderGone != nil {
		p.gone = *m.FolderGone
	}
	if m.Unrecorded != nil {
		p.unrecorded = *m.Unrecorded
		p.told = append(p.told, "unrecorded: "+p.unrecorded)
	}
	for _, n := range m.Notices {
		p.told = append(p.told, n.Level+": "+n.Text)
	}
	if m.Turn != nil {
		p.turn = m.Turn.Turn
		p.acked[p.turn] = append(p.acked[p.turn], m.Turn.Acked...)
		if o := m.Turn.Outcome; o != nil {
			p.ended[p.turn] = o.Status + ": " + o.Message
		}
	}
	for _, n := range m.Docs {
		d := p.docs[n.Path]
		switch {
		case d == nil:
		case n.Moved != "":
			delete(p.docs, n.Path)
			p.docs[n.Moved] = d
		case n.Reset != nil:
			d.reset(*n.Reset)
		default:
			if n.Doc != d.id || n.From != d.version {
				return fmt.Errorf("%s: updates of %d from %d, but the page has %d at %d", n.Path, n.Doc, n.From, d.id, d.version)
			}
			for _, u := range n.Updates {
				if err := d.update(u); err != nil {
					return fmt.Errorf("%s: %w", n.Path, err)
				}
			}
			d.version = n.To
		}
	}
	return nil
}

func (d *doc) update(u update) (err error) {
	defer func() { d.states = append(d.states, d.confirmed.String()) }()
	if u.Own {
		if d.flight == nil {
			return errors.New("an own update, but nothing was pushed")
		}
		d.confirmed, err = d.flight.Apply(d.confirmed)
		d.flight = nil
		return err
	}
	theirs, err := text.ParseCM(u.Changes, d.confirmed)
	if err != nil {
		return err
	}
	return d.rebase(theirs, u.Author != "user")
}

func (d *doc) rebase(theirs text.ChangeSet, mineFirst bool) (err error) {
	if d.confirmed, err = theirs.Apply(d.confirmed); err != nil || d.flight == nil {
		return err
	}
	moved, err := d.flight.Map(theirs, mineFirst)
	d.flight = &moved
	return err
}

// reset replaces a whole document. It contains the pushes in flight that were answered; the
// others are dropped, as they were not acknowledged.
func (d *doc) reset(w wireDoc) {
	d.id, d.version, d.confirmed = w.Doc, w.Version, text.OfString(w.Text)
	d.flight = nil
	d.states = append(d.states, w.Text)
}

// call sends a command and waits for its reply.
func (p *page) call(cmd string, args map[string]any) (json.RawMessage, error) {
	p.Lock()
	_, r := p.Send(cmd, args)
	p.Unlock()
	select {
	case a := <-r:
		return a.OK, a.Err
	case <-time.After(patience):
		return nil, fmt.Errorf("%s is not answered", cmd)
	}
}

// open opens a document, or opens it anew.
func (p *page) open(path string) error {
	raw, err := p.call("open", map[string]any{"path": path})
	if err != nil {
		return err
	}
	var w wireDoc
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	p.Lock()
	defer p.Unlock()
	d := p.docs[w.Path]
	if d == nil {
		d = &doc{}
		p.docs[w.Path] = d
	}
	d.reset(w)
	return nil
}

// typeIn types at a place of the shown text, and waits for the confirmation. An error means
// that there was none.
func (p *page) typeIn(path string, change func(shown string) (from, to int, insert string)) error {
	p.Lock()
	d := p.docs[path]
	if d == nil {
		p.Unlock()
		return fmt.Errorf("%s is not open", path)
	}
	from, to, insert := change(d.confirmed.String())
	cs, err := text.NewChangeSet(d.confirmed.Len(), text.Change{From: text.Byte(from), To: text.Byte(to), Insert: insert})
	if err != nil {
		p.Unlock()
		return err
	}
	raw, err := cs.MarshalCM(d.confirmed)
	if err != nil {
		p.Unlock()
		return err
	}
	d.flight = &cs
	_, r := p.Send("push", map[string]any{"path": path, "doc": d.id, "base": d.version, "changes": json.RawMessage(raw)})
	p.Unlock()
	var a line.Answer
	select {
	case a = <-r:
	case <-time.After(patience):
		return errors.New("a push is not answered")
	}
	if errors.Is(a.Err, line.ErrLost) {
		return a.Err // whether the program took it, nobody knows: it stays in flight
	}
	if a.Err != nil {
		p.Lock()
		d.flight = nil
		p.Unlock()
		return a.Err
	}
	return p.wait("a push is confirmed", func() bool { return d.flight == nil })
}

// wait waits until a condition is true; p is locked while it checks.
func (p *page) wait(what string, so func() bool) error { return p.Wait(patience, what, so) }

// text returns the page's text of a file.
func (p *page) text(path string) (string, bool) {
	p.Lock()
	defer p.Unlock()
	d := p.docs[path]
	if d == nil {
		return "", false
	}
	return d.shown(), true
}

// notices returns the notices that the user has seen.
func (p *page) notices() []string {
	p.Lock()
	defer p.Unlock()
	return append([]string{}, p.told...)
}
