package fake

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is a provider. Set its fields before its first request; what may change while it
// serves has a method.
type Server struct {
	Caps  Caps
	Seed  uint64
	Clock Clock

	order sync.Mutex // from the arrival of a request to its answer from the script

	mu       sync.Mutex
	script   Script
	key      string
	models   []Model
	upgrade  int // status of a refused upgrade; 0: accepted, if Caps has WebSocket
	requests []*Request
	news     chan struct{} // closed when a request arrives
	conns    int
	stored   map[string]*kept
	seen     map[uint64]bool // prefixes of conversations: what a prompt cache would hold
}

// Model is an entry of the provider's list.
type Model struct {
	ID      string
	OwnedBy string
	Context int
}

// New returns a provider with the capabilities, and the models gpt-5.5 and small.
func New(c Caps, s Script) *Server {
	return &Server{Caps: c, Clock: realClock{}, script: s, news: make(chan struct{}), stored: map[string]*kept{},
		seen:   map[uint64]bool{},
		models: []Model{{"gpt-5.5", c.Name, 400_000}, {"small", c.Name, 8192}}}
}

// SetScript changes the model's mind.
func (s *Server) SetScript(f Script) { s.locked(func() { s.script = f }) }

// SetKey asks for this key from now on, also on sockets that are open; "": any, or none.
func (s *Server) SetKey(key string) { s.locked(func() { s.key = key }) }

// SetModels changes the list.
func (s *Server) SetModels(all ...Model) { s.locked(func() { s.models = all }) }

// RefuseUpgrades answers the WebSocket handshake with a status; 0 accepts it again.
func (s *Server) RefuseUpgrades(status int) { s.locked(func() { s.upgrade = status }) }

// Forget drops what responses were stored, as a provider does that restarts.
func (s *Server) Forget() { s.locked(func() { clear(s.stored) }) }

// Requests returns what has arrived, in order; also what was refused.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Asked returns those requests that ask a model for an answer: no lists, upgrades, warm-ups.
func (s *Server) Asked() []*Request {
	return slices.DeleteFunc(s.Requests(), func(r *Request) bool { return r.WarmUp || !r.asks() })
}

// Arrived waits for the nth request that asks, counted from 1; nil after the time limit.
func (s *Server) Arrived(n int, limit time.Duration) *Request {
	end := time.After(limit)
	for {
		s.mu.Lock()
		news := s.news
		s.mu.Unlock()
		if all := s.Asked(); len(all) >= n {
			return all[n-1]
		}
		select {
		case <-news:
		case <-end:
			return nil
		}
	}
}

func (s *Server) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r, err := s.receive(w, q)
	if err != nil {
		return // the client has gone while it sent
	}
	if e := s.route(w, q, r); e != nil {
		r.answered(e)
		s.keep(r)
		e.write(w)
	}
	s.keep(r)
	r.end(q.Context().Err() != nil)
}

func (s *Server) route(w http.ResponseWriter, q *http.Request, r *Request) *apiError {
	if e := s.authorize(q.Header); e != nil {
		return e
	}
	switch path := strings.TrimPrefix(strings.TrimPrefix(q.URL.Path, "/openai"), "/v1"); {
	case path == "/models" && q.Method == http.MethodGet:
		return s.listModels(w)
	case path == "/responses" && strings.EqualFold(q.Header.Get("Upgrade"), "websocket"):
		return s.upgradeSocket(w, q, r)
	case path == "/responses" && q.Method == http.MethodPost && s.Caps.Responses:
		return s.postResponse(w, q, r)
	case path == "/chat/completions" && q.Method == http.MethodPost && s.Caps.Chat:
		return s.postChat(w, q, r)
	default:
		return notFound(q)
	}
}

func notFound(q *http.Request) *apiError {
	return &apiError{status: 404, message: fmt.Sprintf("Invalid URL (%s %s)", q.Method, q.URL.Path)}
}

// authorize compares the key. The message repeats a part of a wrong one, as real ones do.
func (s *Server) authorize(h http.Header) *apiError {
	s.mu.Lock()
	want := s.key
	s.mu.Unlock()
	got, bearer := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	if s.Caps.APIKey && h.Get("Api-Key") != "" {
		got, bearer = h.Get("Api-Key"), true
	}
	switch {
	case want == "" || bearer && got == want:
		return nil
	case !bearer || got == "":
		return &apiError{status: 401, message: "You didn't provide an API key. You need to provide your API key in an " +
			"Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."}
	default:
		return &apiError{status: 401, code: "invalid_api_key", message: "Incorrect API key provided: " + got + "."}
	}
}

func (s *Server) listModels(w http.ResponseWriter) *apiError {
	s.mu.Lock()
	models := slices.Clone(s.models)
	s.mu.Unlock()
	data := []object{}
	for _, m := range models {
		o := obj("id", m.ID, "object", "model", "created", 1_700_000_000, "owned_by", m.OwnedBy)
		if s.Caps.ListContext {
			o = o.with("context_length", m.Context, "max_model_len", m.Context)
		}
		if s.Caps.ListPrices {
			o = o.with("pricing", obj("prompt", "0.00000125", "completion", "0.00001", "request", "0",
				"input_cache_read", "0.000000125"))
		}
		data = append(data, o)
	}
	writeJSON(w, 200, obj("object", "list", "data", data))
	return nil
}

func (s *Server) knows(model string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.models, func(m Model) bool { return m.ID == model })
}
