package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"waferpair/app/items"
	"waferpair/app/mask"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/engine/prompt"
	"waferpair/history"
)

// The summary that stands for the oldest turns of a session, once they do not fit into the prompt.
//
//	prompt.Build says that one is due ──> engine.Recap ──> the turn's model writes it, before its answer
//	                                                          │
//	items of the session's turns <── an item of the turn <────┤ or why there is none
//	     │                                                    '──> the prompt, built again
//	     '─> summariesOf ──> prompt.Request.Summaries, of every later turn
//
// The item belongs to the turn that asked for it, so a fork from before that turn does not have it, and a
// purge of the session removes it. To take a summary back adds another item to that turn. All that a
// session's turns have in common is in the last maxTurnsBack of them, so a summary that is about to leave
// these is stored again by the turn that runs then.

// summarized is what the items of a conversation say of its summaries.
type summarized struct {
	prompt.Summaries
	in   history.TurnID // the turn with the item of the one in use
	back int            // how many turns ago that was
}

// summariesOf reads the items of a conversation, oldest turn first.
func summariesOf(all []history.Turn) (s summarized) {
	for i, t := range all {
		for _, it := range items.Summaries(t.Items) {
			switch {
			case it.Back:
				s = summarized{Summaries: prompt.Summaries{Back: it.Last}}
			case it.Text == "":
				s.Tried, s.Why = it.Last, it.Failed
			default:
				s.Tried, s.Why = 0, ""
				s.Now, s.in, s.back = prompt.Summary{From: it.First, To: it.Last, Text: it.Text}, t.ID, len(all)-i
			}
		}
	}
	return s
}

// recap asks for the summary without which a prompt lacks turns; without is that prompt, and of what it
// was built from, said what follows the request in it. keep gets the prompt that is sent.
func (p *turns) recap(ctx context.Context, without prompt.Context, of prompt.Request,
	said []model.Item, log *itemLog, keep func(prompt.Context)) *engine.Recap {
	due := without.Due
	use := func(text string, failed error) (prompt.Context, string, error) {
		if errors.Is(failed, engine.ErrCutByUser) { // the next turn asks again
			return without, noSummary(due, failed), nil
		}
		s, err := due.Take(mask.Words(text), of.Count)
		if err = cmp.Or(failed, err); err != nil {
			log.summarized(items.Summary{First: due.From, Last: due.To, Failed: firstLine(err.Error(), 300)})
			keep(without)
			return without, noSummary(due, err), nil
		}
		log.summarized(items.Summary{First: s.From, Last: s.To, Text: s.Text})
		of.Summaries.Now, of.Summaries.Tried, of.Summaries.Why = s, 0, ""
		c, err := prompt.Build(ctx, of)
		if err != nil {
			return c, "", fmt.Errorf("assemble the prompt: %w", err)
		}
		keep(c)
		return c, fmt.Sprintf("a summary stands for %s now, to save room: about %d tokens in place of %d; "+
			"the turns themselves stay in the history", s.Name(), of.Count(s.Text), due.Tokens), nil
	}
	return &engine.Recap{Items: due.Items, About: due.Name(),
		Use: func(text string, failed error) ([]model.Item, int, string, error) {
			c, note, err := use(text, failed)
			return append(c.Items, said...), c.From, note, err
		}}
}

func noSummary(due *prompt.Due, err error) string {
	return fmt.Sprintf("there is no summary of %s: %v; the oldest turns are left out, and stay in the history",
		due.Name(), mask.Words(err.Error()))
}

// summarized stores a summary, or why there is none.
func (l *itemLog) summarized(s items.Summary) {
	l.mu.Lock()
	l.log.Summarize(s)
	l.mu.Unlock()
	_ = l.write() // if it keeps failing, the end of the turn reports it
}

// Summary returns the summary that stands for the oldest turns of a session; without Text: none does.
// Session 0 is the current one.
func (p *turns) Summary(ctx context.Context, session history.SessionID) (prompt.Summary, error) {
	session, err := p.orCurrent(ctx, session)
	if err != nil {
		return prompt.Summary{}, err
	}
	s, err := p.summaryOf(ctx, session)
	return s.Now, err
}

func (p *turns) orCurrent(ctx context.Context, session history.SessionID) (history.SessionID, error) {
	if session != 0 {
		return session, nil
	}
	return p.sessions.currentSession(ctx)
}

func (p *turns) summaryOf(ctx context.Context, session history.SessionID) (summarized, error) {
	turns, err := p.sessions.store.Turns(ctx, session, 0, maxTurnsBack)
	if err == nil && len(turns) == 0 && session != 0 {
		_, err = p.sessions.store.Session(ctx, session) // is there one?
	}
	return summariesOf(turns), err
}

// NoSummary is why there is nothing to take back.
type NoSummary struct{}

func (e *NoSummary) Error() string {
	return "there is no summary to take back: the session's turns are in its prompts themselves, as far as they fit"
}

// DropSummary takes the summary of a session's oldest turns back: prompts have the turns themselves again,
// as far as they fit. It returns what was taken back.
func (p *turns) DropSummary(ctx context.Context, session history.SessionID) (prompt.Summary, error) {
	if err := p.recording(); err != nil {
		return prompt.Summary{}, err
	}
	session, err := p.orCurrent(ctx, session)
	if err != nil {
		return prompt.Summary{}, err
	}
	done, err := p.sessions.running.quiet(session, "take its summary back")
	if err != nil {
		return prompt.Summary{}, err
	}
	defer done()
	s, err := p.summaryOf(ctx, session)
	if err != nil {
		return prompt.Summary{}, err
	}
	if s.Now.Text == "" {
		return prompt.Summary{}, &NoSummary{}
	}
	it, err := items.Summary{First: s.Now.From, Last: s.Now.To, Back: true}.Item()
	if err == nil {
		_, err = p.sessions.store.PutItems(ctx, s.in, it)
	}
	if err == nil {
		err = p.sessions.store.Flush(ctx)
	}
	if err != nil {
		return prompt.Summary{}, fmt.Errorf("take back the summary of %s: %w", s.Now.Name(), err)
	}
	p.prompts.anew(session) // what that left out
	return s.Now, nil
}
