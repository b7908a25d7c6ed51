package history

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// IntentWrite is one file of a save that is about to happen.
type IntentWrite struct {
	Path   string `json:"path"`
	To     string `json:"to,omitempty"`
	Op     string `json:"op"`
	Before Hash   `json:"before"` // zero: must not exist
	After  Hash   `json:"after"`  // zero: will not exist
	Temp   string `json:"temp,omitempty"`
	Part   string `json:"part,omitempty"`
	Whole  bool   `json:"whole,omitempty"` // part of a change that is final once it is Recorded

	Made []string `json:"made,omitempty"` // folders that were not there, and are made for the file
}

// PendingIntent is a save that began and was not reported as done.
type PendingIntent struct {
	ID     int64
	Time   time.Time
	Writes []IntentWrite
	// Recorded reports whether an operation with this ID as Op.Save is committed.
	Recorded bool
}

// recorded is the outcome of an intent that an operation has recorded, and whose end is not
// known yet.
const recorded = "recorded"

func (g *group) recordIntent(id int64) error {
	if id == 0 {
		return nil
	}
	return g.exec("UPDATE intent SET outcome = ? WHERE id = ?", recorded, id)
}

// Intend records what is about to be written to the project's files. It returns when the
// intent is durable: only then may the caller touch the first file.
func (s *Store) Intend(ctx context.Context, writes []IntentWrite) (int64, error) {
	b, err := json.Marshal(writes)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	id := s.next.job
	s.next.job++
	at := s.now()
	s.mu.Unlock()
	p, err := s.submit(ctx, len(b), func(g *group) error {
		return g.exec("INSERT OR REPLACE INTO intent (id, at, writes) VALUES (?, ?, ?)", id, at, string(b))
	})
	if err == nil {
		s.w.hurry() // the save waits
		err = p.wait(ctx)
	}
	if err != nil {
		return 0, fmt.Errorf("record what is about to be saved: %w", err)
	}
	return id, nil
}

// maxOutcomes is how many saves with an outcome other than success are kept.
const maxOutcomes = 1000

// IntentDone records how a save ended. It does not wait: a finished save that is still
// listed as pending is recognized by its hashes. Saves that were applied leave no row.
func (s *Store) IntentDone(ctx context.Context, id int64, outcome string) error {
	_, err := s.send(ctx, 0, func(g *group) error {
		if outcome == "applied" || outcome == "" {
			return g.exec("DELETE FROM intent WHERE id = ?", id)
		}
		if err := g.exec("DELETE FROM intent WHERE outcome IS NOT NULL AND id < ?", id-maxOutcomes); err != nil {
			return err
		}
		return g.exec("UPDATE intent SET outcome = ? WHERE id = ?", outcome, id)
	})
	return err
}

// PendingIntents returns the saves that a crash may have left half-done, oldest first.
func (s *Store) PendingIntents(ctx context.Context) ([]PendingIntent, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	rows, err := s.read.QueryContext(ctx,
		"SELECT id, at, writes, outcome IS NOT NULL FROM intent WHERE outcome IS NULL OR outcome = ? ORDER BY id", recorded)
	if err != nil {
		return nil, fmt.Errorf("list pending saves: %w", err)
	}
	defer rows.Close()
	var out []PendingIntent
	for rows.Next() {
		var p PendingIntent
		var at int64
		var b string
		if err := rows.Scan(&p.ID, &at, &b, &p.Recorded); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(b), &p.Writes); err != nil {
			return nil, fmt.Errorf("pending save %d: %w (%v)", p.ID, ErrDamaged, err)
		}
		p.Time = time.UnixMilli(at)
		out = append(out, p)
	}
	return out, rows.Err()
}

// Draft is text that is not an edit yet: a hunk in mid-stream, or unsaved typing.
// There is one per turn and path (turn 0 for typing outside turns).
type Draft struct {
	Turn    TurnID
	Path    string
	Author  Author
	Base    text.Text      // the version that Changes applies to; only its hash is stored
	Before  Hash           // the hash of Base, if Base is not given
	Changes text.ChangeSet // all changes so far
	Time    time.Time      // set by Drafts
}

