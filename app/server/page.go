package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"waferpair/app"
	"waferpair/history"
)

// page is one connection of a page. Three kinds of goroutines serve it: the reader takes its
// messages, the lanes run its commands, the pump writes.
type page struct {
	server *Server
	host   *host
	name   string // the origin of its typing
	conn   *websocket.Conn
	ctx    context.Context // ends when the connection is given up
	end    context.CancelCauseFunc
	ended  chan struct{} // closed when none of its goroutines is running
	dirty  *dirty
	lanes  [laneCount]chan func()

	measuring measuring

	mu      sync.Mutex      // guards the rest: what the page has, and is being sent
	out     []ServerMessage // replies and hellos, in order
	docs    map[string]*openDoc
	session history.SessionID // the shown session; 0: the current one
	turn    *app.TurnLog
	sent    app.LogPosition // of turn
	running []RunningTurn   // as it was sent last
	early   []earlyPush     // typed before the project was ready
	seq     int64
	flight  time.Time // when the unacknowledged frame was sent; zero: none
	typed   time.Time // when it pushed last
}

// shows returns the session that the page shows; 0 before it was sent one.
func (pg *page) shows() history.SessionID {
	pg.mu.Lock()
	defer pg.mu.Unlock()
	return pg.session
}

// show switches the page to a session.
func (pg *page) show(session history.SessionID) {
	pg.mu.Lock()
	pg.session = session
	pg.mu.Unlock()
	pg.dirty.mark(func(k *known) { k.turn, k.project = true, true })
}

// maxMessage bounds a message from a page.
const maxMessage = 16 << 20

// maxReplies bounds the queued replies. A page that sends commands and does not read is dropped.
const maxReplies = 4096

func newPage(s *Server, conn *websocket.Conn, ctx context.Context) *page {
	pg := &page{server: s, host: s.host, name: rand.Text(), conn: conn, ended: make(chan struct{}), dirty: newDirty(),
		docs: map[string]*openDoc{}}
	pg.ctx, pg.end = context.WithCancelCause(ctx)
	pg.dirty.known.hello = true
	for i := range pg.lanes {
		pg.lanes[i] = make(chan func(), 64)
	}
	return pg
}

// serveSocket accepts a page's connection and serves it to its end.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{subprotocol},
		InsecureSkipVerify: true, // local has checked the origin, and allows the window's
	})
	if err != nil {
		return // Accept has answered
	}
	conn.SetReadLimit(maxMessage)
	pg := newPage(s, conn, r.Context())
	if !s.host.enter(pg) {
		_ = conn.Close(websocket.StatusTryAgainLater, "too many pages, or the program ends") // the page may be gone
		return
	}
	pg.serve()
}

// serve runs the page until its connection ends.
func (pg *page) serve() {
	var running sync.WaitGroup
	for _, lane := range pg.lanes {
		running.Go(func() {
			for run := range lane {
				run()
			}
		})
	}
	running.Go(func() { pg.end(pg.pump()) })
	pg.end(pg.read())
	for _, lane := range pg.lanes {
		close(lane)
	}
	pg.host.leave(pg)
	_ = pg.conn.CloseNow() // the page may be gone
	running.Wait()
	close(pg.ended)
}

// drop ends the connection. It does not wait.
func (pg *page) drop(why string) { pg.end(errors.New(why)) }

// read handles messages until the connection ends.
func (pg *page) read() error {
	for {
		kind, data, err := pg.conn.Read(pg.ctx)
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			return errors.New("the page sent a binary message")
		}
		if err := pg.take(data); err != nil {
			return err
		}
	}
}

// message has the fields that every message of a page has.
type message struct {
	Ack *int64 `json:"ack"`
	ID  int64  `json:"id"`
	Cmd string `json:"cmd"`
}

// take handles one message. An error ends the connection; an invalid command is only refused.
func (pg *page) take(data []byte) error {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return pg.answer(0, nil, usage("This message is not a call: "+err.Error()))
	}
	if m.Ack != nil {
		pg.acked(*m.Ack)
		return nil
	}
	cmd, ok := commands[m.Cmd]
	if !ok {
		return pg.answer(m.ID, nil, fail(codeUnknown, "There is no command \""+m.Cmd+"\" in this version."))
	}
	c := &call{page: pg, id: m.ID, args: data, arrived: time.Now()}
	if cmd.lane == inline {
		c.run(cmd.run)
		return nil
	}
	select {
	case pg.lanes[cmd.lane] <- func() { c.run(cmd.run) }:
		return nil
	case <-pg.ctx.Done():
		return pg.ctx.Err()
	}
}

// answer queues a reply.
func (pg *page) answer(id int64, ok any, f *Failure) error {
	pg.mu.Lock()
	defer pg.mu.Unlock()
	return pg.answerLocked(id, ok, f)
}

// answerLocked queues a reply under pg.mu, before all frames that the pump makes later.
func (pg *page) answerLocked(id int64, ok any, f *Failure) error {
	if len(pg.out) >= maxReplies {
		err := errors.New("the page does not read its replies")
		pg.end(err)
		return err
	}
	pg.out = append(pg.out, Reply{Type: "reply", Re: id, OK: ok, Error: f})
	pg.dirty.signal()
	return nil
}

// helloAgain sends the page another hello: another folder is open.
func (pg *page) helloAgain() {
	pg.dirty.mark(func(k *known) { k.hello = true })
}

// write sends one message.
func (pg *page) write(buf *bytes.Buffer, v ServerMessage) error {
	buf.Reset()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(pg.ctx, pg.server.opt.AckWithin)
	defer cancel()
	return pg.conn.Write(ctx, websocket.MessageText, buf.Bytes())
}
