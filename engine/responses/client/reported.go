package client

import (
	"errors"
	"time"

	"waferpair/engine/responses"
)

// errForgotten means that the server does not remember the response that a request goes on
// from.
var errForgotten = errors.New("the server does not remember the previous response")

// reported is the error for people of what a server reports within a stream.
func (c *Client) reported(e *responses.Error) error {
	out := c.chat.Reported(e)
	switch e.Code {
	case "previous_response_not_found":
		return errors.Join(errForgotten, out)
	case "websocket_connection_limit_reached":
		out.Again, out.RetryAfter, out.Next = true, time.Millisecond, "another socket serves"
	}
	return out
}
