package client

import (
	"bytes"
	"slices"

	"waferpair/engine/responses"
)

// chain is what a server remembers on a socket: the last response, the items that it was
// asked with, and those that it answered. The zero value is nothing.
type chain struct {
	id       string
	settings []byte
	asked    []uint64
	answered []uint64
}

// covers returns which items of a prompt the server has already; nil if the prompt does not
// go on from the response. Between the items of the answer there may be outputs of its
// calls, which are new.
func (c chain) covers(g *generation) []bool {
	items := g.prompt.Items
	if c.id == "" || len(items) <= len(c.asked)+len(c.answered) || !bytes.Equal(c.settings, g.request.Settings) ||
		!slices.Equal(c.asked, g.hashes[:len(c.asked)]) {
		return nil
	}
	has := make([]bool, len(items))
	for n := range c.asked {
		has[n] = true
	}
	left := c.answered
	for n := len(c.asked); n < len(items) && len(left) > 0; n++ {
		switch {
		case g.hashes[n] == left[0]:
			has[n], left = true, left[1:]
		case !items[n].Kind.IsOutput():
			return nil
		}
	}
	if len(left) > 0 {
		return nil
	}
	return has
}

// after returns the chain that a response leaves. One whose items are not all known leaves none.
func after(g *generation, d *responses.Decoder) chain {
	answered, ok := d.Hashes()
	id := d.Response().ID
	if !ok || id == "" {
		return chain{}
	}
	return chain{id, g.request.Settings, g.hashes, answered}
}
