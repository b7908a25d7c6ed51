package client

import (
	"context"
	"io"
	"net/http"
	"strings"
)

// Probe finds out whether the provider has the Responses API. It sends empty requests, without a
// word of the user: a server that has the API refuses its body, others do not know the address. sure
// is false where the answer says neither, as without network or key; then nothing should be
// remembered.
func (c *Client) Probe(ctx context.Context) (has, sure bool) {
	switch c.answers(ctx, "/responses") {
	case knows:
		return true, true
	case knowsNot:
		return false, true
	case fails: // a server that stumbles over the empty body has the API, if it has nothing else
		has = c.answers(ctx, "/chat/completions") == knowsNot
		return has, has
	case refuses:
	}
	return false, false
}

// probed is what an empty request says about its address.
type probed int

const (
	fails probed = iota
	refuses
	knows
	knowsNot
)

func (c *Client) answers(ctx context.Context, path string) probed {
	req, err := c.chat.Request(ctx, http.MethodPost, path, []byte("{}"))
	if err != nil {
		return refuses
	}
	r, err := c.chat.HTTP().Do(req)
	if err != nil {
		return fails
	}
	defer func() {
		_, _ = io.CopyN(io.Discard, r.Body, 64<<10) // the connection serves again
		_ = r.Body.Close()                          // what it says does not matter
	}()
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch r.StatusCode {
	case http.StatusOK: // it answers whatever it is asked; a page for every address is no answer
		if kind == "text/event-stream" || kind == "application/json" {
			return knows
		}
		return refuses
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return knows
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented:
		return knowsNot
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return refuses
	}
	return fails
}
