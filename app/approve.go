package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"waferpair/app/mask"
	"waferpair/app/query"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/history"
)

// NotPlaced says that edits have no certain place in the files as they are now.
// Nothing was written.
type NotPlaced struct{ Failed []editstream.Failed }

func (e *NotPlaced) Error() string { return messages(e.Failed) }

// ApproveHeld makes the edits of a turn that were held because they are outside
// its scope: all of them or none, in the files as they are now. They become edits
// of that turn. What was held for another reason, because the file is ignored or
// may hold secrets, stays refused.
func (p *patcher) ApproveHeld(ctx context.Context, turn history.TurnID) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	t, err := p.store.Turn(ctx, turn)
	if err != nil {
		return Done{}, fmt.Errorf("approve: %w", err)
	}
	if t.Status != string(engine.Held) {
		return Done{}, fmt.Errorf("approve turn %d: nothing of it is held", turn)
	}
	counts, done, err := p.makeHeld(ctx, t)
	if err != nil {
		return Done{}, fmt.Errorf("approve turn %d: %w", turn, err)
	}
	return done, p.sessions.noteEnd(turn, engine.Completed, "approved: "+engine.Summary(counts), t.Timing)
}

// makeHeld makes what was held of a turn: what its text says of files outside the
// scope, or what a model that yields exact edits works out, which was held whole.
func (p *patcher) makeHeld(ctx context.Context, t history.Turn) ([]engine.FileCount, Done, error) {
	var settings query.TurnTarget
	if err := json.Unmarshal(t.Settings, &settings); err != nil {
		return nil, Done{}, fmt.Errorf("its scope cannot be read: %w", err)
	}
	said := saidIn(t)
	if said == "" {
		return p.workOutHeld(ctx, t, settings)
	}
	files, done, err := p.carryOutHeld(ctx, t.ID, said, settings.Scope)
	return countsOf(files), done, err
}

// saidIn is what the model said in a turn.
func saidIn(t history.Turn) (said string) {
	for _, m := range t.Messages {
		if m.Role == "assistant" {
			said += m.Text
		}
	}
	return said
}

// workOutHeld has the model of a turn work its edits out on the files as they are
// now, and makes them.
func (p *patcher) workOutHeld(ctx context.Context, t history.Turn, at query.TurnTarget) ([]engine.FileCount, Done, error) {
	if mask.Has(t.Request) {
		return nil, Done{}, errors.New("the request held a secret, which the history does not keep; send it again with a wider scope")
	}
	m, err := p.models.Open(t.Model)
	if err != nil {
		return nil, Done{}, err
	}
	var made []engine.Made
	prompt := model.Prompt{Items: []model.Item{model.User(t.Request)}, Files: p, Target: model.Target{File: at.File, From: at.From, To: at.To}}
	_, err = m.Generate(p.telling(ctx), prompt, func(d model.Delta) error {
		e, exact := d.(model.Edits)
		if !exact {
			return nil
		}
		list, err := p.Apply(ctx, int64(t.ID), e.Of)
		made = append(made, list...)
		return err
	})
	if err != nil {
		return nil, Done{}, err
	}
	counts, done, err := p.taken(ctx, made)
	return counts, done, errors.Join(err, p.Settle(ctx))
}

// taken sums edits up that were made, once they are durable.
func (p *patcher) taken(ctx context.Context, made []engine.Made) (counts []engine.FileCount, done Done, err error) {
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

// carryOutHeld plans and applies what was held, again when somebody typed in its
// files meanwhile.
func (p *patcher) carryOutHeld(ctx context.Context, turn history.TurnID, said string, scope []string) (files []editstream.FileResult, done Done, err error) {
	for range planAttempts {
		if files, err = p.planHeld(said, scope); err != nil {
			return nil, Done{}, err
		}
		done, err = p.carryOut(ctx, history.Op{Author: history.Model, Turn: turn}, func() ([]step, error) { return p.patchSteps(ctx, files) })
		if !errors.Is(err, errChangedMeanwhile) {
			break
		}
	}
	return files, done, err
}

// planHeld works out what the held part of an answer does to the files now.
func (p *patcher) planHeld(said string, scope []string) ([]editstream.FileResult, error) {
	if mask.Has(said) {
		return nil, errors.New("the answer held a secret, which the history does not keep; ask for the edits again with a wider scope")
	}
	parser := &heldPart{Parser: editstream.NewAuto(), fence: model.Fence{Globs: scope}, refuse: p.heldName}
	held := holds{turnFiles: p.turnFiles}
	files, failed, err := editstream.Plan(parser, []byte(said), &held)
	switch {
	case err != nil:
		return nil, err
	case len(held.errs) > 0:
		return nil, held.errs[0]
	case len(failed) > 0:
		return nil, &NotPlaced{failed}
	case len(files) == 0 && len(parser.refused) > 0:
		return nil, &engine.HeldError{Paths: parser.refused, Reason: p.heldName(parser.refused[0]), Next: "edit it yourself"}
	case len(files) == 0:
		return nil, errors.New("its edits outside the scope change nothing any more")
	}
	return files, nil
}

// heldPart passes on what a text says about files outside a fence, without those
// that are refused whatever the user approves.
type heldPart struct {
	editstream.Parser
	fence   model.Fence
	refuse  func(path string) string
	inside  bool // in the section of a file
	skip    bool // that is not to be passed on
	refused []string
}

func (h *heldPart) Push(b []byte, emit func(editstream.Event)) { h.Parser.Push(b, h.only(emit)) }
func (h *heldPart) Close(emit func(editstream.Event))          { h.Parser.Close(h.only(emit)) }

func (h *heldPart) only(emit func(editstream.Event)) func(editstream.Event) {
	return func(ev editstream.Event) {
		if f, ok := ev.(editstream.FileBegin); ok {
			h.inside, h.skip = true, !h.wants(f)
		}
		if h.inside && !h.skip {
			emit(ev)
		}
		if _, ok := ev.(editstream.FileEnd); ok {
			h.inside = false
		}
	}
}

// wants reports whether the section of a file is to be passed on.
func (h *heldPart) wants(f editstream.FileBegin) bool {
	outside := false
	for _, path := range []string{f.Path, f.MoveTo} {
		if path = strings.TrimPrefix(path, "./"); path == "" {
			continue
		}
		if h.refuse(path) != "" {
			h.refused = append(h.refused, path)
			return false
		}
		outside = outside || !h.fence.Allows(path)
	}
	return outside
}
