package client

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"waferpair/engine/responses"
)

// frames is the client's side of a WebSocket (RFC 6455), without extensions. One goroutine reads; any
// may write, ping and close. A message costs no lock, no timer and no memory of its own: at thousands
// of tokens a second, each in a message, that is what the library's reader spends most of its time on.
type frames struct {
	conn io.ReadWriteCloser
	in   *bufio.Reader
	pong chan struct{} // holds one value after a pong

	writing sync.Mutex
	out     []byte
}

// The kinds of frames.
const (
	continuationFrame = 0x0
	textFrame         = 0x1
	closeFrame        = 0x8
	pingFrame         = 0x9
	pongFrame         = 0xa

	finalBit  = 0x80
	maskBit   = 0x80
	mostInOne = 125 // bytes of a control frame
)

// upgraded asks for a WebSocket. Where there is none, the response is the server's answer, if it gave one, whose
// body is closed.
func upgraded(h *http.Client, req *http.Request) (*frames, *http.Response, error) {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // never fails
	key := base64.StdEncoding.EncodeToString(nonce[:])
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	req.Header.Set("Sec-WebSocket-Version", "13")
	req.Header.Set("Sec-WebSocket-Key", key)
	r, err := h.Do(req)
	if err != nil {
		return nil, nil, err
	}
	conn, is := r.Body.(io.ReadWriteCloser)
	if r.StatusCode != http.StatusSwitchingProtocols || !is || !accepts(r.Header, key) {
		said, _ := io.ReadAll(io.LimitReader(r.Body, 64<<10)) // what it says of the refusal
		_ = r.Body.Close()                                    // read
		r.Body = io.NopCloser(bytes.NewReader(said))
		return nil, r, errNoSockets
	}
	return &frames{conn: conn, in: bufio.NewReaderSize(conn, 32<<10), pong: make(chan struct{}, 1)}, r, nil
}

// accepts reports whether a server that switches protocols has understood which.
func accepts(h http.Header, key string) bool {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return strings.EqualFold(h.Get("Upgrade"), "websocket") &&
		h.Get("Sec-WebSocket-Accept") == base64.StdEncoding.EncodeToString(sum[:]) &&
		h.Get("Sec-WebSocket-Extensions") == ""
}

// next reads a message into a buffer, and answers what of the protocol comes before it.
func (f *frames) next(into *bytes.Buffer) error {
	for begun := false; ; {
		first, size, err := f.header()
		if err != nil {
			return err
		}
		kind := first & 0xf
		switch {
		case first&0x70 != 0:
			return fmt.Errorf("a frame of the WebSocket has bits of an extension that nobody asked for")
		case kind >= closeFrame:
			if err := f.control(first, size); err != nil {
				return err
			}
			continue
		case begun != (kind == continuationFrame):
			return fmt.Errorf("the frames of the WebSocket are out of order")
		case !begun && kind != textFrame:
			return fmt.Errorf("a message is binary; the Responses API has text only")
		case size > uint64(responses.MaxEvent-into.Len()):
			return responses.ErrTooLarge
		}
		begun = true
		if err := f.payload(into, int(size)); err != nil {
			return err
		}
		if first&finalBit != 0 {
			return nil
		}
	}
}

// payload appends the bytes of a frame: as they arrive, because their number is only said.
func (f *frames) payload(into *bytes.Buffer, size int) error {
	for size > 0 {
		if f.in.Buffered() == 0 {
			if _, err := f.in.Peek(1); err != nil {
				return broken(err)
			}
		}
		b, _ := f.in.Peek(min(size, f.in.Buffered())) // they are there
		_, _ = into.Write(b)                          // a buffer takes all
		_, _ = f.in.Discard(len(b))                   // they were there
		size -= len(b)
	}
	return nil
}

// broken is the error of a stream that ends within a frame.
func broken(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// header reads the first byte of a frame, and the size of its payload.
func (f *frames) header() (first byte, size uint64, err error) {
	b, err := f.in.Peek(2)
	if err != nil {
		return 0, 0, err
	}
	first, size = b[0], uint64(b[1])
	more := 0
	switch {
	case b[1]&maskBit != 0:
		return 0, 0, errors.New("a frame of the WebSocket is masked, as only a client's may be")
	case size == 126:
		more = 2
	case size == 127:
		more = 8
	}
	if more > 0 {
		if b, err = f.in.Peek(2 + more); err != nil {
			return 0, 0, broken(err)
		}
		size = 0
		for _, c := range b[2:] {
			size = size<<8 | uint64(c)
		}
	}
	_, _ = f.in.Discard(2 + more) // they were there
	return first, size, nil
}

// control handles a frame that is no part of a message.
func (f *frames) control(first byte, size uint64) error {
	if first&finalBit == 0 || size > mostInOne {
		return errors.New("a control frame of the WebSocket is too long")
	}
	body, err := f.in.Peek(int(size))
	if err != nil {
		return broken(err)
	}
	defer func() { _, _ = f.in.Discard(int(size)) }() // they were there
	switch first & 0xf {
	case pingFrame:
		return f.write(pongFrame, body)
	case pongFrame:
		select {
		case f.pong <- struct{}{}:
		default:
		}
	case closeFrame:
		_ = f.write(closeFrame, body) // out of politeness
		if size < 2 {
			return io.EOF
		}
		return fmt.Errorf("the server closed the WebSocket: %d %s", binary.BigEndian.Uint16(body),
			strings.ToValidUTF8(string(body[2:]), "\uFFFD"))
	default:
		return fmt.Errorf("a frame of the WebSocket is of an unknown kind")
	}
	return nil
}

// write sends a frame.
func (f *frames) write(kind byte, body []byte) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	b := append(f.out[:0], kind|finalBit)
	switch n := len(body); {
	case n <= mostInOne:
		b = append(b, maskBit|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, maskBit|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, maskBit|127), uint64(n))
	}
	var mask [4]byte
	_, _ = rand.Read(mask[:]) // never fails
	b = append(b, mask[:]...)
	from := len(b)
	b = append(b, body...)
	for i := range b[from:] {
		b[from+i] ^= mask[i&3]
	}
	if f.out = b; cap(b) > 1<<20 {
		f.out = nil // one large request does not hold its memory
	}
	_, err := f.conn.Write(b)
	return err
}

// ping asks whether the other side lives. Somebody must be reading.
func (f *frames) ping(ctx context.Context) error {
	select {
	case <-f.pong: // of an earlier question
	default:
	}
	if err := f.write(pingFrame, nil); err != nil {
		return err
	}
	select {
	case <-f.pong:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
