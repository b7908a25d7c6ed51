package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"waferpair/app/items"
	"waferpair/app/mask"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/engine/prompt"
	"waferpair/history"
)

// What a language model reads in a turn. Package engine/prompt assembles it; this file gives it the
// project as models may see it, the conversation from the history, and the model's token counts.
//
//	modelView ── files, masked ───────────────┐
//	history ──── earlier turns ───────────────┼─> prompt.Build ──> items of the turn; Project.Context
//	prompts ──── the session's last prompt ───┤        │     (summary.go, when turns do not fit;
//	         └── bytes per token, a mark ─────┘        │      lastprompt.go, the session's last prompt)
//	                                                   '─> prompts, for the session's next turn

// Context says what a request would send to its model.
func (p *turns) Context(ctx context.Context, r EditRequest) (prompt.Context, error) {
	if r.Model == engine.Auto || r.Model == "" && p.models.DefaultName() == engine.Auto { // as if the built-in declined it
		name, err := p.models.Auto(ctx, string(r.TaskKind()))
		if err != nil {
			return prompt.Context{}, err
		}
		r.Model = cmp.Or(name, p.models.Default().Info().Name)
	}
	driver, err := p.models.Open(r.Model)
	if err != nil {
		return prompt.Context{}, err
	}
	if !driver.Info().Language {
		return prompt.Context{}, fmt.Errorf("%s reads the project itself: only language models have a prompt; choose one with a provider's name, as in openai/gpt-5",
			driver.Info().Name)
	}
	if r.Target, err = p.target(ctx, r.Target); err != nil {
		return prompt.Context{}, err
	}
	if r, err = (&tasker{p.turnFiles}).tasked(ctx, r); err != nil {
		return prompt.Context{}, err
	}
	session := history.SessionID(0)
	switch r.Session {
	case "new":
	case "":
		session, err = p.sessions.currentSession(ctx)
	default:
		n, bad := strconv.ParseInt(r.Session, 10, 64)
		if bad != nil {
			return prompt.Context{}, noSession(r.Session)
		}
		session = history.SessionID(n)
	}
	if err != nil {
		return prompt.Context{}, err
	}
	asked, err := p.asking(ctx, p.turnFiles, r, session, 0, driver)
	if err != nil {
		return prompt.Context{}, err
	}
	return prompt.Build(ctx, asked.Request)
}

// asking is what a prompt is built from.
type asking struct {
	prompt.Request
	session    history.SessionID // whose conversation is in; 0: none
	summarized summarized
}

// asking collects what the prompt of a turn of a session is built from; before is the turn, or 0 for one
// to come.
func (p *turns) asking(ctx context.Context, files model.Source, r EditRequest, session history.SessionID,
	before history.TurnID, driver engine.Driver) (a asking, err error) {
	a.Request = prompt.Request{Text: mask.Words(r.Text), Target: r.Target, ReadOnly: r.Mode == ModeAsk,
		Files: modelView{p.turnFiles, files}, Pins: r.Pins, Without: r.Without, Limit: driver.Info().Context,
		Count: p.counter(ctx, driver), Tools: toolsOf(driver)}
	if t := r.task; t != nil {
		a.Task, a.Attached, a.Beside = t.says, t.attached, t.beside
		if t.alone {
			session = 0
		}
	}
	if session == 0 {
		return a, nil
	}
	a.session = session
	if a.Turns, a.summarized, err = p.conversation(ctx, session, before); err != nil {
		return a, fmt.Errorf("read the earlier conversation: %w; 'waferpair history check' says more", err)
	}
	a.Before, a.Summaries = p.prompts.of(ctx, session), a.summarized.Summaries
	return a, nil
}

// toolsOf returns what a driver tells its model of its tools.
func toolsOf(driver engine.Driver) string {
	if of, ok := engine.As[interface{ Tools() []model.Tool }](driver); ok {
		if raw, err := json.Marshal(of.Tools()); err == nil {
			return string(raw)
		}
	}
	return ""
}

