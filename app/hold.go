package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"waferpair/app/disk"
	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// hold is one turn's part of the project: its views of the files that it opened, and the
// files that it has claimed. It implements engine.Project for its turn. Any number of
// turns run at once, each with its own hold.
//
// A turn claims a file with its first change there, and keeps it until the turn ends, in
// whichever way. So a file has the unfinished hunk of at most one turn, in the layers of
// its document. Nobody waits for a file: if another turn has it, *engine.Busy refuses the
// change. The user is not a turn and may change any file, also by a revert or a rename.
type hold struct {
	*turnFiles
	look *disk.Watcher // finds what other programs write for the turn
	turn history.TurnID

	umask *fs.FileMode // with which its files are made, see workspace.WithUmask

	// masked means that the turn's model reads masked texts: its patches are placed on them.
	masked bool

	mu    sync.Mutex
	views map[string]view // by path, of the files that the turn has opened
}

// view is a file as the turn last saw it. A change by the turn is mapped over what others
// did since.
type view struct {
	d       *live.Document
	version workspace.Version
	text    text.Text
	veil    *mask.Veil // of a model that reads masked texts
}

func newHold(ctx context.Context, p *turnFiles, look *disk.Watcher, turn history.TurnID) *hold {
	return &hold{turnFiles: p, look: look, turn: turn, umask: workspace.UmaskOf(ctx), views: map[string]view{}}
}

// refresh updates the turn's view of a file.
func (h *hold) refresh(d *live.Document) {
	t, v := d.Buffer.Snapshot()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.views[d.Path] = view{d, v, t, h.views[d.Path].veil}
}

// seen returns the turn's view of a file.
func (h *hold) seen(d *live.Document) view {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.views[d.Path]
}

// Open returns the file and remembers it as the turn's view. It implements engine.Project.
func (h *hold) Open(path string) (doc editstream.Doc, err error) {
	real := path
	defer func() {
		if own := ownSettings(path, real); own != nil {
			doc, err = editstream.Doc{}, own
		}
	}()
	err = h.opening(path, func(d *live.Document, shown editstream.Doc) {
		if doc = shown; d != nil {
			real = d.Path
			h.refresh(d)
			if h.masked {
				h.cover(d, &doc)
			}
		}
	})
	return doc, err
}

// cover makes a file what the turn's model has read.
func (h *hold) cover(d *live.Document, doc *editstream.Doc) {
	veil := covered(d.Path, doc)
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.views[d.Path]
	v.veil = veil
	h.views[d.Path] = v
}

// covered masks the secrets of a file for a model. A file in UTF-16 that has some cannot be edited: a
// mask in it would not be known as one.
func covered(path string, doc *editstream.Doc) (v *mask.Veil) {
	if s := doc.Text.Bytes(); text.IsUTF16(doc.Text) && len(secrets.Find(path, []byte(doc.Encoding.Decode(s)))) > 0 {
		doc.Editable = errors.New("it is in UTF-16 and holds a secret that the model cannot see; edit it by hand")
	}
	doc.Text, v = mask.Cover(path, doc.Text)
	return v
}

// busy refuses a file that another turn has.
func (h *hold) busy(path string) error {
	if other := h.table.turnOf(path); other != 0 && other != h.turn {
		return &engine.Busy{Path: path, Turn: int64(other)}
	}
	return h.claimed(path)
}

// claimed refuses a file that another program is writing for another turn.
func (h *hold) claimed(path string) error {
	if other := h.claims.other(path, h.turn); other != 0 {
		return &engine.Busy{Path: path, Turn: int64(other)}
	}
	return nil
}

// mark claims a file for the turn, unless another one has it; fresh reports that the turn
// did not have it before.
func (h *hold) mark(path string) (fresh bool, err error) {
	had, err := h.table.take(path, h.turn, func() error { return h.claimed(path) })
	if had != 0 && had != h.turn {
		return false, &engine.Busy{Path: path, Turn: int64(had)}
	}
	return err == nil && had == 0, err
}

// take claims a file for the turn. If an earlier turn left unrecorded text there, it is
// recorded first, as that turn's.
func (h *hold) take(ctx context.Context, d *live.Document) error {
	fresh, err := h.mark(d.Path)
	if err != nil || d.Turn == h.turn {
		return err
	}
	if err := d.RecordPart(ctx); err != nil {
		if fresh {
			h.table.give(d.Path)
		}
		return err
	}
	d.SetTurn(h.turn)
	d.Umask = h.umask
	return nil
}

// taking opens a file and claims it.
func (h *hold) taking(ctx context.Context, path string) (*live.Document, error) {
	d, err := h.document(ctx, path)
	if err != nil {
		return nil, err
	}
	return d, h.take(ctx, d)
}

