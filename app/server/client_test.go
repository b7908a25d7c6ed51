package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"waferpair/app/bench/line"
	"waferpair/app/server"
	"waferpair/engine"
	"waferpair/workspace/text"
)

// client acts as a page: it keeps texts with unconfirmed typing, as a page does, and
// rebases. It is a plain version, written from protocol.ts.
type client struct {
	*line.Line
	t       testing.TB
	hello   server.Hello
	hellos  int
	docs    map[string]*clientDoc
	turn    clientTurn
	running []server.RunningTurn
	head    int64
	frames  int
	resets  int
	resumed map[string]bool // waits for the first update after a lost connection
	deaf    bool            // acknowledges no frame
	deafTo  string          // becomes deaf at the first frame about this file
	held    []int64
	project *server.Project
	notices []server.Notice
	gone    bool

	unrecorded string
}

type clientTurn struct {
	turn    int64
	parts   []map[string]any
	acked   []engine.EditAcked
	live    server.TurnLive
	outcome *server.Outcome
}

// anyMessage is every message of the server.
type anyMessage struct {
	Type  string
	Re    int64
	Error *server.Failure
	Seq   int64
	Head  int64
	Docs  []struct {
		Path, Moved string
		Doc         int64
		From, To    int64
		Updates     []server.Update
		Reset       *server.Doc
	}
	Turn *struct {
		Turn  int64
		Began *server.TurnBegan
		Parts []struct {
			At   int
			Part map[string]any
			Text string

			State          string
			Added, Removed float64
		}
		Acked   []engine.EditAcked
		Live    server.TurnLive
		Outcome *server.Outcome
	}
	Running    *server.RunningTurns
	Project    *server.Project
	FolderGone *bool
	Unrecorded *string
	Notices    []server.Notice
}

func dial(t testing.TB, s *server.Server) *client { return redial(t, s) }

func redial(t testing.TB, s interface {
	Socket() string
	Token() string
}) *client {
	t.Helper()
	l, err := line.Dial(s.Socket(), s.Token())
	if err != nil {
		t.Fatal(err)
	}
	c := &client{Line: l, t: t, docs: map[string]*clientDoc{}, resumed: map[string]bool{}}
	c.Listen(c.take)
	t.Cleanup(c.Close)
	c.wait("hello", func() bool { return c.hellos > 0 })
	return c
}

func (c *client) take(data []byte) error {
	validate[server.ServerMessage](c.t, data)
	var m anyMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	switch m.Type {
	case "hello":
		if c.hellos++; c.hellos > 1 {
			c.docs = map[string]*clientDoc{}
		}
		return json.Unmarshal(data, &c.hello)
	case "reply":
		c.accepted(m)
		return nil
	}
	return c.frame(m)
}

// accepted notes that a push was accepted.
func (c *client) accepted(m anyMessage) {
	for _, d := range c.docs {
		d.accepted = d.accepted || m.Error == nil && d.flight != nil && d.asked == m.Re
	}
}

func (c *client) frame(m anyMessage) error {
	c.frames++
	c.head = max(c.head, m.Head)
	if m.Project != nil {
		c.project = m.Project
	}
	if m.Unrecorded != nil {
		c.unrecorded = *m.Unrecorded
	}
	if m.FolderGone != nil {
		c.gone = *m.FolderGone
	}
	c.notices = append(c.notices, m.Notices...)
	if m.Running != nil {
		c.running = m.Running.Turns
	}
	if m.Turn != nil {
		if err := c.turnNews(m); err != nil {
			return err
		}
	}
	for _, n := range m.Docs {
		c.deaf = c.deaf || n.Path == c.deafTo
		d := c.docs[n.Path]
		switch {
		case d == nil:
		case n.Moved != "":
			delete(c.docs, n.Path)
			c.docs[n.Moved] = d
		case n.Reset != nil:
			c.resets++
			d.reset(*n.Reset)
		default:
			if n.Doc != d.id || n.From != d.version {
				return fmt.Errorf("%s: updates of %d from %d, but the page has %d at %d", n.Path, n.Doc, n.From, d.id, d.version)
			}
			for _, u := range n.Updates {
				if err := d.update(u); err != nil {
					return err
				}
			}
			d.version = n.To
			delete(c.resumed, n.Path)
		}
	}
	if c.deaf {
		c.held = append(c.held, m.Seq)
		return nil
	}
	return c.Ack(m.Seq)
}

