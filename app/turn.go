package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"waferpair/app/mask"
	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
	"waferpair/workspace"
)

// EditRequest is what the user asks for.
type EditRequest struct {
	Text    string
	Model   string // "" is the default
	Target  model.Target
	Scope   []string // globs; edits elsewhere are held
	DryRun  bool     // show the edits, make none
	Session string   // a session's number, "new", or "" for the newest one
}

// turns are the requests that models answer.
type turns struct {
	*turnFiles
	sessions *sessions
	watcher  *watcher
}

// Edit starts a turn. The caller reads its events to the end; the turn then is
// recorded and the files are saved.
func (p *turns) Edit(ctx context.Context, r EditRequest) (*engine.Turn, error) {
	if err := p.recording(); err != nil && !r.DryRun {
		return nil, err
	}
	switch err := p.folder.Alive(); { // nothing of it could be found, or saved
	case errors.Is(err, workspace.ErrGone):
		return nil, fmt.Errorf("%w: put %s back, or open it at its new place, then send the request again", workspace.ErrGone, p.Root())
	case err != nil:
		return nil, err
	}
	m, err := p.models.Open(r.Model)
	if err != nil {
		return nil, err
	}
	if r.Target, err = p.target(ctx, r.Target); err != nil {
		return nil, err
	}
	req := engine.Request{Model: m, Prompt: model.Prompt{Items: []model.Item{model.User(r.Text)}, Target: r.Target, Fence: model.Fence{Globs: r.Scope}}}
	ctx = p.telling(ctx)
	if r.DryRun {
		return engine.NewSession(newDryRun(p.turnFiles)).Start(ctx, req), nil
	}
	if err := p.recordAll(ctx); err != nil {
		return nil, err
	}
	turn, err := p.sessions.startTurn(ctx, r, m.Info().Name)
	if err != nil {
		return nil, err
	}
	req.Turn = int64(turn)
	wctx, unwatch := context.WithCancel(ctx)
	log := &partLog{project: p.sessions, turn: turn, list: parts.Bounded()}
	req.Seen = log.see
	req.Done = func(o engine.Outcome) error {
		unwatch()
		return errors.Join(log.end(o), p.sessions.endTurn(turn, o))
	}
	go p.watchLong(wctx)
	return engine.NewSession(p.turnFiles).Start(ctx, req), nil
}

// watchAfter is how long a turn may take before the folder is watched: a short
// one looks at the files that it edits, and at nothing else.
const watchAfter = time.Second

// watchLong watches the folder during a turn that takes its time, unless it is
// watched anyway.
func (p *turns) watchLong(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(watchAfter):
		if p.watcher.watchers.Load() > 0 {
			return
		}
		if err := p.watcher.Watch(ctx); err != nil && ctx.Err() == nil {
			p.notice(err.Error())
		}
	}
}

// target checks what the user pointed at.
func (p *turns) target(ctx context.Context, t model.Target) (model.Target, error) {
	if t.File == "" {
		return t, nil
	}
	path, err := p.Path(t.File)
	if err != nil {
		return t, err
	}
	n, err := p.lineCount(ctx, path)
	if err != nil {
		return t, err
	}
	if t.From > n {
		return t, fmt.Errorf("--lines %d-%d: %s has only %d lines", t.From, t.To, path, n)
	}
	t.File = path
	return t, nil
}

// lineCount is how many lines a file that can be edited has now.
func (p *documents) lineCount(ctx context.Context, path string) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, err := p.open(ctx, path)
	switch {
	case err != nil:
		return 0, err
	case !d.exists:
		return 0, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	case d.fixed != "":
		return 0, &notEditable{path: d.path, why: d.fixed, kind: kindText}
	}
	return d.Live().LineAt(d.Live().Len()) + 1, nil
}

