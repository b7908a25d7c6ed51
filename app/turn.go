package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"waferpair/app/disk"
	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/app/providers"
	"waferpair/engine"
	"waferpair/engine/beside"
	"waferpair/engine/model"
	"waferpair/history"
	"waferpair/workspace"
)

// turns starts turns.
type turns struct {
	*turnFiles
	sessions *sessions
	findings *commenter
	watcher  *disk.Watcher
	prompts  prompts
}

// Edit starts a turn. The caller must read its events to the end; by then the turn is
// recorded and its files are saved. Turns of different sessions run side by side, see
// hold; *SessionBusy refuses a second turn in a session.
func (p *turns) Edit(ctx context.Context, r EditRequest) (*engine.Turn, error) {
	if err := p.recording(); err != nil && !r.DryRun {
		return nil, err
	}
	switch err := p.folder.CheckRoot(); { // without the folder, no file could be found or saved
	case errors.Is(err, workspace.ErrGone):
		return nil, fmt.Errorf("%w: put %s back, or open it at its new place, then send the request again",
			workspace.ErrGone, p.Root())
	case err != nil:
		return nil, err
	}
	does, err := "", error(nil)
	if r.Choice.N != 0 {
		if r, does, err = p.sessions.chosen(ctx, r); err != nil {
			return nil, err
		}
	}
	if r.Continue != nil {
		if r, err = p.sessions.continued(ctx, r); err != nil {
			return nil, err
		}
	}
	if r.Target, err = p.target(ctx, r.Target); err != nil {
		if r.Continue == nil {
			return nil, err
		}
		r.Target = model.Target{} // the turn before has changed the place: its words tell
	}
	if r, err = (&tasker{p.turnFiles}).tasked(ctx, r); err != nil {
		return nil, err
	}
	driver := r.driver
	if driver == nil {
		if driver, err = (&chooser{p.turnFiles}).opened(ctx, &r); err != nil {
			return nil, err
		}
	}
	connect(driver) // while the prompt is put together
	var on resumed
	if r.Continue != nil { // last: from here on nothing refuses the request
		if on, err = p.resume(ctx, r.Continue.Turn); err != nil {
			return nil, err
		}
	}
	hide := (func(string) string)(nil)
	if driver.Info().Language { // what it reads is masked, and what is recorded is what it read
		hide = mask.Words
		r.Text = hide(r.Text)
	}
	req := engine.Request{Driver: driver, Auto: r.auto, Does: does, Landed: on.landed, Broken: on.broken, Mask: hide,
		Prompt: model.Prompt{Items: []model.Item{model.User(r.Text)},
			Target: r.Target, Fence: model.Fence{Globs: r.Scope}, ReadOnly: r.Mode == ModeAsk}}
	req.Cite = func(said string) []engine.Cited { return p.citationsAfter(context.WithoutCancel(ctx), on.word, said) }
	if placed, is := engine.As[beside.Placed](driver); is {
		req.Beside = beside.NewMeter(placed)
	}
	ctx = p.notifying(ctx)
	if r.OverBudget {
		ctx = providers.OverBudget(ctx)
	}
	if r.DryRun {
		dry := newDryRun(p.turnFiles, driver.Info().Language)
		if driver.Info().Language {
			began := time.Now()
			p.prompting(ctx, &req, dry, r, on, nil)
			req.Prepared = time.Since(began)
		}
		return engine.NewSession(dry).Start(ctx, req), nil
	}
	if err := p.recordAll(ctx); err != nil {
		return nil, err
	}
	hold := newHold(ctx, p.turnFiles, p.watcher, 0)
	hold.masked = driver.Info().Language
	log, err := p.sessions.startTurn(ctx, hold, r, driver.Info().Name)
	if err != nil {
		p.sessions.running.ended(hold)
		return nil, err
	}
	req.Turn = int64(log.turn)
	if log.ending, err = p.findings.ending(ctx, r, log.asked.ID); err != nil {
		defer p.sessions.running.ended(hold)
		return nil, errors.Join(err, p.sessions.endTurn(log, engine.Outcome{Status: engine.Failed, Message: err.Error()}))
	}
	size := 0
	if driver.Info().Language {
		began := time.Now()
		size = p.prompting(ctx, &req, hold, r, on, log)
		req.Prepared = time.Since(began)
	}
	show := NewTurnLog(p.opt.Listener.TurnsChanged)
	show.ID, show.Request, show.Model, show.Asked, show.Mode = log.turn, r.Text, driver.Info().Name, r.Asked, r.Mode
	show.Kind, show.Auto, show.Beside = r.Kind, r.auto, req.Beside
	p.sessions.running.shown(hold, show)
	wctx, unwatch := context.WithCancel(ctx)
	req.OnItem, req.OnHeld = log.record, log.waits
	req.OnEvent = func(ev engine.Event) {
		if !driver.Info().Language { // that of a language model is the turn's: see TurnLive
			p.working(ev)
		}
		log.observe(ev)
		show.Take(ev)
	}
	req.Done = func(o engine.Outcome) error {
		unwatch()
		defer p.sessions.running.ended(hold)
		p.learn(driver.Info().Name, size, o)
		if driver.Info().Language {
			p.prompts.remember(log.asked.Session)
		}
		return errors.Join(hold.release(), p.sessions.endTurn(log, o))
	}
	go p.watchLong(wctx)
	t := engine.NewSession(hold).Start(ctx, req)
	show.Started(t)
	return t, nil
}

