package items

import (
	"slices"
	"strings"

	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
)

// Log converts a turn's events into items. The zero value is an empty turn.
type Log struct {
	items  []*item
	round  int
	out    model.Output  // the model's output
	places map[int]*item // its items
	says   *item         // the item of the newest text; nil: none
	edits  *item         // the item that takes the next outcomes; nil: a new one
	count  int           // outcomes that are parts
}

// maxOutcomes bounds the outcomes of a turn: one more than the parts that a conversation shows,
// so that it can show that there were more.
const maxOutcomes = 501

// User adds a message by the user.
func (l *Log) User(text string) {
	l.add(&item{body: said(text), whole: true})
}

func said(text string) body {
	return body{Type: model.Message, Role: model.RoleUser, Content: []content{{Type: model.InputText, Text: text}}}
}

func (l *Log) add(it *item) *item {
	it.dirty = true
	it.stored.Round = l.round
	l.items = append(l.items, it)
	it.place = len(l.items)
	return it
}

// Record adds a delta of the model's output, before the events that result from it. A delta out
// of order is not part of the answer, and ends the turn. A message that is known as a request or
// a steer is not added again.
func (l *Log) Record(round int, d model.Delta) {
	if l.places == nil {
		l.places = map[int]*item{}
	}
	if l.out.Take(d) != nil {
		return
	}
	l.round = round
	switch d := d.(type) {
	case model.Begin:
		l.begin(d)
	case model.Text:
		if it := l.places[d.At]; it.answer != nil {
			l.goOn(it, d)
		}
	case model.End:
		if it := l.places[d.At]; it.answer != nil {
			it.whole, it.dirty = true, true
		}
	}
}

func (l *Log) begin(d model.Begin) {
	it := l.known(d.Item)
	if it == nil {
		it = l.add(&item{answer: &l.out, at: d.At})
	}
	l.places[d.At] = it
}

// known returns the known message of the user that equals an item.
func (l *Log) known(i model.Item) *item {
	if i.Kind != model.Message || i.Role != model.RoleUser {
		return nil
	}
	for _, it := range l.items {
		if it.answer == nil && it.Role == model.RoleUser && !it.recorded && it.text() == i.Text() {
			it.recorded = true
			return it
		}
	}
	return nil
}

func (l *Log) goOn(it *item, d model.Text) {
	it.dirty = true
	if kind := l.out.Kind(d.At); kind != model.Message && !kind.IsCall() {
		return
	}
	if it.said.WriteString(d.Text); it != l.says {
		l.says, l.edits = it, nil
	}
}

// Take adds an event; it returns false when nothing of it is stored. Events that change later, or
// have a shorter form, are stored in a form of their own; all others as they are.
func (l *Log) Take(ev engine.Event) bool {
	switch ev := ev.(type) {
	case engine.Prose:
		l.prose(ev.Text)
	case engine.HunkOpened:
		l.came(outcome{Type: hunk, Status: parts.Open, Hunk: ev.Hunk, Path: ev.Path, Line: ev.Line})
	case engine.HunkClosed:
		status := parts.Done
		if ev.Partial {
			status = parts.Partial
		}
		l.became(outcome{Type: hunk, Status: status, Hunk: ev.Hunk, Path: ev.Path, Added: ev.Added, Removed: ev.Removed})
	case engine.HunkFailed:
		l.became(outcome{Type: hunk, Status: parts.Refused, Hunk: ev.Hunk, Path: ev.Path, Reason: ev.Reason,
			Message: ev.Message})
	case engine.Steered:
		l.steered(ev)
	default:
		return l.happened(ev)
	}
	return true
}

// happened adds an event that only package parts can show, if it can.
func (l *Log) happened(ev engine.Event) bool {
	if new(parts.List).Take(ev) {
		b, err := engine.MarshalEvent(ev)
		if err == nil {
			l.came(outcome{Type: event, Event: b})
		}
		return err == nil
	}
	return false
}

// aside adds an item between the outcomes before and after it.
func (l *Log) aside(b body) *item {
	l.edits = nil
	return l.add(&item{body: b})
}

