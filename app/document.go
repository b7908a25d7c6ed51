package app

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"sync"
	"time"

	"waferpair/app/disk"
	"waferpair/app/live"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// document is an open file: what it is now, what history knows, and what is on
// disk. p.mu guards it.
//
//	disk --unsaved--> head --model--> mid --typed--> live
//
// The buffer holds live with its versions; layers hold the rest. Everything
// that changes the buffer goes through put or become, which keep the two alike.
type document struct {
	path   string
	id     int64 // names this opening, see File
	buffer *workspace.Buffer
	live.Layers

	mode  fs.FileMode
	enc   text.Encoding // of the file as it was opened
	held  string        // why history does not keep the file; "" when it does
	fixed string        // why the file cannot be changed; "" when it can

	exists  bool // there is such a file now
	newborn bool // created by a hunk that history does not have yet
	moving  bool // history has its new name already, the disk not yet

	synced   bool      // history was brought up to the file when it was opened
	recorded bool      // history has the file
	masked   text.Text // head as history holds it, see package mask
	hidden   bool      // masked hides a secret

	disk      live.Disk
	unsavedBy authors // whose edits are not on disk
	saveState

	turn  history.TurnID // whose hunk streams in, see hold
	early acks           // of parts of that hunk that were recorded before its end
	journaling
	burst
}

// documents are the open files.
type documents struct {
	*core
	*disk.Intake
	mu      sync.Mutex // guards all below, and every document
	docs    map[string]*document
	typed   map[*document]bool        // with typing that is not recorded
	taken   map[string]history.TurnID // by path: which running turn has the file, see hold
	touched func()                    // called when a text changed
	care    func()                    // called when there is typing to be taken care of
}

// newDocument names a new opening. The name fits a JavaScript number.
func newDocument(path string) *document {
	return &document{path: path, id: newID(), mode: 0o644}
}

func newID() int64 { return rand.Int64N(1<<53-1) + 1 }

// kept reports whether history keeps the document.
func (d *document) kept() bool { return d.held == "" && d.synced }

// settleAt makes t what the document is live, in history and on disk. With a zero
// hash there is no file.
func (d *document) settleAt(hash [32]byte, t text.Text) {
	d.Layers, d.disk = live.At(t), live.OnDisk(hash, t)
}

// journaling is what the journal has of a document's layers.
//
//	head --draft of the turn--> mid --draft of turn 0--> live
//
// The two are always written in one commit, and with every edit that makes
// another head: so that each has its place when the program dies at any moment.
type journaling struct {
	draftDue    time.Time // when the open hunk is to be journaled; zero: it has only begun
	draftNext   time.Time // when anything may be journaled again
	hunkDrafted bool      // the journal has a draft of the turn
	typeDrafted bool      // it has one of what the user typed
	undrafted   bool      // the user typed since
}

// saveState is how far the saves of a document are.
type saveState struct {
	dirty bool // head is to be written to disk
	stuck bool // writing it failed; it is tried again
	saves int  // how often it was written
}

// authors is whose edits are not on disk yet.
type authors struct {
	typed history.EditID // the newest one by the user; 0: none
	model bool
}

func (a *authors) add(author history.Author, recorded acks) {
	for _, r := range recorded {
		switch author {
		case history.User:
			a.typed = r.IDs()[0]
		case history.Model:
			a.model = true
		}
	}
}

// acks are receipts of the history for the engine.
type acks []history.Receipt

// EditIDs lists the edits.
func (a acks) EditIDs() []int64 {
	out := []int64{}
	for _, r := range a {
		for _, id := range r.IDs() {
			out = append(out, int64(id))
		}
	}
	return out
}

// Wait returns once all are durable.
func (a acks) Wait(ctx context.Context) error {
	for _, r := range a {
		if err := r.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// followTaken keeps a renamed file with the turn that has it: it then has both names,
// so that nobody else makes another file under the old one meanwhile. p.mu is held.
func (p *documents) followTaken(from, to string) {
	if turn := p.taken[from]; turn != 0 {
		p.taken[to] = turn
	}
}

// freeOfTurns refuses what would change, in the name of one turn, a file that a running
// turn has. p.mu is held.
func (p *documents) freeOfTurns(paths ...string) error {
	for _, path := range paths {
		if turn := p.taken[path]; turn != 0 {
			return &engine.Busy{Path: path, Turn: int64(turn)}
		}
	}
	return nil
}
