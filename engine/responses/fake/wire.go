package fake

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"
)

// event is one event of a stream. A chat chunk has no name.
type event struct {
	name string
	data object // without type and sequence_number
}

// pipe carries events: SSE or a socket.
type pipe interface {
	event(name string, data []byte) error
	raw(b []byte) error // bytes that are no event
	die(reset bool)     // the connection ends, without an end of the body or a close frame
}

var errDied = errors.New("the connection has ended, as scripted")

// stream sends an answer's events through its fault. It has one owner, who answers the request.
//
//	events.go, chat.go -> emit -> left out? fault at this place? bytes damaged? -> pipe
type stream struct {
	ctx    context.Context
	s      *Server
	r      *Request
	a      Answer
	rnd    *rand.Rand
	pipe   pipe
	fail   func(code, message string) event // the wire's way to fail in the middle
	n      int                              // events sent
	number int                              // sequence_number
	left   int                              // of DieAt: bytes until the end
	held   []byte                           // of Disorder
	name   string                           // of held
	begun  bool
}

func (s *Server) stream(ctx context.Context, r *Request, a Answer, p pipe) *stream {
	return &stream{ctx: ctx, s: s, r: r, a: a, pipe: p, left: a.Fault.Bytes,
		rnd: rand.New(rand.NewPCG(s.Seed, uint64(r.N)))}
}

// emit sends an event, or what the fault makes of it. An error ends the answer.
func (st *stream) emit(e event) error {
	if err := st.ctx.Err(); err != nil {
		return err
	}
	f := st.a.Fault
	switch {
	case f.Kind == Minimal && !minimal(e.name), f.Kind == NoParts && strings.Contains(e.name, "content_part"):
		return nil
	case f.Kind == Doubled && strings.HasSuffix(e.name, ".done"):
		if err := st.send(e); err != nil {
			return err
		}
	}
	if st.n >= f.After {
		if err := st.strike(e); err != nil {
			return err
		}
	}
	return st.send(e)
}

func minimal(name string) bool {
	switch name {
	case "", "response.created", "response.output_item.done", "response.completed", "response.failed",
		"response.incomplete":
		return true
	}
	return false
}

// strike is the fault at its place.
func (st *stream) strike(e event) error {
	f := st.a.Fault
	switch f.Kind {
	case Fail:
		if err := st.send(st.fail(f.Code, f.Message)); err != nil {
			return err
		}
		return errFailed
	case ErrorEvent:
		if err := st.send(event{"error", obj("code", orNull(f.Code), "message", f.Message, "param", nil)}); err != nil {
			return err
		}
		return errFailed
	case Die, Reset:
		st.pipe.die(f.Kind == Reset)
		return errDied
	case Idle:
		<-st.ctx.Done()
		return st.ctx.Err()
	case NoEnd:
		if terminal(e) {
			return errFailed
		}
	case BadFrame:
		return st.pipe.raw([]byte{0xff, 0x7f, 0x00, 0x00})
	case Future:
		return st.send(event{"response.shimmer.delta", obj("item_id", "shm_1", "shimmer", obj("hue", 3))})
	default: // those of the bytes, of whole streams, and those that come before any event
	}
	return nil
}

// errFailed ends an answer whose wire goes on.
var errFailed = errors.New("the answer has failed, as scripted")

func terminal(e event) bool {
	switch e.name {
	case "response.completed", "response.incomplete", "response.failed":
		return true
	}
	return false
}

// send numbers, encodes, damages and writes one event.
func (st *stream) send(e event) error {
	o := e.data
	if e.name != "" {
		o = append(obj("type", e.name, "sequence_number", st.number), o...)
		st.number++
	}
	if st.s.Caps.Sorted {
		o = o.sorted()
	}
	if st.s.Caps.Bare {
		o = o.bare()
	}
	return st.write(e.name, st.damage(encode(onLane(o, st.r.Lane))), terminal(e))
}

func (st *stream) damage(b []byte) []byte {
	f := st.a.Fault
	if st.n != f.After {
		return b
	}
	switch f.Kind {
	default: // is not about an event's bytes
	case CutJSON:
		return b[:len(b)/2]
	case NoJSON:
		return []byte("upstream connect error or disconnect/reset before headers")
	case BadUTF8:
		return bytes.Replace(b, []byte(`:"`), []byte(":\"\xff\xfe\xc3"), 1)
	}
	return b
}

// write counts the event, and cuts it where the connection dies.
func (st *stream) write(name string, b []byte, last bool) error {
	f := st.a.Fault
	st.n++
	if f.Kind == Disorder && st.n > f.After && !last {
		if st.held == nil {
			st.held, st.name = b, name
			return nil
		}
		held := st.held
		st.held = nil
		if err := st.pipe.event(name, b); err != nil {
			return err
		}
		name, b = st.name, held
	}
	if f.Kind == DieAt && len(b) >= st.left {
		if err := st.pipe.raw(b[:st.left]); err != nil {
			return err
		}
		st.pipe.die(false)
		return errDied
	}
	st.left -= len(b)
	if err := st.pipe.event(name, b); err != nil {
		return err
	}
	st.r.sent(len(b))
	return nil
}

// pause is the model's time before a chunk.
func (st *stream) pause() error {
	d := st.a.Gap
	if !st.begun {
		st.begun, d = true, st.a.First
	}
	if d == 0 {
		return st.ctx.Err()
	}
	return st.s.Clock.Sleep(st.ctx, d)
}

// more is the text that a fault adds to the answer: without end, or a given size.
func (st *stream) more(delta func(text string) error) error {
	f := st.a.Fault
	for sent := 0; f.Kind == Endless || f.Kind == Flood && sent < f.Size; {
		text := "and so on "
		if f.Kind == Flood {
			text = strings.Repeat("all work and no play ", 1<<16/21)
			text = text[:min(len(text), f.Size-sent)]
		} else if err := st.s.Clock.Sleep(st.ctx, max(st.a.Gap, time.Millisecond)); err != nil {
			return err
		}
		if err := delta(text); err != nil {
			return err
		}
		sent += len(text)
	}
	return nil
}
