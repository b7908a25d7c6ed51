package items

import (
	"encoding/json"
	"strings"
	"time"

	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
)

// Shown is what a conversation shows of a turn.
type Shown struct {
	Parts   []parts.Part
	Nearest []Offer // requests that the model can carry out
	More    int     // requests like them that were not tried
	Prose   string  // the model's text outside its edits
	Said    []Message
	Kept    bool // the results of the answer were stored; the first versions did not
}

// Message is one message of a turn.
type Message struct {
	Role string // user, assistant or RoleSteer
	Text string
	Time time.Time
}

// Fold converts a turn's items into what the conversation shows. Unknown items, for example of
// a later version, show nothing.
func Fold(items []history.Item) Shown {
	f := folding{list: parts.Bounded()}
	for _, it := range items {
		var b body
		if json.Unmarshal(it.Body, &b) != nil {
			b = body{}
		}
		f.texts = append(f.texts, b.text())
		f.take(it, b)
	}
	f.Parts, f.Prose = f.list.All(), f.prose.String()
	return f.Shown
}

// Answer returns the model's whole output in a turn, including edits: its messages, and the
// patches of its calls, each on lines of its own.
func Answer(items []history.Item) (said string) {
	called := false
	for _, it := range items {
		var b body
		calls := json.Unmarshal(it.Body, &b) == nil && b.Type == model.CustomCall && b.Name == model.ApplyPatch
		if !calls && (b.Type != model.Message || b.Role != model.RoleAssistant) || b.text() == "" {
			continue
		}
		if (called || calls) && said != "" && !strings.HasSuffix(said, "\n") {
			said += "\n"
		}
		said, called = said+b.text(), calls
	}
	return said
}

type folding struct {
	Shown
	list   *parts.List
	prose  strings.Builder
	broken bool     // something else than prose came after it
	texts  []string // of the items so far
	steers int      // with receipts
}

func (f *folding) take(it history.Item, b body) {
	switch {
	case b.Type == model.Message && b.Receipt != "":
		f.say(RoleSteer, it, b)
		f.steer(b)
	case b.Type == model.Message && b.Role != model.RoleUser && b.Role != model.RoleAssistant:
		// what the program told the model; the events tell the user
	case b.Type == model.Message:
		f.Nearest, f.More = append(f.Nearest, b.Candidates...), f.More+b.More
		if b.text() != "" {
			f.say(b.Role, it, b)
		}
	case b.Type == edits:
		for _, o := range b.Outcomes {
			for _, ev := range o.events(f.textOf(b)) {
				f.event(ev)
			}
		}
	}
}

func (f *folding) steer(b body) {
	if b.Receipt == told {
		return
	}
	f.steers++
	f.event(engine.Steered{Text: b.text(), Steer: f.steers, State: engine.SteerQueued})
	if b.Receipt != engine.SteerQueued {
		f.event(engine.Steered{Text: b.text(), Steer: f.steers, State: b.Receipt, Hunk: b.Hunk})
	}
}

// textOf returns the text that edits refer to.
func (f *folding) textOf(b body) string {
	if b.Of < 1 || b.Of > len(f.texts) {
		return ""
	}
	return f.texts[b.Of-1]
}

func (f *folding) say(role string, it history.Item, b body) {
	f.Said = append(f.Said, Message{role, b.text(), it.Time})
}

func (f *folding) event(ev engine.Event) {
	f.Kept = true
	switch p, is := ev.(engine.Prose); {
	case is && f.broken && f.prose.Len() > 0: // another message
		if all := f.prose.String(); all[len(all)-1] != '\n' {
			f.prose.WriteString("\n\n")
		}
		fallthrough
	case is:
		f.broken = false
		f.prose.WriteString(p.Text)
	default:
		f.broken = true
	}
	f.list.Take(ev)
}
