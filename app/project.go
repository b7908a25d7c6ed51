package app

import (
	"waferpair/app/disk"
	"waferpair/app/query"
	"waferpair/engine"
	"waferpair/history"
)

// Project is an open project. Each part owns its state and depends on parts listed above
// it. The methods are safe for concurrent use.
type Project struct {
	core      *core
	place     *disk.Place    // whether the folder is at its path
	intake    *disk.Intake   // records changes of files that are not open
	recovery  *disk.Recovery // recovers at the start
	docs      *documents     // the open files
	saver     *saver         // writes them to disk
	stall     *stall         // keeps their unrecorded text during a stall
	autosaver *autosaver     // records and saves without being asked
	outsider  *outsider      // merges other programs' changes into them
	watcher   *disk.Watcher  // watches the folder for other programs' changes
	query     *query.Reader  // answers lookups; made by Open

	turns    *turns
	sessions *sessions
	patches  *patcher
	suggests *suggester
	reviews  *reviewer
	comments *commenter
	reverts  *reverter
	forks    *forker
	past     *reader
	kept     *caretaker
	tree     *filer
}

// newProject creates and joins the parts.
func newProject(opt Options) *Project {
	c := &core{opt: opt, models: opt.Models}
	p := &Project{core: c, place: disk.NewPlace(&c.disk), intake: disk.NewIntake(&c.disk)}
	p.recovery = disk.NewRecovery(p.intake, p.place)
	p.docs = &documents{core: c, Intake: p.intake, table: newTable()}
	p.saver = &saver{documents: p.docs, place: p.place, saving: ordered{rank: savingRank}}
	p.stall = &stall{documents: p.docs}
	p.autosaver = &autosaver{saver: p.saver, stall: p.stall, wake: make(chan struct{}, 1)}
	p.outsider = &outsider{p.saver, p.autosaver}
	p.watcher = disk.NewWatcher(p.recovery, p.outsider)
	c.recorded = p.autosaver.nudge
	p.docs.autosave, p.docs.touched, p.autosaver.look = p.autosaver.nudge, p.autosaver.changed, p.watcher.ReconcileAll

	carrier := &carrier{p.saver}
	files := &turnFiles{carrier, p.Query, newDeclared(), &covers{}}
	p.sessions = &sessions{core: c}
	p.sessions.running.listener = c.opt.Listener
	p.comments = &commenter{turnFiles: files, sessions: p.sessions}
	p.turns = &turns{turnFiles: files, findings: p.comments, sessions: p.sessions, watcher: p.watcher,
		prompts: prompts{core: c}}
	p.patches = &patcher{files, p.sessions}
	p.suggests = &suggester{files}
	p.reviews = &reviewer{c}
	p.reverts = &reverter{carrier}
	p.forks = &forker{carrier, p.sessions}
	p.past = &reader{c, p.intake}
	p.kept = &caretaker{p.saver, &p.sessions.running}
	p.tree = &filer{carrier, p.outsider}
	return p
}

// History returns the project's history, for reading.
func (p *Project) History() *history.Store { return p.core.store }

// Models returns the registry of models.
func (p *Project) Models() *engine.Registry { return p.core.models }
