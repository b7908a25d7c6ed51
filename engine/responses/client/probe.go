package client

import (
	"context"
	"io"
	"net/http"
)

// Probe finds out whether the provider has the Responses API. It sends an empty request, without a
// word of the user: a server that has the API refuses its body, others do not know the address. sure
// is false where the answer says neither, as without network or key; then nothing should be
// remembered.
func (c *Client) Probe(ctx context.Context) (has, sure bool) {
	req, err := c.chat.Request(ctx, http.MethodPost, "/responses", []byte("{}"))
	if err != nil {
		return false, false
	}
	r, err := c.chat.HTTP().Do(req)
	if err != nil {
		return false, false
	}
	defer func() {
		_, _ = io.CopyN(io.Discard, r.Body, 64<<10) // the connection serves again
		_ = r.Body.Close()                          // what it says does not matter
	}()
	switch r.StatusCode {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return true, true
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented:
		return false, true
	}
	return false, false
}
