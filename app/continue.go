package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"waferpair/app/items"
	"waferpair/app/mask"
	"waferpair/app/parts"
	"waferpair/app/query"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/history"
)

// A turn that broke off, at the limit of an answer's length, by a failure, a stop or a kill, is
// continued by another turn of its session: for the same model, about the same file and scope.
//
//	the edit that it broke off in              reverted first, so that each of its edits is in place
//	                                           as a whole, or not at all
//	items of the turn, as the history has them the conversation before the request
//	what is in place, what was taken back      a message to the model, resumed.note
//	edits of it that are in place              engine.Request.Landed: not made again
//	the text of the edit that was taken back   engine.Request.Broken: a model may go on at the very byte
//
// A model is asked to begin the edit again that it broke off in. It may also go on at the byte, or
// write all of its answer again: the files become the same. One that is known to go on at the byte is
// asked to do that; see goeson.go.

// NotContinued says why there is nothing to continue.
type NotContinued struct{ Why string }

func (e *NotContinued) Error() string { return e.Why }

func stillRunning(id history.TurnID) error {
	return &NotContinued{fmt.Sprintf("turn %d is running: stop it first, or wait for its end", id)}
}

// maxContinued bounds the turns that a continued one went on with itself.
const maxContinued = 50

// continued returns the request that goes on with a turn.
func (p *sessions) continued(ctx context.Context, r EditRequest) (EditRequest, error) {
	t, err := p.offering(ctx, EditRequest{Session: r.Session, Choice: Choice{Turn: r.Continue.Turn}})
	if err != nil {
		return r, err
	}
	switch engine.Status(t.Status) {
	case engine.Failed, engine.Stopped, history.Interrupted:
	case "":
		return r, stillRunning(t.Turn)
	case engine.Completed, engine.Declined, engine.Held, engine.Conflict:
		return r, &NotContinued{fmt.Sprintf("turn %d did not break off: it ended as %s; send a new request", t.Turn,
			t.Status)}
	}
	if err := r.onlyAsks(t.Turn, t.Mode); err != nil {
		return r, err
	}
	on := *r.Continue
	on.Turn, on.adds = t.Turn, strings.TrimSpace(r.Text) != ""
	r.Continue = &on
	r.Text = continueWords(t.Request, r.Text)
	if r.Model == "" {
		r.Model = t.Model
	}
	r.Mode, r.Kind = Mode(t.Mode), Kind(t.Kind)
	r.Target = model.Target{File: t.Target.File, From: t.Target.From, To: t.Target.To}
	r.Scope = t.Target.Scope
	return r, nil
}

const continues = "Continue: "

// onlyAsks returns an error if the request is a question, which edits nothing, and a turn that it goes back to was
// none.
func (r EditRequest) onlyAsks(id history.TurnID, mode string) error {
	if r.Mode != ModeAsk || Mode(mode) == ModeAsk {
		return nil
	}
	return &NotContinued{fmt.Sprintf("turn %d was a request to edit, and a question edits nothing: "+
		"'waferpair edit' with the same flags goes on with it", id)}
}

// continueWords is the request that goes on with another one; words are what the user adds.
func continueWords(request, words string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(request, continues), "\n")
	out := continues + first
	if words = strings.TrimSpace(words); words != "" {
		out += "\n" + words
	}
	return out
}

// resumed is what a turn that goes on with another one starts from.
type resumed struct {
	note   string // for the model
	landed []editstream.Hunk
	broken *engine.Broken // nil: it is a question
	one    bool           // at most one edit was taken back, and none that it broke off in stays
	word   string         // of an answer to a question: the one in which it broke off
}

