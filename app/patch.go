package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"waferpair/app/live"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/history"
)

// patcher makes edits that are planned in advance.
type patcher struct {
	*turnFiles
	sessions *sessions
}

// PatchModel is the model name in the turn of a patch.
const PatchModel = "patch"

// PatchResult is the result of applying a patch.
type PatchResult struct {
	Outcome engine.Outcome
	Failed  []editstream.Failed
	Files   []editstream.FileResult
	Done    Done
}

// ApplyPatch applies a V4A patch as a whole or not at all. The result says why a patch was
// not applied; an error means that something broke.
func (p *patcher) ApplyPatch(ctx context.Context, patch []byte, dryRun bool) (PatchResult, error) {
	start := time.Now()
	if err := p.writable(); err != nil && !dryRun {
		return PatchResult{}, err
	}
	res := p.planPatch(patch)
	if res.Outcome.Status != engine.Completed || dryRun {
		return res, nil
	}
	res.Outcome.Timing = engine.Timing{Decode: time.Since(start)} // no model generated it: it has no tokens
	err := p.applyPlanned(ctx, &res, patch, start)
	return res, err
}

// planPatch plans the changes of a patch.
func (p *patcher) planPatch(patch []byte) PatchResult {
	res := PatchResult{Outcome: engine.Outcome{Status: engine.Completed, Model: PatchModel}}
	if why := noPatch(patch); why != "" {
		return res.fail(engine.Failed, why)
	}
	held := holds{turnFiles: p.turnFiles}
	files, failed, err := editstream.Plan(editstream.NewStrictV4A(), patch, &held)
	res.Files, res.Failed = files, failed
	switch {
	case err != nil:
		return res.fail(engine.Failed, err.Error())
	case len(held.errs) > 0:
		return res.fail(engine.Held, held.errs[0].Error())
	case len(failed) > 0:
		return res.fail(statusOf(failed), messages(failed))
	}
	res.Outcome.Files = countsOf(files)
	res.Outcome.Message = engine.Summary(res.Outcome.Files)
	return res
}

// noPatch returns why text cannot be a patch, or "".
func noPatch(b []byte) string {
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		return "the patch is empty"
	case bytes.Contains(b, []byte("*** Begin Patch")):
		return ""
	case bytes.Contains(b, []byte("\n+++ ")):
		return "this is a unified diff; apply reads the apply_patch (V4A) format, which begins with '*** Begin Patch' " +
			"('git apply' applies a unified diff, and the history records it at the next command)"
	}
	return "Invalid patch: The first line of the patch must be '*** Begin Patch'"
}

func (r PatchResult) fail(s engine.Status, msg string) PatchResult {
	r.Outcome.Status, r.Outcome.Message = s, msg+"; nothing was written"
	r.Files = nil
	return r
}

// statusOf returns how a patch failed: places that are missing or not certain are a
// conflict with the files, anything else is a failure.
func statusOf(failed []editstream.Failed) engine.Status {
	for _, f := range failed {
		if !engine.IsConflict(f.Reason) {
			return engine.Failed
		}
	}
	return engine.Conflict
}

func messages(failed []editstream.Failed) string {
	var errs []error
	for _, f := range failed {
		errs = append(errs, errors.New(f.Message))
	}
	return errors.Join(errs...).Error()
}

// holds wraps the project's files and remembers which ones were held.
type holds struct {
	*turnFiles
	errs []error
}

func (h *holds) Open(path string) (doc editstream.Doc, err error) {
	real := path
	err = h.opening(path, func(d *live.Document, shown editstream.Doc) {
		if doc = shown; d != nil {
			real = d.Path
		}
	})
	if own := ownSettings(path, real); own != nil {
		doc, err = editstream.Doc{}, own
	}
	var held *engine.HeldError
	if errors.As(err, &held) {
		h.errs = append(h.errs, err)
	}
	return doc, err
}

func pathAfter(f editstream.FileResult) string {
	if f.MoveTo != "" {
		return f.MoveTo
	}
	return f.Path
}

