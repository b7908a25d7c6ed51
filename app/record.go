package app

import (
	"context"
	"fmt"
	"time"

	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace/text"
)

// draftEvery is how often a hunk that streams in is journaled: what a crash
// may cost of an edit that is not finished, and so not acknowledged.
const draftEvery = 100 * time.Millisecond

// Change applies a change of the running turn to the live text. It is part of engine.Project.
func (p *Project) Change(ctx context.Context, h engine.Hunk, cs text.ChangeSet) (engine.Applied, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, err := p.document(ctx, h.Path)
	if err != nil {
		return engine.Applied{}, err
	}
	before, _ := d.live.Snapshot()
	done, err := d.live.Apply(string(history.Model), d.view, cs)
	if err != nil {
		others := text.Diff(d.seen, before)
		d.see()
		return engine.Applied{Others: others}, overlap(d.path, before, err)
	}
	d.see()
	d.turn = history.TurnID(h.Turn)
	if err := d.pending.add(done.Changes); err != nil {
		return engine.Applied{}, fmt.Errorf("change %s: %w", d.path, err)
	}
	p.draft(ctx, d, h)
	return engine.Applied{Pieces: pieces(before, done.Changes, d.enc), Others: done.Concurrent}, nil
}

// pieces are the places that a change touches, with line numbers in the new
// text, as characters for people to read.
func pieces(before text.Text, cs text.ChangeSet, enc text.Encoding) []engine.Piece {
	var out []engine.Piece
	shift := 0
	for c := range cs.Changes {
		removed := before.Slice(c.From, c.To).String()
		out = append(out, engine.Piece{Line: before.LineAt(c.From) + 1 + shift, Removed: enc.Decode([]byte(removed)), Inserted: enc.Decode([]byte(c.Insert))})
		shift += countLines(c.Insert) - countLines(removed)
	}
	return out
}

func countLines(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] == '\n' {
			n++
		}
	}
	return n
}

// draft journals the streaming hunk from time to time. The time between two
// drafts grows with what one takes, so that a hunk of any length spends at most
// a tenth of its time on them; a hunk that ends before the first is due has none.
func (p *Project) draft(ctx context.Context, d *document, h engine.Hunk) {
	now := time.Now()
	switch {
	case d.draftDue.IsZero():
		d.draftDue = now.Add(draftEvery)
		return
	case now.Before(d.draftDue):
		return
	}
	if err := p.putDraft(ctx, d, h); err != nil {
		p.notice(fmt.Sprintf("journal the edit of %s: %v", d.path, err))
	}
	d.draftDue = time.Now().Add(max(draftEvery, 10*time.Since(now)))
}

func (p *Project) putDraft(ctx context.Context, d *document, h engine.Hunk) error {
	pending, err := d.pending.total()
	if err != nil {
		return err
	}
	live, _ := d.live.Snapshot()
	cs, _, _, err := maskChange(d.path, d.masked, pending, live, d.hidden)
	if err != nil {
		return err
	}
	return p.store.PutDraft(ctx, history.Draft{Turn: history.TurnID(h.Turn), Path: d.path, Author: history.Model, Base: d.masked, Changes: cs})
}

// ack adapts a history receipt to the engine.
type ack struct{ history.Receipt }

func (a ack) EditIDs() []int64 {
	ids := a.IDs()
	out := make([]int64, len(ids))
	for i, id := range ids {
		out[i] = int64(id)
	}
	return out
}

// Commit makes the hunk that streamed in an edit. It is part of engine.Project.
func (p *Project) Commit(ctx context.Context, h engine.Hunk) (engine.Ack, error) {
	p.mu.Lock()
	d, err := p.document(ctx, h.Path)
	if err != nil { // the hunk failed because the file cannot be opened
		p.mu.Unlock()
		return nil, nil
	}
	r, err := p.record(ctx, d, history.Op{Author: history.Model, Turn: history.TurnID(h.Turn)}, h.Partial)
	p.mu.Unlock()
	if err != nil {
		return nil, err
	}
	p.saver.nudge(p)
	return r, nil
}

// record appends what is pending as one edit of op, and makes live the new
// head. Nothing pending records nothing. p.mu is held.
func (p *Project) record(ctx context.Context, d *document, op history.Op, partial bool) (engine.Ack, error) {
	d.draftDue = time.Time{}
	if d.pending.empty() && !d.newborn {
		return nil, nil
	}
	pending, err := d.pending.total()
	if err != nil {
		return nil, fmt.Errorf("record the edit of %s: %w", d.path, err)
	}
	live, _ := d.live.Snapshot()
	cs, m, hidden, err := maskChange(d.path, d.masked, pending, live, d.hidden)
	if err != nil {
		return nil, fmt.Errorf("record the edit of %s: %w", d.path, err)
	}
	e := history.NewEdit{Path: d.path, Kind: history.Text, Changes: cs, Before: d.masked, Partial: partial}
	if d.newborn {
		e = history.NewEdit{Path: d.path, Kind: history.Create, Content: m.Bytes(), Mode: d.mode, Partial: partial}
	}
	var out engine.Ack
	if d.newborn || !cs.Empty() {
		op.Edits = []history.NewEdit{e}
		r, err := p.store.Append(ctx, op)
		if err != nil {
			return nil, fmt.Errorf("record the edit of %s: %w", d.path, err)
		}
		out = ack{r}
	} else {
		p.notice(d.path + ": only a secret changed; the history does not keep secrets, so this edit cannot be reverted")
	}
	return out, d.advance(pending, live, m, hidden)
}

// advance makes live the head; cs leads there from the head before.
func (d *document) advance(cs text.ChangeSet, live, m text.Text, hidden bool) (err error) {
	for _, through := range []*text.ChangeSet{&d.unsaved, &d.since} {
		if *through, err = through.Compose(cs); err != nil {
			return fmt.Errorf("%s: %w", d.path, err)
		}
	}
	d.head, d.masked, d.hidden = live, m, hidden
	d.pending = startingAt(live.Len())
	d.recorded, d.newborn, d.dirty = true, false, true
	return nil
}

// Create makes a new, empty file; the hunk that fills it is recorded with it.
func (p *Project) Create(ctx context.Context, h engine.Hunk) (engine.Ack, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, err := p.document(ctx, h.Path)
	if err != nil {
		return nil, err
	}
	d.exists, d.newborn = true, true
	return nil, nil
}

// Delete removes a file.
func (p *Project) Delete(ctx context.Context, h engine.Hunk) (engine.Ack, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, err := p.document(ctx, h.Path)
	if err != nil {
		return nil, err
	}
	if d.newborn { // history never knew it
		d.exists, d.newborn = false, false
		d.pending = startingAt(0)
		return nil, d.clear()
	}
	r, err := p.store.Append(ctx, history.Op{Author: history.Model, Turn: history.TurnID(h.Turn),
		Edits: []history.NewEdit{{Path: d.path, Kind: history.Delete, Expect: history.HashText(d.masked)}}})
	if err != nil {
		return nil, fmt.Errorf("record the deletion of %s: %w", d.path, err)
	}
	d.dirty = true
	return ack{r}, d.gone()
}

// gone makes d a file that does not exist; what is on disk is not touched.
func (d *document) gone() error {
	d.exists, d.recorded = false, false
	d.head, d.masked, d.hidden = text.Text{}, text.Text{}, false
	d.pending = startingAt(0)
	d.unsaved = text.Diff(d.saved, text.Text{})
	d.since = text.Retain(0)
	return d.clear()
}
