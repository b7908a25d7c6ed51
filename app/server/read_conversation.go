package server

import (
	"context"
	"strings"
	"time"
	"unicode"

	"waferpair/app"
	"waferpair/app/parts"
	"waferpair/app/query"
	"waferpair/history"
)

// SessionInfo is a conversation in a list.
type SessionInfo struct {
	ID      history.SessionID `json:"id"`
	Title   string            `json:"title"`
	Created int64             `json:"created"`
	Last    int64             `json:"last"`
	Turns   int               `json:"turns"`
}

type sessionsAnswer struct {
	Sessions []SessionInfo     `json:"sessions"`
	Current  history.SessionID `json:"current"`
}

func readSessions(ctx context.Context, o *opened, _ none) (sessionsAnswer, error) {
	all, current, err := o.Query().Sessions(ctx)
	out := sessionsAnswer{Sessions: make([]SessionInfo, len(all)), Current: current}
	for i, s := range all {
		out.Sessions[i] = SessionInfo{s.ID, s.Title, unixMilli(s.Created), unixMilli(s.Last), s.Turns}
	}
	return out, err
}

// Conversation is a session with its newest turns.
type Conversation struct {
	Session history.SessionID `json:"session"`
	Title   string            `json:"title"`
	Turns   []PastTurn        `json:"turns"`
}

// PastTurn is a turn as it was recorded.
type PastTurn struct {
	Turn    history.TurnID   `json:"turn"`
	Request string           `json:"request"`
	Model   string           `json:"model"`
	Mode    app.Mode         `json:"mode,omitempty"` // ask: a question, whose answer edits nothing
	Kind    app.Kind         `json:"kind,omitempty"` // of task; absent: the mode's own
	Auto    string           `json:"auto,omitempty"` // why "auto" chose the model
	Status  TurnStatus       `json:"status"`
	Held    bool             `json:"held,omitempty"` // it has edits that can be approved
	Message string           `json:"message"`
	Parts   []parts.Part     `json:"parts"`          // in order; none when they were not stored
	Nearest []Offer          `json:"nearest"`        // of a declined turn: requests that the model can carry out
	More    int              `json:"more,omitempty"` // requests like them that were not tried
	Prose   string           `json:"prose"`          // the model's text outside its edits
	Steers  []string         `json:"steers"`
	Files   []FileCount      `json:"files"`
	Edits   []history.EditID `json:"edits"`
	Timing  *Timing          `json:"timing"`
	Started int64            `json:"started"`
	Ended   int64            `json:"ended"`
}

// maxTurns bounds the turns of a session that a page shows.
const maxTurns = 500

func readConversation(ctx context.Context, o *opened, in sessionArgs) (Conversation, error) {
	c, err := o.Query().Conversation(ctx, in.Session, 0, maxTurns)
	if err != nil {
		return Conversation{}, err
	}
	out := Conversation{Session: c.Session.ID, Title: c.Session.Title, Turns: make([]PastTurn, len(c.Turns))}
	for i, t := range c.Turns {
		out.Turns[i] = wirePast(t)
	}
	return out, nil
}

type markdownAnswer struct {
	Name string `json:"name"` // of a file for it
	Text string `json:"text"`
}

func readMarkdown(ctx context.Context, o *opened, in sessionArgs) (markdownAnswer, error) {
	c, err := o.Query().Conversation(ctx, in.Session, 0, 0)
	if err != nil {
		return markdownAnswer{}, err
	}
	return markdownAnswer{fileName(c.Session.Title), c.Markdown(time.Local)}, nil
}

// fileName makes a name of a title, of letters, digits and hyphens.
func fileName(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	name := []rune(strings.Join(words, "-"))
	if len(name) == 0 {
		return "conversation.md"
	}
	return strings.Trim(string(name[:min(len(name), 60)]), "-") + ".md"
}

func wirePast(t query.PastTurn) PastTurn {
	out := PastTurn{
		Turn: t.Turn, Request: t.Request, Model: t.Model, Mode: app.Mode(t.Mode), Kind: app.Kind(t.Kind),
		Auto: t.Auto, Status: TurnStatus(t.Status), Held: t.Held,
		Message: t.Message, Prose: t.Prose, Parts: list(t.Parts), Nearest: make([]Offer, len(t.Nearest)), More: t.More,
		Steers: list(t.Steers), Files: make([]FileCount, len(t.Files)), Edits: list(t.Edits), Timing: pastTiming(t.Timing),
		Started: unixMilli(t.Started), Ended: unixMilli(t.Ended),
	}
	for i, c := range t.Nearest {
		out.Nearest[i] = wireOffer(c.Candidate)
	}
	for i, f := range t.Files {
		out.Files[i] = FileCount{f.Path, f.Added, f.Removed}
	}
	return out
}