// resume takes back the edit in which a turn broke off, and returns what is in place.
func (p *turns) resume(ctx context.Context, id history.TurnID) (out resumed, err error) {
	t, err := p.sessions.store.Turn(ctx, id)
	if err != nil {
		return out, err
	}
	if query.ModeOf(t) == string(ModeAsk) {
		said, _ := items.Last(t.Items)
		return resumed{word: said[strings.LastIndexAny(said, " \t\n")+1:],
			note: "Your last answer broke off. Go on exactly where it ends, in the middle of the word if it ends there; " +
				"do not repeat what it says."}, nil
	}
	back, err := p.takeBack(ctx, t)
	if err != nil {
		return out, fmt.Errorf("take back the edit in which turn %d broke off: %w; nothing was changed", id, err)
	}
	out.broken, out.one = &engine.Broken{Lost: back.lost}, back.count() <= 1 && !back.kept
	var done []string
	written := map[string]int{} // edits of the turns that went on, by file
	for n := 0; n < maxContinued && id != 0; n++ {
		if t, err = p.sessions.store.Turn(ctx, id); err != nil {
			return out, err
		}
		if err := p.stillLost(ctx, id, n > 0, written, out.broken); err != nil {
			return out, err
		}
		if out.broken.Text == "" { // of a turn of which nothing came, the one before
			out.broken.Text, out.broken.Call = items.Last(t.Items)
		}
		landed, shown, err := p.sessions.inPlace(ctx, t)
		if err != nil {
			return out, err
		}
		out.landed, done = append(landed, out.landed...), append(shown, done...)
		id = continuedBy(t)
	}
	out.broken.Begun = back.path == "" && editstream.Begun(out.broken.Text, out.broken.Call)
	back.lost = out.broken.Lost
	out.note = noteOfBreak(done, back, out.broken.Begun)
	return out, nil
}

// continuedBy returns the turn that a turn went on with; 0: it did not.
func continuedBy(t history.Turn) history.TurnID {
	var settings struct {
		Continues history.TurnID `json:"continues"`
	}
	if len(t.Settings) == 0 || json.Unmarshal(t.Settings, &settings) != nil {
		return 0
	}
	return settings.Continues
}

// noteOfBreak tells the model what of its answer is in place, and what to write.
func noteOfBreak(done []string, back tookBack, begun bool) string {
	const most = 60
	var b strings.Builder
	b.WriteString("Your last answer broke off.")
	if len(done) > 0 {
		b.WriteString(" These edits of it are complete and in place; do not write them again:")
		if more := len(done) - most; more > 0 {
			fmt.Fprintf(&b, "\n- (%d more, before these)", more)
		}
		for _, d := range done[max(0, len(done)-most):] {
			b.WriteString("\n- " + d)
		}
	} else {
		b.WriteString(" No edit of it is in place.")
	}
	switch {
	case begun:
		b.WriteString("\nIt broke off where an edit begins, of which nothing is there: write that edit.")
	case back.path == "":
	case back.count() > 1:
		b.WriteString("\nThese edits of it were taken back: write them again, each from its start:")
		for _, l := range back.lost {
			fmt.Fprintf(&b, "\n- %d of %s", l.Hunks, l.Path)
		}
	case back.kept:
		fmt.Fprintf(&b, "\nThe first lines of the edit of %s that it broke off in are in place, and were changed since: "+
			"write the rest of it, to fit the file as it is now.", back.path)
	default:
		fmt.Fprintf(&b, "\nThe edit of %s that it broke off in was taken back: write it again from its start.", back.path)
	}
	b.WriteString("\nThen write all edits that are still missing. Write them as new, complete edits in the same format.")
	return b.String()
}

// tookBack is the edit in which a turn broke off; a killed turn may have several, whose ends are not known.
type tookBack struct {
	path string // "": it broke off between edits
	kept bool   // somebody has changed the same place since, so it stays
	lost []engine.Lost
}

func (b tookBack) count() (n int) {
	for _, l := range b.lost {
		n += l.Hunks
	}
	return n
}

