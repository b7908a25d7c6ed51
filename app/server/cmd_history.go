package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"waferpair/app"
	"waferpair/history"
)

// Done is the result of a change of the history.
type Done struct {
	Edits []history.EditID `json:"edits"`
	Files []string         `json:"files"`
}

// wireDone converts a result for the page.
func wireDone(d app.Done) Done { return Done{Edits: list(d.Edits), Files: list(d.Files)} }

type revertArgs struct {
	Edits []history.EditID `json:"edits,omitempty"`
	Turn  history.TurnID   `json:"turn,omitempty"`
}

// revert undoes edits. If later edits are in the way, the answer is a conflict with everything
// that the user needs to resolve it.
func revert(_ *call, o *opened, in revertArgs) (Done, error) {
	if len(in.Edits) == 0 && in.Turn == 0 {
		return Done{}, usage("Name the edits to revert, or a turn.")
	}
	done, err := o.Revert(o.ctx, app.RevertRequest{IDs: in.Edits, Turn: in.Turn})
	var conflict *history.Conflict
	if !errors.As(err, &conflict) {
		return wireDone(done), err
	}
	files, ferr := o.threeWays(o.ctx, in)
	if ferr != nil {
		return Done{}, errors.Join(err, ferr)
	}
	return Done{}, &Failure{Code: codeConflict, Message: err.Error(), Data: conflictData{files}}
}

type restoreArgs struct {
	At    history.EditID `json:"at"`
	Paths []string       `json:"paths,omitempty"`
}

func restore(_ *call, o *opened, in restoreArgs) (Done, error) {
	done, err := o.Restore(o.ctx, app.RestoreRequest{At: in.At, Paths: in.Paths})
	return wireDone(done), err
}

type forkArgs struct {
	At   history.EditID `json:"at"`
	Name string         `json:"name"`
}

func fork(_ *call, o *opened, in forkArgs) (Done, error) {
	if err := o.idle("fork"); err != nil {
		return Done{}, err
	}
	if name := strings.TrimSpace(in.Name); name == "" || len(name) > 100 || strings.ContainsAny(name, "\n\r\t") {
		return Done{}, usage("Give the fork a name of up to 100 letters.")
	}
	done, err := o.Fork(o.ctx, strings.TrimSpace(in.Name), in.At)
	return o.forked(done, err)
}

type nameArgs struct {
	Name string `json:"name"`
}

func switchFork(_ *call, o *opened, in nameArgs) (Done, error) {
	if err := o.idle("switch"); err != nil {
		return Done{}, err
	}
	done, err := o.SwitchFork(o.ctx, in.Name)
	return o.forked(done, err)
}

// forked shows the pages another fork. They get its turns from the history, because the last turn
// may be of the fork before.
func (o *opened) forked(done app.Done, err error) (Done, error) {
	if err == nil {
		o.turns.evict()
		o.host.each(func(pg *page) { pg.show(0) }) // the session of that fork
	}
	o.notify(func(k *known) { k.project = true })
	return wireDone(done), err
}

// idle refuses what must not happen during a turn.
func (o *opened) idle(what string) error {
	if o.running() {
		return fail(codeBusy, fmt.Sprintf("A turn is running: stop it, or wait until it is done, before you %s.", what))
	}
	return nil
}

type momentArgs struct {
	At   history.EditID `json:"at"`
	Name string         `json:"name"`
}

func nameMoment(_ *call, o *opened, in momentArgs) (null, error) {
	return nil, o.NameMoment(o.ctx, in.At, in.Name)
}

// accept marks edits as reviewed.
func accept(_ *call, o *opened, in revertArgs) (null, error) {
	var err error
	switch {
	case len(in.Edits) > 0:
		err = o.Accept(o.ctx, in.Edits)
	case in.Turn != 0:
		err = o.AcceptTurn(o.ctx, in.Turn)
	default:
		return nil, usage("Name the edits to accept, or a turn.")
	}
	o.reviewed(err)
	return nil, err
}

type editsArgs struct {
	Edits []history.EditID `json:"edits"`
}

func unaccept(_ *call, o *opened, in editsArgs) (null, error) {
	err := o.Unaccept(o.ctx, in.Edits)
	o.reviewed(err)
	return nil, err
}

// reviewed lets pages read the marks of the tree again.
func (o *opened) reviewed(err error) {
	if err == nil {
		o.notify(func(k *known) { k.files = true })
	}
}

// approve makes the edits that a turn held because of its scope or of another turn.
func approve(_ *call, o *opened, in turnArgs) (Done, error) {
	if o.RunningTurn(in.Turn) != nil {
		return Done{},
			fail(codeBusy, "The turn is running: stop it, or wait until it is done, before you approve what it held.")
	}
	done, err := o.ApproveHeld(o.ctx, in.Turn)
	var placed *app.NotPlaced
	if errors.As(err, &placed) {
		return Done{}, fail(codeConflict, err.Error())
	}
	return wireDone(done), err
}

func newSession(c *call, o *opened, _ none) (sessionArgs, error) {
	id, err := o.NewSession(o.ctx, "")
	if err == nil {
		c.page.show(id)
	}
	o.notify(func(k *known) { k.project = true })
	return sessionArgs{id}, err
}

type sessionArgs struct {
	Session history.SessionID `json:"session"`
}

// useSession shows another session on the page, and makes it the current one for requests that
// name none. Other pages keep showing theirs.
func useSession(c *call, o *opened, in sessionArgs) (null, error) {
	err := o.ResumeSession(o.ctx, in.Session)
	if err == nil {
		c.page.show(in.Session)
	}
	o.notify(func(k *known) { k.project = true })
	return nil, err
}

// dropSummary answers an error when there is no summary, or a turn is running.
func dropSummary(_ *call, o *opened, in sessionArgs) (null, error) {
	_, err := o.DropSummary(o.ctx, in.Session)
	return nil, err
}

type renameSessionArgs struct {
	Session history.SessionID `json:"session"`
	Title   string            `json:"title"`
}

func renameSession(_ *call, o *opened, in renameSessionArgs) (null, error) {
	return nil, o.RenameSession(o.ctx, in.Session, in.Title)
}

// planned returns the edits that a revert would undo.
func (o *opened) planned(ctx context.Context, in revertArgs) ([]history.EditID, error) {
	ids := in.Edits
	if in.Turn == 0 {
		return ids, nil
	}
	edits, err := o.History().List(ctx, history.Filter{Turn: in.Turn})
	for _, e := range edits {
		if e.RevertedBy == 0 {
			ids = append(ids, e.ID)
		}
	}
	return ids, err
}

type capArgs struct {
	Bytes int64 `json:"bytes"`
}

// capHistory limits the size of the history; space is freed in the background.
func capHistory(_ *call, o *opened, in capArgs) (null, error) {
	if in.Bytes < 0 {
		return nil, usage("A limit is a number of bytes, or 0 for none.")
	}
	return nil, o.CapHistory(o.ctx, in.Bytes)
}
