package client

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"waferpair/engine/model"
	"waferpair/engine/responses/chat"
)

// processor returns the processor time of this process in nanoseconds, which other programs on the
// computer do not lengthen.
func processor(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// tokens are the events of an answer of n tokens, as bytes that a server sends.
func tokens(n int) []string {
	out := []string{`{"type":"response.created","sequence_number":0,"response":{"id":"resp_1"}}`,
		`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","status":"in_progress","content":[]}}`}
	for k := range n {
		out = append(out, fmt.Sprintf(`{"type":"response.output_text.delta","sequence_number":%d,"item_id":"msg_1","output_index":0,"content_index":0,"delta":" word","logprobs":[],"obfuscation":"abcdefgh"}`, k+2))
	}
	return append(out, fmt.Sprintf(`{"type":"response.output_item.done","sequence_number":%d,"output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"%s","annotations":[]}]}}`, n+2, strings.Repeat(" word", n)),
		`{"type":"response.completed","response":{"id":"resp_1","usage":{"input_tokens":1,"output_tokens":1}}}`)
}

// raw serves stored bytes: a handshake and frames, or a chunked body, one write for many events, so
// that a benchmark measures the client.
func raw(b *testing.B, events []string) string {
	b.Helper()
	var frames, chunks bytes.Buffer
	for _, e := range events {
		frames.WriteByte(0x81)
		switch n := len(e); {
		case n < 126:
			frames.WriteByte(byte(n))
		case n < 1<<16:
			frames.Write([]byte{126, byte(n >> 8), byte(n)})
		default:
			frames.Write([]byte{127, 0, 0, 0, 0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		}
		frames.WriteString(e)
		event := "event: response.x\ndata: " + e + "\n\n"
		fmt.Fprintf(&chunks, "%x\r\n%s\r\n", len(event), event)
	}
	chunks.WriteString("0\r\n\r\n")
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		if r.Method == http.MethodPost {
			fmt.Fprint(conn,
				"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
			_, _ = conn.Write(chunks.Bytes()) // the client sees what is missing
			return
		}
		key := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		fmt.Fprintf(conn,
			"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
			base64.StdEncoding.EncodeToString(key[:]))
		for { // each read is a request
			if n, err := rw.Read(make([]byte, 64<<10)); err != nil || n < 20 {
				return
			}
			_, _ = conn.Write(frames.Bytes()) // the client sees what is missing
		}
	})
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	return server.URL
}

// BenchmarkToken measures the processor time of a token, over each wire.
func BenchmarkToken(b *testing.B) {
	const n = 5000
	url := raw(b, tokens(n))
	for _, sockets := range []bool{true, false} {
		c := New(Provider{Provider: chat.Provider{Name: "b", BaseURL: url}, Wire: "responses", WebSockets: sockets})
		b.Run(c.Wire(), func(b *testing.B) {
			m, p := c.Model("small", model.Info{}), model.Prompt{Items: []model.Item{model.User("hi")}}
			b.ReportAllocs()
			before := processor(b)
			for b.Loop() {
				if _, err := m.Generate(b.Context(), p, func(model.Delta) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(processor(b)-before)/float64(b.N)/n, "cpu-ns/token")
		})
		c.Close()
	}
}