// writer identifies the turn to buffers, which tell turns from each other by it.
func (h *hold) writer() live.Writer {
	return live.Writer{Author: history.Model, Origin: fmt.Sprintf("turn %d", h.turn)}
}

// release returns the claimed files. An unfinished hunk is recorded as far as it is
// written.
func (h *hold) release() error {
	var first error
	// repeat: a file may have been renamed meanwhile
	for paths := h.table.takenBy(h.turn); len(paths) > 0; paths = h.table.takenBy(h.turn) {
		for _, path := range paths {
			if err := h.giveBack(path); err != nil && first == nil {
				first = fmt.Errorf("record what turn %d was writing: %w", h.turn, err)
			}
		}
	}
	if err := h.faults.of(h.turn); err != nil { // a save may have failed since the turn settled; no other will
		h.trouble("", err)
	}
	return first
}

func (h *hold) giveBack(path string) error {
	return h.holding(context.Background(), []string{path}, func(ctx context.Context) error {
		defer h.table.give(path)
		if d := h.table.at(path); d != nil && d.Turn == h.turn {
			return d.RecordPart(ctx)
		}
		return nil
	})
}

// Change applies a change of the turn to the live text. It implements engine.Project. A
// file that was deleted, or is no longer text, counts as changed by somebody else.
func (h *hold) Change(ctx context.Context, hunk engine.Hunk, cs text.ChangeSet) (done engine.Applied, err error) {
	err = h.holding(ctx, []string{hunk.Path}, func(ctx context.Context) (err error) {
		done, err = h.change(ctx, hunk, cs)
		return err
	})
	return done, err
}

func (h *hold) change(ctx context.Context, hunk engine.Hunk, cs text.ChangeSet) (engine.Applied, error) {
	d, err := h.document(ctx, hunk.Path)
	var no *notEditable
	if errors.As(err, &no) {
		return engine.Applied{}, &engine.OverlapError{Path: hunk.Path, By: string(history.Outside), Line: 1}
	}
	if err != nil {
		return engine.Applied{}, err
	}
	before, seen := d.Live(), h.seen(d)
	refused := func(err error) (engine.Applied, error) {
		others := text.Diff(seen.text, before)
		if seen.veil != nil {
			if seen.veil.Waits() { // the view stays; they come with the change that is made
				return engine.Applied{}, err
			}
			seen.veil.Moved(others)
		}
		h.refresh(d)
		return engine.Applied{Others: others}, err
	}
	if err := h.busy(d.Path); err != nil {
		return refused(err)
	}
	if seen.d != d || !d.Exists() { // deleted, renamed or replaced since
		return refused(&engine.OverlapError{Path: d.Path, By: string(history.Outside), Line: 1})
	}
	if seen.veil != nil {
		if waits, err := seen.veil.Take(cs); err != nil {
			return refused(&engine.RefusedError{Path: d.Path, Why: err.Error()})
		} else if waits {
			return engine.Applied{}, h.take(ctx, d)
		}
	}
	if err := h.take(ctx, d); err != nil {
		return engine.Applied{}, err
	}
	done, err := h.put(ctx, d, seen, cs)
	if err != nil {
		return refused(err)
	}
	if seen.veil != nil {
		seen.veil.Moved(cs)
		seen.veil.Moved(done.Others)
	}
	return done, nil
}

// put makes a change of the turn's view of a file, and has the view follow.
func (h *hold) put(ctx context.Context, d *live.Document, seen view, cs text.ChangeSet) (engine.Applied, error) {
	before := d.Live()
	done, err := d.Put(ctx, h.writer(), seen.version, cs)
	if err != nil {
		return engine.Applied{}, overlap(d.Path, before, err)
	}
	h.refresh(d)
	if d.JournalHunk(ctx) {
		h.table.types(d, true)
		h.autosave()
	}
	return engine.Applied{Pieces: pieces(before, done.Changes, d.Encoding), Others: done.Concurrent}, nil
}

// Finish makes what of a hunk waited for its end, because it touches a secret. It implements
// engine.Delayer.
func (h *hold) Finish(ctx context.Context, hunk engine.Hunk) (done engine.Applied, err error) {
	err = h.holding(ctx, []string{hunk.Path}, func(ctx context.Context) (err error) {
		d, err := h.document(ctx, hunk.Path)
		if err == nil {
			done, err = h.reveal(ctx, d)
		}
		return err
	})
	return done, err
}

