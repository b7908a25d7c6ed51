package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"waferpair/app/server"
	"waferpair/workspace/text"
)

// client plays a page: it keeps texts as a page does, with what is typed and not
// confirmed yet, and rebases. It is written down plainly, from protocol.ts.
type client struct {
	t    testing.TB
	conn *websocket.Conn
	end  context.CancelFunc
	over chan struct{}

	mu      sync.Mutex
	hello   server.Hello
	hellos  int
	docs    map[string]*clientDoc
	turn    clientTurn
	head    int64
	replies map[int64]chan reply
	next    int64
	frames  int
	resets  int
	resumed map[string]bool // waits for the first news after a lost connection
	deaf    bool            // acknowledges nothing
	held    []int64
	project *server.Project
	notices []server.Notice
	gone    bool

	unrecorded string
	err        error
}

type clientTurn struct {
	turn   int64
	events []map[string]any
	live   server.TurnLive
}

type reply struct {
	OK    json.RawMessage
	Error *server.Failure
}

// anyMessage is every message of the server.
type anyMessage struct {
	Type  string
	Re    int64
	OK    json.RawMessage
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
		Turn   int64
		From   int
		Events []map[string]any
		Live   server.TurnLive
	}
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
	ctx, end := context.WithCancel(context.Background())
	conn, _, err := websocket.Dial(ctx, s.Socket(), &websocket.DialOptions{Subprotocols: []string{"waferpair", "token." + s.Token()}})
	if err != nil {
		end()
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	c := &client{t: t, conn: conn, end: end, over: make(chan struct{}), docs: map[string]*clientDoc{}, replies: map[int64]chan reply{}, resumed: map[string]bool{}}
	go c.listen(ctx)
	t.Cleanup(c.close)
	c.wait("hello", func() bool { return c.hellos > 0 })
	return c
}

func (c *client) close() {
	c.end()
	<-c.over
}

func (c *client) listen(ctx context.Context) {
	defer close(c.over)
	for {
		_, data, err := c.conn.Read(ctx)
		if err == nil {
			err = c.take(ctx, data)
		}
		if err != nil {
			c.mu.Lock()
			c.err = err
			for _, r := range c.replies {
				close(r)
			}
			c.replies = nil
			c.mu.Unlock()
			return
		}
	}
}

func (c *client) take(ctx context.Context, data []byte) error {
	validate(c.t, "ServerMessage", data)
	c.mu.Lock()
	defer c.mu.Unlock()
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
		if r := c.replies[m.Re]; r != nil {
			delete(c.replies, m.Re)
			c.accepted(m)
			r <- reply{m.OK, m.Error}
		}
		return nil
	}
	return c.frame(ctx, m)
}

// accepted notes that a push was.
func (c *client) accepted(m anyMessage) {
	for _, d := range c.docs {
		d.accepted = d.accepted || m.Error == nil && d.flight != nil && d.asked == m.Re
	}
}