func (c *client) turnNews(m anyMessage) error {
	n := m.Turn
	if n.Began != nil {
		c.turn = clientTurn{turn: n.Turn}
	}
	t := &c.turn
	if n.Turn != t.turn || t.outcome != nil && len(n.Parts)+len(n.Acked) > 0 {
		return fmt.Errorf("news of turn %d that do not belong to turn %d as it is", n.Turn, t.turn)
	}
	for _, p := range n.Parts {
		switch {
		case p.At > len(t.parts) || p.Part == nil && p.At == len(t.parts):
			return fmt.Errorf("news of part %d after %d", p.At, len(t.parts))
		case p.State != "":
			t.parts[p.At]["state"], t.parts[p.At]["added"], t.parts[p.At]["removed"] = p.State, p.Added, p.Removed
		case p.Part == nil:
			t.parts[p.At]["text"] = t.parts[p.At]["text"].(string) + p.Text
		case p.At == len(t.parts):
			t.parts = append(t.parts, p.Part)
		default:
			t.parts[p.At] = p.Part
		}
	}
	t.acked = append(t.acked, n.Acked...)
	if t.live = n.Live; n.Outcome != nil {
		t.outcome = n.Outcome
	}
	return nil
}

// setDeafTo stops acknowledging at the first frame about a file. Frames about other files
// may come before it.
func (c *client) setDeafTo(path string) {
	c.Lock()
	defer c.Unlock()
	c.deafTo = path
}

// setDeaf stops acknowledging frames, or acknowledges all that came meanwhile.
func (c *client) setDeaf(deaf bool) {
	c.Lock()
	defer c.Unlock()
	c.deaf, c.deafTo = deaf, ""
	if deaf {
		return
	}
	for _, seq := range c.held {
		if err := c.Ack(seq); err != nil {
			c.t.Error(err)
		}
	}
	c.held = nil
}

// send sends a command and returns the channel of its reply.
func (c *client) send(cmd string, args any) <-chan line.Answer {
	c.Lock()
	defer c.Unlock()
	_, r := c.sendLocked(cmd, args)
	return r
}

func (c *client) sendLocked(cmd string, args any) (id int64, r <-chan line.Answer) {
	m := map[string]any{}
	b, err := json.Marshal(args)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		c.t.Errorf("%s: %v", cmd, err)
	}
	return c.Send(cmd, m)
}

// call sends a command, waits for its reply, and decodes it into out.
func (c *client) call(cmd string, args, out any) *server.Failure {
	c.t.Helper()
	select {
	case a := <-c.send(cmd, args):
		var f *line.Failure
		switch {
		case errors.As(a.Err, &f):
			var data any
			_ = json.Unmarshal(f.Data, &data) // there may be no data
			return &server.Failure{Code: server.FailureCode(f.Code), Message: f.Message, Data: data}
		case a.Err != nil:
			return &server.Failure{Code: "lost"}
		}
		validateAnswer(c.t, "Commands", cmd, a.OK)
		if out != nil {
			if err := json.Unmarshal(a.OK, out); err != nil {
				c.t.Fatalf("%s answers %s: %v", cmd, a.OK, err)
			}
		}
		return nil
	case <-time.After(patience):
		c.t.Fatalf("%s is not answered", cmd)
		return nil
	}
}

// must calls a command that must not fail.
func (c *client) must(cmd string, args, out any) {
	c.t.Helper()
	if f := c.call(cmd, args, out); f != nil {
		c.t.Fatalf("%s: %s: %s", cmd, f.Code, f.Message)
	}
}

