package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"waferpair/workspace/text"
)

// ReviewHunk is one place of an edit that waits for review. An edit of several
// places has as many hunks, which are accepted and taken back together.
type ReviewHunk struct {
	Edit   EditID `json:"edit"`
	Place  int    `json:"place"`  // which of the edit's places this is, from 0
	Places int    `json:"places"` // how many it has
	Turn   TurnID `json:"turn,omitempty"`
	Path   string `json:"path"`          // of the file now
	Was    string `json:"was,omitempty"` // its path when it was edited, when that is another
	Kind   Kind   `json:"kind"`

	// From and To are what is left of what the edit inserted, in the text as it
	// is now: every later edit is taken into account. The range is empty where the
	// edit only removed text, and where all that it inserted is gone (Gone).
	From text.Byte `json:"from"`
	To   text.Byte `json:"to"`
	Gone bool      `json:"gone,omitempty"`

	Removed      string    `json:"removed,omitempty"`
	Added        int       `json:"added"`        // lines, of the whole edit
	RemovedLines int       `json:"removedLines"` // lines, of the whole edit
	Partial      bool      `json:"partial,omitempty"`
	Time         time.Time `json:"time"`
}

// ReviewAll returns one hunk for each edit that waits for review, with neither
// range nor text: what a list of files to go through needs.
func (s *Store) ReviewAll(ctx context.Context) ([]ReviewHunk, error) {
	edits, err := s.Unreviewed(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.namesNow(ctx, edits)
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	out := make([]ReviewHunk, len(edits))
	for i, e := range edits {
		out[i] = hunkOf(e, names.of(e))
	}
	return out, nil
}

// hunkOf is an edit without its places.
func hunkOf(e Edit, path string) ReviewHunk {
	h := ReviewHunk{Edit: e.ID, Places: 1, Turn: e.Turn, Path: path, Kind: e.Kind, Added: e.Added, RemovedLines: e.Removed, Partial: e.Partial, Time: e.Time}
	if e.Path != path {
		h.Was = e.Path
	}
	return h
}

// Review returns the places in one file that wait for review, in the order of the
// edits. The text is what the file holds now, masked as history has it; it may be
// ahead of what is recorded.
func (s *Store) Review(ctx context.Context, path string, now text.Text) ([]ReviewHunk, error) {
	edits, err := s.Unreviewed(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.namesNow(ctx, edits)
	if err != nil {
		return nil, fmt.Errorf("review %s: %w", path, err)
	}
	edits = slices.DeleteFunc(edits, func(e Edit) bool { return names.of(e) != path })
	if len(edits) == 0 {
		return nil, nil
	}
	pid, lin, err := s.pinned(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("review %s: %w", path, err)
	}
	r := reviewer{s: s, ctx: ctx, path: path, open: map[EditID]Edit{}}
	for _, e := range edits {
		r.open[e.ID] = e
	}
	if err := r.replay(pid, lin, edits[0].ID, now); err != nil {
		return nil, fmt.Errorf("review %s: %w", path, err)
	}
	return r.hunks, nil
}

// reviewer follows the places of the edits that wait through all later ones.
type reviewer struct {
	s     *Store
	ctx   context.Context
	path  string
	open  map[EditID]Edit
	hunks []ReviewHunk
	spots spots
}

func (r *reviewer) replay(pid int64, lin []segment, since EditID, now text.Text) error {
	life, err := r.s.life(r.ctx, pid, lin, since)
	if err != nil {
		return err
	}
	for _, e := range life.edits {
		if err := r.add(e); err != nil {
			return fmt.Errorf("edit %d: %w", e.id, err)
		}
	}
	r.rest()
	head, err := r.head(pid, lin)
	if err != nil {
		return err
	}
	r.spots.through(changesOf(text.Diff(head, now)))
	from, to := r.spots.now()
	for i := range r.hunks {
		h := &r.hunks[i]
		h.From, h.To = from[i], to[i]
		h.Gone = h.Gone || r.spots.inserted[i] && h.From == h.To
	}
	slices.SortStableFunc(r.hunks, func(a, b ReviewHunk) int { return int(a.Edit - b.Edit) })
	return nil
}

func (r *reviewer) head(pid int64, lin []segment) (text.Text, error) {
	_, t, err := r.s.versionOf(r.ctx, pid, lin)
	return t, err
}

// add takes one edit of the file in: a change of what came before it, and places
// of its own when it waits for review.
func (r *reviewer) add(e lifeEdit) error {
	var d delta
	var err error
	switch {
	case e.kind == Text && e.delta != nil:
		d, err = decodeDelta(e.delta)
	case e.blob != 0:
		d, err = r.wholeContent(e)
	}
	if err != nil {
		return err
	}
	r.spots.through(d.hunks)
	open, waits := r.open[e.id]
	if !waits {
		return nil
	}
	delete(r.open, e.id)
	shift := text.Byte(0)
	for i, h := range d.hunks {
		hunk := hunkOf(open, r.path)
		hunk.Place, hunk.Places, hunk.Removed = i, len(d.hunks), h.removed
		r.hunks = append(r.hunks, hunk)
		r.spots.add(h.from+shift, h.from+shift+text.Byte(len(h.inserted)))
		shift += text.Byte(len(h.inserted)) - (h.to - h.from)
	}
	if len(d.hunks) == 0 { // a rename, or a change of the mode
		r.hunks = append(r.hunks, hunkOf(open, r.path))
		r.spots.add(0, 0)
	}
	return nil
}

// wholeContent is the replacement of everything that was there before.
func (r *reviewer) wholeContent(e lifeEdit) (delta, error) {
	b, err := readBlob(r.ctx, r.s.read, e.blob)
	if err != nil {
		return delta{}, err
	}
	d := delta{hunks: []hunk{{inserted: string(b)}}}
	if e.kind == Create {
		return d, nil
	}
	edit, err := r.s.Get(r.ctx, e.id)
	if err != nil {
		return delta{}, err
	}
	d.len = text.Byte(len(edit.Before.Bytes))
	d.hunks[0].to, d.hunks[0].removed = d.len, string(edit.Before.Bytes)
	return d, nil
}

// rest adds the edits that have no place in the file's present life: it was
// deleted by them or since.
func (r *reviewer) rest() {
	for _, e := range r.open {
		h := hunkOf(e, r.path)
		h.Gone = e.Kind != Delete
		if e.Kind == Delete {
			if d, err := r.s.Get(r.ctx, e.ID); err == nil {
				h.Removed = string(d.Before.Bytes)
			}
		}
		r.hunks = append(r.hunks, h)
		r.spots.add(0, 0)
	}
}

func changesOf(cs text.ChangeSet) []hunk {
	var out []hunk
	for c := range cs.Changes {
		out = append(out, hunk{from: c.From, to: c.To, inserted: c.Insert})
	}
	return out
}
