package agent

import (
	"time"

	"waferpair/engine"
	"waferpair/engine/model"
)

// clock measures one generation. Whoever has the floor uses it.
//
//	asked ... first text ... last text
//	  Prefill     Decode, less pauses and the time of tools
//
// Writing is the part of Decode in which the answer comes, not reasoning: reasoning may be hidden,
// so a rate over both would count its tokens without their time.
type clock struct {
	asked, first, last time.Time
	decode, writing    time.Duration
	idle               time.Duration // since the last text: pauses, tools
	tools              time.Duration
}

func startClock() clock { return clock{asked: time.Now()} }

// text notes that text came.
func (c *clock) text(kind model.Kind) {
	now := time.Now()
	if c.first.IsZero() {
		c.first, c.last = now, now
	}
	took := max(0, now.Sub(c.last)-c.idle)
	c.decode, c.last, c.idle = c.decode+took, now, 0
	if kind != model.Reasoning {
		c.writing += took
	}
}

// pause takes out time in which the model waited for the turn.
func (c *clock) pause(d time.Duration) {
	if c.first.IsZero() {
		c.asked = c.asked.Add(d)
		return
	}
	c.idle += d
}

// tool takes out the time of a call.
func (c *clock) tool(d time.Duration) {
	c.tools += d
	c.pause(d)
}

// generation returns how fast the model was; false: it said nothing.
func (c *clock) generation(u model.Usage) (engine.Generation, bool) {
	if c.first.IsZero() {
		return engine.Generation{}, false
	}
	return engine.Generation{TTFT: c.first.Sub(c.asked), Writing: c.writing, Tokens: max(0, u.Output-u.Reasoning)}, true
}

// fill adds what the model did not measure, or cannot know: how long the user paused it.
func (c *clock) fill(t map[model.Phase]time.Duration) map[model.Phase]time.Duration {
	out := map[model.Phase]time.Duration{}
	for phase, took := range t {
		out[phase] = took
	}
	if !c.first.IsZero() {
		out[model.Decode], out[model.Writing] = c.decode, c.writing
		if _, known := t[model.Prefill]; !known {
			out[model.Prefill] = c.first.Sub(c.asked) - t[model.Connect]
		}
	}
	if c.tools > 0 {
		out[model.Tools] = c.tools
	}
	return out
}