func (p *sessions) startTurn(ctx context.Context, r EditRequest, by string) (history.TurnID, error) {
	session, err := p.session(ctx, r.Session, r.Text)
	if err != nil {
		return 0, err
	}
	settings, err := json.Marshal(map[string]any{"file": r.Target.File, "from": r.Target.From, "to": r.Target.To, "scope": r.Scope})
	if err != nil {
		return 0, err
	}
	request := mask.Words(r.Text)
	turn, err := p.store.StartTurn(ctx, history.Turn{Session: session, Request: request, Model: by, Settings: settings})
	if err != nil {
		return 0, err
	}
	return turn, p.store.AddMessage(ctx, turn, "user", request)
}

// endTurn records how a turn ended.
func (p *sessions) endTurn(turn history.TurnID, o engine.Outcome) error {
	timing, err := json.Marshal(o.Timing)
	if err != nil {
		return err
	}
	if o.Said != "" {
		if err := p.store.AddMessage(context.Background(), turn, "assistant", mask.Words(o.Said)); err != nil {
			return err
		}
	}
	return p.noteEnd(turn, o.Status, mask.Words(o.Message), timing)
}

// noteEnd records how a turn ended. What it did is recorded by then: it has not
// failed because its end can only be recorded once the disk has space again.
func (p *sessions) noteEnd(turn history.TurnID, status engine.Status, message string, timing json.RawMessage) error {
	err := p.store.EndTurn(context.Background(), turn, string(status), message, timing)
	if err == nil || p.store.Stalled() == nil {
		return err
	}
	p.notice(fmt.Sprintf("what turn %d did is recorded, that it ended is not yet: %v", turn, err))
	return nil
}

// Move renames a file. What is unsaved is saved first, so that the rename on
// disk moves what history has. It is part of engine.Project.
func (p *turnFiles) Move(ctx context.Context, h engine.Hunk, to string) (engine.Ack, error) {
	if err := p.Settle(ctx); err != nil {
		return nil, err
	}
	r, err := p.recordMove(ctx, h, to)
	if err != nil {
		return nil, err
	}
	return r, p.moveOnDisk(ctx, h.Path, to)
}

func (p *turnFiles) recordMove(ctx context.Context, h engine.Hunk, to string) (engine.Ack, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, target, err := p.movable(ctx, h.Path, to)
	if err != nil {
		return nil, err
	}
	if err := p.flush(ctx, d); err != nil {
		return nil, err
	}
	if target.exists {
		return nil, &notEditable{path: to, why: "a file is already there"}
	}
	r, err := p.append(ctx, history.Op{Author: history.Model, Turn: history.TurnID(h.Turn), OrNot: true,
		Edits: []history.NewEdit{{Path: d.path, Kind: history.Rename, To: target.path, Expect: history.HashText(d.masked)}}})
	if err == nil {
		err = r.Wait(ctx) // the disk follows
	}
	if err != nil {
		return nil, fmt.Errorf("record the move of %s: %w", d.path, err)
	}
	d.moving = true
	return acks{r}, nil
}

// moveOnDisk renames a file whose new name history has already. No lock is
// held while the folder is written: it may call preserve.
func (p *turnFiles) moveOnDisk(ctx context.Context, from, to string) error {
	p.mu.Lock()
	d, target, err := p.movable(ctx, from, to)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	saved, err := p.folder.Save(ctx, []workspace.Write{{Path: d.path, Op: workspace.Rename, To: target.path, Before: d.disk.Hash()}})
	p.mu.Lock()
	defer p.mu.Unlock()
	if d.moving = false; err != nil {
		return errors.Join(err, p.unmove(ctx, d, target.path))
	}
	d.buffer.Renamed(target.path)
	p.renamed(ctx, d, target.path, saved[0].Entry)
	return nil
}

// unmove records that a file has its old name still.
func (p *turnFiles) unmove(ctx context.Context, d *document, to string) error {
	_, err := p.append(ctx, history.Op{Author: history.Recovery, Note: "taken back: the file could not be renamed",
		Edits: []history.NewEdit{{Path: to, Kind: history.Rename, To: d.path}}})
	return err
}
