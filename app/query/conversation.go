package query

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"waferpair/app/items"
	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/history"
)

// Conversation is a part of a session: its newest turns on the current fork,
// oldest first.
type Conversation struct {
	Session SessionInfo `json:"session"`
	Turns   []PastTurn  `json:"turns"`
	More    bool        `json:"more"` // there are older turns
}

// PastTurn is a turn as it was recorded. A running turn has no status yet.
type PastTurn struct {
	Turn     history.TurnID   `json:"turn"`
	Request  string           `json:"request"`
	Model    string           `json:"model"`
	Mode     string           `json:"mode,omitempty"` // "ask": a question, whose answer edits nothing; "": edit
	Kind     string           `json:"kind,omitempty"` // of task, as app.Kind has it; "": the mode's own
	Auto     string           `json:"auto,omitempty"` // why "auto" chose the model; "": the user named it
	Target   TurnTarget       `json:"target"`
	Status   string           `json:"status"`         // "interrupted" when the program ended before the turn
	Held     bool             `json:"held,omitempty"` // it has edits that can be approved
	Message  string           `json:"message"`
	Parts    []parts.Part     `json:"parts"`          // none in turns of the first versions
	Nearest  []items.Offer    `json:"nearest"`        // of a declined turn: requests that the model can carry out
	More     int              `json:"more,omitempty"` // requests like them that were not tried
	Prose    string           `json:"prose"`          // the model's text outside its edits
	Steers   []string         `json:"steers"`
	Messages []TurnMessage    `json:"messages"`
	Files    []TurnFile       `json:"files"`
	Edits    []history.EditID `json:"edits"`
	Timing   json.RawMessage  `json:"timing"`
	Started  time.Time        `json:"started"`
	Ended    time.Time        `json:"ended,omitzero"`
}

// TurnTarget is the place that the user pointed at, and the scope of edits.
type TurnTarget struct {
	File  string   `json:"file"`
	From  int      `json:"from"` // lines, from 1; 0: the whole file
	To    int      `json:"to"`
	Scope []string `json:"scope"`
}

// TurnMessage is one message of a turn: by the user, by the assistant, or a steer.
type TurnMessage struct {
	Role string    `json:"role"`
	Text string    `json:"text"`
	Time time.Time `json:"time"`
}

// TurnFile sums up a turn's edits of a file.
type TurnFile struct {
	Path     string `json:"path"`
	Added    int    `json:"added"` // lines
	Removed  int    `json:"removed"`
	Edits    int    `json:"edits"`
	Reverted int    `json:"reverted"` // of the edits
}

// Conversation returns a session with its newest turns: at most limit of them (0: all), and
// only turns older than before, if that is set. Session 0 is the current one.
func (c Core) Conversation(ctx context.Context, id history.SessionID,
	before history.TurnID, limit int) (Conversation, error) {
	current, err := c.Session(ctx) // first, because it may be new
	if err != nil {
		return Conversation{}, err
	}
	all, err := c.History.Sessions(ctx)
	if err != nil {
		return Conversation{}, err
	}
	if id == 0 {
		id = current
	}
	i := slices.IndexFunc(all, func(s history.Session) bool { return s.ID == id })
	switch {
	case i < 0 && id == 0:
		return Conversation{}, nil // there is no conversation yet
	case i < 0:
		return Conversation{}, errors.Join(errNoSession, history.ErrNotFound)
	}
	more := 0
	if limit > 0 {
		more = limit + 1 // one more tells whether there are older ones
	}
	turns, err := c.History.Turns(ctx, id, before, more)
	if err != nil {
		return Conversation{}, err
	}
	out := Conversation{Session: sessionInfo(all[i])}
	if limit > 0 && len(turns) > limit {
		turns, out.More = turns[1:], true
	}
	out.Turns, err = c.pastTurns(ctx, turns)
	return out, err
}

// Turn returns a turn as it was recorded.
func (c Core) Turn(ctx context.Context, id history.TurnID) (PastTurn, error) {
	t, err := c.History.Turn(ctx, id)
	if err != nil {
		return PastTurn{}, err
	}
	return pastTurn(t), nil
}