func (h *hold) reveal(ctx context.Context, d *live.Document) (engine.Applied, error) {
	seen := h.seen(d)
	if seen.veil == nil || !seen.veil.Waits() {
		return engine.Applied{}, nil
	}
	if seen.d != d || !d.Exists() {
		return engine.Applied{}, &engine.OverlapError{Path: d.Path, By: string(history.Outside), Line: 1}
	}
	change, err := seen.veil.Reveal(seen.text)
	if err != nil {
		return engine.Applied{}, &engine.RefusedError{Path: d.Path, Why: err.Error()}
	}
	done, err := h.put(ctx, d, seen, change.Changes)
	if err != nil {
		return done, err
	}
	seen.veil.Made(change)
	seen.veil.Moved(done.Others)
	return done, follow(&done, change.Fix)
}

// follow puts what the turn's view lacks of a change in front of what others did since.
func follow(done *engine.Applied, fix text.ChangeSet) (err error) {
	if done.Others.Empty() {
		done.Others = fix
		return nil
	}
	done.Others, err = fix.Compose(done.Others)
	return err
}

// Commit records the streamed hunk as an edit. It implements engine.Project.
func (h *hold) Commit(ctx context.Context, hunk engine.Hunk) (engine.Ack, error) {
	return h.acked(ctx, func(ctx context.Context) (engine.Ack, error) { return h.commit(ctx, hunk) }, hunk.Path)
}

func (h *hold) commit(ctx context.Context, hunk engine.Hunk) (engine.Ack, error) {
	d, err := h.document(ctx, hunk.Path)
	switch {
	case errors.As(err, new(*missingLocks)):
		return nil, err
	case err != nil: // the hunk failed because the file cannot be opened
		return nil, nil
	}
	if err := h.busy(d.Path); err != nil {
		return nil, err
	}
	if v := h.seen(d).veil; v != nil && v.Waits() { // the hunk failed, and what waits reverts it
		if _, err := h.reveal(ctx, d); err != nil {
			v.Drop()
		}
	}
	if d.Turn != h.turn { // the turn has changed nothing here
		return live.Acks{}, nil
	}
	r, err := d.RecordHunk(ctx, hunk.Partial)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// acked calls do with the locks of some files, and returns its receipt.
func (h *hold) acked(ctx context.Context,
	do func(context.Context) (engine.Ack, error), paths ...string) (ack engine.Ack, err error) {
	err = h.holding(ctx, paths, func(ctx context.Context) (err error) {
		ack, err = do(ctx)
		return err
	})
	return ack, err
}

// Create creates an empty file; it is recorded with the hunk that fills it.
func (h *hold) Create(ctx context.Context, hunk engine.Hunk) (engine.Ack, error) {
	return h.acked(ctx, func(ctx context.Context) (engine.Ack, error) {
		d, err := h.taking(ctx, hunk.Path)
		if err == nil {
			d.Make()
		}
		return nil, err
	}, hunk.Path)
}

// Delete deletes a file. It first records what the user typed there.
func (h *hold) Delete(ctx context.Context, hunk engine.Hunk) (engine.Ack, error) {
	return h.acked(ctx, func(ctx context.Context) (engine.Ack, error) { return h.delete(ctx, hunk) }, hunk.Path)
}

func (h *hold) delete(ctx context.Context, hunk engine.Hunk) (engine.Ack, error) {
	d, err := h.taking(ctx, hunk.Path)
	if err != nil {
		return nil, err
	}
	if veil := h.seen(d).veil; veil != nil && !d.Newborn() {
		if why := veil.Deletable(); why != nil {
			return nil, &engine.RefusedError{Path: hunk.Path, Why: why.Error()}
		}
	}
	defer func() {
		h.refresh(d)
		h.cover(d, &editstream.Doc{}) // a file that is made anew begins without secrets
	}()
	if d.Newborn() && !d.Typing() { // history never had it
		return nil, d.Drop()
	}
	if err := d.Flush(ctx); err != nil {
		return nil, err
	}
	was, _ := d.Masked()
	r, err := h.append(ctx, history.Op{Author: history.Model, Turn: h.turn,
		Edits: []history.NewEdit{{Path: d.Path, Kind: history.Delete, Before: was, Expect: d.HeadHash()}}})
	if err != nil {
		return nil, fmt.Errorf("record the deletion of %s: %w", d.Path, err)
	}
	return live.Acks{r}, d.Delete()
}

// Settle saves all files, and returns the failures for files of the turn; failures of
// other files are reported to their owners. It implements engine.Project.
func (h *hold) Settle(ctx context.Context) error {
	if err := h.saver.Settle(ctx); err != nil {
		h.trouble("", err)
	}
	return errors.Join(h.faults.of(h.turn), h.saveWaits(h.turn))
}
