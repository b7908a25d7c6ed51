package client

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"waferpair/engine/responses"
	"waferpair/engine/responses/chat"
)

// errForgotten means that the server does not remember the response that a request goes on
// from.
var errForgotten = errors.New("the server does not remember the previous response")

// reported is the error for people of what a server reports within a stream.
func (c *Client) reported(e *responses.Error) error {
	out := &chat.Error{Provider: c.of.Name, Status: e.Status, Message: e.Error()}
	code := e.Code + " " + e.Type
	if e.Code == "previous_response_not_found" {
		return errors.Join(errForgotten, out)
	}
	switch {
	case strings.Contains(code, "rate_limit") || e.Status == http.StatusTooManyRequests:
		out.Again, out.Next = true, "wait, or ask the provider for a higher limit"
	case strings.Contains(code, "quota"):
		out.Next = "the account has no credit left: see the provider's page for billing"
	case strings.Contains(code, "api_key") || e.Status == http.StatusUnauthorized:
		out.Next = c.chat.CheckKey()
	case strings.Contains(code, "model_not_found"):
		out.Next = "'waferpair models list --refresh' asks which models there are"
	case strings.Contains(code, "context_length"):
		out.Next = "take files out of the context, or begin a new session"
	case strings.Contains(code, "websocket_connection_limit_reached"):
		out.Again, out.RetryAfter, out.Next = true, time.Millisecond, "another socket serves"
	case strings.Contains(code, "server_error") || strings.Contains(code, "overloaded") || e.Status >= 500:
		out.Again, out.Next = true, "try again later"
	default:
		out.Next = "what arrived is kept; change the request, or try another model"
	}
	if out.RetryAfter == 0 {
		return out.After(chat.TryAgainIn(e.Message))
	}
	return out
}