// takeBack reverts what is there of the edit in which a turn broke off.
func (p *turns) takeBack(ctx context.Context, t history.Turn) (tookBack, error) {
	edits, err := p.sessions.store.List(ctx, history.Filter{Turn: t.ID})
	if err != nil {
		return tookBack{}, err
	}
	ids, path := unfinished(t, edits)
	back := tookBack{path: path}
	if path != "" {
		back.lost = []engine.Lost{{Path: path, Hunks: 1}}
	}
	if len(ids) == 0 {
		return back, nil
	}
	pieces, err := p.details(ctx, ids)
	if err != nil {
		return tookBack{}, err
	}
	op := history.Op{Author: history.Revert,
		Note: fmt.Sprintf("the edit in which turn %d broke off, %s", t.ID, toWriteAgain)}
	_, err = p.execute(ctx, func() (history.Plan, error) { return p.sessions.store.PlanRevert(ctx, ids) }, op, false)
	if errors.As(err, new(*history.Conflict)) || errors.As(err, new(*mask.LostError)) {
		back.kept = true
		return back, nil
	}
	back.lost = lostIn(pieces)
	return back, err
}

// stillLost adds what was taken back of an earlier turn, and what the turns that went on with it have not
// written; then it counts what this one wrote.
func (p *turns) stillLost(ctx context.Context, id history.TurnID, earlier bool, written map[string]int,
	of *engine.Broken) error {
	edits, err := p.sessions.store.List(ctx, history.Filter{Turn: id, Author: history.Model})
	if err != nil {
		return err
	}
	var back []history.EditID
	var stay []history.Detail
	for _, e := range edits {
		if e.RevertedBy == 0 {
			stay = append(stay, history.Detail{Edit: e})
			continue
		}
		r, err := p.sessions.store.Get(ctx, e.RevertedBy)
		if err != nil {
			return err
		}
		if earlier && strings.HasSuffix(r.Note, toWriteAgain) {
			back = append(back, e.ID)
		}
	}
	pieces, err := p.details(ctx, back)
	if err != nil {
		return err
	}
	again := map[string]int{} // those that a later turn broke off in once more
	for _, l := range of.Lost {
		again[l.Path] += l.Hunks
	}
	for _, l := range lostIn(pieces) {
		if l.Hunks -= written[l.Path] + again[l.Path]; l.Hunks > 0 && !p.has(ctx, l) {
			of.Lost = append(of.Lost, l)
		}
	}
	for _, l := range lostIn(stay) {
		written[l.Path] += l.Hunks
	}
	return nil
}

// has reports whether a file has the lines of edits that were taken back: they may be part of another one.
func (p *turns) has(ctx context.Context, l engine.Lost) bool {
	v, err := p.sessions.store.Head(ctx, l.Path)
	if err != nil || len(l.Lines) == 0 {
		return false
	}
	return !slices.ContainsFunc(l.Lines, func(line string) bool { return !strings.Contains(string(v.Bytes), line) })
}

// toWriteAgain ends the note of the edit that takes back the one in which a turn broke off.
const toWriteAgain = "taken back to be written again"

