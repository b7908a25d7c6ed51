package client

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/engine/responses"
)

// recording is a connection whose other side has said all that it says.
type recording struct {
	io.Reader
	sent bytes.Buffer
}

func (w *recording) Write(b []byte) (int, error) { return w.sent.Write(b) }
func (w *recording) Close() error                { return nil }

func framesOf(said []byte, piece int) (*frames, *recording) {
	w := &recording{Reader: bufio.NewReaderSize(&pieces{said, piece}, 16)}
	return &frames{conn: w, in: bufio.NewReaderSize(w, 32<<10), pong: make(chan struct{}, 1)}, w
}

// pieces gives a few bytes at a time.
type pieces struct {
	rest []byte
	most int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.most, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

func frame(first byte, body string) []byte {
	switch n := len(body); {
	case n < 126:
		return append([]byte{first, byte(n)}, body...)
	case n < 1<<16:
		return append([]byte{first, 126, byte(n >> 8), byte(n)}, body...)
	default:
		return append([]byte{first, 127, 0, 0, 0, 0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, body...)
	}
}

// TestFrames has messages come whole, divided, and with pings between their frames, in pieces of any size.
func TestFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 125, 126, 40_000, 1 << 16, 70_000}), 1, 5).Draw(t, "sizes")
		var said, pongs []byte
		var want []string
		for k, n := range sizes {
			text := strings.Repeat(string(rune('a'+k)), n)
			want = append(want, text)
			kind := byte(textFrame)
			for cuts := rapid.IntRange(0, 2).Draw(t, "cuts"); cuts > 0; cuts-- {
				at := rapid.IntRange(0, len(text)).Draw(t, "at")
				said = append(said, frame(kind, text[:at])...)
				said = append(said, frame(pingFrame|finalBit, "you?")...)
				pongs = append(pongs, pongFrame|finalBit)
				text, kind = text[at:], continuationFrame
			}
			said = append(said, frame(kind|finalBit, text)...)
		}
		f, w := framesOf(said, rapid.IntRange(1, 50_000).Draw(t, "piece"))
		for k := range want {
			var got bytes.Buffer
			if err := f.next(&got); err != nil || got.String() != want[k] {
				t.Fatalf("message %d: %d bytes of %d: %v", k, got.Len(), len(want[k]), err)
			}
		}
		if err := f.next(&bytes.Buffer{}); err != io.EOF {
			t.Fatalf("at the end: %v", err)
		}
		var kinds []byte
		for b := w.sent.Bytes(); len(b) > 0; b = b[6+4:] { // a pong of 4 bytes, and its mask
			kinds = append(kinds, b[0])
		}
		if !slices.Equal(kinds, pongs) {
			t.Fatalf("%d pongs for %d pings", len(kinds), len(pongs))
		}
	})
}

// TestWrongFrames checks that what is no message of a server is an error, and never a message.
func TestWrongFrames(t *testing.T) {
	long := append([]byte{textFrame | finalBit, 127}, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	half := slices.Concat(frame(textFrame, "a"), frame(textFrame|finalBit, "b"))
	for name, of := range map[string]struct {
		said []byte
		want string
	}{
		"nothing":                 {nil, "EOF"},
		"half a header":           {[]byte{textFrame | finalBit}, "EOF"},
		"half a size":             {[]byte{textFrame | finalBit, 126, 0}, "unexpected EOF"},
		"half a message":          {frame(textFrame|finalBit, "message")[:6], "unexpected EOF"},
		"more than fits":          {long, responses.ErrTooLarge.Error()},
		"masked":                  {[]byte{textFrame | finalBit, maskBit | 1, 0, 0, 0, 0, 'a'}, "masked"},
		"compressed":              {frame(textFrame|finalBit|0x40, "a"), "extension"},
		"binary":                  {frame(0x2|finalBit, "a"), "binary"},
		"a message within one":    {half, "out of order"},
		"the middle of a message": {frame(continuationFrame, "a"), "out of order"},
		"a ping that is long":     {frame(pingFrame|finalBit, strings.Repeat("a", 126)), "too long"},
		"an unknown kind":         {frame(0xb|finalBit, "a"), "unknown kind"},
		"closed":                  {frame(closeFrame|finalBit, "\x03\xf0go away"), "1008 go away"},
		"closed without a word":   {frame(closeFrame|finalBit, ""), "EOF"},
	} {
		f, _ := framesOf(of.said, 3)
		var got bytes.Buffer
		if err := f.next(&got); err == nil || !strings.Contains(err.Error(), of.want) {
			t.Errorf("%s: %q, %v; want %s", name, got.String(), err, of.want)
		}
	}
}
