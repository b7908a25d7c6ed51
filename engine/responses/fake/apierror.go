package fake

import (
	"fmt"
	"net/http"
)

// apiError is a refusal: an HTTP answer, or an error frame on a socket.
type apiError struct {
	status            int
	kind, code, param string
	message           string
	retryAfter        string
	body, contentType string // instead of JSON
	noStatus          bool   // of a frame
	closes            bool   // the socket ends after the frame
}

func bad(param, code, format string, args ...any) *apiError {
	return &apiError{status: 400, param: param, code: code, message: fmt.Sprintf(format, args...)}
}

func refusal(f Fault) *apiError {
	return &apiError{status: f.Status, code: f.Code, message: f.Message, retryAfter: f.RetryAfter, body: f.Body,
		contentType: f.Type, noStatus: f.Kind == NoStatus}
}

func (e *apiError) object() object {
	kind := e.kind
	if kind == "" {
		kind = map[bool]string{true: "server_error", false: "invalid_request_error"}[e.status >= 500]
	}
	if e.status == 429 {
		kind = "requests"
	}
	return obj("message", e.message, "type", kind, "param", orNull(e.param), "code", orNull(e.code))
}

func (e *apiError) write(w http.ResponseWriter) {
	if e.retryAfter != "" {
		w.Header().Set("Retry-After", e.retryAfter)
	}
	if e.contentType == "" {
		writeJSON(w, e.status, obj("error", e.object()))
		return
	}
	w.Header().Set("Content-Type", e.contentType)
	w.WriteHeader(e.status)
	_, _ = w.Write([]byte(e.body)) // the client may have gone
}

// frame is the error as a socket's event. Headers travel in it.
func (e *apiError) frame(lane string) object {
	o := obj("type", "error")
	if !e.noStatus {
		o = o.with("status", e.status)
	}
	o = o.with("error", e.object())
	if e.retryAfter != "" {
		o = o.with("headers", obj("retry-after", e.retryAfter))
	}
	return onLane(o, lane)
}

func onLane(o object, lane string) object {
	if lane == "" {
		return o
	}
	return o.with("stream_id", lane)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(v)) // the client may have gone
}