// LastTurn returns the newest turn of a session; the zero turn when it has none.
func (c Core) LastTurn(ctx context.Context, id history.SessionID) (PastTurn, error) {
	turns, err := c.History.Turns(ctx, id, 0, 1)
	if err != nil || len(turns) == 0 {
		return PastTurn{}, err
	}
	return pastTurn(turns[len(turns)-1]), nil
}

var errNoSession = errors.New("there is no such session")

func (c Core) pastTurns(ctx context.Context, turns []history.Turn) ([]PastTurn, error) {
	out := make([]PastTurn, len(turns))
	byID := map[history.TurnID]*PastTurn{}
	for i, t := range turns {
		out[i] = pastTurn(t)
		byID[t.ID] = &out[i]
	}
	cols, err := c.History.OfTurns(ctx, slices.Collect(maps.Keys(byID)))
	if err != nil {
		return nil, err
	}
	for i, turn := range cols.Turns {
		if t := byID[turn]; t != nil {
			t.count(cols, i)
		}
	}
	return out, nil
}

func pastTurn(t history.Turn) PastTurn {
	out := PastTurn{Turn: t.ID, Request: t.Request, Model: t.Model, Status: t.Status, Message: t.Message, Timing: t.Timing,
		Started: t.Started, Ended: t.Ended, Steers: []string{}, Files: []TurnFile{}, Edits: []history.EditID{},
		Messages: []TurnMessage{}}
	settings := settingsOf(t)
	out.Auto = settings.Auto
	out.Target, out.Mode, out.Kind = settings.TurnTarget, settings.Mode, settings.Kind
	out.Held = t.Status != "" && (t.Status == string(engine.Held) || len(settings.Unmade) > 0)
	shown := items.Fold(t.Items)
	out.Parts, out.Prose = shown.Parts, strings.TrimSpace(shown.Prose)
	out.Nearest, out.More = shown.Nearest, shown.More
	for _, m := range shown.Said {
		out.Messages = append(out.Messages, TurnMessage(m))
		if m.Role == items.RoleSteer {
			out.Steers = append(out.Steers, m.Text)
		}
	}
	if !shown.Kept {
		out.Prose = proseOf(items.Answer(t.Items))
	}
	return out
}

// turnSettings is how the user sent a turn's request.
type turnSettings struct {
	TurnTarget
	Mode   string            `json:"mode"`
	Kind   string            `json:"kind"`
	Auto   string            `json:"auto"`
	Unmade []json.RawMessage `json:"unmade"`
}

// settingsOf returns the settings of a turn. Unreadable ones are of another version; the rest of
// the turn is still useful.
func settingsOf(t history.Turn) (s turnSettings) {
	if len(t.Settings) > 0 && json.Unmarshal(t.Settings, &s) != nil {
		return turnSettings{}
	}
	return s
}

// ModeOf returns the mode of a turn: "ask" for a question, "" otherwise.
func ModeOf(t history.Turn) string { return settingsOf(t).Mode }

// AutoOf returns why "auto" chose the model of a turn; "" when the user named it.
func AutoOf(t history.Turn) string { return settingsOf(t).Auto }

// count adds entry i of the columns to the turn.
func (t *PastTurn) count(c history.Columns, i int) {
	path := c.Names[c.Paths[i]]
	t.Edits = append(t.Edits, c.IDs[i])
	k := slices.IndexFunc(t.Files, func(f TurnFile) bool { return f.Path == path })
	if k < 0 {
		k = len(t.Files)
		t.Files = append(t.Files, TurnFile{Path: path})
	}
	f := &t.Files[k]
	f.Added, f.Removed, f.Edits = f.Added+int(c.Added[i]), f.Removed+int(c.Removed[i]), f.Edits+1
	if _, undone := slices.BinarySearch(c.Undone, c.IDs[i]); undone {
		f.Reverted++
	}
	if to := c.To[i]; to >= 0 {
		f.Path = c.Names[to]
	}
}

// proseOf returns a model's text outside its edits.
func proseOf(said string) string {
	var b strings.Builder
	take := func(ev editstream.Event) {
		if p, ok := ev.(editstream.Prose); ok {
			b.WriteString(p.Text)
		}
	}
	parser := editstream.NewAuto()
	parser.Push([]byte(said), take)
	parser.Close(take)
	return strings.TrimSpace(b.String())
}
