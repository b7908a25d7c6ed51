// Package line is the client end of the program's WebSocket, for programs that act as a
// page: the tests of app/server, and package faults. It sends commands and receives their
// replies, and passes the other messages to its owner. It follows frontend/src/protocol.ts
// and uses no code of the program.
package line

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// ErrLost means that the connection to the program has ended.
var ErrLost = errors.New("the connection is lost")

// Failure is an error answer of the program.
type Failure struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (f *Failure) Error() string { return f.Code + ": " + f.Message }

// Answer is the reply to a command. Err is a *Failure, or wraps ErrLost.
type Answer struct {
	OK  json.RawMessage
	Err error
}

// Line is a connection. Its lock also guards the state that the owner derives from
// messages.
type Line struct {
	sync.Mutex
	Conn    *websocket.Conn // for messages that no page sends
	ctx     context.Context
	end     context.CancelFunc
	over    chan struct{}
	replies map[int64]chan Answer // nil: the connection is lost
	next    int64
	err     error
}

// Dial connects. The caller must then call Listen.
func Dial(url, token string) (*Line, error) {
	ctx, end := context.WithCancel(context.Background())
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: []string{"waferpair", "token." + token}})
	if err != nil {
		end()
		return nil, err
	}
	conn.SetReadLimit(-1)
	return &Line{Conn: conn, ctx: ctx, end: end, over: make(chan struct{}), replies: map[int64]chan Answer{}}, nil
}

// Listen starts to receive messages. It calls take for one after the other, with the line
// locked; an error of take ends the connection. take sees a reply before the sender of the
// command does.
func (l *Line) Listen(take func(data []byte) error) { go l.listen(take) }

// Close ends the connection, and waits until take is no longer called.
func (l *Line) Close() {
	l.end()
	<-l.over
}

// Over is closed when the connection has ended.
func (l *Line) Over() <-chan struct{} { return l.over }

func (l *Line) listen(take func([]byte) error) {
	defer close(l.over)
	for {
		_, data, err := l.Conn.Read(l.ctx)
		if err == nil {
			err = l.hear(data, take)
		}
		if err != nil {
			l.lose(err)
			return
		}
	}
}

func (l *Line) hear(data []byte, take func([]byte) error) error {
	l.Lock()
	defer l.Unlock()
	if err := take(data); err != nil {
		return err
	}
	var m struct {
		Type  string
		Re    int64
		OK    json.RawMessage
		Error *Failure
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	if r := l.replies[m.Re]; m.Type == "reply" && r != nil {
		delete(l.replies, m.Re)
		a := Answer{OK: m.OK}
		if m.Error != nil {
			a.Err = m.Error
		}
		r <- a
	}
	return nil
}

func (l *Line) lose(err error) {
	l.Lock()
	defer l.Unlock()
	l.err = err
	for _, r := range l.replies {
		r <- Answer{Err: fmt.Errorf("%w: %v", ErrLost, err)}
	}
	l.replies = nil
}

// Lost reports whether the connection has ended. The caller holds the lock.
func (l *Line) Lost() bool { return l.replies == nil }

// Ack acknowledges a frame.
func (l *Line) Ack(seq int64) error {
	return l.Conn.Write(l.ctx, websocket.MessageText, fmt.Appendf(nil, `{"ack":%d}`, seq))
}

// Send sends a command, and returns the id of its reply. The caller holds the lock.
func (l *Line) Send(cmd string, args map[string]any) (id int64, answer <-chan Answer) {
	r := make(chan Answer, 1)
	if l.Lost() {
		r <- Answer{Err: ErrLost}
		return 0, r
	}
	l.next++
	args = maps.Clone(args)
	if args == nil {
		args = map[string]any{}
	}
	args["id"], args["cmd"] = l.next, cmd
	b, err := json.Marshal(args)
	if err == nil {
		err = l.Conn.Write(l.ctx, websocket.MessageText, b)
	}
	if err != nil {
		r <- Answer{Err: fmt.Errorf("%w: %v", ErrLost, err)}
		return l.next, r
	}
	l.replies[l.next] = r
	return l.next, r
}

// Wait waits until so returns true. It calls so with the line locked.
func (l *Line) Wait(patience time.Duration, what string, so func() bool) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		l.Lock()
		yes, err := so(), l.err
		l.Unlock()
		switch {
		case yes:
			return nil
		case err != nil:
			return fmt.Errorf("waiting for: %s: %w: %v", what, ErrLost, err)
		case time.Now().After(deadline):
			return fmt.Errorf("waiting for: %s: not within %v", what, patience)
		}
	}
}
