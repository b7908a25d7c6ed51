package app

import (
	"waferpair/app/disk"
	"waferpair/app/query"
	"waferpair/engine"
	"waferpair/history"
)

// Project is an open project: its parts, each of which owns what it is about, and
// below is what it stands on. Its methods are safe for concurrent use.
type Project struct {
	core      *core
	place     *disk.Place    // whether the folder is at its path
	intake    *disk.Intake   // what is found on disk of files that are not open
	recovery  *disk.Recovery // what a start does
	docs      *documents     // the open files
	saver     *saver         // brings them to disk
	stall     *stall         // what becomes of them while nothing can be recorded
	autosaver *autosaver     // does all this in time
	outsider  *outsider      // what other programs do to them
	watcher   *disk.Watcher  // what other programs do meanwhile
	query     *query.Reader  // what can be looked up; Open makes it

	turns    *turns
	sessions *sessions
	patches  *patcher
	suggests *suggester
	reviews  *reviewer
	reverts  *reverter
	forks    *forker
	past     *reader
	kept     *caretaker
	tree     *filer
}

// newProject joins the parts.
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
	files := &turnFiles{carrier}
	p.sessions = &sessions{core: c}
	p.sessions.running.listener = c.opt.Listener
	p.turns = &turns{files, p.sessions, p.watcher}
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

// History is the project's history, for reading.
func (p *Project) History() *history.Store { return p.core.store }

// Models is where models are found by name.
func (p *Project) Models() *engine.Registry { return p.core.models }
