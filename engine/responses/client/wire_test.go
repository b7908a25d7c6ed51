package client

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"waferpair/engine/chat"
	"waferpair/engine/model"
	"waferpair/engine/responses/fake"
)

// TestEndless ends an answer that does not end, over each wire.
func TestEndless(t *testing.T) {
	for _, sockets := range []bool{true, false} {
		_, c := serve(t, fake.OpenAI(),
			fake.Answers(fake.Answer{Items: []fake.Item{fake.Say("a")}, Fault: fake.Flooding(4 << 20)}),
			func(p *Provider) { p.WebSockets = sockets })
		c.most = 1 << 20
		a := ask(t.Context(), c, model.User("hi"))
		if a.err == nil || !strings.Contains(a.err.Error(), "longer than") || a.result.Stop != model.StopCut {
			t.Errorf("%v", a.err)
		}
	}
}

// TestKeptConnections uses the connections of earlier requests again, and no socket that is too old.
func TestKeptConnections(t *testing.T) {
	for _, test := range []struct {
		sockets bool
		age     time.Duration
		want    int // connections of three requests
	}{{true, 0, 1}, {false, 0, 1}, {true, 1, 3}} {
		server, c := serve(t, fake.OpenAI(), fake.Always(fake.Say("ready")), func(p *Provider) {
			p.WebSockets, p.MaxAge = test.sockets, test.age
		})
		var said []model.Item
		for range 3 {
			said = append(said, model.User("hi"))
			a := ask(t.Context(), c, said...)
			if a.err != nil {
				t.Fatal(a.err)
			}
			said = append(said, a.Items()...)
		}
		conns := map[int]bool{}
		for _, q := range server.Asked() {
			conns[q.Conn] = true
		}
		if len(conns) != test.want {
			t.Errorf("%+v: %d connections", test, len(conns))
		}
	}
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
			for b.Loop() {
				if _, err := m.Generate(b.Context(), p, func(model.Delta) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/token")
		})
		c.Close()
	}
}
