package fake

import (
	"context"
	"errors"
	"net/http"
)

// prepare checks a request and makes its conversation. c is nil over HTTP.
func (s *Server) prepare(r *Request, c cache) *apiError {
	if e := s.checkCreate(r); e != nil {
		return e
	}
	if e := s.chain(r, c); e != nil {
		return e
	}
	return s.checkPairs(r.Items)
}

// ask lets the script answer, in the order in which tests see requests arrive. A warm-up is not the script's.
func (s *Server) ask(r *Request) Answer {
	s.order.Lock()
	defer s.order.Unlock()
	s.keep(r)
	if r.WarmUp {
		return Answer{}
	}
	s.mu.Lock()
	script := s.script
	s.mu.Unlock()
	return script(r)
}

func (s *Server) postResponse(w http.ResponseWriter, q *http.Request, r *Request) *apiError {
	if e := r.parse(); e != nil {
		return e
	}
	if e := s.prepare(r, nil); e != nil {
		return e
	}
	a := s.ask(r)
	if a.Fault.Kind == Refuse {
		return refusal(a.Fault)
	}
	if r.Wire == "json" {
		return s.whole(w, q, r, a)
	}
	p := s.sse(w, q, a.Fault)
	var err error
	if a.raw != nil {
		err = s.stream(q.Context(), r, a, p).replay()
	} else {
		err = s.speak(q.Context(), r, a, p, nil)
	}
	p.close()
	r.end(err != nil && q.Context().Err() != nil)
	finish(err)
	return nil
}

// speak answers as events and keeps the response for those that continue it.
func (s *Server) speak(ctx context.Context, r *Request, a Answer, p pipe, c cache) error {
	sp := s.speaker(s.stream(ctx, r, a, p), s.count(r, c))
	if err := sp.play(); err != nil {
		if errors.Is(err, errFailed) {
			c.evict(r)
		}
		return err
	}
	s.store(r, sp.id, sp.output, sp.counted, c)
	return nil
}

// whole answers with one object.
func (s *Server) whole(w http.ResponseWriter, q *http.Request, r *Request, a Answer) *apiError {
	st := s.stream(q.Context(), r, a, nil)
	sp := s.speaker(st, s.count(r, nil))
	sp.hold = true
	if err := sp.play(); err != nil {
		return nil // the client has gone
	}
	s.store(r, sp.id, sp.output, sp.counted, nil)
	status, reason := "completed", any(nil)
	if a.Stop != "" {
		status, reason = "incomplete", obj("reason", a.Stop)
	}
	body := encode(sp.snapshot(status, nil, reason))
	switch a.Fault.Kind {
	case CutJSON, DieAt, Die:
		body = body[:len(body)/2]
	case NoJSON:
		body = []byte("upstream connect error")
	default: // is a stream's
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // the client may have gone
	r.sent(len(body))
	return nil
}
