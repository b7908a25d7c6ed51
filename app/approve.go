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
	"waferpair/app/query"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/history"
)

// NotPlaced says that edits have no certain place in the files as they are now. Nothing
// was written.
type NotPlaced struct{ Failed []editstream.Failed }

func (e *NotPlaced) Error() string { return messages(e.Failed) }

// ApproveHeld makes the held edits of a turn, which are outside its scope or in files
// that another turn had: all of them or none, in the files as they are now. They become
// edits of that turn. Edits that were held for another reason, because the file is
// ignored or may hold secrets, stay refused, and so do files that a running turn has.
func (p *patcher) ApproveHeld(ctx context.Context, turn history.TurnID) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	if p.sessions.running.find(turn) != nil {
		return Done{}, fmt.Errorf("approve turn %d: it is still running; approve its held edits when it has ended", turn)
	}
	t, err := p.store.Turn(ctx, turn)
	if err != nil {
		return Done{}, fmt.Errorf("approve: %w", err)
	}
	h := heldOf{turn: t}
	if len(t.Settings) > 0 {
		if err := json.Unmarshal(t.Settings, &h); err != nil {
			return Done{}, fmt.Errorf("approve turn %d: its scope cannot be read: %w", turn, err)
		}
	}
	if t.Status != string(engine.Held) && len(h.Unmade) == 0 {
		return Done{}, fmt.Errorf("approve turn %d: it has no held edits", turn)
	}
	counts, done, err := p.makeHeld(ctx, &h)
	if err != nil {
		return Done{}, fmt.Errorf("approve turn %d: %w", turn, err)
	}
	return done, p.noteApproved(ctx, h, counts)
}

// heldOf is the held part of a turn, read from its settings.
type heldOf struct {
	turn history.Turn
	query.TurnTarget
	Unmade []engine.Unmade `json:"unmade"`
	cut    bool            // one of the edits was incomplete when the program ended
}

// noteApproved records that the turn has no held edits any more.
func (p *patcher) noteApproved(ctx context.Context, h heldOf, counts []engine.FileCount) error {
	var err error
	if len(h.Unmade) > 0 {
		err = p.sessions.noteUnmade(ctx, h.turn, nil)
	}
	says, status := "approved: "+engine.Summary(counts), engine.Status(h.turn.Status)
	switch {
	case h.turn.Status == string(engine.Held):
		status = engine.Completed
	case h.turn.Status != history.Interrupted: // the turn ended in another way, which stays
		return err
	case h.cut:
		says += "; " + cutOff
	}
	return errors.Join(err, p.sessions.noteEnd(h.turn.ID, status, says, h.turn.Timing))
}

const cutOff = "the last held edit was cut off when waferpair ended; ask for it again"

// makeHeld makes the held edits of a turn: those in its text, or, for a model with exact
// edits, those that the model works out again.
func (p *patcher) makeHeld(ctx context.Context, h *heldOf) ([]engine.FileCount, Done, error) {
	said := items.Answer(h.turn.Items)
	if said == "" {
		return p.workOutHeld(ctx, h.turn, h.TurnTarget)
	}
	files, done, err := p.carryOutHeld(ctx, h, said)
	return countsOf(files), done, err
}

// workOutHeld lets the model of a turn work out its edits on the files as they are now,
// and makes them.
func (p *patcher) workOutHeld(ctx context.Context, t history.Turn,
	at query.TurnTarget) ([]engine.FileCount, Done, error) {
	if mask.Has(t.Request) {
		return nil, Done{},
			errors.New("the request contained a secret, which the history does not keep; send it again with a wider scope")
	}
	d, err := p.models.Open(t.Model)
	if err != nil {
		return nil, Done{}, err
	}
	m, ok := engine.As[model.Model](d)
	if !ok {
		return nil, Done{}, fmt.Errorf("%s cannot reproduce its edits; ask for them again with a wider scope", t.Model)
	}
	var made []engine.Made
	hold := newHold(ctx, p.turnFiles, nil, t.ID)
	defer hold.release() // exact edits leave nothing unfinished
	prompt := model.Prompt{Items: []model.Item{model.User(t.Request)}, Files: p,
		Target: model.Target{File: at.File, From: at.From, To: at.To}}
	_, err = m.Generate(p.notifying(ctx), prompt, func(d model.Delta) error {
		switch d := d.(type) {
		case model.Edits:
			list, err := hold.Apply(ctx, int64(t.ID), d.Of)
			made = append(made, list...)
			return err
		case model.Revert:
			return hold.Revert(ctx, int64(t.ID), made, d.Why)
		}
		return nil
	})
	if err != nil {
		return nil, Done{}, err
	}
	counts, done, err := p.sumUp(ctx, made)
	return counts, done, errors.Join(err, hold.Settle(ctx))
}