// countsOf counts the lines that each file gains and loses.
func countsOf(files []editstream.FileResult) (counts []engine.FileCount) {
	for _, f := range files {
		added, removed := lineCounts(f)
		counts = append(counts, engine.FileCount{Path: pathAfter(f), Added: added, Removed: removed})
	}
	return counts
}

func lineCounts(f editstream.FileResult) (added, removed int) {
	for _, h := range f.Hunks {
		added += h.Added
		removed += h.Removed
	}
	if f.Op == editstream.Delete {
		removed = countLines(f.Before.String())
	}
	return added, removed
}

// applyPlanned carries out a planned patch, as a turn of its own. It plans again if
// somebody typed in its files meanwhile.
func (p *patcher) applyPlanned(ctx context.Context, res *PatchResult, patch []byte, start time.Time) error {
	req := EditRequest{Text: "apply a patch"}
	session, err := p.sessions.session(ctx, req.Session, req.Text)
	if err != nil {
		return err
	}
	log, err := p.sessions.recordTurn(ctx, session, req, PatchModel)
	if err != nil {
		return err
	}
	res.Outcome.Turn = int64(log.turn)
	planned := time.Now()
	op := history.Op{Author: history.Model, Turn: log.turn}
	for range planAttempts {
		res.Done, err = p.carryOut(ctx, op, func(ctx context.Context) ([]step, error) { return p.patchSteps(ctx, res.Files) })
		if !errors.Is(err, errChangedMeanwhile) {
			break
		}
		if again := p.planPatch(patch); again.Outcome.Status != engine.Completed {
			again.Outcome.Turn = int64(log.turn)
			*res, err = again, nil
			return p.sessions.endTurn(log, res.Outcome)
		} else {
			res.Files = again.Files
		}
	}
	for _, id := range res.Done.Edits {
		res.Outcome.Edits = append(res.Outcome.Edits, int64(id))
	}
	res.Outcome.Timing.Apply, res.Outcome.Timing.Total = time.Since(planned), time.Since(start)
	if err != nil {
		res.Outcome.Status, res.Outcome.Message = engine.Failed, err.Error()
	}
	if busy := (*engine.Busy)(nil); errors.As(err, &busy) {
		res.Outcome.Message = fmt.Sprintf(
			"%s: turn %d was editing it; apply the patch again once that turn has ended; nothing was written",
			busy.Path, busy.Turn)
		res.Outcome.Status, err = engine.Conflict, nil
	}
	return errors.Join(err, p.sessions.endTurn(log, res.Outcome))
}

// planAttempts bounds how often a patch is planned while somebody types in its files.
const planAttempts = 5

var errChangedMeanwhile = errors.New("the files changed while the patch was planned; try again")

// patchSteps returns the steps of a patch if its files did not change since it was planned.
func (p *patcher) patchSteps(ctx context.Context, files []editstream.FileResult) ([]step, error) {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path, pathAfter(f))
	}
	if err := needs(ctx, paths...); err != nil {
		return nil, err
	}
	for _, f := range files {
		d, err := p.document(ctx, f.Path)
		if err == nil {
			err = p.refuseBusy(d.Path, f.MoveTo)
		}
		if err != nil {
			return nil, err
		}
		if !d.Live().Equal(f.Before) {
			return nil, errChangedMeanwhile
		}
	}
	return stepsOfPatch(files), nil
}

func stepsOfPatch(files []editstream.FileResult) []step {
	var steps []step
	for _, f := range files {
		s := step{path: f.Path, kind: history.Text, changes: f.Changes}
		switch f.Op {
		case editstream.Delete:
			s.kind = history.Delete
		case editstream.Add:
			s.kind, s.content = history.Create, f.After
		default: // its text changes
		}
		if f.MoveTo == "" || !f.Changes.Empty() {
			steps = append(steps, s)
		}
		if f.MoveTo != "" {
			steps = append(steps, step{path: f.Path, kind: history.Rename, to: f.MoveTo})
		}
	}
	return steps
}