// output returns the item that takes outcomes.
func (l *Log) output() *item {
	if l.edits == nil {
		b := body{Type: edits}
		if l.says != nil {
			b.Of = l.says.place
		}
		l.edits = l.add(&item{body: b})
	}
	l.edits.dirty = true
	return l.edits
}

// prose notes which part of the answer is prose.
func (l *Log) prose(text string) {
	if l.count >= maxOutcomes {
		return
	}
	o := outcome{Type: prose, Text: text}
	if at := l.says.find(text); at >= 0 {
		o = outcome{Type: prose, From: at, To: at + len(text)}
		l.says.found = o.To
	}
	it := l.output()
	if n := len(it.Outcomes) - 1; n >= 0 && it.Outcomes[n].goesOn(o) {
		it.Outcomes[n].To, it.Outcomes[n].Text = o.To, it.Outcomes[n].Text+o.Text
		return
	}
	it.Outcomes = append(it.Outcomes, o)
}

// goesOn reports whether prose continues in the next outcome.
func (o outcome) goesOn(next outcome) bool {
	return o.Type == prose && (o.Text == "") == (next.Text == "") && (o.Text != "" || o.To == next.From)
}

// came adds an outcome if there is room.
func (l *Log) came(o outcome) {
	if l.count++; l.count > maxOutcomes {
		return
	}
	it := l.output()
	it.Outcomes = append(it.Outcomes, o)
}

// became updates the outcome of a hunk. A hunk that failed before its place was certain has no
// outcome yet.
func (l *Log) became(o outcome) {
	for _, it := range slices.Backward(l.items) {
		for i := range slices.Backward(it.Outcomes) {
			if was := &it.Outcomes[i]; was.Type == hunk && was.Hunk == o.Hunk {
				o.Line = was.Line
				*was, it.dirty = o, true
				return
			}
		}
	}
	l.came(o)
}

// steered adds a steer, or updates its receipt.
func (l *Log) steered(ev engine.Steered) {
	if ev.State == engine.SteerSent {
		defer l.next()
	}
	var it *item
	for _, was := range slices.Backward(l.items) {
		if was.Receipt != "" && was.steer == ev.Steer {
			it = was
			break
		}
	}
	if it == nil {
		it = l.aside(said(ev.Text))
		it.steer = ev.Steer
	}
	if it.whole { // a receipt ends once
		return
	}
	it.Receipt, it.Hunk, it.dirty = ev.State, ev.Hunk, true
	it.whole = ev.State == engine.SteerApplied || ev.State == engine.SteerFailed
}

// next begins another round: the model's unfinished text was cut.
func (l *Log) next() {
	l.cut()
	l.says, l.edits = nil, nil
}

// cut marks the model's unfinished items as incomplete.
func (l *Log) cut() {
	for _, at := range l.out.Open() {
		l.out.Cut(at)
		if it := l.places[at]; it.answer != nil {
			it.whole, it.dirty = true, true
		}
	}
}

// End adds the end of the turn. All items are complete then.
func (l *Log) End(o engine.Outcome) {
	l.cut()
	if r := o.Refusal; r != nil {
		l.aside(body{Type: model.Message, Role: model.RoleAssistant, Candidates: offersOf(r), More: r.More,
			Content: []content{{Type: model.RefusalText, Refusal: r.Error()}}})
	}
	for _, it := range l.items {
		it.dirty = it.dirty || !it.whole
		it.whole = true
	}
	l.says, l.edits = nil, nil // a note that comes later is an item of its own
}

// Changed returns the items that changed since the last call. Took must be called before the next
// call.
func (l *Log) Changed() Batch {
	var b Batch
	for _, it := range l.items {
		if it.dirty {
			it.dirty = false
			b = append(b, it.now())
		}
	}
	return b
}

// Took sets the ids of items that were recorded. Without ids, Changed returns the items again.
func (l *Log) Took(b Batch, ids []history.ItemID) {
	for i, s := range b {
		if ids == nil {
			s.of.dirty = true
		} else {
			s.of.stored.ID = ids[i]
		}
	}
}

// find returns the index of a text in the rest of an answer; -1: it is not there.
func (it *item) find(text string) int {
	if it == nil {
		return -1
	}
	at := strings.Index(it.said.String()[it.found:], text)
	if at < 0 {
		return -1
	}
	return it.found + at
}
