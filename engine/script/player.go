package script

import (
	"encoding/json"
	"fmt"
	"slices"

	"waferpair/engine/model"
)

// player yields items and counts their tokens.
type player struct {
	yield  func(model.Delta) error
	usage  model.Usage
	open   []*playing
	next   int // place of the next item
	called bool
}

// playing is an open item.
type playing struct {
	at           int
	text         halves
	beside       bool // it was opened with a place, and does not end at the next item
	said, tokens int
}

// begin opens an item. An item without a place ends the one before it.
func (p *player) begin(at *int, i model.Item) error {
	if i.Kind == "" {
		return fmt.Errorf(`an item needs a "type", such as "message", "reasoning" or "custom_tool_call"`)
	}
	if at == nil {
		if n := len(p.open); n > 0 && !p.open[n-1].beside {
			if err := p.closeOne(n - 1); err != nil {
				return err
			}
		}
	}
	if i.Kind == model.Message && i.Role == "" {
		i.Role = model.RoleAssistant
	}
	o := &playing{at: p.next, beside: at != nil}
	if at != nil {
		o.at = *at
	}
	p.next = max(p.next, o.at+1)
	p.open = append(p.open, o)
	p.called = p.called || i.Kind.IsCall()
	return p.yield(model.Begin{At: o.at, Item: i})
}

// find returns the index of the open item at a place, or of the newest one; -1: none.
func (p *player) find(at *int) int {
	if at == nil {
		return len(p.open) - 1
	}
	return slices.IndexFunc(p.open, func(o *playing) bool { return o.at == *at })
}

func (p *player) say(at *int, raw json.RawMessage) error {
	n := p.find(at)
	switch {
	case n < 0 && at != nil:
		return fmt.Errorf("item %d is not open", *at)
	case n < 0:
		if err := p.begin(nil, model.Item{Kind: model.Message}); err != nil {
			return err
		}
		n = len(p.open) - 1
	}
	s, err := p.open[n].text.join(raw)
	if err != nil {
		return err
	}
	return p.pass(p.open[n], s)
}

func (p *player) pass(o *playing, s string) error {
	if s == "" {
		return nil
	}
	o.said += len(s)
	n := tokens(o.said) - o.tokens
	o.tokens += n
	if p.usage.Estimated {
		p.usage.Output += n
	}
	return p.yield(model.Text{At: o.at, Text: s, Tokens: n})
}

func (p *player) end(at *int) error {
	n := p.find(at)
	if n < 0 {
		return fmt.Errorf("no item is open that could end")
	}
	return p.closeOne(n)
}

// closeOne ends an item.
func (p *player) closeOne(n int) error {
	o := p.open[n]
	p.open = slices.Delete(p.open, n, n+1)
	if err := p.pass(o, o.text.rest()); err != nil {
		return err
	}
	return p.yield(model.End{At: o.at})
}

// close ends the open items.
func (p *player) close() error {
	for len(p.open) > 0 {
		if err := p.closeOne(0); err != nil {
			return err
		}
	}
	return nil
}

// rests yields the replacements for half characters; the items stay open.
func (p *player) rests() error {
	for _, o := range p.open {
		if err := p.pass(o, o.text.rest()); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) stop() model.Stop {
	if p.called {
		return model.StopTools
	}
	return model.StopEnd
}
