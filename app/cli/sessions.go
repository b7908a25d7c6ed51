package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/app/query"
	"waferpair/engine/prompt"
	"waferpair/history"
)

func sessionsCommand(e *env) *cobra.Command {
	return group("sessions", "List, show and resume conversations",
		`A session is a conversation: a row of requests and what came of them. Requests go
to the newest session unless another one is resumed.`,
		sessionsList(e), sessionsShow(e), sessionsResume(e), sessionsSummary(e))
}

func sessionsList(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the sessions, newest last", Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				all, err := p.History().Sessions(cmd.Context())
				if err != nil {
					return err
				}
				for _, s := range all {
					if e.json {
						jsonOut(e.out, map[string]any{"id": s.ID, "title": s.Title, "turns": s.Count,
							"created": s.Created.UTC().Format(time.RFC3339), "last": s.Last.UTC().Format(time.RFC3339)})
						continue
					}
					fmt.Fprintf(e.out, "%4d  %s  %s  %s\n", s.ID, s.Last.In(e.around().zone()).Format("2006-01-02 15:04"),
						count(s.Count, "turn"), clean(s.Title))
				}
				if len(all) == 0 && !e.json {
					fmt.Fprintln(e.out, "no sessions yet")
				}
				return nil
			})
		},
	}
}

func parseSession(word string) (history.SessionID, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 1 {
		return 0, usageError("%q is not a session number; 'waferpair sessions list' shows them", word)
	}
	return history.SessionID(n), nil
}

func sessionsShow(e *env) *cobra.Command {
	markdown := false
	c := &cobra.Command{
		Use: "show [ID]", Short: "Show the turns of a session, by default the current one, and their edits",
		Args:    args(cobra.MaximumNArgs(1)),
		Example: "  waferpair sessions show\n  waferpair sessions show 2 --markdown > conversation.md",
		RunE: func(cmd *cobra.Command, words []string) error {
			id, err := history.SessionID(0), error(nil)
			if len(words) > 0 {
				id, err = parseSession(words[0])
			}
			if err != nil {
				return err
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				if id == 0 {
					if id, err = p.Query().Session(cmd.Context()); err != nil || id == 0 {
						return err
					}
				}
				if !markdown {
					return e.showSession(cmd.Context(), p, id)
				}
				c, err := p.Query().Conversation(cmd.Context(), id, 0, 0)
				if err == nil {
					fmt.Fprint(e.out, clean(c.Markdown(e.around().zone())))
				}
				return err
			})
		},
	}
	c.Flags().BoolVar(&markdown, "markdown", false, "write the conversation as a Markdown document")
	return c
}

type turnJSON struct {
	Turn    int64           `json:"turn"`
	Session int64           `json:"session"`
	Request string          `json:"request"`
	Model   string          `json:"model"`
	Status  string          `json:"status"`
	Message string          `json:"message"`
	Started string          `json:"started"`
	Edits   []int64         `json:"edits"`
	Timing  json.RawMessage `json:"timing,omitempty"`
	Mode    string          `json:"mode,omitempty"` // ask
	Auto    string          `json:"auto,omitempty"` // why "auto" chose the model
}

func (e *env) showSession(ctx context.Context, p *app.Project, id history.SessionID) error {
	s, err := p.History().Session(ctx, id)
	if err != nil {
		return err
	}
	for _, t := range s.Turns {
		edits, err := p.History().List(ctx, history.Filter{Turn: t.ID})
		if err != nil {
			return err
		}
		e.showTurn(s, t, edits)
	}
	return nil
}

func (e *env) showTurn(s history.Session, t history.Turn, edits []history.Edit) {
	status := t.Status
	if status == "" {
		status = "running"
	}
	if e.json {
		out := turnJSON{Turn: int64(t.ID), Session: int64(s.ID), Request: t.Request, Model: t.Model, Status: status,
			Message: t.Message, Started: t.Started.UTC().Format(time.RFC3339), Edits: []int64{}, Timing: t.Timing,
			Mode: query.ModeOf(t), Auto: query.AutoOf(t)}
		for _, ed := range edits {
			out.Edits = append(out.Edits, int64(ed.ID))
		}
		jsonOut(e.out, out)
		return
	}
	v := newDiffView(e.out, e.color(e.out))
	if query.ModeOf(t) == string(app.ModeAsk) {
		status = "asked, " + status
	}
	fmt.Fprintf(e.out, "%s  %s  %s  %s\n", v.paint(ansiBold, fmt.Sprintf("turn %d", t.ID)),
		t.Started.In(e.around().zone()).Format("2006-01-02 15:04:05"),
		modelWords(t.Model, query.AutoOf(t)), v.paint(ansiCyan, status))
	fmt.Fprintf(e.out, "  %s\n", clean(strings.ReplaceAll(t.Request, "\n", "\n  ")))
	if t.Message != "" {
		fmt.Fprintf(e.out, "  %s\n", v.paint(ansiDim, clean(t.Message)))
	}
	for _, ed := range edits {
		fmt.Fprintf(e.out, "  %6d  %s\n", ed.ID, cleanName(describe(ed)))
	}
}

func sessionsResume(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "resume ID [REQUEST]", Short: "Resume a session: show its state, or send the next request",
		Example: `  waferpair sessions resume 2
  waferpair sessions resume 2 "rename loadConfig to readConfig"`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			id, err := parseSession(words[0])
			if err != nil {
				return err
			}
			if len(words) > 1 {
				return e.edit(cmd.Context(), editFlags{title: words[0]}, words[1:])
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				if err := p.ResumeSession(cmd.Context(), id); err != nil {
					return err
				}
				return e.showSession(cmd.Context(), p, id)
			})
		},
	}
}

func sessionsSummary(e *env) *cobra.Command {
	drop := false
	c := &cobra.Command{
		Use: "summary [ID]", Short: "Show the summary of a session's oldest turns, or take it back",
		Long: `When the oldest turns of a conversation do not fit into a language model's context any
more, the model is asked for a summary of them, before its answer. From then on it stands in
their place in prompts; the turns themselves stay in the history. summary shows it.

--drop takes it back: prompts have the turns themselves again, as far as they fit, and no
summary of these turns is made any more. Without ID it is the current session.`,
		Example: "  waferpair sessions summary\n  waferpair sessions summary 2 --drop",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			id := history.SessionID(0)
			if len(words) > 0 {
				if id, err = parseSession(words[0]); err != nil {
					return err
				}
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				show := p.Summary
				if drop {
					show = p.DropSummary
				}
				s, err := show(cmd.Context(), id)
				if err == nil {
					e.showSummary(s, drop)
				}
				return err
			})
		},
	}
	c.Flags().BoolVar(&drop, "drop", false, "take it back: use the turns themselves")
	return c
}

func (e *env) showSummary(s prompt.Summary, dropped bool) {
	switch {
	case e.json && s.Text == "":
	case e.json:
		jsonOut(e.out, map[string]any{"from": s.From, "to": s.To, "text": s.Text, "dropped": dropped})
	case s.Text == "":
		fmt.Fprintln(e.out, "no summary: the turns themselves are in the prompt, as far as they fit")
	case dropped:
		fmt.Fprintf(e.out, "the summary of %s is taken back: prompts have the turns themselves again, as far as they fit\n",
			s.Name())
	default:
		fmt.Fprintf(e.out, "summary of %s:\n%s\n", s.Name(), clean(s.Text))
	}
}
