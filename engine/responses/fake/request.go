package fake

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Request is what a client sent. What is in it does not change once it has arrived, but for
// how it was answered.
type Request struct {
	N      int    // from 0, over all connections
	Conn   int    // of the connection, from 1
	Wire   string // models, upgrade, json, sse, ws, chat, chat-sse, other
	Method string
	Path   string
	Query  string
	Header http.Header // of the handshake, on a socket
	Body   []byte
	At     time.Time

	Params map[string]any // the body, parsed
	Model  string
	Parent string // previous_response_id
	Lane   string // stream_id
	WarmUp bool
	New    []map[string]any  // input items of this request; chat: messages
	Items  []map[string]any  // the whole conversation: the parent's, then New
	Tools  map[string]string // name to type, as declared

	kept   bool
	mu     sync.Mutex
	answer *apiError
	events int
	bytes  int
	gone   bool
	ended  chan struct{}
}

func (r *Request) asks() bool {
	return slices.Contains([]string{"json", "sse", "ws", "chat", "chat-sse"}, r.Wire)
}

// Ended is closed when the server is done with the request.
func (r *Request) Ended() <-chan struct{} { return r.ended }

// Status returns how it was answered: 200 also when the stream failed later.
func (r *Request) Status() (status int, code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answer == nil {
		return 200, ""
	}
	return r.answer.status, r.answer.code
}

// Sent returns what went out, and whether the client left before the end.
func (r *Request) Sent() (events, bytes int, gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events, r.bytes, r.gone
}

// Text returns the text of the conversation's last item that the client wrote.
func (r *Request) Text() string {
	if len(r.New) == 0 {
		return ""
	}
	return textOf(r.New[len(r.New)-1])
}

// Has reports whether the conversation has the text in it.
func (r *Request) Has(text string) bool {
	return slices.ContainsFunc(r.Items, func(i map[string]any) bool { return strings.Contains(textOf(i), text) })
}

// textOf returns an item's words: content, arguments, input, output.
func textOf(item map[string]any) string {
	var b strings.Builder
	for _, key := range []string{"content", "arguments", "input", "output"} {
		switch v := item[key].(type) {
		case string:
			b.WriteString(v)
		case []any:
			for _, part := range v {
				b.WriteString(asString(asMap(part)["text"]))
			}
		}
	}
	return b.String()
}

func (r *Request) answered(e *apiError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = e
}

func (r *Request) sent(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events++
	r.bytes += n
}

func (r *Request) end(gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = r.gone || gone
	select {
	case <-r.ended:
	default:
		close(r.ended)
	}
}

// receive reads the body and keeps the request.
func (s *Server) receive(w http.ResponseWriter, q *http.Request) (*Request, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, 512<<20))
	if err != nil {
		return nil, err
	}
	conn, _ := q.Context().Value(connKey{}).(*serverConn)
	r := &Request{Wire: wireOf(q, body), Method: q.Method, Path: q.URL.Path, Query: q.URL.RawQuery,
		Header: q.Header.Clone(), Body: body, ended: make(chan struct{})}
	if conn != nil {
		r.Conn = conn.n
	}
	return r, nil
}

// keep shows the request to the test. It is complete by then: checked, or refused.
func (s *Server) keep(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.kept {
		return
	}
	r.kept = true
	r.N, r.At = len(s.requests), s.Clock.Now()
	s.requests = append(s.requests, r)
	close(s.news)
	s.news = make(chan struct{})
}

func wireOf(q *http.Request, body []byte) string {
	streams := struct{ Stream any }{}
	_ = json.Unmarshal(body, &streams) // what is no JSON is refused later
	stream := streams.Stream == true
	switch path := q.URL.Path; {
	case strings.HasSuffix(path, "/models"):
		return "models"
	case strings.EqualFold(q.Header.Get("Upgrade"), "websocket"):
		return "upgrade"
	case strings.HasSuffix(path, "/chat/completions"):
		return map[bool]string{true: "chat-sse", false: "chat"}[stream]
	case strings.HasSuffix(path, "/responses"):
		return map[bool]string{true: "sse", false: "json"}[stream]
	}
	return "other"
}

// parse reads the body's object; numbers keep their text.
func (r *Request) parse() *apiError {
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.UseNumber()
	if err := d.Decode(&r.Params); err != nil || r.Params == nil {
		return bad("", "", "We could not parse the JSON body of your request.")
	}
	r.Model = asString(r.Params["model"])
	return nil
}

// connKey finds the connection below a request, which Serve put there.
type connKey struct{}

type serverConn struct {
	net.Conn
	n int
}