// prompting sets the prompt of a turn; on is what it goes on with, log has the turn, or is nil when it is not
// recorded. If the prompt cannot be assembled, the turn fails and says
// why. It returns the number of bytes of the prompt, if what its model counts is to be compared with it.
func (p *turns) prompting(ctx context.Context, req *engine.Request, files model.Source, r EditRequest, on resumed,
	log *itemLog) (size int) {
	var session history.SessionID
	var turn history.TurnID
	if log != nil {
		session, turn = log.asked.Session, log.turn
	}
	var c prompt.Context
	asked, err := p.asking(ctx, files, r, session, turn, req.Driver)
	if err == nil {
		c, err = prompt.Build(ctx, asked.Request)
	}
	if err != nil {
		req.Driver = failing{req.Driver, fmt.Errorf("assemble the prompt: %w", err)}
		return 0
	}
	if r.task != nil {
		r.task.leave(c)
	}
	keep := func(c prompt.Context) {
		if asked.session != 0 {
			p.prompts.keep(asked.session, c.Memory)
		}
	}
	var said []model.Item
	if on.note != "" { // behind the request, which it explains
		i := model.User(mask.Words(on.note))
		i.Role = model.RoleDeveloper
		said = []model.Item{i}
	}
	req.Prompt.Items, req.Prompt.From = append(c.Items, said...), c.From
	if session != 0 && r.Continue != nil && req.Driver.Info().GoesOn && on.goesOn(r) {
		if open := p.openPrompt(ctx, asked.Request, session, turn, on); open != nil {
			req.Open = open.Items
			keep(*open)
			return 0
		}
	}
	if s := asked.summarized; s.Now.Text != "" && s.back > maxTurnsBack/2 {
		log.summarized(items.Summary{First: s.Now.From, Last: s.Now.To, Text: s.Now.Text})
	}
	if c.Due != nil && log != nil {
		req.Recap = p.recap(ctx, c, asked.Request, said, log, keep)
		return 0
	}
	keep(c)
	for _, part := range c.Parts {
		size += part.Bytes
	}
	return size + len(on.note)
}

// failing is a driver whose turns fail.
type failing struct {
	engine.Driver
	err error
}

func (f failing) Drive(context.Context, engine.Brief, engine.Host) (engine.Ending, error) {
	return engine.Ending{}, f.err
}

// counter returns how a model's tokens are counted: by itself, or by what its provider counted before.
func (p *turns) counter(ctx context.Context, driver engine.Driver) func(string) int {
	if m, ok := engine.As[model.Counter](driver); ok {
		return func(s string) int {
			n, _ := m.Count(model.Prompt{Items: []model.Item{model.User(s)}})
			return n
		}
	}
	return p.ratio(ctx, driver.Info().Name).Count
}

// ratioMark is the mark in the history with the bytes per token of a model.
func ratioMark(name string) string { return "bytes per token: " + name }

// ratio returns what is known of a model's tokens. Without it the first guess serves.
func (p *turns) ratio(ctx context.Context, name string) prompt.Ratio {
	value, err := p.sessions.store.Mark(ctx, ratioMark(name))
	bytes, bad := strconv.ParseFloat(value, 64)
	if err != nil || bad != nil || !(bytes >= 1 && bytes <= 16) {
		return prompt.Ratio{}
	}
	return prompt.Ratio{Bytes: bytes}
}

// learn notes how many tokens the provider counted in a prompt. In later rounds of a turn the prompt
// was longer, which makes the estimate a careful one.
func (p *turns) learn(name string, size int, o engine.Outcome) {
	usage, rounds := o.Timing.Usage, max(o.Timing.Rounds, 1)
	if size == 0 || usage.Estimated || rounds > 3 {
		return
	}
	ctx := context.Background()
	was := p.ratio(ctx, name)
	if now := was.Learn(size, usage.Input/rounds); now != was {
		// without the mark the next turn is estimated as this one was
		_ = p.sessions.store.SetMark(ctx, ratioMark(name), strconv.FormatFloat(now.Bytes, 'f', 3, 64))
	}
}

// conversation returns the session's earlier turns, oldest first, and what became of their summaries.
func (p *turns) conversation(ctx context.Context, session history.SessionID,
	before history.TurnID) ([]prompt.Turn, summarized, error) {
	all, err := p.sessions.store.Turns(ctx, session, before, maxTurnsBack)
	out := make([]prompt.Turn, len(all))
	for i, t := range all {
		out[i] = turnOf(t, said(t))
	}
	return out, summariesOf(all), err
}