// open opens a document.
func (c *client) open(path string) {
	c.t.Helper()
	select {
	case got := <-c.send("open", map[string]any{"path": path}):
		if got.Err != nil {
			c.t.Fatalf("open %s: %v", path, got.Err)
		}
		c.opened(got.OK)
	case <-time.After(patience):
		c.t.Fatalf("open %s: no answer", path)
	}
}

func (c *client) opened(raw json.RawMessage) server.Doc {
	var doc server.Doc
	if err := json.Unmarshal(raw, &doc); err != nil {
		c.t.Fatal(err)
	}
	c.Lock()
	defer c.Unlock()
	if d := c.docs[doc.Path]; d != nil {
		c.resets++
		d.reset(doc)
	} else {
		c.docs[doc.Path] = &clientDoc{id: doc.Doc, version: doc.Version, kind: string(doc.Kind), why: doc.Why,
			confirmed: text.OfString(doc.Text)}
	}
	return doc
}

// typeAt types into the shown text, and pushes unless a push is in flight.
func (c *client) typeAt(path string, change func(shown text.Text) (text.ChangeSet, error)) {
	c.t.Helper()
	c.Lock()
	defer c.Unlock()
	d := c.docs[path]
	cs, err := change(d.shown())
	if err != nil {
		c.t.Error(err)
		return
	}
	if d.pending != nil {
		if cs, err = d.pending.Compose(cs); err != nil {
			c.t.Error(err)
		}
	}
	d.pending = &cs
	c.pushLocked(path, d)
}

func (c *client) pushLocked(path string, d *clientDoc) {
	if d.flight != nil || d.pending == nil || c.Lost() {
		return
	}
	raw, err := d.pending.MarshalCM(d.confirmed)
	if err != nil {
		c.t.Error(err)
		return
	}
	d.flight, d.pending = d.pending, nil
	id, r := c.sendLocked("push", map[string]any{"path": path, "doc": d.id, "base": d.version,
		"changes": json.RawMessage(raw)})
	d.asked = id
	go c.pushed(path, d, r)
}

// pushed waits for the result of a push. It opens the document anew after a stale one, and
// pushes again.
func (c *client) pushed(path string, d *clientDoc, r <-chan line.Answer) {
	got := <-r
	var f *line.Failure
	if !errors.As(got.Err, &f) {
		return
	}
	if f.Code != "stale" {
		c.t.Errorf("push: %v", f)
		return
	}
	if again := <-c.send("open", map[string]any{"path": path}); again.Err == nil {
		c.opened(again.OK)
		c.Lock()
		c.pushLocked(path, d)
		c.Unlock()
	}
}

// settle waits until all typing is confirmed.
func (c *client) settle(path string) {
	c.t.Helper()
	c.wait("everything typed is confirmed", func() bool {
		d := c.docs[path]
		c.pushLocked(path, d)
		return d.flight == nil && d.pending == nil
	})
}

// look calls at with the page locked, as a frame may change it at any time.
func (c *client) look(at func()) {
	c.Lock()
	defer c.Unlock()
	at()
}

func (c *client) text(path string) string {
	c.Lock()
	defer c.Unlock()
	return c.docs[path].shown().String()
}

// patience bounds waits for something that is certain to happen.
const patience = time.Minute

// wait waits until so returns true. It calls so with c locked.
func (c *client) wait(what string, so func() bool) {
	c.t.Helper()
	if err := c.Wait(patience, what, so); err != nil {
		c.t.Fatal(err)
	}
}

// ended waits for the end of a turn and returns its outcome.
func (c *client) ended(turn int64) server.Outcome {
	c.t.Helper()
	c.wait("the turn's end", func() bool { return c.turn.turn == turn && c.turn.outcome != nil })
	c.Lock()
	defer c.Unlock()
	return *c.turn.outcome
}