// watchAfter is the age of a turn at which it starts watching the folder: a short turn
// only looks at the files that it edits.
const watchAfter = time.Second

// watchLong watches the folder during a long turn, unless it is watched anyway.
func (p *turns) watchLong(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(watchAfter):
		if p.watcher.Watching() {
			return
		}
		if err := p.watcher.Watch(ctx); err != nil && ctx.Err() == nil {
			p.notice(err.Error())
		}
	}
}

// target checks the file and lines that the user pointed at.
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

// lineCount returns the number of lines of an editable file.
func (p *documents) lineCount(ctx context.Context, path string) (n int, err error) {
	err = p.holding(ctx, []string{path}, func(ctx context.Context) error {
		d, err := p.open(ctx, path)
		switch {
		case err != nil:
			return err
		case !d.Exists():
			return fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		case d.ReadOnlyReason() != "":
			return &notEditable{path: d.Path, why: d.ReadOnlyReason(), kind: kindText}
		}
		n = d.Live().LineAt(d.Live().Len()) + 1
		return nil
	})
	return n, err
}

// startTurn records the beginning of a turn, and enters it as the running one of its
// session. If another turn is running there, the session does not become the current one.
func (p *sessions) startTurn(ctx context.Context, h *hold, r EditRequest, by string) (*itemLog, error) {
	if n, err := strconv.ParseInt(r.Session, 10, 64); err == nil {
		if err := p.running.in(history.SessionID(n)); err != nil {
			return nil, err
		}
	}
	session, err := p.session(ctx, r.Session, r.Text)
	if err == nil {
		err = p.running.begin(h, session)
	}
	if err != nil {
		return nil, err
	}
	log, err := p.recordTurn(ctx, session, r, by)
	if log != nil {
		p.running.began(h, log.turn)
	}
	return log, err
}

func (p *sessions) recordTurn(ctx context.Context, session history.SessionID,
	r EditRequest, by string) (*itemLog, error) {
	about := map[string]any{"file": r.Target.File, "from": r.Target.From, "to": r.Target.To, "scope": r.Scope}
	if r.Choice.N != 0 {
		about["choice"] = r.Choice
	}
	if r.Continue != nil {
		about["continues"] = r.Continue.Turn
	}
	if r.Mode == ModeAsk {
		about["mode"] = r.Mode
	}
	if r.Kind != "" {
		about["kind"] = r.Kind
	}
	if r.Changes != nil {
		about["changes"] = r.Changes
	}
	if r.Finding != 0 {
		about["finding"] = r.Finding
	}
	if r.auto != "" {
		about["auto"] = r.auto
	}
	settings, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	asked := history.Turn{Session: session, Request: mask.Words(r.Text), Model: by, Settings: settings}
	if asked.ID, err = p.store.StartTurn(ctx, asked); err != nil {
		return nil, err
	}
	log := &itemLog{project: p, turn: asked.ID, asked: asked, choice: r.Choice}
	log.log.User(r.Text)
	return log, log.write()
}

// endTurn stores the rest of a turn, and how it ended.
func (p *sessions) endTurn(log *itemLog, o engine.Outcome) error {
	timing, err := storedTiming(o)
	if err == nil {
		err = log.end(o)
	}
	if log.ending != nil {
		if failed := log.ending(o); failed != nil {
			p.notice("what the review found could not be kept: " + failed.Error())
		}
	}
	err = errors.Join(err, p.noteEnd(log.turn, o.Status, mask.Words(o.Message), timing))
	if failed := p.keepCorrection(context.Background(), log.asked, log.choice, o); failed != nil {
		p.notice("what you meant could not be kept: " + failed.Error())
	}
	return err
}

