package items

import (
	"encoding/json"
	"time"

	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
)

// Old converts a turn as earlier versions stored it, with messages and parts in JSON, into items
// that show the same.
func Old(o history.OldTurn) []history.Item {
	l := oldLog{when: o.Started}
	var kept parts.Record
	if json.Unmarshal(o.Parts, &kept) != nil { // none, or of another version
		kept = parts.Record{}
	}
	steers, answer := l.messages(o.Messages, len(kept.Parts) > 0)
	if answer.Text != "" {
		l.at(answer.Time, func() {
			_ = model.Say(func(d model.Delta) error { l.Record(0, d); return nil }, answer.Text, 0)
		})
	}
	for _, p := range kept.Parts {
		if s, is := p.(parts.SteerPart); is {
			steers = without(steers, s.Text)
		}
		l.part(p)
	}
	for _, s := range steers {
		l.told(s)
	}
	outcome := engine.Outcome{}
	if len(kept.Nearest) > 0 {
		outcome.Refusal = &model.Refusal{Reason: o.Message}
		for _, request := range kept.Nearest {
			outcome.Refusal.Candidates = append(outcome.Refusal.Candidates, model.Candidate{Request: request})
		}
	}
	l.End(outcome)
	return l.all()
}

// oldLog is a log of past events, with their times.
type oldLog struct {
	Log
	when time.Time // the turn began
}

// messages adds the user's message, and returns the answer and the steers, whose place the parts
// may have.
func (l *oldLog) messages(all []history.Message, placed bool) (steers []history.Message, answer history.Message) {
	for _, m := range all {
		switch m.Role {
		case RoleSteer:
			if steers = append(steers, m); !placed {
				l.told(m)
				steers = nil
			}
		case model.RoleAssistant:
			answer.Text, answer.Time = answer.Text+m.Text, m.Time
		default:
			l.at(m.Time, func() { l.User(m.Text) })
		}
	}
	return steers, answer
}

// at sets a time on the items that add adds.
func (l *oldLog) at(when time.Time, add func()) {
	n := len(l.items)
	add()
	for _, it := range l.items[n:] {
		it.stored.Time = when
	}
}

func (l *oldLog) told(m history.Message) {
	l.at(m.Time, func() { l.steer(m.Text, told, 0) })
}

func (l *oldLog) part(p parts.Part) {
	switch p := p.(type) {
	case parts.ProsePart:
		l.prose(p.Text)
	case parts.HunkPart:
		l.came(outcome{Type: hunk, Status: p.State, Hunk: p.Hunk, Path: p.Path, Line: p.Line, Added: p.Added,
			Removed: p.Removed, Reason: p.Reason, Message: p.Message})
	case parts.FilePart:
		l.Take(fileEvent(p))
	case parts.SteerPart:
		l.steer(p.Text, p.State, p.Hunk)
	case parts.NotePart:
		l.Take(engine.Note{Text: p.Text})
	}
}

func fileEvent(p parts.FilePart) engine.Event {
	switch p.What {
	case parts.Created:
		return engine.FileCreated{Path: p.Path}
	case parts.Deleted:
		return engine.FileDeleted{Path: p.Path}
	}
	return engine.FileMoved{Path: p.Path, To: p.To}
}

func (l *oldLog) steer(text string, receipt engine.SteerState, at int) {
	it := l.aside(said(text))
	it.Receipt, it.Hunk = receipt, at
}

// all returns the items of a finished turn.
func (l *oldLog) all() []history.Item {
	out, err := l.Changed().Items()
	if err != nil { // an item is always JSON
		panic(err)
	}
	for i := range out {
		if out[i].Time.IsZero() {
			out[i].Time = l.when
		}
	}
	return out
}

// without removes the first message with a text.
func without(list []history.Message, text string) []history.Message {
	for i, m := range list {
		if m.Text == text {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	return list
}
