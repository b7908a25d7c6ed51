package client

import (
	"errors"
	"net/http"

	"waferpair/engine/responses"
	"waferpair/engine/responses/chat"
)

// chain is what a server remembers on a socket: the last response, the items that it was
// asked with, and those that it answered. The zero value is nothing. Settings are no part of it:
// each request states its own, such as the tools of a question or of an edit.
type chain struct {
	id    string
	model string
	said  []responses.Said
	asked int // of said; the others are the answer
}

// covers returns which items of a prompt the server has already; nil if the prompt does not
// go on from the response. Between the items of the answer there may be outputs of its
// calls, which are new. Reasoning may be missing in the prompt: turns that have ended are
// read from the history, which keeps none. The server still has it, as its API wants it.
func (c chain) covers(g *generation) []bool {
	items := g.said
	if c.id == "" || c.model != g.id {
		return nil
	}
	has, n := make([]bool, len(items)), 0
	for k, said := range c.said {
		for k >= c.asked && n < len(items) && items[n] != said && g.prompt.Items[n].Kind.IsOutput() {
			n++
		}
		switch {
		case n < len(items) && items[n] == said:
			has[n] = true
			n++
		case !said.Thought:
			return nil
		}
	}
	for _, known := range has {
		if !known {
			return has
		}
	}
	return nil // nothing is new: it is asked again
}

// after returns the chain that a response leaves. One whose items are not all known leaves none.
func after(g *generation, d *responses.Decoder) chain {
	answered, ok := d.Said()
	id := d.Response().ID
	if !ok || id == "" {
		return chain{}
	}
	return chain{id, g.id, append(g.said[:len(g.said):len(g.said)], answered...), len(g.said)}
}

// unchained reports whether a request may have failed only because it went on from a response: the
// server has forgotten it, or refuses what is new without all the rest.
func unchained(err error) bool {
	var e *chat.Error
	return errors.Is(err, errForgotten) ||
		errors.As(err, &e) && !e.Again && (e.Status == http.StatusBadRequest || e.Status == http.StatusNotFound)
}