func (c *client) frame(ctx context.Context, m anyMessage) error {
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
	if m.Turn != nil {
		if m.Turn.From == 0 {
			c.turn = clientTurn{}
		}
		if m.Turn.From != len(c.turn.events) {
			return fmt.Errorf("events from %d after %d", m.Turn.From, len(c.turn.events))
		}
		c.turn.turn, c.turn.live = m.Turn.Turn, m.Turn.Live
		c.turn.events = append(c.turn.events, m.Turn.Events...)
	}
	for _, n := range m.Docs {
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
	return c.ack(ctx, m.Seq)
}

func (c *client) ack(ctx context.Context, seq int64) error {
	return c.conn.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"ack":%d}`, seq))
}

// setDeaf stops to acknowledge frames, or catches up.
func (c *client) setDeaf(deaf bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deaf = deaf
	if deaf {
		return
	}
	for _, seq := range c.held {
		if err := c.ack(context.Background(), seq); err != nil {
			c.t.Error(err)
		}
	}
	c.held = nil
}

// send sends a command and gives the channel of its reply.
func (c *client) send(cmd string, args any) chan reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sendLocked(cmd, args)
}

func (c *client) sendLocked(cmd string, args any) chan reply {
	r := make(chan reply, 1)
	if c.replies == nil {
		close(r)
		return r
	}
	c.next++
	m := map[string]any{}
	b, err := json.Marshal(args)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	m["id"], m["cmd"] = c.next, cmd
	c.replies[c.next] = r
	if err == nil {
		b, err = json.Marshal(m)
	}
	if err == nil {
		err = c.conn.Write(context.Background(), websocket.MessageText, b)
	}
	if err != nil {
		c.t.Errorf("%s: %v", cmd, err)
	}
	return r
}

// call sends a command, waits for its reply, and reads the answer into out.
func (c *client) call(cmd string, args, out any) *server.Failure {
	c.t.Helper()
	select {
	case r, ok := <-c.send(cmd, args):
		if !ok {
			return &server.Failure{Code: "lost"}
		}
		if r.Error == nil && out != nil {
			if err := json.Unmarshal(r.OK, out); err != nil {
				c.t.Fatalf("%s answers %s: %v", cmd, r.OK, err)
			}
		}
		return r.Error
	case <-time.After(patience):
		c.t.Fatalf("%s is not answered", cmd)
		return nil
	}
}

// must is call where nothing may go wrong.
func (c *client) must(cmd string, args, out any) {
	c.t.Helper()
	if f := c.call(cmd, args, out); f != nil {
		c.t.Fatalf("%s: %s: %s", cmd, f.Code, f.Message)
	}
}

// open opens a document.
func (c *client) open(path string) {
	c.t.Helper()
	r := c.send("open", map[string]any{"path": path})
	select {
	case got, ok := <-r:
		if !ok || got.Error != nil {
			c.t.Fatalf("open %s: %+v", path, got.Error)
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
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.docs[doc.Path]; d != nil {
		c.resets++
		d.reset(doc)
	} else {
		c.docs[doc.Path] = &clientDoc{id: doc.Doc, version: doc.Version, kind: doc.Kind, why: doc.Why, confirmed: text.OfString(doc.Text)}
	}
	return doc
}

// typeAt types in the text as it is shown, and pushes unless a push is on its way.
func (c *client) typeAt(path string, change func(shown text.Text) (text.ChangeSet, error)) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
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
	if d.flight != nil || d.pending == nil || c.replies == nil {
		return
	}
	raw, err := d.pending.MarshalCM(d.confirmed)
	if err != nil {
		c.t.Error(err)
		return
	}
	d.flight, d.pending = d.pending, nil
	r := c.sendLocked("push", map[string]any{"path": path, "doc": d.id, "base": d.version, "changes": json.RawMessage(raw)})
	d.asked = c.next
	go c.pushed(path, d, r)
}

// pushed waits for what became of a push. A stale one is pushed again once the
// document is opened anew.
func (c *client) pushed(path string, d *clientDoc, r chan reply) {
	got, ok := <-r
	if !ok || got.Error == nil {
		return
	}
	if got.Error.Code != "stale" {
		c.t.Errorf("push: %s: %s", got.Error.Code, got.Error.Message)
		return
	}
	again, ok := <-c.send("open", map[string]any{"path": path})
	if ok && again.Error == nil {
		c.opened(again.OK)
		c.mu.Lock()
		c.pushLocked(path, d)
		c.mu.Unlock()
	}
}

// settle waits until everything that was typed is confirmed.
func (c *client) settle(path string) {
	c.t.Helper()
	c.wait("everything typed is confirmed", func() bool {
		d := c.docs[path]
		c.pushLocked(path, d)
		return d.flight == nil && d.pending == nil
	})
}

func (c *client) text(path string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.docs[path].shown().String()
}

const patience = 30 * time.Second

// wait waits until something is so; c.mu is held while it looks.
func (c *client) wait(what string, so func() bool) {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		c.mu.Lock()
		yes, err := so(), c.err
		c.mu.Unlock()
		switch {
		case yes:
			return
		case err != nil:
			c.t.Fatalf("waiting for: %s: the connection ended: %v", what, err)
		case time.Now().After(deadline):
			c.t.Fatalf("waiting for: %s: not within %v", what, patience)
		}
		time.Sleep(time.Millisecond)
	}
}

// ended waits for the end of the turn and gives its outcome.
func (c *client) ended(turn int64) server.Outcome {
	c.t.Helper()
	var out server.Outcome
	c.wait("the turn's end", func() bool {
		n := len(c.turn.events)
		if c.turn.turn != turn || n == 0 || c.turn.events[n-1]["t"] != "ended" {
			return false
		}
		b, err := json.Marshal(c.turn.events[n-1]["outcome"])
		if err == nil {
			err = json.Unmarshal(b, &out)
		}
		if err != nil {
			c.t.Error(err)
		}
		return true
	})
	return out
}