// sumUp sums up edits, once they are durable.
func (p *patcher) sumUp(ctx context.Context, made []engine.Made) (counts []engine.FileCount, done Done, err error) {
	for _, m := range made {
		i := slices.Index(done.Files, m.Path)
		if i < 0 {
			i = len(done.Files)
			done.Files, counts = append(done.Files, m.Path), append(counts, engine.FileCount{Path: m.Path})
		}
		counts[i].Added, counts[i].Removed = counts[i].Added+m.Added, counts[i].Removed+m.Removed
		if m.Ack == nil {
			continue
		}
		err = errors.Join(err, m.Ack.Wait(ctx))
		for _, id := range m.Ack.EditIDs() {
			done.Edits = append(done.Edits, history.EditID(id))
		}
	}
	return counts, done, err
}

// carryOutHeld plans and applies the held edits, and plans again if somebody typed in
// their files meanwhile.
func (p *patcher) carryOutHeld(ctx context.Context, h *heldOf, said string) (files []editstream.FileResult,
	done Done, err error) {
	for range planAttempts {
		if files, err = p.planHeld(h, said); err != nil {
			return nil, Done{}, err
		}
		done, err = p.carryOut(ctx, history.Op{Author: history.Model, Turn: h.turn.ID},
			func(ctx context.Context) ([]step, error) { return p.patchSteps(ctx, files) })
		if !errors.Is(err, errChangedMeanwhile) {
			break
		}
	}
	return files, done, err
}

// planHeld plans the changes that the held part of an answer makes to the files now.
func (p *patcher) planHeld(h *heldOf, said string) ([]editstream.FileResult, error) {
	if mask.Has(said) {
		return nil,
			errors.New(
				"the answer contained a secret, which the history does not keep; ask for the edits again with a wider scope")
	}
	part := heldPart{fence: model.Fence{Globs: h.Scope}, refuse: p.noModel}
	events := part.of(said, h)
	files := holds{turnFiles: p.turnFiles}
	list, failed, err := editstream.Plan(editstream.Replay(events), nil, &files)
	switch {
	case err != nil:
		return nil, err
	case len(files.errs) > 0:
		return nil, files.errs[0]
	case len(failed) > 0:
		return nil, &NotPlaced{failed}
	case len(list) == 0 && len(part.refused) > 0:
		return nil, &engine.HeldError{Paths: part.refused, Reason: p.noModel(part.refused[0]), Next: "edit it yourself"}
	case len(list) == 0 && h.cut:
		return nil, errors.New(cutOff)
	case len(list) == 0:
		return nil, errors.New("its held edits no longer change anything")
	}
	return list, nil
}

// heldPart selects the held part of an answer: sections of files outside a fence, except
// files that are refused in any case, and hunks that another turn blocked.
type heldPart struct {
	fence   model.Fence
	refuse  func(path string) string
	refused []string
}

// of selects it from the model's text. Stretches without blocked hunks are parsed
// together with their neighbours.
func (h *heldPart) of(said string, held *heldOf) (out []editstream.Event) {
	at := 0
	read := func(to int, unmade []int) {
		out = append(out, editstream.Only(editstream.NewAuto(), []byte(said[at:to]),
			func(sec editstream.FileBegin, hunk int) bool {
				return h.wants(sec, slices.Contains(unmade, hunk))
			})...)
		at = to
	}
	for _, u := range held.Unmade {
		if u.To == 0 && u.From <= len(said) { // the program was killed inside this stretch
			u.To = len(said)
			whole := editstream.Complete(editstream.NewAuto(), []byte(said[u.From:]))
			hunks := slices.DeleteFunc(slices.Clone(u.Hunks), func(n int) bool { return n > whole })
			held.cut, u.Hunks = len(hunks) < len(u.Hunks), hunks
		}
		if u.From < at || u.To < u.From || u.To > len(said) {
			continue // it belongs to another text
		}
		if u.From > at {
			read(u.From, nil)
		}
		read(u.To, u.Hunks)
	}
	if at < len(said) {
		read(len(said), nil)
	}
	return out
}

// wants reports whether a hunk in a file's section was held.
func (h *heldPart) wants(f editstream.FileBegin, unmade bool) bool {
	outside := false
	for _, path := range []string{f.Path, f.MoveTo} {
		if path = strings.TrimPrefix(path, "./"); path == "" {
			continue
		}
		if h.refuse(path) != "" {
			if !slices.Contains(h.refused, path) {
				h.refused = append(h.refused, path)
			}
			return false
		}
		outside = outside || !h.fence.Allows(path)
	}
	return outside || unmade
}