// storedTiming returns the figures of a turn for the history: those that were measured and, as "wafer", the
// estimate for the emulated wafer.
func storedTiming(o engine.Outcome) (json.RawMessage, error) {
	raw, err := json.Marshal(o.Timing)
	if err != nil || o.Wafer == nil {
		return raw, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	if all["wafer"], err = json.Marshal(o.Wafer); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// noteUnmade stores, in the settings of a turn, its hunks that were held because another
// turn had their files, so that the user can approve them.
func (p *sessions) noteUnmade(ctx context.Context, t history.Turn, unmade []engine.Unmade) error {
	settings := map[string]any{}
	if len(t.Settings) > 0 {
		if err := json.Unmarshal(t.Settings, &settings); err != nil {
			return fmt.Errorf("the settings of turn %d: %w", t.ID, err)
		}
	}
	settings["unmade"] = unmade
	if len(unmade) == 0 {
		delete(settings, "unmade")
	}
	raw, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	return p.store.SetTurnSettings(ctx, t.ID, raw)
}

// noteEnd records how a turn ended. Its edits are already recorded: a full disk that delays
// the record of the end does not make the turn fail.
func (p *sessions) noteEnd(turn history.TurnID, status engine.Status, message string, timing json.RawMessage) error {
	err := p.store.EndTurn(context.Background(), turn, string(status), message, timing)
	if err == nil || p.store.Stalled() == nil {
		return err
	}
	p.notice(fmt.Sprintf("what turn %d did is recorded, that it ended is not yet: %v", turn, err))
	return nil
}

// Move renames a file. It saves everything first, so that the file on disk is what history
// has. It implements engine.Project.
func (h *hold) Move(ctx context.Context, hunk engine.Hunk, to string) (engine.Ack, error) {
	if err := h.Settle(ctx); err != nil {
		return nil, err
	}
	r, err := h.recordMove(ctx, hunk.Path, to)
	if err != nil {
		return nil, err
	}
	if err := h.moveOnDisk(ctx, hunk.Path, to, h.umask); err != nil {
		return r, err
	}
	h.moved(hunk.Path)
	return r, nil
}

// moved renames a file in the turn's views.
func (h *hold) moved(from string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v, ok := h.views[from]; ok {
		delete(h.views, from)
		path, _ := h.table.pathOf(v.d)
		h.views[path] = v
	}
}

func (h *hold) recordMove(ctx context.Context, from, to string) (engine.Ack, error) {
	return h.acked(ctx, func(ctx context.Context) (engine.Ack, error) { return h.recordMoveLocked(ctx, from, to) }, from,
		to)
}

func (h *hold) recordMoveLocked(ctx context.Context, from, to string) (engine.Ack, error) {
	d, target, err := h.movable(ctx, from, to)
	if err == nil {
		err = h.busy(target.Path) // the turn claims both paths, or none
	}
	if err == nil {
		err = h.take(ctx, d)
	}
	if err == nil {
		err = d.Flush(ctx)
	}
	if err != nil {
		return nil, err
	}
	if target.Exists() {
		return nil, &notEditable{path: to, why: "a file is already there"}
	}
	if err := h.take(ctx, target); err != nil {
		return nil, err
	}
	r, err := h.append(ctx, history.Op{Author: history.Model, Turn: h.turn, OrNot: true,
		Edits: []history.NewEdit{{Path: d.Path, Kind: history.Rename, To: target.Path, Expect: d.HeadHash()}}})
	if err == nil {
		err = r.Wait(ctx) // the rename on disk must come later
	}
	if err != nil {
		return nil, fmt.Errorf("record the move of %s: %w", d.Path, err)
	}
	d.Handle(live.Moves)
	return live.Acks{r}, nil
}

// moveOnDisk renames a file that has its new path in the history already. It holds no file
// lock while it writes to the folder, which may call preserve. New directories have umask.
func (p *turnFiles) moveOnDisk(ctx context.Context, from, to string, umask *fs.FileMode) error {
	p.saving.Lock()
	defer p.saving.Unlock()
	var d *live.Document
	var w workspace.Write
	err := p.holding(ctx, []string{from, to}, func(ctx context.Context) error {
		one, target, err := p.movable(ctx, from, to)
		if err == nil {
			d, w = one, workspace.Write{Path: one.Path, Op: workspace.Rename, To: target.Path, Before: one.Disk.Hash(),
				Umask: umask}
		}
		return err
	})
	if err != nil {
		return err
	}
	saved, err := p.folder.Save(ctx, []workspace.Write{w})
	return p.with(ctx, d, func(ctx context.Context) error {
		if d.Handle(live.Moved); err != nil {
			return errors.Join(err, p.unmove(ctx, d, w.To))
		}
		d.Buffer.Renamed(w.To)
		p.renamed(ctx, d, w.To, saved[0].Entry)
		return nil
	}, w.To)
}

// unmove records that a file still has its old path.
func (p *turnFiles) unmove(ctx context.Context, d *live.Document, to string) error {
	_, err := p.append(ctx, history.Op{Author: history.Recovery, Note: "taken back: the file could not be renamed",
		Edits: []history.NewEdit{{Path: to, Kind: history.Rename, To: d.Path}}})
	return err
}