// PutDraft replaces the drafts of their turns and paths, all of them in one commit, with
// the next group; it does not wait for it. A draft that changes nothing is removed. An
// Append of an edit with the same turn and path removes the draft.
//
// A draft stores no removed bytes: they are in the version it applies to.
func (s *Store) PutDraft(ctx context.Context, drafts ...Draft) error {
	rows, size, err := s.draftRows(drafts)
	if err != nil {
		return err
	}
	if err := s.Stalled(); err != nil {
		return err // otherwise newer drafts of the same text would pile up
	}
	_, err = s.send(ctx, size, func(g *group) error { return g.writeDrafts(rows) })
	return err
}

// draftRow is a draft ready for the writer; a nil delta removes it.
type draftRow struct {
	turn   TurnID
	path   string
	author int
	before Hash
	delta  []byte
	at     int64
}

func (s *Store) draftRows(drafts []Draft) (rows []draftRow, size int, err error) {
	for _, d := range drafts {
		r := draftRow{turn: d.Turn, path: d.Path, before: d.Before, at: s.now()}
		if d.Author == "" {
			d.Author = Model
		}
		if r.author, err = code(authors, d.Author); err != nil {
			return nil, 0, err
		}
		if !d.Changes.Empty() {
			r.delta = draftDelta(d.Changes).Encode()
			if r.before.IsZero() {
				r.before = HashText(d.Base)
			}
		}
		rows, size = append(rows, r), size+len(r.delta)
	}
	return rows, size, nil
}

func (g *group) writeDrafts(rows []draftRow) error {
	for _, r := range rows {
		var err error
		if r.delta == nil {
			err = g.exec("DELETE FROM draft WHERE turn = ? AND path = ?", int64(r.turn), r.path)
		} else {
			err = g.exec("INSERT OR REPLACE INTO draft (turn, path, author, before, delta, at) VALUES (?, ?, ?, ?, ?, ?)",
				int64(r.turn), r.path, r.author, r.before[:], r.delta, r.at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// draftDelta stores only the length of a removed range, as that many zero bytes, which
// compress to almost nothing.
func draftDelta(cs text.ChangeSet) version.Delta {
	d := version.Delta{Len: cs.Len()}
	cs.Changes(func(c text.Change) bool {
		d.Hunks = append(d.Hunks, version.Hunk{From: c.From, To: c.To, Removed: string(make([]byte, c.To-c.From)),
			Inserted: c.Insert})
		return true
	})
	return d
}

// DropDraft removes a draft.
func (s *Store) DropDraft(ctx context.Context, turn TurnID, path string) error {
	_, err := s.send(ctx, 0, func(g *group) error {
		return g.exec("DELETE FROM draft WHERE turn = ? AND path = ?", int64(turn), path)
	})
	return err
}

// Drafts returns the text that was being typed or streamed when the program ended.
func (s *Store) Drafts(ctx context.Context) ([]Draft, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	rows, err := s.read.QueryContext(ctx,
		"SELECT turn, path, author, before, delta, at FROM draft ORDER BY turn, at, path")
	if err != nil {
		return nil, fmt.Errorf("list drafts: %w", err)
	}
	defer rows.Close()
	var out []Draft
	for rows.Next() {
		var d Draft
		var author int
		var before, raw []byte
		var at int64
		if err := rows.Scan(&d.Turn, &d.Path, &author, &before, &raw, &at); err != nil {
			return nil, err
		}
		d.Author, d.Time = word(authors, author), time.UnixMilli(at)
		copy(d.Before[:], before)
		x, err := version.DecodeDelta(raw)
		if err == nil {
			d.Changes, err = x.Changes()
		}
		if err != nil {
			return nil, fmt.Errorf("draft of %s: %w", d.Path, err)
		}
		out = append(out, d)
	}
	return out, rows.Err()
}
