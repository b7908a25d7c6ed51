package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
func (p *Project) ApproveHeld(ctx context.Context, turn history.TurnID) (Done, error) {
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
	files, done, err := p.carryOutHeld(ctx, t)
	if err != nil {
		return Done{}, fmt.Errorf("approve turn %d: %w", turn, err)
	}
	return done, p.noteEnd(turn, engine.Completed, approved(files), t.Timing)
}

// carryOutHeld plans and applies what was held, again when somebody typed in its
// files meanwhile.
func (p *Project) carryOutHeld(ctx context.Context, t history.Turn) (files []editstream.FileResult, done Done, err error) {
	for range planAttempts {
		if files, err = p.planHeld(t); err != nil {
			return nil, Done{}, err
		}
		done, err = p.carryOut(ctx, history.Op{Author: history.Model, Turn: t.ID}, func() ([]step, error) { return p.patchSteps(ctx, files) })
		if !errors.Is(err, errChangedMeanwhile) {
			break
		}
	}
	return files, done, err
}

// planHeld works out what the held part of an answer does to the files now.
func (p *Project) planHeld(t history.Turn) ([]editstream.FileResult, error) {
	said := ""
	for _, m := range t.Messages {
		if m.Role == "assistant" {
			said += m.Text
		}
	}
	if looksMasked(said) {
		return nil, errors.New("the answer held a secret, which the history does not keep; ask for the edits again with a wider scope")
	}
	var settings TurnTarget
	if err := json.Unmarshal(t.Settings, &settings); err != nil {
		return nil, fmt.Errorf("its scope cannot be read: %w", err)
	}
	parser := &heldPart{Parser: editstream.NewAuto(), fence: model.Fence{Globs: settings.Scope}, refuse: p.heldName}
	held := holds{Project: p}
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

func approved(files []editstream.FileResult) string {
	var counts []engine.FileCount
	for _, f := range files {
		added, removed := lineCounts(f)
		counts = append(counts, engine.FileCount{Path: pathAfter(f), Added: added, Removed: removed})
	}
	return "approved: " + engine.Summary(counts)
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
