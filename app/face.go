package app

import (
	"context"
	"errors"

	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// What a project does for pages and for the command line. Each is done by the part
// that owns what it is about; project.go says which there are.

// Root is the project folder, absolute, links resolved.
func (p *Project) Root() string { return p.core.Root() }

// Path makes a path relative to the project folder, or refuses it.
func (p *Project) Path(name string) (string, error) { return p.core.Path(name) }

// ReadOnly reports whether nothing can be changed, because another instance
// has the project open or the disk of the history is full.
func (p *Project) ReadOnly() bool { return p.core.ReadOnly() }

// IsReady reports whether Ready would not wait.
func (p *Project) IsReady() bool { return p.core.IsReady() }

// Other asks, while another folder is at the project's path, whether it is to be
// used; "" when there is nothing to ask.
func (p *Project) Other() string {
	var other *OtherFolderError
	if p.IsReady() && errors.As(p.core.ready.refuses(), &other) {
		return other.Error()
	}
	return p.place.Other()
}

// UseFolder takes the folder that is at the project's path now for the
// project's: the next look at it records what is other in it as changed outside.
func (p *Project) UseFolder() error { return p.place.UseFolder() }

// Unrecorded is what the user should know while nothing can be recorded; "" when
// everything is recorded as it comes.
func (p *Project) Unrecorded() string { return p.stall.Unrecorded() }

// Watch keeps history and the open files in step with what other programs do
// in the folder, until ctx ends; while nothing can be recorded, only the open
// files. It returns when watching cannot start.
func (p *Project) Watch(ctx context.Context) error { return p.watcher.Watch(ctx) }

// Reconcile takes in what other programs did in the folder, whether it is watched or not.
// While the folder is away, or another one, there is nothing to take in.
func (p *Project) Reconcile(ctx context.Context) error { return p.watcher.Reconcile(ctx) }

// Open files.

// Show opens a file for a page.
func (p *Project) Show(ctx context.Context, path string) (File, error) { return p.docs.Show(ctx, path) }

// Since is what happened to an open file since a version. ErrReplaced, and a
// *workspace.VersionError for a page that fell too far behind, mean: Show it again.
func (p *Project) Since(path string, id int64, v workspace.Version) (Updates, error) {
	return p.docs.Since(path, id, v)
}

// Where is the path of an open document, which may have been renamed since it
// was shown; false when it is not open any more.
func (p *Project) Where(id int64) (string, bool) { return p.docs.Where(id) }

// Type applies what a page's user did to the document that the page was shown,
// based on a version that it knows. ErrReplaced and *workspace.VersionError
// mean: Show it again and rebase; nothing was applied. The origin comes back
// with the change in Since.
func (p *Project) Type(ctx context.Context, path string, id int64, base workspace.Version,
	cs text.ChangeSet, origin string) error {
	return p.docs.Type(ctx, path, id, base, cs, origin)
}

// SaveFile records what the user typed in a file, and brings it to disk.
func (p *Project) SaveFile(ctx context.Context, path string) error {
	return p.saver.SaveFile(ctx, path)
}

// Settle records what the user typed and brings the files on disk to where
// history is.
func (p *Project) Settle(ctx context.Context) error { return p.saver.Settle(ctx) }

// TryAgain records and saves at once what could not be recorded or saved before, if
// there is anything; it would be tried again without it, but later.
func (p *Project) TryAgain(ctx context.Context) { p.autosaver.TryAgain(ctx) }

// Files lists the text files that models may read.
func (p *Project) Files(ctx context.Context) ([]string, error) { return p.docs.Files(ctx) }

// Read is the text of a file as it is now.
func (p *Project) Read(path string) ([]byte, error) { return p.docs.Read(path) }

// Turns, and what is made of them.

// Edit starts a turn. The caller reads its events to the end; the turn then is
// recorded and the files are saved. Turns of different sessions run side by side;
// *SessionBusy refuses a second one in a session.
func (p *Project) Edit(ctx context.Context, r EditRequest) (*engine.Turn, error) {
	return p.turns.Edit(ctx, r)
}

// Running are the turns that run, oldest first, whoever began them.
func (p *Project) Running() []*TurnLog { return p.sessions.running.list() }

// RunningTurn is a turn that runs, to steer or stop it; nil when it does not.
func (p *Project) RunningTurn(id history.TurnID) *TurnLog { return p.sessions.running.find(id) }

// Working are those of some requests that the default model would carry out now,
// with a file open: each is tried on copies.
func (p *Project) Working(ctx context.Context, path string, requests []string) ([]string, error) {
	return p.suggests.Working(ctx, path, requests)
}

// Prepare has the default model do slow work, such as compiling what a Go project
// depends on, before a request needs it.
func (p *Project) Prepare(ctx context.Context) error { return p.suggests.Prepare(ctx) }

// ApplyPatch applies a V4A patch as a whole, or not at all. What keeps it from
// being applied is in the result; an error is something that broke.
func (p *Project) ApplyPatch(ctx context.Context, patch []byte, dryRun bool) (PatchResult, error) {
	return p.patches.ApplyPatch(ctx, patch, dryRun)
}

// ApproveHeld makes the edits of a turn that were held because they are outside
// its scope, or because another turn had their files: all of them or none, in the files as they are now.
func (p *Project) ApproveHeld(ctx context.Context, turn history.TurnID) (Done, error) {
	return p.patches.ApproveHeld(ctx, turn)
}

// NewSession starts a conversation and makes it the one that requests go to.
func (p *Project) NewSession(ctx context.Context, title string) (history.SessionID, error) {
	return p.sessions.NewSession(ctx, title)
}

// RenameSession gives a conversation another title.
func (p *Project) RenameSession(ctx context.Context, id history.SessionID, title string) error {
	return p.sessions.RenameSession(ctx, id, title)
}

// ResumeSession makes a session the one that requests go to.
func (p *Project) ResumeSession(ctx context.Context, id history.SessionID) error {
	return p.sessions.ResumeSession(ctx, id)
}

// Accept says that edits are looked through and stay.
func (p *Project) Accept(ctx context.Context, ids []history.EditID) error {
	return p.reviews.Accept(ctx, ids)
}

// Unaccept makes edits wait for review again.
func (p *Project) Unaccept(ctx context.Context, ids []history.EditID) error {
	return p.reviews.Unaccept(ctx, ids)
}

// AcceptTurn accepts all edits of a turn.
func (p *Project) AcceptTurn(ctx context.Context, turn history.TurnID) error {
	return p.reviews.AcceptTurn(ctx, turn)
}

// The history.

// At is a file as it was at a moment.
func (p *Project) At(ctx context.Context, id history.EditID, path string) (history.Version, error) {
	return p.past.At(ctx, id, path)
}

// NameMoment names the moment right after an edit; an empty name takes it away.
func (p *Project) NameMoment(ctx context.Context, id history.EditID, name string) error {
	return p.kept.NameMoment(ctx, id, name)
}

// Revert takes edits back and leaves all others in place. *history.Conflict
// says that later edits changed the same places: then nothing is written.
func (p *Project) Revert(ctx context.Context, r RevertRequest) (Done, error) {
	return p.reverts.Revert(ctx, r)
}

// Conflicts says what stands against what in each file when Revert meets a
// *history.Conflict: what the edits made, that without them, and what the file
// holds as history has it.
func (p *Project) Conflicts(ctx context.Context, ids []history.EditID) ([]ThreeWay, error) {
	return p.reverts.Conflicts(ctx, ids)
}

// ThreeWay is one file of Conflicts as it is now; also when nothing stands in the
// way in it any more.
func (p *Project) ThreeWay(ctx context.Context, path string, ids []history.EditID) (ThreeWay, error) {
	return p.reverts.ThreeWay(ctx, path, ids)
}

// Resolve makes content of a file what a conflict was resolved to, as one edit
// by Revert. base is the version that the user looked at: when the file has
// another one by now, a *workspace.VersionError says so and nothing is done.
func (p *Project) Resolve(ctx context.Context, path string, id int64, base workspace.Version, content text.Text,
	reverts []history.EditID) (Done, error) {
	return p.reverts.Resolve(ctx, path, id, base, content, reverts)
}

// Restore makes the files what they were at a moment.
func (p *Project) Restore(ctx context.Context, r RestoreRequest) (Done, error) {
	return p.reverts.Restore(ctx, r)
}

// Fork starts a line of edits and turns of its own at a moment and brings the
// files there.
func (p *Project) Fork(ctx context.Context, name string, at history.EditID) (Done, error) {
	return p.forks.Fork(ctx, name, at)
}

// SwitchFork goes to another line of edits: the files become what they were at
// its newest edit.
func (p *Project) SwitchFork(ctx context.Context, name string) (Done, error) {
	return p.forks.SwitchFork(ctx, name)
}

// Purge removes what history holds of a file or of a session for good.
func (p *Project) Purge(ctx context.Context, path string, session history.SessionID) (history.PurgeReport, error) {
	return p.kept.Purge(ctx, path, session)
}

// LimitHistory bounds what the history of this project takes on disk, in bytes
// (0: no bound), and gives back at once what is above that, as far as it may go:
// below is false when that is not enough.
func (p *Project) LimitHistory(ctx context.Context, bytes int64) (below bool, err error) {
	return p.kept.LimitHistory(ctx, bytes)
}

// CapHistory sets the same bound; what is above it is given back in the
// background, and a notice says when that is not enough.
func (p *Project) CapHistory(ctx context.Context, bytes int64) error {
	return p.kept.CapHistory(ctx, bytes)
}

// The folder.

// MakeFile creates an empty file, and the folders above it.
func (p *Project) MakeFile(ctx context.Context, name string) (Done, error) {
	return p.tree.MakeFile(ctx, name)
}

// MakeFolder creates a folder, and those above it.
func (p *Project) MakeFolder(ctx context.Context, name string) error {
	return p.tree.MakeFolder(ctx, name)
}

// Rename gives a file or a folder another name or place.
func (p *Project) Rename(ctx context.Context, name, to string) (Done, error) {
	return p.tree.Rename(ctx, name, to)
}

// Removal lists what deleting a path would take.
func (p *Project) Removal(ctx context.Context, name string) (Removal, error) {
	return p.tree.Removal(ctx, name)
}

// Remove deletes a file, or a folder with what is in it.
func (p *Project) Remove(ctx context.Context, name, shown string) (Removed, error) {
	return p.tree.Remove(ctx, name, shown)
}