// details reads edits, in the order in which they were made.
func (p *turns) details(ctx context.Context, ids []history.EditID) (out []history.Detail, err error) {
	for _, id := range slices.Sorted(slices.Values(ids)) {
		d, err := p.sessions.store.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// lostIn describes edits that are taken back. The pieces of one edit are recorded one after the other, all
// but perhaps the last of them as partial.
func lostIn(edits []history.Detail) (out []engine.Lost) {
	inside := map[string]bool{} // the newest edit of the file is a piece, so the next one is of the same hunk
	for _, e := range edits {
		i := slices.IndexFunc(out, func(l engine.Lost) bool { return l.Path == e.Path })
		if i < 0 {
			i, out = len(out), append(out, engine.Lost{Path: e.Path})
		}
		if !inside[e.Path] {
			out[i].Hunks++
		}
		inside[e.Path] = e.Partial || e.Kind == history.Create // its lines follow
		for c := range e.Changes.Changes {
			out[i].Lines = append(out[i].Lines, wordsOf(c.Insert)...)
		}
	}
	return out
}

// wordsOf returns the lines of a text that are not empty.
func wordsOf(text string) (out []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// unfinished returns the recorded pieces of the edit in which a turn broke off, and its file; "" when
// it broke off between edits. What a killed turn has recorded beyond the edits whose end is known counts,
// too: the model's words about it are lost.
func unfinished(t history.Turn, edits []history.Edit) (ids []history.EditID, path string) {
	all := items.Fold(t.Items).Parts
	open := 0 // hunks at the end of the file's that were cut, one after another
	for _, part := range slices.Backward(all) {
		h, is := part.(parts.HunkPart)
		switch {
		case !is || path != "" && h.Path != path || h.State == parts.Refused && h.Reason != "cut":
			continue
		case path == "":
			path = h.Path
		}
		if h.State == parts.Done {
			break
		}
		open++
	}
	if open == 0 {
		path = ""
	}
	if t.Status == history.Interrupted {
		known := doneIn(all)
		for _, e := range edits {
			if e.Author != history.Model {
				continue
			}
			if !e.Partial && known[e.Path] > 0 {
				known[e.Path]--
				ids = slices.DeleteFunc(ids, func(id history.EditID) bool { return pathOfEdit(edits, id) == e.Path })
				continue
			}
			if e.RevertedBy == 0 {
				ids = append(ids, e.ID)
				path = e.Path
			}
		}
		return ids, path
	}
	for _, e := range slices.Backward(edits) {
		if path == "" || e.Path != path || e.Author != history.Model {
			continue
		}
		if !e.Partial || e.RevertedBy != 0 {
			break
		}
		if ids = append(ids, e.ID); open > 1 { // a steer cut the one before it, which stays
			break
		}
	}
	return ids, path
}

// doneIn counts the edits of each file that are complete and changed something.
func doneIn(all []parts.Part) map[string]int {
	known, made := map[string]int{}, map[string]bool{}
	for _, part := range all {
		switch part := part.(type) {
		case parts.HunkPart:
			if part.State == parts.Done && (part.Added+part.Removed > 0 || made[part.Path]) {
				known[part.Path]++
			}
			made[part.Path] = false
		case parts.FilePart:
			if made[part.Path] = part.What == "created"; !made[part.Path] {
				known[part.Path]++
			}
		}
	}
	return known
}

func pathOfEdit(edits []history.Edit, id history.EditID) string {
	i := slices.IndexFunc(edits, func(e history.Edit) bool { return e.ID == id })
	if i < 0 {
		return ""
	}
	return edits[i].Path
}

// inPlace returns the edits of a turn that are in place, as the model wrote them, and as they are shown
// to it. Files in which complete edits were reverted since have none: what is not there may be made again.
// An edit that broke off is in place if some of it was recorded, and is in force.
func (p *sessions) inPlace(ctx context.Context, t history.Turn) (landed []editstream.Hunk, shown []string, err error) {
	edits, err := p.store.List(ctx, history.Filter{Turn: t.ID})
	if err != nil {
		return nil, nil, err
	}
	reverted, part, kept := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range edits {
		partial := e.Partial || t.Status == history.Interrupted
		reverted[e.Path] = reverted[e.Path] || e.RevertedBy != 0 && !e.Partial
		part[e.Path] = part[e.Path] || e.RevertedBy != 0 && e.Partial
		kept[e.Path] = kept[e.Path] || e.RevertedBy == 0 && partial && e.Author == history.Model
	}
	landed = slices.DeleteFunc(items.Landed(t.Items), func(h editstream.Hunk) bool {
		return reverted[h.Path] || h.Partial && (part[h.Path] || !kept[h.Path])
	})
	for _, one := range items.Fold(t.Items).Parts {
		switch one := one.(type) {
		case parts.HunkPart:
			if one.State == parts.Done && !reverted[one.Path] {
				shown = append(shown, fmt.Sprintf("%s, line %d (+%d -%d)", one.Path, one.Line, one.Added, one.Removed))
			}
		case parts.FilePart:
			switch {
			case reverted[one.Path] || one.What == "created": // its lines are shown
			case one.To != "":
				shown = append(shown, fmt.Sprintf("%s was moved to %s", one.Path, one.To))
			default:
				shown = append(shown, fmt.Sprintf("%s was %s", one.Path, one.What))
			}
		}
	}
	return landed, shown, nil
}
