package app

import (
	"context"
	"errors"

	"waferpair/app/recipes"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/engine/prompt"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// The methods of a Project for pages and the command line. Each one forwards to the
// part that does it; project.go lists the parts.

// Root is the project folder: absolute, with links resolved.
func (p *Project) Root() string { return p.core.Root() }

// Path makes a path relative to the project folder. It refuses a path outside the folder.
func (p *Project) Path(name string) (string, error) { return p.core.Path(name) }

// ReadOnly reports whether nothing can be changed, because another instance has the
// project open or the history's disk is full.
func (p *Project) ReadOnly() bool { return p.core.ReadOnly() }

// IsReady reports whether Ready would return at once.
func (p *Project) IsReady() bool { return p.core.IsReady() }

// Other returns the question whether to use another folder that took the project's
// path; "" when there is none.
func (p *Project) Other() string {
	var other *OtherFolderError
	if p.IsReady() && errors.As(p.core.ready.refuses(), &other) {
		return other.Error()
	}
	return p.place.Other()
}

// UseFolder accepts the folder that is at the project's path now as the project's. The
// next comparison records its differences as changes by other programs.
func (p *Project) UseFolder() error { return p.place.UseFolder() }

// Unrecorded is the message for the user while nothing can be recorded; "" when
// recording works.
func (p *Project) Unrecorded() string { return p.stall.Unrecorded() }

// Watch keeps history and open files in step with other programs' changes in the
// folder, until ctx ends; while nothing can be recorded, only the open files. It returns
// early if watching cannot start.
func (p *Project) Watch(ctx context.Context) error { return p.watcher.Watch(ctx) }

// Reconcile merges other programs' changes in the folder, whether it is watched or not.
// If the folder is missing or another one, it does nothing.
func (p *Project) Reconcile(ctx context.Context) error { return p.watcher.Reconcile(ctx) }

// Open files.

// Show opens a file for a page.
func (p *Project) Show(ctx context.Context, path string) (File, error) { return p.docs.Show(ctx, path) }

// Since returns the changes of an open file since a version. On ErrReplaced, or on a
// *workspace.VersionError for a page that fell too far behind, call Show again.
func (p *Project) Since(path string, id int64, v workspace.Version) (Updates, error) {
	return p.docs.Since(path, id, v)
}

// Where returns the path of an open document, which may have been renamed since a page
// showed it; false when it is no longer open.
func (p *Project) Where(id int64) (string, bool) { return p.docs.Where(id) }

// Type applies a change by a page's user to the document that the page was shown, based
// on a version that the page knows. On ErrReplaced and *workspace.VersionError nothing
// was applied: call Show again and rebase. Since returns the change with its origin.
func (p *Project) Type(ctx context.Context, path string, id int64, base workspace.Version,
	cs text.ChangeSet, origin string) error {
	return p.docs.Type(ctx, path, id, base, cs, origin)
}

// SaveFile records what the user typed in a file, and saves it.
func (p *Project) SaveFile(ctx context.Context, path string) error {
	return p.saver.SaveFile(ctx, path)
}

// Settle records what the user typed and saves all files.
func (p *Project) Settle(ctx context.Context) error { return p.saver.Settle(ctx) }

// TryAgain retries failed recordings and saves at once; without it they are retried
// later.
func (p *Project) TryAgain(ctx context.Context) { p.autosaver.TryAgain(ctx) }

// Files lists the text files that models may read.
func (p *Project) Files(ctx context.Context) ([]string, error) { return p.docs.Files(ctx) }

// Read returns the current text of a file.
func (p *Project) Read(path string) ([]byte, error) { return p.docs.Read(path) }

// Turns and their edits.

// Edit starts a turn. The caller must read its events to the end; by then the turn is
// recorded and its files are saved. Turns of different sessions run side by side;
// *SessionBusy refuses a second turn in a session.
func (p *Project) Edit(ctx context.Context, r EditRequest) (*engine.Turn, error) {
	if r.Again != nil {
		var err error
		if r, err = p.forks.again(ctx, r); err != nil {
			return nil, err
		}
	}
	return p.turns.Edit(ctx, r)
}

// Context says what a request would send to its language model, by part, and what would be left out.
func (p *Project) Context(ctx context.Context, r EditRequest) (prompt.Context, error) {
	return p.turns.Context(ctx, r)
}

// Summary returns the summary that stands for the oldest turns of a session in prompts; without Text: none
// does. Session 0 is the current one.
func (p *Project) Summary(ctx context.Context, session history.SessionID) (prompt.Summary, error) {
	return p.turns.Summary(ctx, session)
}

// DropSummary takes that summary back: prompts have the turns themselves again, as far as they fit.
func (p *Project) DropSummary(ctx context.Context, session history.SessionID) (prompt.Summary, error) {
	return p.turns.DropSummary(ctx, session)
}

// Running lists the running turns, oldest first, whoever started them.
func (p *Project) Running() []*TurnLog { return p.sessions.running.list() }

// RunningTurn returns a running turn, to steer or stop it; nil when it is not running.
func (p *Project) RunningTurn(id history.TurnID) *TurnLog { return p.sessions.running.find(id) }

// Working returns those of the requests that the default model could carry out now, with
// a file open. It tries each on copies.
func (p *Project) Working(ctx context.Context, path string, requests []string) ([]string, error) {
	return p.suggests.Working(ctx, path, requests)
}

// Connect connects to where a model runs, ahead of a request.
func (p *Project) Connect(of string) { p.suggests.Connect(of) }

// Understand says what a model understands of a request while it is typed.
func (p *Project) Understand(ctx context.Context, of string, target model.Target,
	request string) (model.Understanding, error) {
	return p.suggests.Understand(ctx, of, target, request)
}

// Prepare lets the default model do slow work, such as compiling a Go project's
// dependencies, before a request needs it.
func (p *Project) Prepare(ctx context.Context) error { return p.suggests.Prepare(ctx) }

// ApplyPatch applies a V4A patch as a whole or not at all. The result says why a patch
// was not applied; an error means that something broke.
func (p *Project) ApplyPatch(ctx context.Context, patch []byte, dryRun bool) (PatchResult, error) {
	return p.patches.ApplyPatch(ctx, patch, dryRun)
}

// ApproveHeld makes the held edits of a turn, which are outside its scope or in files
// that another turn had: all of them or none, in the files as they are now.
func (p *Project) ApproveHeld(ctx context.Context, turn history.TurnID) (Done, error) {
	return p.patches.ApproveHeld(ctx, turn)
}

// NewSession starts a conversation, which gets the requests that follow.
func (p *Project) NewSession(ctx context.Context, title string) (history.SessionID, error) {
	return p.sessions.NewSession(ctx, title)
}

// RenameSession gives a conversation another title.
func (p *Project) RenameSession(ctx context.Context, id history.SessionID, title string) error {
	return p.sessions.RenameSession(ctx, id, title)
}

// ResumeSession makes a session the current one.
func (p *Project) ResumeSession(ctx context.Context, id history.SessionID) error {
	return p.sessions.ResumeSession(ctx, id)
}

// Accept marks edits as reviewed.
func (p *Project) Accept(ctx context.Context, ids []history.EditID) error {
	return p.reviews.Accept(ctx, ids)
}

// Unaccept marks edits as not reviewed.
func (p *Project) Unaccept(ctx context.Context, ids []history.EditID) error {
	return p.reviews.Unaccept(ctx, ids)
}

// AcceptTurn accepts all edits of a turn.
func (p *Project) AcceptTurn(ctx context.Context, turn history.TurnID) error {
	return p.reviews.AcceptTurn(ctx, turn)
}

// ReadyRequests lists the ready requests; the error says which files cannot be read.
func (p *Project) ReadyRequests() ([]recipes.Recipe, error) { return p.core.Ready() }

// Findings lists what reviews found, at the lines where it is now.
func (p *Project) Findings(ctx context.Context, f FindingFilter) ([]Finding, error) {
	return p.comments.Findings(ctx, f)
}

// Finding returns a finding by its number.
func (p *Project) Finding(ctx context.Context, n int) (Finding, error) {
	return p.comments.Finding(ctx, n)
}

// Reviewed returns what the review of a turn found; false when the turn is no review.
func (p *Project) Reviewed(ctx context.Context, turn history.TurnID) (Reviewed, bool, error) {
	return p.comments.Review(ctx, turn)
}

// SetFinding notes what the user decided about a finding.
func (p *Project) SetFinding(ctx context.Context, n int, s FindingState) (Finding, error) {
	return p.comments.SetFinding(ctx, n, s)
}

// Fix returns the request that fixes a finding; of is the model to ask, if one is needed.
func (p *Project) Fix(ctx context.Context, n int, of string) (EditRequest, error) {
	return p.comments.Fix(ctx, n, of)
}

// The history.

// At returns a file as it was at a moment.
func (p *Project) At(ctx context.Context, id history.EditID, path string) (history.Version, error) {
	return p.past.At(ctx, id, path)
}

// NameMoment names the moment right after an edit; an empty name removes the name.
func (p *Project) NameMoment(ctx context.Context, id history.EditID, name string) error {
	return p.kept.NameMoment(ctx, id, name)
}

// Revert undoes edits and leaves all others in place. A *history.Conflict says that
// later edits changed the same places; then nothing is written.
func (p *Project) Revert(ctx context.Context, r RevertRequest) (Done, error) {
	return p.reverts.Revert(ctx, r)
}

// Conflicts returns the three sides of each file in which Revert meets a
// *history.Conflict: the file after the edits, the same without them, and the file now
// as history has it.
func (p *Project) Conflicts(ctx context.Context, ids []history.EditID) ([]ThreeWay, error) {
	return p.reverts.Conflicts(ctx, ids)
}

// ThreeWay returns the current sides of one file of Conflicts, even if the conflict is
// gone by now.
func (p *Project) ThreeWay(ctx context.Context, path string, ids []history.EditID) (ThreeWay, error) {
	return p.reverts.ThreeWay(ctx, path, ids)
}

// Resolve writes the resolution of a conflict as one edit by Revert. base is the version
// that the user saw: if the file has another one by now, Resolve returns a
// *workspace.VersionError and does nothing.
func (p *Project) Resolve(ctx context.Context, path string, id int64, base workspace.Version, content text.Text,
	reverts []history.EditID) (Done, error) {
	return p.reverts.Resolve(ctx, path, id, base, content, reverts)
}

// Restore brings files back to a moment.
func (p *Project) Restore(ctx context.Context, r RestoreRequest) (Done, error) {
	return p.reverts.Restore(ctx, r)
}

// Fork starts a separate line of edits and turns at a moment and brings the files there.
func (p *Project) Fork(ctx context.Context, name string, at history.EditID) (Done, error) {
	return p.forks.Fork(ctx, name, at)
}

// SwitchFork switches to another line of edits and brings the files to its newest edit.
func (p *Project) SwitchFork(ctx context.Context, name string) (Done, error) {
	return p.forks.SwitchFork(ctx, name)
}

// Purge permanently removes a file or a session from the history.
func (p *Project) Purge(ctx context.Context, path string, session history.SessionID) (history.PurgeReport, error) {
	p.turns.prompts.forget() // they may quote it
	return p.kept.Purge(ctx, path, session)
}

// LimitHistory limits the size of this project's history on disk, in bytes (0: no
// limit), and frees at once what may be freed; below is false if that is not enough.
func (p *Project) LimitHistory(ctx context.Context, bytes int64) (below bool, err error) {
	return p.kept.LimitHistory(ctx, bytes)
}

// CapHistory sets the same limit and frees space in the background; a notice says if
// that is not enough.
func (p *Project) CapHistory(ctx context.Context, bytes int64) error {
	return p.kept.CapHistory(ctx, bytes)
}

// The folder.

// MakeFile creates an empty file, and the folders above it.
func (p *Project) MakeFile(ctx context.Context, name string) (Done, error) {
	return p.tree.MakeFile(ctx, name)
}

// MakeFolder creates a folder, and the folders above it.
func (p *Project) MakeFolder(ctx context.Context, name string) error {
	return p.tree.MakeFolder(ctx, name)
}

// Rename renames or moves a file or a folder.
func (p *Project) Rename(ctx context.Context, name, to string) (Done, error) {
	return p.tree.Rename(ctx, name, to)
}

// Removal lists the files that deleting a path would remove.
func (p *Project) Removal(ctx context.Context, name string) (Removal, error) {
	return p.tree.Removal(ctx, name)
}

// Remove deletes a file, or a folder with what is in it.
func (p *Project) Remove(ctx context.Context, name, shown string) (Removed, error) {
	return p.tree.Remove(ctx, name, shown)
}
